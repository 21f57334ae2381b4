//! A page that needs no shell, for when there is none, when it is broken, or when the address is no address. It has the
//! site's face and loads nothing.

use std::sync::LazyLock;

use http::header::CONTENT_SECURITY_POLICY;
use http::{HeaderValue, StatusCode};

use super::html::escape;
use super::style;
use crate::reply::{HTML, Reply, reply};

/// Its stylesheet. The shell's may be what is missing, so the colours stand here, too.
const STYLE: &str = include_str!("plain.css");

/// It may show its own stylesheet, and nothing else.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let policy = format!(
        "default-src 'none'; style-src '{}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        style::hash(STYLE)
    );
    HeaderValue::try_from(policy).expect("base64 may stand in a header")
});

/// The way on, where there is one.
const HOME: &str = "<a class=\"button\" href=\"/\">Return to home</a>";

/// A small readable page of the site with this name; it leads home if the site is live.
pub(crate) fn plain_page(status: StatusCode, brand: &str, title: &str, words: &str, live: bool) -> Reply {
    let (brand, title, words) = (escape(brand), escape(title), escape(words));
    let (name, home) = if live {
        (format!("<a class=\"brand\" href=\"/\">{brand}</a>"), HOME)
    } else {
        (format!("<span class=\"brand\">{brand}</span>"), "")
    };
    let html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title} - {brand}</title><meta name=\"rating\" content=\"adult\">\
         <meta name=\"robots\" content=\"noindex\"><style>{STYLE}</style></head>\
         <body><header>{name}</header><main><h1>{title}</h1><p>{words}</p>{home}</main>\
         <footer><p>18+ only</p></footer></body></html>\n"
    );
    let mut reply = reply(status, HTML, html);
    reply
        .headers_mut()
        .insert(CONTENT_SECURITY_POLICY, POLICY.clone());
    reply
}
