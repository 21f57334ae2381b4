//! HTML pages of the gateway itself. They look like the site, do not need the shell and load
//! nothing. Their texts are English, and so is their `lang`; what the site wrote has its language.

use std::sync::{Arc, LazyLock};

use http::header::CONTENT_SECURITY_POLICY;
use http::{HeaderValue, StatusCode};

use crate::html::{csp_hash, escape};
use crate::response::{HTML, Response, response};

/// The inline stylesheet. It repeats the shell's colors, because the shell may be missing.
const STYLE: &str = include_str!("plain_page.css");

/// The policy of a page without a form: it allows the inline stylesheet only.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| policy(&[STYLE], "'none'"));

fn policy(styles: &[&str], form_action: &str) -> HeaderValue {
    let hashes: Vec<String> = styles
        .iter()
        .map(|style| format!("'{}'", csp_hash(style)))
        .collect();
    let policy = format!(
        "default-src 'none'; style-src {}; base-uri 'none'; form-action {form_action}; frame-ancestors 'none'",
        hashes.join(" ")
    );
    HeaderValue::try_from(policy).expect("base64 is valid in a header")
}

/// What each page has around its content.
#[derive(Debug, PartialEq, Eq)]
pub struct PlainFrame {
    /// The site's name.
    pub brand: Arc<str>,
    /// The links in the footer, in order.
    pub footer: Box<[FooterLink]>,
    /// The attributes of elements in the site's language, with a space before each; empty if it is
    /// English, like the texts of the gateway.
    pub language: Box<str>,
}

/// A link in the footer.
#[derive(Debug, PartialEq, Eq)]
pub struct FooterLink {
    /// The text of the link.
    pub label: String,
    /// The target, a path of this site.
    pub path: String,
}

impl PlainFrame {
    /// The navigation in the footer.
    fn navigation(&self) -> String {
        let links = self.footer.iter().map(|FooterLink { label, path }| {
            format!("<li><a href=\"{}\">{}</a></li>", escape(path), escape(label))
        });
        let links: String = links.collect();
        if links.is_empty() {
            return links;
        }
        let language = &self.language;
        format!("<nav aria-label=\"Footer\"><ul{language}>{links}</ul></nav>")
    }
}

/// A page.
#[derive(Debug)]
pub struct PlainPage<'a> {
    /// What is around the content.
    pub frame: &'a PlainFrame,
    /// The heading.
    pub title: &'a str,
    /// The HTML below the heading.
    pub content: String,
    /// The HTML at the end of the footer.
    pub footer: String,
    /// Whether a deployment is live, so that the page can link to the site's pages.
    pub live: bool,
    /// If the content has a form, which may only send to this site: an additional inline
    /// stylesheet.
    pub form_style: Option<&'a str>,
}

impl PlainPage<'_> {
    /// Creates the response.
    pub fn respond(&self, status: StatusCode) -> Response {
        let Self { content, footer, .. } = self;
        let (brand, title) = (escape(&self.frame.brand), escape(self.title));
        let language = &self.frame.language;
        let (name, navigation) = if self.live {
            let name = format!("<a class=\"brand\" href=\"/\"{language}>{brand}</a>");
            (name, self.frame.navigation())
        } else {
            let name = format!("<span class=\"brand\"{language}>{brand}</span>");
            (name, String::new())
        };
        let (style, policy) = match self.form_style {
            Some(style) => (
                format!("<style>{style}</style>"),
                policy(&[STYLE, style], "'self'"),
            ),
            None => (String::new(), POLICY.clone()),
        };
        let html = format!(
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
             <title>{title} - {brand}</title><meta name=\"robots\" content=\"noindex\">\
             <style>{STYLE}</style>{style}</head>\
             <body><header>{name}</header><main><h1>{title}</h1>{content}</main>\
             <footer>{navigation}{footer}</footer></body></html>\n"
        );
        let mut response = response(status, HTML, html);
        response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
        response
    }
}
