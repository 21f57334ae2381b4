//! Conditional requests for assets (RFC 9110, section 13).

use crate::support::{Gateway, Request, Response};

const TARGET: &str = "/assets/shell/1.0.0/main.js";
const LONG_AGO: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

fn request_asset(gateway: &Gateway, method: &str, headers: &[(&str, &str)]) -> Response {
    let request = headers
        .iter()
        .fold(Request::new(method, TARGET), |request, (name, value)| {
            request.header(name, value)
        });
    gateway.site.send(request)
}

#[test]
fn last_modified_is_stable_across_gateways() {
    let gateway = Gateway::start_live("", &[]);
    let full = request_asset(&gateway, "GET", &[]);
    let date = full.header("last-modified").to_owned();
    let other_gateway = gateway.start_another();
    assert_eq!(
        request_asset(&other_gateway, "GET", &[]).header("last-modified"),
        date,
        "Last-Modified must not depend on the gateway"
    );
    for (since, status) in [(&*date, 304), (LONG_AGO, 200)] {
        let response = request_asset(&gateway, "GET", &[("if-modified-since", since)]);
        assert_eq!(response.status, status, "{since}");
    }
}

#[test]
fn not_modified_response_keeps_cache_headers() {
    let gateway = Gateway::start_live("", &[]);
    for encoding in ["identity", "gzip", "zstd", "br"] {
        let accept = ("accept-encoding", encoding);
        let full = request_asset(&gateway, "GET", &[accept]);
        let known = [accept, ("if-none-match", full.header("etag"))];
        assert_eq!(request_asset(&gateway, "HEAD", &known).status, 304, "{encoding}");
        let not_modified = request_asset(&gateway, "GET", &known);
        assert_eq!((not_modified.status, not_modified.body.len()), (304, 0));
        for name in ["etag", "vary", "cache-control"] {
            assert_eq!(not_modified.header(name), full.header(name), "{name}");
        }
        for name in [
            "content-type",
            "content-encoding",
            "last-modified",
            "content-range",
        ] {
            assert!(!not_modified.has(name), "{name}");
        }
        // Encodings do not share an ETag, but a proxy that compresses may have made one of them.
        let other = request_asset(&gateway, "GET", &[("if-none-match", full.header("etag"))]);
        assert_eq!(
            other.status,
            if encoding == "zstd" { 200 } else { 304 },
            "{encoding}"
        );
    }
}

#[test]
fn failed_precondition_returns_412() {
    let gateway = Gateway::start_live("", &[]);
    let tag = request_asset(&gateway, "GET", &[]).header("etag").to_owned();
    for (name, value, status) in [
        ("if-match", &*tag, 200),
        ("if-match", "\"other\"", 412),
        ("if-unmodified-since", LONG_AGO, 412),
    ] {
        let response = request_asset(&gateway, "GET", &[(name, value)]);
        assert_eq!(response.status, status, "{name}: {value}");
        if status == 412 {
            assert_eq!(response.header("cache-control"), "no-store");
            assert!(!response.has("etag"));
        }
    }
}
