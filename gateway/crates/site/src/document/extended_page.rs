//! A rendered page with its extensions in the places of their points.

use std::collections::BTreeMap;

use colonnade_model::release::PointReference;
use colonnade_render::{PlacedExtension, PlacedExtensions};

use crate::resolved_page::ResolvedExtensions;

/// The HTML of a page with that of its extensions.
pub(super) struct ExtendedPage<'a> {
    /// The page's own HTML.
    page: &'a str,
    pub(super) html: String,
    /// The extensions in the HTML, and those that the browser adds, by point.
    shown: BTreeMap<&'a PointReference, &'a [PlacedExtension]>,
}

impl<'a> ExtendedPage<'a> {
    /// Writes the extensions of each point into its first place. A point without a place in the HTML
    /// shows nothing.
    pub(super) fn new(html: &'a str, extensions: &'a PlacedExtensions) -> Self {
        let places = extensions.iter().filter_map(|(point, shown)| {
            let start = format!("<div data-extension-point=\"{point}\">");
            let at = html.find(&format!("{start}</div>"))? + start.len();
            Some((at, (point, &**shown)))
        });
        // In the page's HTML only: an extension cannot make a place for others.
        let places: BTreeMap<usize, _> = places.collect();
        let mut written = String::with_capacity(html.len());
        let mut end = 0;
        for (&at, (_, shown)) in &places {
            written.push_str(&html[end..at]);
            shown.iter().for_each(|extension| write(&mut written, extension));
            end = at;
        }
        written.push_str(&html[end..]);
        Self {
            page: html,
            html: written,
            shown: places.into_values().collect(),
        }
    }

    /// Whether the page has a place for the extensions of a point.
    fn has_place(&self, point: &PointReference) -> bool {
        self.page
            .contains(&format!("<div data-extension-point=\"{point}\">"))
    }

    /// Adds to the extensions of points what the HTML has of them, or that it leaves them out. A point
    /// without a place in the HTML can get one in the browser.
    pub(super) fn describe(&self, extensions: &mut ResolvedExtensions<'a>) {
        for (point, extensions) in extensions {
            if !self.has_place(point) {
                continue;
            }
            let shown = self.shown.get(*point).copied().unwrap_or_default();
            for extension in extensions {
                let section = &extension.manifest.section.name;
                match shown.iter().find(|shown| shown.manifest.section.name == *section) {
                    Some(shown) => extension.data = shown.content.as_ref().map(|content| &*content.data),
                    None => extension.is_left_out = true,
                }
            }
        }
    }
}

fn write(html: &mut String, PlacedExtension { manifest, content }: &PlacedExtension) {
    if let Some(content) = content {
        for part in [
            "<div data-extension=\"",
            &manifest.section.name,
            "\">",
            &content.html,
            "</div>",
        ] {
            html.push_str(part);
        }
    }
}
