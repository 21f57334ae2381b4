//! Rejects malformed and misdirected requests before any route sees them, with host validation.
//!
//! hyper accepts a missing, duplicate or invalid Host, an absolute URI with another host, TRACE and
//! CONNECT. A cache or proxy in front of the gateway may read such a request differently. The
//! router validates the path.

use std::ops::ControlFlow;

use http::header::{CONNECTION, CONTENT_LENGTH, COOKIE, HOST};
use http::request::Parts;
use http::uri::{Authority, Scheme};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Version};
use hyper::ext::Protocol;

use crate::{AllowedHosts, Settings};
use colonnade_web::head_limits::{has_too_many_items, has_too_many_parameters, has_too_many_segments};
use colonnade_web::health;
use colonnade_web::host::Host;
use colonnade_web::problem::{Audience, Problem, respond};
use colonnade_web::request::Head;
use colonnade_web::response::{Response, ServedBy, empty};
use colonnade_web::router::Methods;

/// Why a request is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// There is no host, or more than one.
    #[error("The request must name one host.")]
    HostCount,
    /// The host is malformed.
    #[error("Invalid Host header.")]
    InvalidHost,
    /// The host is not one of `listen.allowed_hosts`.
    #[error("This host is not served here.")]
    Misdirected,
    /// The host of an admin request is not one of `listen.admin_allowed_hosts`.
    #[error("The host is neither an address, nor localhost, nor one of `listen.admin_allowed_hosts`.")]
    AdminHost,
    /// The request target is in absolute form, which is for proxies (RFC 9112, section 3.2.2).
    #[error("The request must name a path, not a whole address.")]
    AbsoluteUri,
    /// A header field name contains an underscore.
    #[error("The name of a header field has an underscore.")]
    Underscore,
    /// There are more than `limits.max_header_fields` header fields.
    #[error("The request has too many header fields.")]
    TooManyFields,
    /// The header fields have more than [`MAX_ITEMS`](colonnade_web::head_limits::MAX_ITEMS) items.
    #[error("The header fields have too many items.")]
    TooManyItems,
    /// The path has more than [`MAX_SEGMENTS`](colonnade_web::head_limits::MAX_SEGMENTS) segments.
    #[error("The path has too many segments.")]
    TooManySegments,
    /// The query has more than [`MAX_PARAMETERS`](colonnade_web::head_limits::MAX_PARAMETERS)
    /// parameters.
    #[error("The query has too many parameters.")]
    TooManyParameters,
    /// A field value begins or ends with a space or tab (RFC 9113, section 8.2.1).
    #[error("A field value begins or ends with a space or tab.")]
    Whitespace,
    /// There is more than one Content-Length (RFC 9110, section 8.6).
    #[error("The request has more than one Content-Length.")]
    ContentLengthCount,
    /// The scheme is not that of the listener (RFC 9110, section 7.4).
    #[error("The scheme is not that of this listener.")]
    Scheme,
    /// The method is CONNECT, for another protocol than WebSocket (RFC 8441).
    #[error("CONNECT is not supported.")]
    Connect,
}

impl Problem for RequestError {
    fn status(&self) -> StatusCode {
        match self {
            Self::Misdirected | Self::AdminHost => StatusCode::MISDIRECTED_REQUEST,
            Self::TooManyFields | Self::TooManyItems => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::TooManySegments | Self::TooManyParameters => StatusCode::URI_TOO_LONG,
            Self::Connect => StatusCode::NOT_IMPLEMENTED,
            Self::HostCount
            | Self::InvalidHost
            | Self::AbsoluteUri
            | Self::Underscore
            | Self::Whitespace
            | Self::ContentLengthCount
            | Self::Scheme => StatusCode::BAD_REQUEST,
        }
    }

    fn title(&self) -> &'static str {
        "This address doesn’t work"
    }
}

