//! Writes a document as HTML.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::json;

use colonnade_model::language::Language;
use colonnade_model::pattern::RequestPath;
use colonnade_model::release::{Meta, Purpose};
use colonnade_model::search::{canonical_search, split_search, with_search};
use colonnade_render::{Alternate, Breadcrumb, PageContent, PageHead};
use colonnade_store::loaded::{Asset, AssetKind, InlineStyle, ShellFrame};
use colonnade_web::html::escape;
use colonnade_web::request_scope;

use crate::document::boot::Boot;
use crate::document::preview_banner;
use crate::resolved_page::ResolvedExtension;

/// The text for browsers without JavaScript.
const NO_SCRIPT: &str =
    "This page needs JavaScript. Please switch it on in your browser and load the page again.";

/// The `id` of the shell's main element. Painting is blocked until the parser reaches it: the
/// header before it would shift if the browser painted it while it is only partly parsed.
const MAIN: &str = "main";

/// The content of a document.
pub(super) struct DocumentTemplate<'a> {
    pub(super) brand: &'a str,
    pub(super) origin: &'a str,
    pub(super) language: &'a Language,
    pub(super) frame: &'a ShellFrame,
    pub(super) boot: &'a Boot<'a>,
    pub(super) content: Option<&'a PageContent>,
    /// The HTML of the root element: that of the content with its extensions.
    pub(super) body: &'a str,
    pub(super) styles: &'a [Arc<InlineStyle>],
    pub(super) is_preview: bool,
    /// Whether the sitemap lists its path.
    pub(super) is_indexable: bool,
}

