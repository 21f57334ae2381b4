//! The headers of a request to an upstream.

use std::fmt::Write as _;
use std::net::IpAddr;

use bytes::Bytes;
use colonnade_config::{Origin, Upstream};
use colonnade_web::client::{ClientAddress, FromTrustedProxy};
use colonnade_web::request_scope;
use colonnade_web::response::{REQUEST_ID, RequestId};
use http::header::{ACCEPT, AUTHORIZATION, COOKIE, FORWARDED, HeaderName, HeaderValue, VIA};
use http::request::Parts;
use http::{HeaderMap, Version};
use secrecy::ExposeSecret as _;

use crate::cookies;
use crate::hop_by_hop::HopByHop;

/// The header that continues a trace (W3C Trace Context).
pub(crate) const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// What most proxies say of a request begins with it: the host, the scheme, the certificate of the client.
const FORWARDED_PREFIX: &str = "x-forwarded-";

/// The bytes of `for="[…]"` with the longest address.
const MAX_ADDRESS: usize = 47;

/// The number of headers that the gateway adds.
const ADDED: usize = 8;

/// Returns the headers of a client's request as an upstream gets them.
pub(crate) fn of_client(head: &Parts, upstream: &Upstream, site: &OriginHeaders) -> HeaderMap {
    let hop_by_hop = HopByHop::of(&head.headers);
    // Other peers could force sampling, and make traces of unrelated requests look like one.
    let may_trace = head.extensions.get::<FromTrustedProxy>().is_some();
    let passes = |name: &HeaderName| {
        let is_excluded = hop_by_hop.contains(name)
            || is_removed(name.as_str())
            || (*name == COOKIE && !upstream.forward_cookies)
            || (*name == AUTHORIZATION && !upstream.forward_authorization)
            || ((*name == TRACEPARENT || *name == TRACESTATE) && !may_trace);
        !is_excluded
    };
    let mut headers = HeaderMap::with_capacity(head.headers.len() + ADDED);
    for (name, value) in head.headers.iter().filter(|(name, _)| passes(name)) {
        headers.append(name, value.clone());
    }
    if upstream.forward_cookies {
        cookies::remove_own(&mut headers);
    }
    if let Some(&ClientAddress(address)) = head.extensions.get() {
        site.add_forwarded(&mut headers, address.to_canonical());
    }
    add_via(&mut headers, head.version);
    add_request_id(&mut headers);
    headers
}

/// Returns whether an upstream could believe a header of a client, although it says where the request comes from, or asks for
/// another method or path than those that the gateway has checked. Also for those that the gateway sets itself.
fn is_removed(name: &str) -> bool {
    matches!(
        name,
        "content-length"
            // The gateway itself sends 100 (Continue), once the upstream reads the body.
            | "expect"
            | "forwarded"
            | "host"
            | "x-request-id"
            | "cf-connecting-ip"
            | "client-ip"
            | "fastly-client-ip"
            | "proxy"
            | "true-client-ip"
            // Where a file server sends files from, for Rack and others.
            | "x-accel-mapping"
            | "x-client-ip"
            | "x-cluster-client-ip"
            | "x-host"
            | "x-http-method"
            | "x-http-method-override"
            | "x-method-override"
            | "x-original-host"
            | "x-original-url"
            | "x-real-ip"
            | "x-rewrite-url"
            | "x-sendfile-type"
            | "x-scheme"
    ) || name.starts_with(FORWARDED_PREFIX)
}

/// Returns the headers of the gateway's own request for JSON.
pub(crate) fn of_query() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    add_request_id(&mut headers);
    headers
}

fn add_request_id(headers: &mut HeaderMap) {
    if let Some(RequestId(id)) = request_scope::current_id() {
        headers.insert(REQUEST_ID, id);
    }
}

/// Adds the headers that the configuration adds to every request. The cache does not get them: they are secret, and not the
/// visitor's credentials.
pub(crate) fn add_configured(headers: &mut HeaderMap, upstream: &Upstream) {
    for (name, secret) in &upstream.request_headers {
        // The configuration has checked it.
        if let Ok(mut value) = HeaderValue::from_str(secret.expose_secret()) {
            value.set_sensitive(true);
            headers.insert(name, value);
        }
    }
}

/// Returns whether an upstream may see cookies or authorization that a client has sent.
pub(crate) fn may_have_credentials(client: &HeaderMap, upstream: &Upstream) -> bool {
    (upstream.forward_cookies && client.contains_key(COOKIE))
        || (upstream.forward_authorization && client.contains_key(AUTHORIZATION))
}

/// What the forwarding headers say of the site, which is the same for all requests. The host is that of the site, and not what
/// the client named: others may get the response from the cache.
pub(crate) struct OriginHeaders {
    host: HeaderValue,
    scheme: HeaderValue,
    /// What follows the client in `Forwarded`.
    forwarded: String,
}

impl OriginHeaders {
    pub(crate) fn new(site: &Origin) -> Self {
        let (host, scheme) = (site.url().authority(), site.scheme());
        // Both are ASCII in a URL.
        let value = |text| HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static(""));
        Self {
            host: value(host),
            scheme: value(scheme),
            forwarded: format!(";host=\"{host}\";proto={scheme}"),
        }
    }

    /// Says who sent the request, to which site and how (RFC 7239). What the client itself said is dropped: if it is a trusted
    /// proxy, its part is in the address already.
    fn add_forwarded(&self, headers: &mut HeaderMap, client: IpAddr) {
        let (open, close) = if client.is_ipv6() {
            ("for=\"[", "]\"")
        } else {
            ("for=", "")
        };
        let mut text = String::with_capacity(MAX_ADDRESS + self.forwarded.len());
        text.push_str(open);
        push_address(&mut text, client);
        let address = open.len()..text.len();
        text.push_str(close);
        text.push_str(&self.forwarded);
        // Both share the memory.
        let text = Bytes::from(text);
        for (name, bytes) in [(FORWARDED_FOR, text.slice(address)), (FORWARDED, text)] {
            if let Ok(value) = HeaderValue::from_maybe_shared(bytes) {
                headers.insert(name, value);
            }
        }
        headers.insert(FORWARDED_HOST, self.host.clone());
        headers.insert(FORWARDED_PROTO, self.scheme.clone());
    }
}

/// Appends an address. Formatting an IPv4 address takes several times as long.
fn push_address(text: &mut String, address: IpAddr) {
    match address {
        IpAddr::V4(address) => {
            for (index, octet) in address.octets().into_iter().enumerate() {
                if index > 0 {
                    text.push('.');
                }
                text.push_str(itoa::Buffer::new().format(octet));
            }
        }
        // Writing to a string cannot fail.
        IpAddr::V6(address) => drop(write!(text, "{address}")),
    }
}

/// Adds the gateway to `Via` (RFC 9110, section 7.6.3): it has received the message with this version.
pub(crate) fn add_via(headers: &mut HeaderMap, version: Version) {
    let value = match version {
        Version::HTTP_10 => "1.0 colonnade",
        Version::HTTP_2 => "2 colonnade",
        _ => "1.1 colonnade",
    };
    headers.append(VIA, HeaderValue::from_static(value));
}