/// Lets valid requests continue, else responds with a [`RequestError`] and calls `refused` with the
/// status.
pub fn validate_request(
    head: &Head,
    settings: &Settings,
    audience: impl FnOnce() -> Audience,
    refused: impl FnOnce(StatusCode),
) -> ControlFlow<Response> {
    let Err(error) = validate(head, settings) else {
        if head.uri.path() == "*" && head.method == Method::OPTIONS {
            return ControlFlow::Break(options_asterisk());
        }
        return ControlFlow::Continue(());
    };
    let mut response = respond(&error, audience());
    refused(response.status());
    ServedBy::of(&mut response).route = Some("invalid_request".into());
    // The end of an invalid HTTP/1 request is uncertain, so the connection cannot be reused. HTTP/2
    // has frames.
    if head.version < Version::HTTP_2 {
        let headers = response.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    ControlFlow::Break(response)
}

/// The response to `OPTIONS *` (RFC 9110, section 9.3.7).
fn options_asterisk() -> Response {
    let mut response = empty(StatusCode::NO_CONTENT);
    Methods::GET.and(Methods::POST).set_allow(response.headers_mut());
    ServedBy::of(&mut response).route = Some("*".into());
    response
}

fn validate(head: &Head, settings: &Settings) -> Result<(), RequestError> {
    let (uri, headers) = (&head.uri, &head.headers);
    // hyper limits the number over HTTP/1, but only the size over HTTP/2.
    let max_fields = settings.limits.max_header_fields;
    if headers.len() > max_fields && count_fields(headers) > max_fields {
        return Err(RequestError::TooManyFields);
    }
    if has_too_many_items(headers) {
        return Err(RequestError::TooManyItems);
    }
    if has_too_many_segments(uri.path()) {
        return Err(RequestError::TooManySegments);
    }
    if uri.query().is_some_and(has_too_many_parameters) {
        return Err(RequestError::TooManyParameters);
    }
    if head.method == Method::CONNECT && !is_websocket(head) {
        return Err(RequestError::Connect);
    }
    let authority = uri.authority().map(Authority::as_str);
    let is_http1 = head.version < Version::HTTP_2;
    if is_http1 && authority.is_some() {
        return Err(RequestError::AbsoluteUri);
    }
    // Over HTTP/1 the framing rejects a second Content-Length, and there is no scheme.
    if !is_http1 {
        if headers.get_all(CONTENT_LENGTH).iter().nth(1).is_some() {
            return Err(RequestError::ContentLengthCount);
        }
        if !is_expected_scheme(head, settings) {
            return Err(RequestError::Scheme);
        }
    }
    let is_health = health::is_health_path(uri.path());
    // Some health checks use HTTP/1.0, which does not require Host.
    let needs_host = !is_health || head.version != Version::HTTP_10 || headers.contains_key(HOST);
    if needs_host {
        let host = host(authority, headers)?;
        // Load balancers send health checks to an IP address.
        if !is_health && !settings.allows_host(&host) {
            return Err(match settings.allowed_hosts {
                AllowedHosts::ListedOrIp(_) => RequestError::AdminHost,
                AllowedHosts::Any | AllowedHosts::Listed(_) => RequestError::Misdirected,
            });
        }
    }
    for (name, value) in headers {
        // Many programs treat `a_b` as `a-b`, which lets a client set a field reserved for proxies.
        if name.as_str().as_bytes().contains(&b'_') {
            return Err(RequestError::Underscore);
        }
        // Over HTTP/1 the parser removes whitespace.
        if !is_http1 && has_outer_whitespace(value) {
            return Err(RequestError::Whitespace);
        }
    }
    Ok(())
}

/// Returns whether a request opens a WebSocket over HTTP/2 (RFC 8441).
fn is_websocket(head: &Parts) -> bool {
    let protocol = head.extensions.get::<Protocol>();
    protocol.is_some_and(|protocol| protocol.as_str() == "websocket")
}

/// Returns the number of fields. All Cookie fields count as one: over HTTP/2 browsers may split it
/// (RFC 9113, section 8.2.3).
fn count_fields(headers: &HeaderMap) -> usize {
    let cookies = headers.get_all(COOKIE).iter().count();
    headers.len() - cookies.saturating_sub(1)
}

fn has_outer_whitespace(value: &HeaderValue) -> bool {
    let bytes = value.as_bytes();
    bytes.trim_ascii().len() < bytes.len()
}

/// Returns whether the scheme is that of the listener. h2 reports it only with an `:authority`.
fn is_expected_scheme(head: &Head, settings: &Settings) -> bool {
    let Some(scheme) = head.uri.scheme() else {
        return true;
    };
    let (own, other) = if settings.is_tls {
        (Scheme::HTTPS, Scheme::HTTP)
    } else {
        (Scheme::HTTP, Scheme::HTTPS)
    };
    // A trusted proxy may terminate TLS, and some proxies pass the client's scheme on.
    *scheme == own || *scheme == other && (settings.proxy_protocol || head.client.is_proxied)
}

/// Returns the host of a request (RFC 9112, section 3.2; RFC 9113, section 8.3.1).
fn host(authority: Option<&str>, headers: &HeaderMap) -> Result<Host, RequestError> {
    // Few requests repeat a field, so most need no look-up of others.
    if headers.len() > headers.keys_len() && headers.get_all(HOST).iter().nth(1).is_some() {
        return Err(RequestError::HostCount);
    }
    let field = match headers.get(HOST) {
        Some(field) => Some(field.to_str().map_err(|_| RequestError::InvalidHost)?),
        None => None,
    };
    let parse = |text: &str| Host::parse(text).ok_or(RequestError::InvalidHost);
    match (authority, field) {
        (None, None) => Err(RequestError::HostCount),
        (Some(only), None) | (None, Some(only)) => parse(only),
        (Some(authority), Some(field)) => {
            let host = parse(authority)?;
            (host == parse(field)?)
                .then_some(host)
                .ok_or(RequestError::HostCount)
        }
    }
}
