//! Pages, and the extensions of their points: parts of the boot payload and of the responses of
//! `/_page`.

use std::collections::BTreeMap;
use std::ops::Not;

use serde::Serialize;
use serde_json::value::RawValue;

use colonnade_model::release::PointReference;
use colonnade_render::SiteValues;
use colonnade_store::loaded::{ExtensionManifest, LoadedDeployment, PageManifest, SectionEntry, ShellFrame};

/// How to load a page in a set, with the extensions that it shows.
#[derive(Serialize)]
pub(crate) struct ResolvedPage<'a> {
    #[serde(flatten)]
    pub(crate) manifest: &'a PageManifest,
    /// The length in bytes of what it loads, with the shared packages. Browsers wait longer for more.
    bytes: u64,
    /// The configuration of its section. The boot payload has it elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    config: Option<&'a RawValue>,
    /// The extensions of its points.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) extensions: ResolvedExtensions<'a>,
    /// The permissions of its document. The boot payload has them elsewhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    policy: Vec<String>,
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
    /// A page of a set, for browsers that render it: with the configuration of all its sections, and the
    /// permissions of its document.
    pub(crate) fn new(set: &'a LoadedDeployment, manifest: &'a PageManifest, values: &'a SiteValues) -> Self {
        let mut page = Self::with_extensions(&set.frame, manifest, extensions(set, &manifest.points));
        let config = |section: &str| values.configs.get(section).map(|config| &**config);
        page.config = config(&manifest.section.name);
        for extension in page.extensions.values_mut().flatten() {
            extension.config = config(&extension.manifest.section.name);
        }
        let names = sections(set, Some(manifest)).map(|section| section.name.as_str());
        page.policy = values.policy.permissions(names);
        page
    }

    /// A page in this frame with these extensions.
    pub(crate) fn with_extensions(
        frame: &ShellFrame,
        manifest: &'a PageManifest,
        extensions: ResolvedExtensions<'a>,
    ) -> Self {
        Self {
            manifest,
            bytes: manifest.bytes + frame.shared_bytes(&manifest.shared),
            config: None,
            extensions,
            policy: Vec::new(),
        }
    }

    /// Whether it has what operators change besides extensions.
    pub(crate) fn has_settings(&self) -> bool {
        let mut extensions = self.extensions.values().flatten();
        self.config.is_some()
            || !self.policy.is_empty()
            || extensions.any(|extension| extension.config.is_some())
    }
}

/// The section of a page, and those that fill extension points of the page or the shell in a set.
pub(crate) fn sections<'a>(
    set: &'a LoadedDeployment,
    page: Option<&'a PageManifest>,
) -> impl Iterator<Item = &'a SectionEntry> {
    let points = page
        .into_iter()
        .flat_map(|page| &page.points)
        .chain(&set.frame.points);
    let extensions = points.flat_map(|point| set.extensions(point));
    let own = page.into_iter().map(|page| &*page.section);
    own.chain(extensions.map(|extension| &*extension.section))
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
