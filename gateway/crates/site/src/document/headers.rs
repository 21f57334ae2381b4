//! The header fields of documents.

use http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, VARY};
use http::{HeaderMap, HeaderName, HeaderValue};

use colonnade_web::response::{HEADER_CAPACITY, HTML, PLACEHOLDER, REQUEST_ID};
use colonnade_web::security_headers::add_security_headers;

use crate::content_security_policy::ContentSecurityPolicy;
use crate::deployment_selection::Caching;

const REPORTING_ENDPOINTS: HeaderName = HeaderName::from_static("reporting-endpoints");

/// The header fields of a document that any cache may keep. A proxy that rewrites the HTML would break hydration, and scripts and
/// styles whose digests the policy has, so they say `no-transform` (RFC 9111, section 5.2.2.6).
pub(super) struct DocumentHeaders(HeaderMap);

impl DocumentHeaders {
    /// Prepares the fields, with a placeholder for each that depends on the document or the response.
    pub(super) fn new(policy: &ContentSecurityPolicy) -> Self {
        let mut headers = HeaderMap::with_capacity(HEADER_CAPACITY);
        headers.extend([
            (CONTENT_TYPE, HTML),
            (CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform")),
            (VARY, HeaderValue::from_static("Accept-Encoding")),
            (CONTENT_SECURITY_POLICY, PLACEHOLDER),
            (ETAG, PLACEHOLDER),
            (CONTENT_ENCODING, PLACEHOLDER),
            (REQUEST_ID, PLACEHOLDER),
        ]);
        let endpoints = policy.reporting_endpoints();
        headers.extend(endpoints.map(|endpoints| (REPORTING_ENDPOINTS, endpoints)));
        add_security_headers(&mut headers);
        Self(headers)
    }

    /// The fields of a document with this policy. Its entity tag and its coding are placeholders.
    pub(super) fn of(&self, policy: HeaderValue, caching: Caching) -> HeaderMap {
        let mut headers = self.0.clone();
        headers.insert(CONTENT_SECURITY_POLICY, policy);
        let cache_control = match caching {
            Caching::Public => return headers,
            Caching::Private => "private, no-cache, no-transform",
            Caching::Never => "no-store, no-transform",
        };
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache_control));
        headers.insert(VARY, HeaderValue::from_static("Accept-Encoding, Cookie"));
        headers
    }
}
