//! Inline styles: the stylesheets of a server-rendered page, written into its document. The first
//! paint is styled, and a stylesheet that loads slowly cannot delay it.

use std::collections::HashSet;
use std::sync::Arc;

use colonnade_model::release::SHELL;
use colonnade_store::Store;
use colonnade_store::loaded::{Asset, AssetKind, InlineStyle, LoadedDeployment, PageManifest};

/// Loads the stylesheets of the shell and of a page, in order. The browser loads those that cannot
/// be inlined.
pub(super) async fn load(
    store: &Store,
    deployment: &LoadedDeployment,
    page: Option<&Arc<PageManifest>>,
) -> Vec<Arc<InlineStyle>> {
    let shell_styles = deployment.frame.styles.iter();
    let mut assets: Vec<(&str, &Asset)> = shell_styles.map(|asset| (SHELL, asset)).collect();
    if let Some(page) = page {
        let page_assets = page.section.assets.iter().chain(&page.assets);
        assets.extend(page_assets.map(|asset| (page.section.name.as_str(), asset)));
    }
    let mut hrefs = HashSet::new();
    let mut styles = Vec::new();
    for (name, asset) in assets {
        if asset.kind == AssetKind::Style
            && hrefs.insert(&asset.href)
            && let Some(release) = deployment.release(name)
        {
            styles.extend(release.inline_style(store, asset).await);
        }
    }
    styles
}
