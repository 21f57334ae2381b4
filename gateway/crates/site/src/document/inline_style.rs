//! Inline styles: the stylesheets of a server-rendered page and its extensions, written into its
//! document. The first paint is styled, and a stylesheet that loads slowly cannot delay it.

use std::collections::HashSet;
use std::sync::Arc;

use colonnade_model::release::SHELL;
use colonnade_render::PlacedExtensions;
use colonnade_store::Store;
use colonnade_store::loaded::{Asset, AssetKind, InlineStyle, LoadedDeployment, PageManifest};

/// The most bytes of the stylesheets of all extensions that a document contains.
const MAX_EXTENSION_BYTES: usize = 16 * 1024;

/// Loads the stylesheets of the shell and of a page, in order, and those of its rendered extensions,
/// as far as they are small enough. The browser loads the others.
pub(super) async fn load(
    store: &Store,
    deployment: &LoadedDeployment,
    page: Option<&Arc<PageManifest>>,
    extensions: &PlacedExtensions,
) -> Vec<Arc<InlineStyle>> {
    let shell_styles = deployment.frame.styles.iter();
    let mut assets: Vec<(&str, &Asset)> = shell_styles.map(|asset| (SHELL, asset)).collect();
    if let Some(page) = page {
        let page_assets = page.section.assets.iter().chain(&page.assets);
        assets.extend(page_assets.map(|asset| (page.section.name.as_str(), asset)));
    }
    let of_page = assets.len();
    let rendered = extensions
        .values()
        .flatten()
        .filter(|extension| extension.content.is_some());
    assets.extend(rendered.flat_map(|extension| {
        let (section, own) = (&extension.manifest.section, &extension.manifest.assets);
        let section_assets = section.assets.iter().chain(own);
        section_assets.map(|asset| (section.name.as_str(), asset))
    }));
    let (mut hrefs, mut names) = (HashSet::new(), HashSet::new());
    let mut bytes = 0;
    let mut styles: Vec<Arc<InlineStyle>> = Vec::new();
    for (index, (section, asset)) in assets.into_iter().enumerate() {
        if asset.kind == AssetKind::Style
            && hrefs.insert(&asset.href)
            && let Some(release) = deployment.release(section)
            && let Some(style) = release.inline_style(store, asset).await
        {
            // The browser knows an inlined stylesheet by its name only.
            let is_new = names.insert(&asset.name);
            if index >= of_page {
                let total = bytes + style.text.len();
                if !is_new || total > MAX_EXTENSION_BYTES {
                    continue;
                }
                bytes = total;
            }
            styles.push(style);
        }
    }
    styles
}
