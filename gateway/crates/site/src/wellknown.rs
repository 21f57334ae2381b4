//! Files that every site has: robots.txt, sitemap.xml, the web app manifest and icons. Also what
//! replaces the service worker of a former site.

use std::sync::Arc;

use bytes::Bytes;
use foldhash::HashMap;
use http::header::CACHE_CONTROL;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode};
use serde_json::json;
use url::form_urlencoded;

use colonnade_config::{FileSettings, Origin};
use colonnade_model::pattern::RequestPath;
use colonnade_model::release::{Icon, Purpose};
use colonnade_store::loaded::{LoadedDeployment, ShellFrame};
use colonnade_web::encoded_content::EncodedContent;
use colonnade_web::request_scope;
use colonnade_web::response::{Response, TEXT, conditional_response, redirect, response};

use crate::document::SiteView;

/// The `Cache-Control` of these files.
const CACHE_FIVE_MINUTES: HeaderValue = HeaderValue::from_static("public, max-age=300");

/// The most URLs and bytes in a file of a sitemap (<https://www.sitemaps.org/protocol.html#index>).
const MAX_URLS: usize = 50_000;
const MAX_BYTES: usize = 50 * 1024 * 1024;

/// The attribute of a sitemap's root element.
const SITEMAP_NAMESPACE: &str = "xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"";

/// robots.txt: allows everything but paths that begin with one of `disallowed`.
pub(crate) fn robots(origin: &Origin, disallowed: impl Iterator<Item = &'static str>) -> Response {
    let lines: Vec<String> = disallowed.map(|prefix| format!("Disallow: {prefix}\n")).collect();
    let lines = lines.concat();
    let body = format!("User-agent: *\nAllow: /\n{lines}\nSitemap: {origin}/sitemap.xml\n");
    cacheable(response(StatusCode::OK, TEXT, body))
}

/// sitemap.xml: the indexable paths of a deployment, or an index of its parts if they exceed the
/// limits of one file. `?part=1` is the first part. `None`: there is no such part.
pub(crate) async fn sitemap(
    origin: &Origin,
    deployment: &Arc<LoadedDeployment>,
    request: &Parts,
) -> Option<Response> {
    let files = deployment
        .sitemap
        .get_or_init(|| encode_sitemap(origin, deployment))
        .await;
    let query = request.uri.query().unwrap_or_default();
    let mut parameters = form_urlencoded::parse(query.as_bytes());
    let file = match parameters.find(|(name, _)| name == "part") {
        None => files.first(),
        // Neither `+1` nor `01` is a part.
        Some((_, part)) => part
            .parse()
            .ok()
            .filter(|number: &usize| *number > 0 && number.to_string() == part)
            .and_then(|number| files.get(number)),
    }?;
    let content_type = HeaderValue::from_static("application/xml; charset=utf-8");
    let headers = HeaderMap::from_iter([(CACHE_CONTROL, CACHE_FIVE_MINUTES)]);
    let representation = file.preferred(&request.headers).clone();
    Some(conditional_response(
        &request.headers,
        &content_type,
        headers,
        representation,
    ))
}

/// Composes the files on a thread for blocking work, because there may be hundreds of thousands of
/// URLs.
async fn encode_sitemap(origin: &Origin, deployment: &Arc<LoadedDeployment>) -> Vec<EncodedContent> {
    let (base, deployment) = (origin.clone(), Arc::clone(deployment));
    let composition = request_scope::spawn_blocking(move || {
        let urls = deployment.indexable_paths().map(|path| format!("{base}{path}"));
        sitemap_files(&base, urls, MAX_URLS, MAX_BYTES)
    });
    // If the composition panics, the sitemap is empty.
    let files = composition
        .await
        .unwrap_or_else(|_| vec![sitemap_file("urlset", "")]);
    let mut encoded = Vec::with_capacity(files.len());
    for file in files {
        encoded.push(EncodedContent::compress(move || file).await);
    }
    encoded
}

/// The files of a sitemap: the only one, or an index and the parts. A part has at least one URL.
fn sitemap_files(
    origin: &Origin,
    urls: impl Iterator<Item = String>,
    max_urls: usize,
    max_bytes: usize,
) -> Vec<String> {
    let empty = sitemap_file("urlset", "");
    let mut parts = vec![(0, String::new())];
    for url in urls {
        let line = format!("<url><loc>{}</loc></url>\n", escape_xml(&url));
        let is_full = |(count, lines): &mut (usize, String)| {
            *count == max_urls || (*count > 0 && empty.len() + lines.len() + line.len() > max_bytes)
        };
        if parts.last_mut().is_none_or(is_full) {
            parts.push((0, String::new()));
        }
        if let Some((count, lines)) = parts.last_mut() {
            *count += 1;
            lines.push_str(&line);
        }
    }
    let mut files: Vec<String> = parts
        .iter()
        .map(|(_, lines)| sitemap_file("urlset", lines))
        .collect();
    if files.len() > 1 {
        let line = |part| format!("<sitemap><loc>{origin}/sitemap.xml?part={part}</loc></sitemap>\n");
        let lines: String = (1..=files.len()).map(line).collect();
        files.insert(0, sitemap_file("sitemapindex", &lines));
    }
    files
}