impl DocumentTemplate<'_> {
    /// The HTML.
    pub(super) fn html(&self) -> String {
        debug_assert!(request_scope::may_block());
        let boot = self.boot;
        let mut head = DocumentHead::default();
        head.raw(
            "<meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
        );
        // A color scheme applies before any stylesheet is loaded, so a dark page does not start
        // white.
        self.write_meta(&mut head);
        let title = self.content.map_or(self.brand, |content| &content.head.title);
        head.raw(&format!("<title>{}</title>", escape(title)));
        let has_main = |content: &PageContent| content.html.contains(&format!(" id=\"{MAIN}\""));
        if self.content.is_some_and(has_main) {
            head.raw(&format!(
                "<link rel=\"expect\" href=\"#{MAIN}\" blocking=\"render\">"
            ));
        }
        // Resources come first, so that the browser fetches them before it parses the rest.
        self.write_resources(&mut head);
        self.write_metadata(&mut head);
        self.write_icons_and_theme(&mut head);
        let banner = if self.is_preview {
            head.raw(&preview_banner::style());
            preview_banner::banner(boot.deployment)
        } else {
            String::new()
        };
        let no_script = match self.content {
            Some(_) => String::new(),
            None => self.no_script(),
        };
        format!(
            "<!doctype html><html {}><head>{}</head>\
             <body>{banner}<div id=\"root\">{}</div>{no_script}\
             <script type=\"application/json\" id=\"boot\">{}</script></body></html>\n",
            self.language.attributes(),
            head.html,
            self.body,
            boot_json(boot)
        )
    }

    /// The text for browsers without JavaScript, which is English.
    fn no_script(&self) -> String {
        let language = if self.language.is_english() {
            ""
        } else {
            " lang=\"en\" dir=\"ltr\""
        };
        format!("<noscript{language}>{NO_SCRIPT}</noscript>")
    }

    /// Writes the scripts and styles of the shell and of the page's section.
    fn write_resources(&self, head: &mut DocumentHead) {
        let Self { frame, boot, .. } = self;
        for script in frame.scripts() {
            head.script(script);
        }
        // A section that responds with 404 shows nothing of its own.
        let is_found = self.content.is_none_or(|content| content.status != 404);
        let page = boot.page.as_ref().filter(|_| is_found).map(|page| page.manifest);
        let page_assets = page.map(|page| page.section.assets.iter().chain(&page.assets));
        // The server-rendered page needs its stylesheets: those that are not inlined block painting.
        let page_styles = page_assets.filter(|_| self.content.is_some());
        let styles: Vec<&Asset> = frame
            .styles
            .iter()
            .chain(page_styles.into_iter().flatten())
            .collect();
        let styles = head.unwritten_styles(&styles);
        // After the preloads if they are inlined, so that the browser finds those in the first bytes.
        let are_inlined = !self.styles.is_empty();
        if !are_inlined {
            self.write_styles(head, &styles, None);
        }
        head.preload_all(&frame.assets);
        if let Some(page) = page {
            head.preload(AssetKind::Script, &page.section.entry, &page.section.integrity);
            head.preload_all(&page.section.assets);
            head.preload_all(&page.assets);
            for package in frame.shared(&page.shared) {
                head.preload_all(&package.assets);
            }
        }
        if are_inlined {
            self.write_styles(head, &styles, None);
        }
        self.write_extension_styles(head);
    }

    /// Writes the stylesheets of the extensions whose HTML the document has. The shell knows each by
    /// its point and section, and sorts them by this name.
    fn write_extension_styles(&self, head: &mut DocumentHead) {
        let page = self.boot.page.iter().flat_map(|page| &page.extensions);
        let extensions = page.chain(&self.boot.extensions);
        let extensions = extensions.flat_map(|(point, extensions)| {
            let shown = extensions.iter().filter(|extension| extension.data.is_some());
            shown.map(move |ResolvedExtension { manifest, .. }| {
                (format!("{point} {}", manifest.section.name), manifest)
            })
        });
        let extensions: BTreeMap<_, _> = extensions.collect();
        for (name, manifest) in extensions {
            let assets: Vec<_> = manifest.section.assets.iter().chain(&manifest.assets).collect();
            let styles = head.unwritten_styles(&assets);
            self.write_styles(head, &styles, Some(&name));
        }
    }

    /// Writes the stylesheets of the page, or of a part that the shell knows by this name, in the order
    /// of the cascade, inlined or not.
    fn write_styles(&self, head: &mut DocumentHead, styles: &[&Asset], part: Option<&str>) {
        let part = part.map(|part| format!(" data-part=\"{part}\""));
        let part = part.as_deref().unwrap_or_default();
        for asset in styles {
            match self.styles.iter().find(|style| style.href == asset.href) {
                Some(style) => head.inline(style, part),
                None => head.style(asset, part),
            }
        }
    }

    /// Writes the theme color, icons and the manifest.
    fn write_icons_and_theme(&self, head: &mut DocumentHead) {
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
        if let Some((href, media_type)) = &self.frame.icon {
            head.raw(&format!(
                "<link rel=\"icon\" href=\"{}\" type=\"{}\">",
                escape(href),
                escape(media_type)
            ));
        }
    }

    /// Writes the shell's own meta elements, such as the color scheme.
    fn write_meta(&self, head: &mut DocumentHead) {
        for Meta { name, content } in &self.frame.meta {
            let (name, content) = (escape(name), escape(content));
            head.raw(&format!("<meta name=\"{name}\" content=\"{content}\">"));
        }
    }

    /// Writes the page's metadata. The shell recognizes these tags by `data-head`, and updates them
    /// on navigation.
    fn write_metadata(&self, head: &mut DocumentHead) {
        let page = self.content.map(|content| &content.head);
        let robots = page.and_then(|page| page.robots.as_deref());
        let robots = match robots {
            _ if self.is_preview => Some("noindex,nofollow"),
            // Without a render the page's own setting is unknown, so only paths in the sitemap are
            // indexed.
            None if self.content.is_none() && !self.is_indexable => Some("noindex"),
            robots => robots,
        };
        head.meta(
            "name",
            "description",
            page.and_then(|page| page.description.as_deref()),
        );
        head.meta("name", "robots", robots);
        head.meta("name", "keywords", page.and_then(|page| page.keywords.as_deref()));
        if let Some(page) = page {
            self.write_links(head, page);
        }
        if let Some(social) = page.and_then(|page| page.social.as_ref()) {
            head.meta("property", "og:title", Some(&social.title));
            head.meta("property", "og:description", Some(&social.description));
            head.meta("property", "og:type", Some(&social.kind));
            head.meta("property", "og:url", self.own_url(&social.url).as_deref());
            head.meta("property", "og:site_name", Some(self.brand));
            self.write_social_image(head);
        }
        if let Some(trail) = page.and_then(|page| page.breadcrumbs.as_deref())
            && !trail.is_empty()
        {
            let steps = trail
                .iter()
                .filter_map(|Breadcrumb { label, path }| Some((label, self.page_url(path)?)));
            let item = |(index, (label, url))| json!({ "@type": "ListItem", "position": index + 1, "name": label, "item": url });
            let list = json!({
                "@context": "https://schema.org",
                "@type": "BreadcrumbList",
                "itemListElement": steps.enumerate().map(item).collect::<Vec<_>>(),
            });
            head.raw(&format!(
                "<script data-head=\"\" type=\"application/ld+json\">{}</script>",
                escape_script(&list.to_string())
            ));
        }
    }

    /// Writes the links to the page's canonical URL and to the page in other languages.
    fn write_links(&self, head: &mut DocumentHead, page: &PageHead) {
        if let Some(url) = page.canonical.as_deref().and_then(|path| self.own_url(path)) {
            head.raw(&format!(
                "<link data-head=\"\" rel=\"canonical\" href=\"{}\">",
                escape(&url)
            ));
        }
        for Alternate { language, path } in &page.alternates {
            if let Some(url) = self.own_url(path) {
                let (language, url) = (escape(language), escape(&url));
                head.raw(&format!(
                    "<link data-head=\"\" rel=\"alternate\" hreflang=\"{language}\" href=\"{url}\">"
                ));
            }
        }
    }

    /// The URL of a page that a section names by its path; `None` if the text is not a path. A text
    /// such as `.example` could change the host.
    fn page_url(&self, path: &str) -> Option<String> {
        RequestPath::is_site_path(path).then(|| format!("{}{path}", self.origin))
    }

    /// The URL of this page or of one in another language, which may have a query in its canonical form.
    fn own_url(&self, text: &str) -> Option<String> {
        let (path, search) = split_search(text);
        let names = self.boot.page.as_ref().map(|page| &*page.manifest.search);
        let canonical = canonical_search(names.unwrap_or_default(), search).ok()?;
        let is_canonical = with_search(path.to_owned(), &canonical) == text;
        self.page_url(path)
            .filter(|_| is_canonical)
            .map(|url| with_search(url, &canonical))
    }

    /// Writes the image for previews of shared links (<https://ogp.me/#structured>).
    fn write_social_image(&self, head: &mut DocumentHead) {
        let Some(image) = &self.frame.social_image else {
            return;
        };
        let url = format!("{}{}", self.origin, image.file);
        head.meta("property", "og:image", Some(&url));
        head.meta("property", "og:image:width", Some(&image.width.to_string()));
        head.meta("property", "og:image:height", Some(&image.height.to_string()));
        head.meta("property", "og:image:alt", Some(&image.alt));
        head.meta("name", "twitter:card", Some("summary_large_image"));
    }
}

