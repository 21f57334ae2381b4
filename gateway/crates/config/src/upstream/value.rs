//! Deserializers for the values of `[upstreams.<name>]`.

use http::uri::PathAndQuery;
use http::{HeaderName, Method, StatusCode};
use serde::Deserializer;
use toml::Value;
use url::Url;

use crate::secret_headers::OWN_HEADERS;
use crate::url::parse_any_url;
use crate::value::{as_nonempty_strings, as_string, as_strings, convert, wrong_type};

/// The methods that an upstream may serve. The gateway itself answers OPTIONS.
const METHODS: [Method; 6] = [
    Method::GET,
    Method::HEAD,
    Method::POST,
    Method::PUT,
    Method::PATCH,
    Method::DELETE,
];

pub(super) fn default_methods() -> Vec<Method> {
    vec![Method::GET, Method::HEAD]
}

/// A prefix of paths: `/api/` and segments that need no percent-encoding.
pub(super) fn path_prefix<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let is_plain = |segment: &str| {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        !segment.is_empty() && segment != "." && segment != ".." && segment.bytes().all(is_allowed)
    };
    let expected = "a path below /api/, such as /api/events, without a trailing slash";
    convert(deserializer, expected, |value| {
        let text = as_string(value)?;
        let rest = text.strip_prefix("/api/");
        let is_prefix = rest.is_some_and(|rest| rest.split('/').all(is_plain));
        let prefix = is_prefix.then(|| text.to_owned());
        prefix.ok_or_else(|| format!("`{text}` is not a path below /api/"))
    })
}

/// Base URLs, without a query. Whether they may be http depends on another key.
pub(super) fn base_urls<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Url>, D::Error> {
    let expected = "a list of full URLs, such as https://events.internal/v1";
    convert(deserializer, expected, |value| {
        as_nonempty_strings(value, |text| {
            let url = parse_any_url(text)?;
            if url.query().is_some() || url.fragment().is_some() {
                return Err(format!("`{text}` has a query or a fragment"));
            }
            Ok(url)
        })
    })
}

pub(super) fn methods<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Method>, D::Error> {
    let expected = "a list of GET, HEAD, POST, PUT, PATCH and DELETE";
    convert(deserializer, expected, |value| {
        as_nonempty_strings(value, |text| {
            let method = METHODS.into_iter().find(|method| method == text);
            method.ok_or_else(|| format!("`{text}` is not one of them"))
        })
    })
}

/// Statuses of server errors.
pub(super) fn server_errors<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<StatusCode>, D::Error> {
    convert(deserializer, "a list of statuses from 500 to 599", |value| {
        let items = value.as_array().ok_or_else(|| wrong_type(value))?;
        let status = |item: &Value| {
            let number = item.as_integer().ok_or_else(|| wrong_type(item))?;
            let status = u16::try_from(number).ok();
            let status = status.and_then(|status| StatusCode::from_u16(status).ok());
            let status = status.filter(StatusCode::is_server_error);
            status.ok_or_else(|| format!("`{number}` is not one of them"))
        };
        items.iter().map(status).collect()
    })
}

/// A path with an optional query.
pub(super) fn health_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    convert(deserializer, "a path, such as /healthz", |value| {
        let text = as_string(value)?;
        let is_path = text.starts_with('/') && text.parse::<PathAndQuery>().is_ok_and(|path| path == text);
        let path = is_path.then(|| Some(text.to_owned()));
        path.ok_or_else(|| format!("`{text}` is not a path"))
    })
}

/// Names of headers of visitors.
pub(super) fn forwarded_headers<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<HeaderName>, D::Error> {
    let expected = "a list of headers that visitors send and the gateway does not set, such as x-tenant";
    convert(deserializer, expected, |value| {
        as_strings(value, |text| {
            let name = HeaderName::try_from(text).ok();
            let name = name.filter(|name| !OWN_HEADERS.contains(name) && !has_other_rule(name.as_str()));
            name.ok_or_else(|| format!("`{text}` cannot be forwarded"))
        })
    })
}

/// Whether a header is for one connection, is set or continued by the gateway, or has a key of its
/// own.
fn has_other_rule(name: &str) -> bool {
    matches!(
        name,
        "authorization"
            | "forwarded"
            | "http2-settings"
            | "keep-alive"
            | "traceparent"
            | "tracestate"
            | "via"
            | "x-request-id"
    ) || ["proxy-", "x-forwarded-"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}
