//! The files every site has: robots.txt and sitemap.xml.

use std::fmt::Write as _;

use bytes::Bytes;
use http::header::CACHE_CONTROL;
use http::{HeaderValue, StatusCode};

use crate::config::Origin;
use crate::deployment::Set;
use crate::reply::{Reply, TEXT, reply};

/// How long crawlers may keep these files.
const FIVE_MINUTES: HeaderValue = HeaderValue::from_static("public, max-age=300");

/// robots.txt: everything may be crawled but what is no page.
pub(crate) fn robots(origin: &Origin) -> Reply {
    let body = format!(
        "User-agent: *\nAllow: /\nDisallow: /go/\nDisallow: /functions/\n\nSitemap: {origin}/sitemap.xml\n"
    );
    kept(reply(StatusCode::OK, TEXT, body))
}

/// sitemap.xml: the indexable paths of a deployment, and no others.
pub(crate) fn sitemap(origin: &Origin, set: &Set) -> Reply {
    let mut body = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    for path in set.indexable() {
        let _ = writeln!(
            body,
            "<url><loc>{}</loc></url>",
            escape(&format!("{origin}{path}"))
        );
    }
    body.push_str("</urlset>\n");
    let content_type = HeaderValue::from_static("application/xml; charset=utf-8");
    kept(reply(StatusCode::OK, content_type, Bytes::from(body)))
}

fn kept(mut reply: Reply) -> Reply {
    reply.headers_mut().insert(CACHE_CONTROL, FIVE_MINUTES);
    reply
}

/// Escapes text for XML, as the sitemap protocol wants it.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&apos;")
}
