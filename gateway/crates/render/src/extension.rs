//! An extension of a page: the props that it gets, what a worker renders of it, and its place in a
//! document.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use colonnade_model::release::PointReference;
use colonnade_store::loaded::ExtensionManifest;

use crate::validity::Digest;
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
    /// Its share of the time that the page took so far, which all extensions of the page have together.
    pub(crate) share: Duration,
}

impl<'a> RequestedExtension<'a> {
    /// The digest of its props.
    pub(crate) fn digest(self) -> Digest {
        self.props.digest
    }

    /// An extension that no document has, with props of an example.
    pub(crate) fn of_example(manifest: &'a Arc<ExtensionManifest>, props: &'a PointProps) -> Self {
        Self {
            manifest,
            props,
            share: Duration::ZERO,
        }
    }
}
