//! Writing a document as HTML.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::json;

use super::boot::Boot;
use super::style::Inline;
use crate::deployment::{Asset, AssetKind, Frame};
use crate::release::Purpose;
use crate::render::{Breadcrumb, Rendered};

/// Shown where no script runs.
const NO_SCRIPT: &str =
    "This page needs JavaScript. Please switch it on in your browser and load the page again.";

/// The `id` that the shell gives the page's own part, which its header stands before. Nothing is drawn until that begins:
/// browsers draw what they have read so far, and what stands at the end of a line moves while the line is read.
const MAIN: &str = "main";

/// Everything that a document is written from.
pub(super) struct Document<'a> {
    pub(super) brand: &'a str,
    pub(super) origin: &'a str,
    pub(super) frame: &'a Frame,
    pub(super) boot: &'a Boot<'a>,
    pub(super) rendered: Option<&'a Rendered>,
    pub(super) styles: &'a [Inline],
    pub(super) is_preview: bool,
    /// Whether search engines are told of its path.
    pub(super) is_listed: bool,
}

impl Document<'_> {
    /// Writes it.
    pub(super) fn compose(&self) -> String {
        let Self { frame, boot, .. } = self;
        let mut head = Head::default();
        // The colour scheme is for what is drawn ahead of any stylesheet: a dark page does not begin as a white one.
        head.raw(
            "<meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
             <meta name=\"color-scheme\" content=\"light dark\">",
        );
        let title = self.rendered.map_or(self.brand, |rendered| &rendered.head.title);
        head.raw(&format!(
            "<title>{}</title><meta name=\"rating\" content=\"adult\">",
            escape(title)
        ));
        let has_main = |rendered: &Rendered| rendered.html.contains(&format!(" id=\"{MAIN}\""));
        if self.rendered.is_some_and(has_main) {
            head.raw(&format!(
                "<link rel=\"expect\" href=\"#{MAIN}\" blocking=\"render\">"
            ));
        }
        // First what has to be fetched, so that none of it waits for the rest to be read.
        for script in frame.scripts() {
            head.script(script);
        }
        head.named
            .extend(self.styles.iter().map(|style| style.href.clone()));
        head.styles(&frame.styles);
        head.preload_all(&frame.assets);
        // Where the section says that there is no such thing, nothing of it is drawn.
        let is_there = self.rendered.is_none_or(|rendered| rendered.status != 404);
        if let Some(page) = boot.page.filter(|_| is_there) {
            if self.rendered.is_some() {
                // Those that could not be written into the document: what is to be read waits for them.
                head.styles(&page.section.assets);
                head.styles(&page.assets);
            }
            head.preload(AssetKind::Script, &page.section.entry, &page.section.integrity);
            head.preload_all(&page.section.assets);
            head.preload_all(&page.assets);
        }
        for style in self.styles {
            head.inline(style);
        }
        self.describe(&mut head);
        self.surroundings(&mut head);
        if let Some((href, media_type)) = &frame.icon {
            head.raw(&format!(
                "<link rel=\"icon\" href=\"{}\" type=\"{}\">",
                escape(href),
                escape(media_type)
            ));
        }
        let banner = if self.is_preview {
            banner(boot.deployment)
        } else {
            String::new()
        };
        let (body, no_script) = match self.rendered {
            Some(rendered) => (rendered.html.as_str(), String::new()),
            None => ("", format!("<noscript>{NO_SCRIPT}</noscript>")),
        };
        format!(
            "<!doctype html><html lang=\"en\"><head>{}</head>\
             <body>{banner}<div id=\"root\">{body}</div>{no_script}\
             <script type=\"application/json\" id=\"boot\">{}</script></body></html>\n",
            head.html,
            data(boot)
        )
    }

    /// Writes what browsers show of the site around a page, and on a home screen.
    fn surroundings(&self, head: &mut Head) {
        if let Some(theme) = &self.frame.theme_color {
            for (scheme, color) in [("light", &theme.light), ("dark", &theme.dark)] {
                let color = escape(color);
                head.raw(&format!(
                    "<meta name=\"theme-color\" content=\"{color}\" media=\"(prefers-color-scheme: {scheme})\">"
                ));
            }
        }
        for icon in &self.frame.icons {
            if icon.purpose == Purpose::Touch {
                let (href, size) = (escape(&icon.file), icon.size);
                head.raw(&format!(
                    "<link rel=\"apple-touch-icon\" sizes=\"{size}x{size}\" href=\"{href}\">"
                ));
            }
        }
        head.raw("<link rel=\"manifest\" href=\"/manifest.webmanifest\">");
    }

    /// Writes what the page says about itself. The shell takes these tags over by their mark.
    fn describe(&self, head: &mut Head) {
        let page = self.rendered.map(|rendered| &rendered.head);
        let robots = page.and_then(|page| page.robots.as_deref());
        let robots = match robots {
            _ if self.is_preview => Some("noindex,nofollow"),
            // Nobody knows what the page would say: only what is listed is certain to be for search engines.
            None if self.rendered.is_none() && !self.is_listed => Some("noindex"),
            robots => robots,
        };
        let absolute = |path: &str| format!("{}{path}", self.origin);
        head.meta(
            "name",
            "description",
            page.and_then(|page| page.description.as_deref()),
        );
        head.meta("name", "robots", robots);
        head.meta("name", "keywords", page.and_then(|page| page.keywords.as_deref()));
        if let Some(canonical) = page.and_then(|page| page.canonical.as_deref()) {
            head.raw(&format!(
                "<link data-head=\"\" rel=\"canonical\" href=\"{}\">",
                escape(&absolute(canonical))
            ));
        }
        if let Some(social) = page.and_then(|page| page.social.as_ref()) {
            head.meta("property", "og:title", Some(&social.title));
            head.meta("property", "og:description", Some(&social.description));
            head.meta("property", "og:type", Some(&social.kind));
            head.meta("property", "og:url", Some(&absolute(&social.url)));
            self.picture(head);
        }
        if let Some(trail) = page.and_then(|page| page.breadcrumbs.as_deref())
            && !trail.is_empty()
        {
            let item = |(index, step): (usize, &Breadcrumb)| json!({ "@type": "ListItem", "position": index + 1, "name": step.label, "item": absolute(&step.path) });
            let list = json!({
                "@context": "https://schema.org",
                "@type": "BreadcrumbList",
                "itemListElement": trail.iter().enumerate().map(item).collect::<Vec<_>>(),
            });
            head.raw(&format!(
                "<script data-head=\"\" type=\"application/ld+json\">{}</script>",
                harmless(&list.to_string())
            ));
        }
    }

    /// Writes what is shown beside a link to the page (<https://ogp.me/#structured>).
    fn picture(&self, head: &mut Head) {
        let Some(image) = &self.frame.social_image else {
            return;
        };
        let address = format!("{}{}", self.origin, image.file);
        head.meta("property", "og:image", Some(&address));
        head.meta("property", "og:image:width", Some(&image.width.to_string()));
        head.meta("property", "og:image:height", Some(&image.height.to_string()));
        head.meta("property", "og:image:alt", Some(&image.alt));
        head.meta("name", "twitter:card", Some("summary_large_image"));
    }
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
    harmless(&json)
}

/// JSON that cannot end the element it stands in.
fn harmless(json: &str) -> String {
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

    fn meta(&mut self, key: &str, name: &str, content: Option<&str>) {
        if let Some(content) = content {
            let content = escape(content);
            let _ = write!(
                self.html,
                "<meta data-head=\"\" {key}=\"{name}\" content=\"{content}\">"
            );
        }
    }

    fn inline(&mut self, style: &Inline) {
        let name = escape(&style.name);
        let _ = write!(self.html, "<style data-href=\"{name}\">{}</style>", style.text);
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

    /// A script of the shell: they run in the order of the document.
    fn script(&mut self, script: &Asset) {
        self.named.insert(script.href.clone());
        let _ = write!(
            self.html,
            "<script src=\"{}\" defer fetchpriority=\"high\" integrity=\"{}\" crossorigin=\"anonymous\"></script>",
            escape(&script.href),
            escape(&script.integrity)
        );
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
