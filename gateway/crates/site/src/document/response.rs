//! The responses with documents.

use std::sync::Arc;

use http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY_REPORT_ONLY,
    CONTENT_TYPE, ETAG, LOCATION, VARY,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use colonnade_render::ExtensionOutcomes;
use colonnade_web::response::{
    HEADER_CAPACITY, HTML, PLACEHOLDER, REQUEST_ID, Response, conditional_response, empty,
};
use colonnade_web::security_headers::{PERMISSIONS_POLICY, add_security_headers, remove_page_headers};

use crate::content_security_policy::{ContentSecurityPolicy, DocumentPolicy};
use crate::deployment_selection::Caching;
use crate::document::types::{Content, Document};

const REPORTING_ENDPOINTS: HeaderName = HeaderName::from_static("reporting-endpoints");

/// The header fields of a document that any cache may keep. A proxy that rewrites the HTML would
/// break hydration, and scripts and styles whose digests the policy has, so they say `no-transform`
/// (RFC 9111, section 5.2.2.6).
pub(super) struct Responses(HeaderMap);

impl Responses {
    /// Prepares the fields, with a placeholder for each that depends on the document or the
    /// response.
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

    /// Responds with a document to a request with these header fields.
    pub(super) fn respond(&self, request: &HeaderMap, document: &Document, caching: Caching) -> Response {
        let (policy, html) = match &document.content {
            Content::Html { policy, html } => (policy, html),
            Content::Redirect(location) => {
                // Nothing caches the response.
                let mut response = empty(document.status);
                response.headers_mut().insert(LOCATION, location.clone());
                return response;
            }
        };
        let caching = if document.validity.may_cache() {
            caching
        } else {
            Caching::Never
        };
        let headers = self.headers(policy.clone(), caching);
        let representation = html.preferred(request).clone();
        // Preconditions apply to 200 responses only (RFC 9110, section 13.2.1), so a 404 has no
        // validator.
        let has_validator = document.status == StatusCode::OK && caching != Caching::Never;
        let none = HeaderMap::new();
        let preconditions = if has_validator { request } else { &none };
        let mut response = conditional_response(preconditions, &HTML, headers, representation);
        response.body_mut().has_security_headers = true;
        if response.status() != StatusCode::OK {
            remove_page_headers(response.headers_mut());
        }
        if !has_validator {
            *response.status_mut() = document.status;
            response.headers_mut().remove(ETAG);
        }
        if let Some(why) = document.why.filter(|why| !why.may_cache()) {
            response.extensions_mut().insert(why);
        }
        // A public document is that of no rollout, which alone needs the outcomes.
        if caching != Caching::Public && !document.extensions.is_empty() {
            let outcomes = Arc::clone(&document.extensions);
            response.extensions_mut().insert::<ExtensionOutcomes>(outcomes);
        }
        response
    }

    /// The fields of a document with this policy. Its entity tag and its coding are placeholders.
    fn headers(&self, policy: DocumentPolicy, caching: Caching) -> HeaderMap {
        let mut headers = self.0.clone();
        headers.insert(CONTENT_SECURITY_POLICY, policy.enforced);
        headers.extend(
            policy
                .reported
                .map(|policy| (CONTENT_SECURITY_POLICY_REPORT_ONLY, policy)),
        );
        if let Some(features) = policy.features {
            headers.insert(PERMISSIONS_POLICY, features);
        }
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
