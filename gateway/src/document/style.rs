//! The stylesheets of a document's first view, written into it: it looks right from the first paint, and none that
//! hangs can hold it up.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::deployment::{Asset, AssetKind, PageAnswer, Set};
use crate::negotiate::Coding;
use crate::release::SHELL;
use crate::store::Store;

/// A stylesheet with its text.
pub(super) struct Inline {
    /// Its URL path.
    pub(super) href: String,
    /// Its file name, by which the shell and the bundler's runtime know that it is there.
    pub(super) name: String,
    /// What stands in it.
    pub(super) text: String,
}

impl Inline {
    /// What a Content Security Policy calls it.
    pub(super) fn hash(&self) -> String {
        hash(&self.text)
    }
}

/// What a Content Security Policy calls the text of a style element.
pub(super) fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

/// The stylesheets of the frame and of a page, in order. One that cannot be had is left to the browser.
pub(super) async fn inline(store: &dyn Store, set: &Set, page: Option<&Arc<PageAnswer>>) -> Vec<Inline> {
    let mut wanted: Vec<(&str, &Asset)> = set.frame.styles.iter().map(|asset| (SHELL, asset)).collect();
    if let Some(page) = page {
        let assets = page.section.assets.iter().chain(&page.assets);
        wanted.extend(assets.map(|asset| (page.section.name.as_str(), asset)));
    }
    let mut styles: Vec<Inline> = Vec::new();
    for (name, asset) in wanted {
        if asset.kind != AssetKind::Style || styles.iter().any(|style| style.href == asset.href) {
            continue;
        }
        if let Some(text) = read(store, set, name, asset).await {
            styles.push(Inline {
                href: asset.href.clone(),
                name: asset.name.clone(),
                text,
            });
        }
    }
    styles
}

async fn read(store: &dyn Store, set: &Set, name: &str, asset: &Asset) -> Option<String> {
    let id = &set.release(name)?.id;
    let below = asset
        .href
        .strip_prefix(&format!("/assets/{}/{}/", id.name, id.version))?;
    let bytes = store
        .file(id, &format!("client/{below}"), Coding::Identity)
        .await
        .ok()??;
    let text = String::from_utf8(bytes.to_vec()).ok()?;
    // In a style element the one would end it, and the other is read as another byte, which its hash does not know.
    (!text.contains("</") && !text.contains('\r')).then_some(text)
}
