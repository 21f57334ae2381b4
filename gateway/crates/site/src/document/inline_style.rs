//! Inline styles: the stylesheets of a server-rendered page, written into its document. The first paint is styled, and a
//! stylesheet that loads slowly cannot delay it.

use std::sync::Arc;

use colonnade_model::release::SHELL;
use colonnade_store::Store;
use colonnade_store::loaded::{Asset, AssetKind, LoadedDeployment, PageManifest};
use colonnade_web::content_negotiation::Coding;
use colonnade_web::html::csp_hash;

/// A stylesheet with its text.
pub(super) struct InlineStyle {
    /// Its URL path.
    pub(super) href: String,
    /// Its file name, by which the shell and the bundler's runtime recognize that it is loaded.
    pub(super) name: String,
    /// Its CSS.
    pub(super) text: String,
}

impl InlineStyle {
    /// Returns the hash that allows the style in a Content Security Policy.
    pub(super) fn csp_hash(&self) -> String {
        csp_hash(&self.text)
    }
}

/// Loads the stylesheets of the shell and of a page, in order. The browser loads those that cannot be inlined.
pub(super) async fn load(
    store: &dyn Store,
    deployment: &LoadedDeployment,
    page: Option<&Arc<PageManifest>>,
) -> Vec<InlineStyle> {
    let shell_styles = deployment.frame.styles.iter();
    let mut assets: Vec<(&str, &Asset)> = shell_styles.map(|asset| (SHELL, asset)).collect();
    if let Some(page) = page {
        let page_assets = page.section.assets.iter().chain(&page.assets);
        assets.extend(page_assets.map(|asset| (page.section.name.as_str(), asset)));
    }
    let mut styles: Vec<InlineStyle> = Vec::new();
    for (name, asset) in assets {
        if asset.kind != AssetKind::Style || styles.iter().any(|style| style.href == asset.href) {
            continue;
        }
        if let Some(text) = load_text(store, deployment, name, asset).await {
            styles.push(InlineStyle {
                href: asset.href.clone(),
                name: asset.name.clone(),
                text,
            });
        }
    }
    styles
}

async fn load_text(
    store: &dyn Store,
    deployment: &LoadedDeployment,
    name: &str,
    asset: &Asset,
) -> Option<String> {
    let release = deployment.release(name)?;
    let id = &release.id;
    let path = asset
        .href
        .strip_prefix(&format!("/assets/{}/{}/", id.name, id.version))?;
    let file = release.files.get(path)?.listed();
    let bytes = store.read_file(id, file, Coding::Identity).await.ok()??;
    let text = String::from_utf8(bytes.to_vec()).ok()?;
    // `</` could end the style element, and the HTML parser replaces a carriage return, so the hash would not match.
    (!text.contains("</") && !text.contains('\r')).then_some(text)
}
