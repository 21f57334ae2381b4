//! The files every site has: robots.txt, sitemap.xml and its manifest.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::header::CACHE_CONTROL;
use http::{HeaderMap, HeaderValue, StatusCode};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::config::Origin;
use crate::deployment::{Frame, Set};
use crate::negotiate::Coding;
use crate::release::{Icon, Purpose};
use crate::reply::{Reply, Representation, TEXT, reply, represent};

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
    let body = set.sitemap.get_or_init(|| listed(origin, set).into());
    let content_type = HeaderValue::from_static("application/xml; charset=utf-8");
    kept(reply(StatusCode::OK, content_type, body.clone()))
}

fn listed(origin: &Origin, set: &Set) -> String {
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
    body
}

/// The manifest (<https://www.w3.org/TR/appmanifest/>): what the site is called and looks like on a home screen. It is
/// kept under its own validator, since the address stays when the shell's icons change.
pub(crate) fn manifest(request: &HeaderMap, brand: &str, frame: &Frame) -> Reply {
    let icons = frame.icons.iter().filter(|icon| icon.purpose != Purpose::Touch);
    let icon = |icon: &Icon| {
        json!({
            "src": icon.file,
            "sizes": format!("{0}x{0}", icon.size),
            "type": "image/png",
            "purpose": icon.purpose,
        })
    };
    let mut manifest = json!({
        "id": "/",
        "name": brand,
        "start_url": "/",
        "scope": "/",
        "display": "browser",
        "lang": "en",
        "icons": icons.map(icon).collect::<Vec<_>>(),
    });
    if let Some(theme) = &frame.theme_color {
        manifest["theme_color"] = json!(theme.light);
        manifest["background_color"] = json!(theme.light);
    }
    let bytes = Bytes::from(manifest.to_string());
    let tag = URL_SAFE_NO_PAD.encode(&Sha256::digest(&bytes)[..18]);
    let representation = Representation {
        coding: Coding::Identity,
        etag: HeaderValue::try_from(format!("\"{tag}\"")).expect("base64 may stand in a header"),
        bytes,
    };
    let headers = HeaderMap::from_iter([(CACHE_CONTROL, FIVE_MINUTES)]);
    let content_type = HeaderValue::from_static("application/manifest+json");
    represent(request, &content_type, headers, representation)
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
