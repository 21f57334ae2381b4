//! `/console`: the operator's console, whose files are part of the binary.

use std::collections::HashMap;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY};
use http::{HeaderMap, HeaderValue};

use colonnade_web::content_negotiation::Coding;
use colonnade_web::encoded_content::EncodedContent;
use colonnade_web::problem::HttpError;
use colonnade_web::response::{IMMUTABLE, NO_CACHE, Response, conditional_response};

use crate::AdminError;

/// The document. All other files have names that contain their digest.
const DOCUMENT: &str = "index.html";

/// Only files and calls of this listener; no inline script or style.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
);

/// A file of the console: its name and its bytes. A name that ends with `.br` has the Brotli coding
/// of another file.
pub type ConsoleFile = (&'static str, &'static [u8]);

/// The files of the console, by name.
pub struct Console(HashMap<&'static str, EncodedContent>);

impl Console {
    /// Creates the console. Without files, every request for it is answered with an explanation.
    pub fn new(files: &[ConsoleFile]) -> Self {
        let bytes: HashMap<_, _> = files.iter().copied().collect();
        let encoded = files.iter().map(|(name, content)| {
            let compressed = bytes.get(&*format!("{name}.br")).copied();
            let compressed = compressed.map(|bytes| (Coding::Br, Bytes::from_static(bytes)));
            (
                *name,
                EncodedContent::precompressed(Bytes::from_static(content), compressed),
            )
        });
        Self(encoded.collect())
    }

    /// Responds with a file. A name without an extension is a page, which the document shows.
    pub(super) fn respond(&self, name: &str, request: &HeaderMap) -> Result<Response, AdminError> {
        let name = if name.contains('.') { name } else { DOCUMENT };
        if self.0.is_empty() {
            return Err(AdminError::NoConsole);
        }
        let (content, media_type) = self
            .0
            .get(name)
            .zip(media_type(name))
            .ok_or(HttpError::NotFound)?;
        let mut headers = HeaderMap::new();
        if name == DOCUMENT {
            headers.insert(CONTENT_SECURITY_POLICY, POLICY);
        }
        headers.insert(CACHE_CONTROL, if name == DOCUMENT { NO_CACHE } else { IMMUTABLE });
        let media_type = HeaderValue::from_static(media_type);
        let representation = content.preferred(request).clone();
        Ok(conditional_response(
            request,
            &media_type,
            headers,
            representation,
        ))
    }
}

/// The media type of a file; `None` for the coding of another file.
fn media_type(name: &str) -> Option<&'static str> {
    let (_, extension) = name.rsplit_once('.')?;
    Some(match extension {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "txt" => "text/plain; charset=utf-8",
        _ => return None,
    })
}
