//! A page that needs no shell, for when there is none or the address is no address.

use http::StatusCode;

use super::html::escape;
use crate::reply::{HTML, Reply, reply};

/// The way on, where there is one.
const HOME: &str = "<p><a href=\"/\">Return to home</a></p>";

/// A small readable page; it leads home if the site is live.
pub(crate) fn plain_page(status: StatusCode, title: &str, words: &str, live: bool) -> Reply {
    let (title, words) = (escape(title), escape(words));
    let home = if live { HOME } else { "" };
    let html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title}</title><meta name=\"rating\" content=\"adult\">\
         <meta name=\"robots\" content=\"noindex\"></head>\
         <body><main><h1>{title}</h1><p>{words}</p>{home}</main>\
         <footer><p>18+ only</p></footer></body></html>\n"
    );
    reply(status, HTML, html)
}
