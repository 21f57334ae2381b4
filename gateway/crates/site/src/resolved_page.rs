//! Pages, and the extensions of their points: parts of the boot payload and of the responses of
//! `/_page`.

use std::collections::BTreeMap;
use std::ops::Not;

use serde::Serialize;
use serde_json::value::RawValue;

use colonnade_model::release::PointReference;
use colonnade_render::SiteValues;
use colonnade_store::loaded::{ExtensionManifest, LoadedDeployment, PageManifest};

/// How to load a page in a set, with the extensions that it shows.
#[derive(Serialize)]
pub(crate) struct ResolvedPage<'a> {
    #[serde(flatten)]
    pub(crate) manifest: &'a PageManifest,
    /// The configuration of its section. The boot payload has it elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    config: Option<&'a RawValue>,
    /// The extensions of its points.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) extensions: ResolvedExtensions<'a>,
}

/// The extensions of points in the order in which they are shown. Points without any are left out.
pub(crate) type ResolvedExtensions<'a> = BTreeMap<&'a PointReference, Vec<ResolvedExtension<'a>>>;

/// How to load an extension.
#[derive(Serialize)]
pub(crate) struct ResolvedExtension<'a> {
    #[serde(flatten)]
    pub(crate) manifest: &'a ExtensionManifest,
    /// The configuration of its section. The boot payload has it elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    config: Option<&'a RawValue>,
    /// What its `data` returned, if the document has its HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<&'a RawValue>,
    /// Whether the document leaves it out of its place: it failed, was late, or shows nothing.
    #[serde(rename = "leftOut", skip_serializing_if = "Not::not")]
    pub(crate) is_left_out: bool,
}

impl<'a> ResolvedPage<'a> {
    /// A page of a set, for browsers that render it.
    pub(crate) fn new(set: &'a LoadedDeployment, manifest: &'a PageManifest) -> Self {
        Self::with_extensions(manifest, extensions(set, &manifest.points))
    }

    /// A page with these extensions.
    pub(crate) fn with_extensions(manifest: &'a PageManifest, extensions: ResolvedExtensions<'a>) -> Self {
        let config = None;
        Self {
            manifest,
            config,
            extensions,
        }
    }

    /// The same page with the configuration of all its sections.
    #[must_use]
    pub(crate) fn with_configs(mut self, values: &'a SiteValues) -> Self {
        let config = |section: &str| values.configs.get(section).map(|config| &**config);
        self.config = config(&self.manifest.section.name);
        for extension in self.extensions.values_mut().flatten() {
            extension.config = config(&extension.manifest.section.name);
        }
        self
    }

    /// Whether it has the configuration of a section.
    pub(crate) fn has_config(&self) -> bool {
        let mut extensions = self.extensions.values().flatten();
        self.config.is_some() || extensions.any(|extension| extension.config.is_some())
    }
}

/// The extensions that fill points in a set, for browsers that render them.
pub(crate) fn extensions<'a>(
    set: &'a LoadedDeployment,
    points: &'a [PointReference],
) -> ResolvedExtensions<'a> {
    let filled = points.iter().map(|point| {
        let extensions = set.extensions(point).iter();
        (
            point,
            extensions
                .map(|manifest| ResolvedExtension {
                    manifest,
                    config: None,
                    data: None,
                    is_left_out: false,
                })
                .collect::<Vec<_>>(),
        )
    });
    filled.filter(|(_, extensions)| !extensions.is_empty()).collect()
}