fn sitemap_file(root: &str, lines: &str) -> String {
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<{root} {SITEMAP_NAMESPACE}>\n{lines}</{root}>\n")
}

/// The web app manifest (<https://www.w3.org/TR/appmanifest/>): the site's name and icons for home screens. It has a
/// validator, because its URL stays the same when the shell's icons change.
pub(crate) fn manifest(request: &HeaderMap, site: &SiteView, frame: &ShellFrame) -> Response {
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
        "name": &*site.brand,
        "start_url": "/",
        "scope": "/",
        "display": "browser",
        "lang": site.language,
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

/// The icon of the shell that browsers and crawlers request at the root, whatever a document names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RootIcon {
    /// `/favicon.ico`.
    Favicon,
    /// `/apple-touch-icon.png`.
    Touch,
}

/// Redirects to an icon of the shell: the smallest one for a tab. `None`: it has none.
pub(crate) fn icon(frame: &ShellFrame, wanted: RootIcon) -> Option<Response> {
    let icons = frame.icons.iter().filter(|icon| match wanted {
        RootIcon::Favicon => icon.purpose == Purpose::Any,
        RootIcon::Touch => icon.purpose == Purpose::Touch,
    });
    let icon = icons.min_by_key(|icon| icon.size)?;
    redirect(StatusCode::FOUND, &icon.file).map(cacheable)
}

/// Whether a browser requests the script of a service worker (Service Workers, section "Update").
pub(crate) fn is_for_service_worker(headers: &HeaderMap) -> bool {
    headers
        .get("service-worker")
        .is_some_and(|value| value.as_bytes() == b"script")
}

/// The script of a service worker that removes itself, its caches and its control of open pages. No
/// site of the gateway has a service worker outside of `/assets`. The one of a former site at this
/// address would show that site forever: a browser keeps a service worker whose script is missing.
pub(crate) fn service_worker_removal() -> Response {
    const SCRIPT: &str = include_str!("service_worker_removal.js");
    let content_type = HeaderValue::from_static("text/javascript; charset=utf-8");
    let mut response = response(StatusCode::OK, content_type, SCRIPT);
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The operator's files at the root, by path.
pub(crate) struct RootFiles(HashMap<String, RootFile>);

/// One of them.
pub(crate) struct RootFile {
    content_type: HeaderValue,
    content: EncodedContent,
}

impl RootFiles {
    pub(crate) fn new(settings: &FileSettings) -> Self {
        let file = |(path, content): (&String, &Bytes)| {
            let file = RootFile {
                content_type: content_type(path),
                content: EncodedContent::uncompressed(content.clone()),
            };
            (path.clone(), file)
        };
        Self(settings.contents.iter().map(file).collect())
    }

    /// The file at a path.
    pub(crate) fn get(&self, path: &RequestPath) -> Option<&RootFile> {
        if self.0.is_empty() || path.has_trailing_slash() {
            return None;
        }
        self.0.get(path.decoded())
    }
}

impl RootFile {
    pub(crate) fn respond(&self, request: &HeaderMap) -> Response {
        let headers = HeaderMap::from_iter([(CACHE_CONTROL, CACHE_FIVE_MINUTES)]);
        let content = self.content.preferred(request).clone();
        conditional_response(request, &self.content_type, headers, content)
    }
}

/// The media type of a file, by its extension. Without one, the well-known files of apps are JSON.
fn content_type(path: &str) -> HeaderValue {
    let name = path.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').map_or("json", |(_, extension)| extension);
    HeaderValue::from_static(match extension {
        "txt" => "text/plain; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "json" => "application/json",
        "xml" => "application/xml",
        "pdf" => "application/pdf",
        "ico" => "image/x-icon",
        "gif" => "image/gif",
        "jpg" | "jpeg" => "image/jpeg",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "webp" => "image/webp",
        _ => "application/octet-stream",
    })
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

#[cfg(test)]
mod tests {
    use colonnade_config::Origin;

    use super::sitemap_files;

    #[test]
    fn sitemap_files_keep_both_limits() {
        let origin: Origin = serde_json::from_str("\"https://site.example\"").expect("an origin");
        let files = |count: usize, max_urls, max_bytes| {
            let urls = (0..count).map(|number| format!("{origin}/{number:04}"));
            sitemap_files(&origin, urls, max_urls, max_bytes)
        };
        let sizes = |files: &[String]| -> Vec<usize> { files.iter().map(String::len).collect() };
        let [empty] = sizes(&files(0, 1, 1))[..] else {
            panic!("one file without URLs")
        };
        let [one] = sizes(&files(1, 1, usize::MAX))[..] else {
            panic!("one file with a URL")
        };
        let line = one - empty;
        let lines = |files: &[String]| -> Vec<usize> {
            let parts = files.iter().skip(1);
            parts.map(|part| part.matches("<url>").count()).collect()
        };
        assert_eq!(files(3, 3, usize::MAX).len(), 1);
        assert_eq!(lines(&files(7, 3, usize::MAX)), [3, 3, 1]);
        assert_eq!(files(3, 9, empty + 3 * line).len(), 1);
        let by_size = files(7, 9, empty + 3 * line);
        assert_eq!(lines(&by_size), [3, 3, 1]);
        assert_eq!(sizes(&by_size[1..]), [3, 3, 1].map(|count| empty + count * line));
    }
}
