//! The headers of a request to an upstream.
//!
//! Others may get the response to GET and HEAD, from the gateway's cache or another cache, so a
//! visitor's headers must not choose it: only listed ones pass. With other methods all pass but
//! those that proxies set, which an upstream could believe.

use std::fmt::Write as _;
use std::net::IpAddr;

use bytes::Bytes;
use colonnade_config::{Origin, Upstream};
use colonnade_web::request::Head;
use colonnade_web::request_scope;
use colonnade_web::response::{PLACEHOLDER, REQUEST_ID, RequestId};
use http::header::{ACCEPT, AUTHORIZATION, COOKIE, FORWARDED, HOST, HeaderName, HeaderValue, VIA};
use http::{HeaderMap, Method, Version};
use secrecy::ExposeSecret as _;

use crate::cookies;
use crate::hop_by_hop::HopByHop;

/// The header that continues a trace (W3C Trace Context).
pub(crate) const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const FORWARDED_PREFIX: HeaderName = HeaderName::from_static("x-forwarded-prefix");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// What the names of headers begin with that proxies, content delivery networks and frameworks set:
/// where a request comes from, who the user is, and which host, path and method it is really for.
const PROXY_PREFIXES: [&str; 61] = [
    "akamai-",
    "cf-",
    "client-cert",
    "cloudfront-",
    "disguised-",
    "fastly-",
    "fly-",
    "forwarded",
    "front-end-",
    "oidc-",
    "proxy-",
    "remote-",
    "shib-",
    "ssl-client-",
    "tailscale-",
    "wl-proxy-",
    "x-accel-",
    "x-akamai-",
    "x-amzn-mtls-",
    "x-amzn-oidc-",
    "x-anonymous-consumer",
    "x-apigateway-api-userinfo",
    "x-appengine-",
    "x-arr-",
    "x-auth-",
    "x-authenticated-",
    "x-authentik-",
    "x-azure-",
    "x-backend-",
    "x-client-",
    "x-consumer-",
    "x-credential-identifier",
    "x-endpoint-api-userinfo",
    "x-envoy-",
    "x-fd-",
    "x-forward",
    "x-goog-authenticated-",
    "x-goog-iap-",
    "x-http-",
    "x-invoke-",
    "x-jwt-assertion",
    "x-method",
    "x-middleware-",
    "x-ms-client-",
    "x-ms-forwarded-",
    "x-ms-token-",
    "x-nf-",
    "x-original-",
    "x-originating-",
    "x-pomerium-",
    "x-proxyuser-",
    "x-real-",
    "x-remote-",
    "x-rewrit",
    "x-shib-",
    "x-ssl-",
    "x-tls-",
    "x-userinfo",
    "x-vercel-",
    "x-vouch-",
    "x-webauth-",
];

/// The bytes of `for="[…]"` with the longest address.
const MAX_ADDRESS: usize = 47;

/// The number of headers that the gateway adds.
const ADDED: usize = 9;

/// Returns the headers of a client's request as an upstream gets them.
pub(crate) fn of_client(head: &Head, upstream: &Upstream, site: &OriginHeaders) -> HeaderMap {
    let hop_by_hop = HopByHop::of(&head.headers);
    let passes = |name: &HeaderName| {
        is_forwarded(name, &head.method, head.client.is_proxied, upstream) && !hop_by_hop.contains(name)
    };
    let mut headers = HeaderMap::with_capacity(head.headers.len() + ADDED);
    for (name, value) in head.headers.iter().filter(|(name, _)| passes(name)) {
        headers.append(name, value.clone());
    }
    headers.entry(HOST).or_insert(PLACEHOLDER);
    if upstream.forward_cookies {
        cookies::remove_own(&mut headers);
    }
    site.add_forwarded(&mut headers, head.client.address.to_canonical());
    add_via(&mut headers, head.version);
    add_request_id(&mut headers);
    headers
}

/// Returns whether an upstream gets a header of a client, or of a trusted proxy, with this method.
fn is_forwarded(name: &HeaderName, method: &Method, is_proxy: bool, upstream: &Upstream) -> bool {
    match name.as_str() {
        "cookie" => upstream.forward_cookies,
        "authorization" => upstream.forward_authorization,
        // Other peers could force sampling, make traces of unrelated requests look like one, and
        // make the upstream find a loop and answer with an error that others share.
        "traceparent" | "tracestate" | "via" => is_proxy,
        _ if upstream.forward_request_headers.contains(name) => true,
        text if matches!(*method, Method::GET | Method::HEAD | Method::CONNECT) => {
            is_forwarded_with_get(text)
        }
        text => !is_set_by_proxies(text),
    }
}

