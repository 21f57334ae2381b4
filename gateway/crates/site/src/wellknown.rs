//! Files that every site has: robots.txt, sitemap.xml and the web app manifest.

use std::fmt::Write as _;

use http::header::CACHE_CONTROL;
use http::{HeaderMap, HeaderValue, StatusCode};
use serde_json::json;

use colonnade_config::Origin;
use colonnade_model::release::{Icon, Purpose};
use colonnade_store::loaded::{LoadedDeployment, ShellFrame};
use colonnade_web::encoded_content::EncodedContent;
use colonnade_web::response::{Response, TEXT, conditional_response, response};

/// The `Cache-Control` of these files.
const CACHE_FIVE_MINUTES: HeaderValue = HeaderValue::from_static("public, max-age=300");

/// robots.txt: allows everything but paths that are not pages.
pub(crate) fn robots(origin: &Origin) -> Response {
    let body = format!(
        "User-agent: *\nAllow: /\nDisallow: /go/\nDisallow: /functions/\n\nSitemap: {origin}/sitemap.xml\n"
    );
    cacheable(response(StatusCode::OK, TEXT, body))
}

/// sitemap.xml: the indexable paths of a deployment.
pub(crate) async fn sitemap(origin: &Origin, deployment: &LoadedDeployment, request: &HeaderMap) -> Response {
    let encode = || EncodedContent::compress(sitemap_xml(origin, deployment).into());
    let encoded = deployment.sitemap.get_or_init(encode).await;
    let content_type = HeaderValue::from_static("application/xml; charset=utf-8");
    let headers = HeaderMap::from_iter([(CACHE_CONTROL, CACHE_FIVE_MINUTES)]);
    conditional_response(
        request,
        &content_type,
        headers,
        encoded.preferred(request).clone(),
    )
}

fn sitemap_xml(origin: &Origin, deployment: &LoadedDeployment) -> String {
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    for path in deployment.indexable_paths() {
        let url = escape_xml(&format!("{origin}{path}"));
        let _ = writeln!(xml, "<url><loc>{url}</loc></url>");
    }
    xml.push_str("</urlset>\n");
    xml
}

/// The web app manifest (<https://www.w3.org/TR/appmanifest/>): the site's name and icons for home screens. It has a
/// validator, because its URL stays the same when the shell's icons change.
pub(crate) fn manifest(request: &HeaderMap, brand: &str, frame: &ShellFrame) -> Response {
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
    let content = EncodedContent::uncompressed(manifest.to_string().into());
    let headers = HeaderMap::from_iter([(CACHE_CONTROL, CACHE_FIVE_MINUTES)]);
    let content_type = HeaderValue::from_static("application/manifest+json");
    conditional_response(
        request,
        &content_type,
        headers,
        content.preferred(request).clone(),
    )
}

fn cacheable(mut response: Response) -> Response {
    response.headers_mut().insert(CACHE_CONTROL, CACHE_FIVE_MINUTES);
    response
}

/// Escapes text for XML, as the sitemap protocol requires (<https://www.sitemaps.org/protocol.html#escaping>).
fn escape_xml(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&apos;")
}
