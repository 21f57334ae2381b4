//! The extensions of a page: what sections contribute to its extension points and to those of the
//! shell.
//!
//! An extension is rendered by jobs of its own, with the props that the page passes. One that fails
//! is left out of the document, which is cached for as long as nothing renders the extension again.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use colonnade_model::release::PointReference;
use colonnade_store::Store;
use colonnade_store::loaded::ExtensionManifest;

use crate::attempt::Attempt;
use crate::engine::Engine;
use crate::page::{Content, PageContent, Rendered};
use crate::request::RenderRequest;
use crate::validity::{Digest, Validity};
use crate::why::Why;

/// The most bytes of the props of a point, as JSON.
const MAX_PROPS_BYTES: usize = 64 * 1024;

/// The props that a page passes to an extension point: a JSON object, kept byte for byte.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Box<RawValue>")]
pub(crate) struct PointProps {
    pub(crate) json: Box<RawValue>,
    digest: Digest,
}

impl TryFrom<Box<RawValue>> for PointProps {
    type Error = String;

    fn try_from(json: Box<RawValue>) -> Result<Self, String> {
        let bytes = json.get().len();
        if bytes > MAX_PROPS_BYTES {
            return Err(format!(
                "the props of an extension point have {bytes} bytes; expected at most {MAX_PROPS_BYTES}"
            ));
        }
        if !json.get().starts_with('{') {
            return Err("the props of an extension point must be an object".to_owned());
        }
        Ok(Self::new(json))
    }
}

impl PointProps {
    fn new(json: Box<RawValue>) -> Self {
        let digest = Sha256::digest(json.get()).into();
        Self { json, digest }
    }

    /// Props of an example.
    pub(crate) fn of_example(example: &Map<String, Value>) -> Self {
        Self::new(to_raw_value(example).expect("the keys of an example are strings"))
    }

    /// Their bytes in memory.
    pub(crate) fn weight(&self) -> usize {
        size_of::<Self>() + self.json.get().len()
    }
}

/// An extension that a worker has rendered.
#[derive(Debug, Deserialize)]
pub struct ExtensionContent {
    /// The HTML of its element.
    pub html: String,
    /// The hydration data, kept byte for byte.
    pub data: Box<RawValue>,
}

impl ExtensionContent {
    /// Its bytes in memory.
    pub(crate) fn weight(&self) -> usize {
        self.html.len() + self.data.get().len()
    }
}

/// An extension of a document.
#[derive(Debug, Clone)]
pub struct PlacedExtension {
    /// How the browser loads it.
    pub manifest: Arc<ExtensionManifest>,
    /// Its HTML; `None` if the browser always renders it, because its release has no server modules.
    pub content: Option<Arc<ExtensionContent>>,
}

/// What became of an extension that a page requested.
#[derive(Debug, Clone)]
pub struct ExtensionOutcome {
    /// The extension.
    pub manifest: Arc<ExtensionManifest>,
    /// Why the document lacks it; `None` if it was rendered, or needs no render.
    pub not_rendered: Option<Why>,
}

/// The outcomes of all extensions that a page requested.
pub type ExtensionOutcomes = Arc<[ExtensionOutcome]>;

/// The extensions of a document, in order, by the point that they fill.
pub type PlacedExtensions = BTreeMap<PointReference, Vec<PlacedExtension>>;

/// An extension to render for a page, with the props of its point.
#[derive(Clone, Copy)]
pub(crate) struct RequestedExtension<'a> {
    pub(crate) manifest: &'a Arc<ExtensionManifest>,
    pub(crate) props: &'a PointProps,
}

impl<'a> RequestedExtension<'a> {
    /// The digest of its props.
    pub(crate) fn digest(self) -> Digest {
        self.props.digest
    }

    /// The extensions of a rendered page, in order. The page may name only its own points, and those
    /// of the shell.
    pub(crate) fn all_of(
        request: RenderRequest<'a>,
        content: &'a PageContent,
    ) -> impl Iterator<Item = RequestedExtension<'a>> {
        request.points().flat_map(move |point| {
            let props = content.points.get(point.as_str());
            let extensions = request.deployment.extensions(point).iter();
            props
                .into_iter()
                .flat_map(move |props| extensions.clone().map(move |manifest| Self { manifest, props }))
        })
    }
}

impl<'a> RenderRequest<'a> {
    /// The extension points of the page and of the shell.
    pub(crate) fn points(self) -> impl Iterator<Item = &'a PointReference> {
        let own = self.page.into_iter().flat_map(|page| &page.points);
        own.chain(&self.deployment.frame.points)
    }

    /// Whether any section fills a point of the page or the shell.
    pub(crate) fn has_extensions(self) -> bool {
        let deployment = self.deployment;
        self.points()
            .any(|point| !deployment.extensions(point).is_empty())
    }
}

/// Renders the extensions of a page at the same time, with the props that `usual` passes.
pub(crate) async fn extend(
    engine: &Arc<Engine>,
    store: &Store,
    request: RenderRequest<'_>,
    rendered: Rendered,
    usual: &PageContent,
) -> Rendered {
    let requested = RequestedExtension::all_of(request, usual);
    let parts = requested.map(|extension| render(engine, store, request, extension));
    let parts = join_all(parts).await;
    if parts.is_empty() {
        return rendered;
    }
    let mut extensions = PlacedExtensions::new();
    let mut outcomes = Vec::new();
    let parts = parts.into_iter().map(|(shown, validity, outcome)| {
        let is_shown = shown.is_some();
        if let Some(shown) = shown {
            let of_point = extensions.entry(shown.manifest.point.clone());
            of_point.or_default().push(shown);
        }
        outcomes.push(outcome);
        (is_shown, validity)
    });
    let parts: Vec<_> = parts.collect();
    Rendered {
        page: rendered.page,
        validity: rendered.validity.with(&parts),
        extensions,
        outcomes: outcomes.into(),
    }
}

/// Renders an extension, unless it is cached. Returns it if the document has it, how long the
/// document may be used, and the outcome.
async fn render(
    engine: &Arc<Engine>,
    store: &Store,
    request: RenderRequest<'_>,
    extension: RequestedExtension<'_>,
) -> (Option<PlacedExtension>, Validity, ExtensionOutcome) {
    let shown = |content| PlacedExtension {
        manifest: Arc::clone(extension.manifest),
        content,
    };
    let outcome = |not_rendered| ExtensionOutcome {
        manifest: Arc::clone(extension.manifest),
        not_rendered,
    };
    let Some(mut attempt) = Attempt::new(engine, store, request, Some(extension)) else {
        return (Some(shown(None)), Validity::default(), outcome(None));
    };
    let why = match attempt.content().await {
        Ok((Content::Extension(content), validity)) => {
            let placed = content.map(|content| shown(Some(content)));
            return (placed, validity, outcome(None));
        }
        // The output of an extension is never a page.
        Ok((Content::Page(_), _)) => Why::Exception,
        Err(why) => why,
    };
    (None, attempt.validity_without_html(why), outcome(Some(why)))
}