/// Returns whether every upstream gets a header with GET and HEAD. The cache removes those that are
/// for itself.
fn is_forwarded_with_get(name: &str) -> bool {
    matches!(
        name,
        "accept"
            | "accept-encoding"
            | "accept-language"
            | "cache-control"
            | "if-match"
            | "if-modified-since"
            | "if-none-match"
            | "if-range"
            | "if-unmodified-since"
            | "range"
    )
}

/// Returns whether an upstream could believe a header of a client, although it says where the
/// request comes from or who sends it, or asks for another method, host or path than those that the
/// gateway has checked. Also for those that the gateway sets itself.
fn is_set_by_proxies(name: &str) -> bool {
    matches!(
        name,
        "client-ip"
            | "content-length"
            // The gateway itself sends 100 (Continue): once it receives a body of up to 64 KiB, or
            // the upstream reads a larger one.
            | "expect"
            | "host"
            | "proxy"
            | "request-uri"
            | "x-host"
            | "x-hostname"
            | "x-protocol"
            | "x-request-id"
            | "x-scheme"
            // Where a file server sends files from, for Rack and others.
            | "x-sendfile-type"
            | "x-server-name"
            | "x-true-ip"
            | "x-url-scheme"
    ) || name.ends_with("-client-ip")
        || PROXY_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Returns whether a response that names a request header in `Vary` may be the same for all
/// requests with the same value: the upstream gets the header, or nothing that passes to visitors
/// depends on it.
pub(crate) fn may_vary_by(name: &HeaderName, upstream: &Upstream) -> bool {
    matches!(
        name.as_str(),
        "accept"
            | "accept-encoding"
            | "accept-language"
            // The headers of cross-origin responses do not pass.
            | "access-control-request-headers"
            | "access-control-request-method"
            | "origin"
            // The cache has rules of its own for these two.
            | "authorization"
            | "cookie"
            // The gateway sets them.
            | "forwarded"
            | "host"
            | "via"
            | "x-forwarded-for"
            | "x-forwarded-host"
            | "x-forwarded-prefix"
            | "x-forwarded-proto"
    ) || upstream.forward_request_headers.contains(name)
        || upstream.request_headers.iter().any(|(added, _)| added == name)
}

/// Returns the headers of the gateway's own request for JSON.
pub(crate) fn of_query(site: &OriginHeaders) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    // Visitors may get the response as well.
    site.add_site(&mut headers);
    add_request_id(&mut headers);
    headers
}

fn add_request_id(headers: &mut HeaderMap) {
    if let Some(RequestId(id)) = request_scope::current_id() {
        headers.insert(REQUEST_ID, id);
    }
}

/// Adds the headers that the configuration adds to every request. The cache does not get them: they
/// are secret, and not the visitor's credentials.
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

/// What the forwarding headers say of the site, which is the same for all requests. The host is
/// that of the site, and not what the client named: others may get the response from the cache.
pub(crate) struct OriginHeaders {
    host: HeaderValue,
    scheme: HeaderValue,
    /// The path of the site below which the upstream serves.
    prefix: HeaderValue,
    /// What follows the client in `Forwarded`.
    forwarded: String,
}