/// The boot payload as JSON for a script element.
fn boot_json(boot: &Boot<'_>) -> String {
    let json = serde_json::to_string(boot).expect("all keys of the payload are strings");
    escape_script(&json)
}

/// Escapes JSON so that it cannot end its script element. `<` occurs only inside JSON strings,
/// where the escape means the same.
fn escape_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// A document's head while it is written. A file that several parts need is linked once.
#[derive(Default)]
struct DocumentHead {
    html: String,
    /// The URL paths of the files that are linked or inlined already.
    hrefs: BTreeSet<String>,
}

impl DocumentHead {
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

    fn inline(&mut self, style: &InlineStyle, part: &str) {
        let name = escape(&style.name);
        let _ = write!(
            self.html,
            "<style data-href=\"{name}\"{part}>{}</style>",
            style.text
        );
    }

    /// Those of the assets that are stylesheets, each once. They are not preloaded, because they are
    /// written, too.
    fn unwritten_styles<'a>(&mut self, assets: &[&'a Asset]) -> Vec<&'a Asset> {
        let styles = assets.iter().filter(|asset| asset.kind == AssetKind::Style);
        let new = styles.filter(|asset| self.hrefs.insert(asset.href.clone()));
        new.copied().collect()
    }

    fn style(&mut self, asset: &Asset, part: &str) {
        let _ = write!(
            self.html,
            "<link rel=\"stylesheet\" href=\"{}\" data-href=\"{}\" integrity=\"{}\" crossorigin=\"anonymous\"{part}>",
            escape(&asset.href),
            escape(&asset.name),
            escape(&asset.integrity)
        );
    }

    /// Writes a script of the shell. Deferred scripts run in document order. They have the
    /// browser's low priority: the page is painted without them, and with a high priority they
    /// delay styles and fonts.
    fn script(&mut self, script: &Asset) {
        self.hrefs.insert(script.href.clone());
        let _ = write!(
            self.html,
            "<script src=\"{}\" defer integrity=\"{}\" crossorigin=\"anonymous\"></script>",
            escape(&script.href),
            escape(&script.integrity)
        );
    }

    /// Preloads the files of a section. Its stylesheets are also preloaded, and applied by the
    /// shell: as stylesheets of the document, one that loads slowly would delay the shell's
    /// scripts. Its scripts have the priority of the shell's, which run first: browsers load
    /// preloaded scripts with a high priority otherwise.
    fn preload_all(&mut self, assets: &[Asset]) {
        for asset in assets {
            self.preload(asset.kind, &asset.href, &asset.integrity);
        }
    }

    fn preload(&mut self, kind: AssetKind, href: &str, integrity: &str) {
        let (destination, priority) = match kind {
            AssetKind::Script => ("script", " fetchpriority=\"low\""),
            AssetKind::Style => ("style", ""),
        };
        if self.hrefs.insert(href.to_owned()) {
            let _ = write!(
                self.html,
                "<link rel=\"preload\" as=\"{destination}\" href=\"{}\" integrity=\"{}\" crossorigin=\"anonymous\"{priority}>",
                escape(href),
                escape(integrity)
            );
        }
    }
}
