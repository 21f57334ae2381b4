//! Writing a document as HTML.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::boot::Boot;
use crate::deployment::{Asset, AssetKind, Frame};

/// Shown where no script runs.
const NO_SCRIPT: &str =
    "This page needs JavaScript. Please switch it on in your browser and load the page again.";

/// Writes the document around a boot payload.
pub(super) fn compose(brand: &str, frame: &Frame, boot: &Boot<'_>, is_preview: bool) -> String {
    let mut head = Head::default();
    head.raw(
        "<meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
    );
    head.raw(&format!(
        "<title>{}</title><meta name=\"rating\" content=\"adult\">",
        escape(brand)
    ));
    if boot.page.is_none() || is_preview {
        head.raw("<meta name=\"robots\" content=\"noindex\">");
    }
    if let Some((href, media_type)) = &frame.icon {
        head.raw(&format!(
            "<link rel=\"icon\" href=\"{}\" type=\"{}\">",
            escape(href),
            escape(media_type)
        ));
    }
    head.styles(&frame.styles);
    head.preload_all(&frame.assets);
    if let Some(page) = boot.page {
        head.preload(AssetKind::Script, &page.section.entry, &page.section.integrity);
        head.preload_all(&page.section.assets);
        head.preload_all(&page.assets);
    }
    head.raw(&format!(
        "<script type=\"application/json\" id=\"boot\">{}</script>",
        data(boot)
    ));
    head.raw(&format!(
        "<script src=\"{}\" defer integrity=\"{}\" crossorigin=\"anonymous\"></script>",
        escape(&frame.entry.href),
        escape(&frame.entry.integrity)
    ));
    let banner = if is_preview {
        banner(boot.deployment)
    } else {
        String::new()
    };
    format!(
        "<!doctype html><html lang=\"en\"><head>{}</head>\
         <body>{banner}<div id=\"root\"></div><noscript>{NO_SCRIPT}</noscript></body></html>\n",
        head.html
    )
}

/// Marks a preview. It stands outside what the shell draws, so that no release can leave it out.
fn banner(deployment: u64) -> String {
    format!(
        "<aside class=\"preview\" aria-label=\"Preview\">\
         <p>Preview of deployment {deployment}. You see it by a link.</p>\
         <form method=\"post\" action=\"/_preview/end\"><button type=\"submit\">End preview</button></form></aside>"
    )
}

/// Escapes text for an HTML attribute in double quotes, or between tags.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// The payload as JSON that cannot end its script element: `<` only ever stands inside a JSON string, where its
/// escape means the same.
fn data(boot: &Boot<'_>) -> String {
    let json = serde_json::to_string(boot).expect("the payload has only keys that are texts");
    json.replace('<', "\\u003c")
}

/// A document's head as it grows; a file that several parts need is named once.
#[derive(Default)]
struct Head {
    html: String,
    named: BTreeSet<String>,
}

impl Head {
    fn raw(&mut self, html: &str) {
        self.html.push_str(html);
    }

    fn styles(&mut self, assets: &[Asset]) {
        for asset in assets.iter().filter(|asset| asset.kind == AssetKind::Style) {
            if self.named.insert(asset.href.clone()) {
                let _ = write!(
                    self.html,
                    "<link rel=\"stylesheet\" href=\"{}\" data-href=\"{}\" integrity=\"{}\" crossorigin=\"anonymous\">",
                    escape(&asset.href),
                    escape(&asset.name),
                    escape(&asset.integrity)
                );
            }
        }
    }

    /// Names what a section needs. Its stylesheets are preloaded, too, and applied by the shell: as stylesheets of the
    /// document, one that hangs would hold up the shell's script, and header and footer with it.
    fn preload_all(&mut self, assets: &[Asset]) {
        for asset in assets {
            self.preload(asset.kind, &asset.href, &asset.integrity);
        }
    }

    fn preload(&mut self, kind: AssetKind, href: &str, integrity: &str) {
        let destination = match kind {
            AssetKind::Script => "script",
            AssetKind::Style => "style",
        };
        if self.named.insert(href.to_owned()) {
            let _ = write!(
                self.html,
                "<link rel=\"preload\" as=\"{destination}\" href=\"{}\" integrity=\"{}\" crossorigin=\"anonymous\">",
                escape(href),
                escape(integrity)
            );
        }
    }
}