impl OriginHeaders {
    pub(crate) fn new(site: &Origin, prefix: &str) -> Self {
        let (host, scheme) = (site.url().authority(), site.scheme());
        // All are ASCII in a URL.
        let value = |text| HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static(""));
        Self {
            host: value(host),
            scheme: value(scheme),
            prefix: value(prefix),
            forwarded: format!(";host=\"{host}\";proto={scheme}"),
        }
    }

    /// Says who sent the request, to which site and how (RFC 7239). What the client itself said is
    /// dropped: if it is a trusted proxy, its part is in the address already.
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
        self.add_site(headers);
    }

    /// Says for which site and below which path of it the request is.
    fn add_site(&self, headers: &mut HeaderMap) {
        headers.insert(FORWARDED_HOST, self.host.clone());
        headers.insert(FORWARDED_PROTO, self.scheme.clone());
        headers.insert(FORWARDED_PREFIX, self.prefix.clone());
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

/// Adds the gateway to `Via` (RFC 9110, section 7.6.3): it has received the message with this
/// version.
pub(crate) fn add_via(headers: &mut HeaderMap, version: Version) {
    let value = match version {
        Version::HTTP_10 => "1.0 colonnade",
        Version::HTTP_2 => "2 colonnade",
        _ => "1.1 colonnade",
    };
    headers.append(VIA, HeaderValue::from_static(value));
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, Method};
    use serde_json::json;

    use super::{is_forwarded, may_vary_by};

    /// Headers of visitors, and with which methods an upstream gets them: GET, POST.
    #[rustfmt::skip]
    const HEADERS: &[(bool, bool, &[&str])] = &[
        (true, true, &["accept", "accept-encoding", "accept-language", "if-none-match", "range", "x-tenant", "remote-user"]),
        (false, true, &[
            "content-type", "idempotency-key", "last-event-id", "origin", "referer", "sec-fetch-site", "user-agent", "x-csrf-token",
            "x-own", "x-requested-with",
        ]),
        (false, false, &[
            "authorization", "content-length", "cookie", "expect", "host", "proxy", "x-request-id",
            // Of a trusted proxy only.
            "traceparent", "tracestate", "via",
            // Where the request comes from.
            "cf-connecting-ip", "cf-connecting-ipv6", "cf-ipcountry", "client-ip", "cloudfront-viewer-address", "cluster-client-ip",
            "fastly-client-ip", "fly-client-ip", "forwarded", "forwarded-for", "front-end-https", "proxy-client-ip", "remote-addr",
            "true-client-ip", "wl-proxy-client-ip", "x-appengine-user-ip", "x-azure-clientip", "x-client-ip", "x-cluster-client-ip",
            "x-envoy-external-address", "x-envoy-internal", "x-forward-for", "x-forwarded", "x-forwarded-for", "x-forwarded-ssl",
            "x-nf-client-connection-ip", "x-original-forwarded-for", "x-originating-ip", "x-protocol", "x-proxyuser-ip", "x-real-ip",
            "x-remote-addr", "x-remote-ip", "x-scheme", "x-true-ip", "x-url-scheme", "x-vercel-ip-country",
            // Another method, host or path.
            "disguised-host", "request-uri", "x-accel-mapping", "x-backend-host", "x-envoy-original-path", "x-host", "x-hostname",
            "x-http-destinationurl", "x-http-host", "x-http-host-override", "x-http-method", "x-http-method-override",
            "x-http-path-override", "x-invoke-path", "x-method", "x-method-override", "x-middleware-subrequest",
            "x-ms-forwarded-host", "x-original-host", "x-original-method", "x-original-uri", "x-original-url", "x-rewrite-url",
            "x-rewritten-url", "x-sendfile-type", "x-server-name",
            // Who sends it.
            "cf-access-jwt-assertion", "client-cert", "client-cert-chain", "ssl-client-cert", "tailscale-user-login",
            "x-amzn-oidc-data", "x-auth-request-email", "x-auth-user", "x-authenticated-user", "x-forwarded-client-cert",
            "x-goog-authenticated-user-email", "x-goog-iap-jwt-assertion", "x-ms-client-principal", "x-remote-user",
            "x-ssl-client-verify", "x-webauth-user",
            // Families of authenticating proxies and of API gateways.
            "oidc-claim-sub", "shib-identity-provider", "x-anonymous-consumer", "x-apigateway-api-userinfo", "x-authentik-username",
            "x-consumer-username", "x-credential-identifier", "x-endpoint-api-userinfo", "x-jwt-assertion", "x-real-user",
            "x-shib-user", "x-tls-client-cert", "x-userinfo",
        ]),
    ];

    #[test]
    fn header_of_visitor_is_forwarded_by_its_name_and_method() {
        let settings = json!({
            "path": "/api/test",
            "urls": ["http://localhost"],
            "forward_request_headers": ["X-Tenant", "remote-user"],
        });
        let upstream = serde_json::from_value(settings).expect("settings");
        for &(with_get, with_post, names) in HEADERS {
            for name in names {
                let header = HeaderName::from_static(name);
                for (method, expected) in [
                    (Method::GET, with_get),
                    (Method::HEAD, with_get),
                    (Method::POST, with_post),
                ] {
                    let actual = is_forwarded(&header, &method, false, &upstream);
                    assert_eq!(actual, expected, "{method} {name}");
                    let is_of_proxy = ["traceparent", "tracestate", "via"].contains(name);
                    let of_proxy = is_forwarded(&header, &method, true, &upstream);
                    assert_eq!(of_proxy, expected || is_of_proxy, "{method} {name}");
                }
                // What is never sent makes no difference.
                let is_conditional = name.starts_with("if-") || *name == "range";
                if with_get && !is_conditional {
                    assert!(may_vary_by(&header, &upstream), "{name}");
                }
            }
        }
        for (name, expected) in [
            ("origin", true),
            ("cookie", true),
            ("user-agent", false),
            ("x-own", false),
        ] {
            assert_eq!(
                may_vary_by(&HeaderName::from_static(name), &upstream),
                expected,
                "{name}"
            );
        }
    }
}
