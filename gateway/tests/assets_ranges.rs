//! Range requests for assets (RFC 9110, section 14).

use crate::support::{Gateway, Release, Request, Response, attack};

const TARGET: &str = "/assets/shell/1.0.0/main.js";

fn main_script() -> Vec<u8> {
    Release::shell("1.0.0").contents("client/main.js").to_vec()
}

fn get_range(gateway: &Gateway, range: &str, headers: &[(&str, &str)]) -> Response {
    let request = Request::new("GET", TARGET).header("range", range);
    let request = headers
        .iter()
        .fold(request, |request, (name, value)| request.header(name, value));
    gateway.site.send(request)
}

#[test]
fn single_range_returns_206() {
    let gateway = Gateway::start_live("", &[]);
    let full = gateway.get(TARGET);
    assert_eq!(full.header("accept-ranges"), "bytes");
    let bytes = main_script();
    let length = bytes.len();
    for (range, expected_range) in [("bytes=0-9", 0..10), ("bytes=-7", length - 7..length)] {
        let response = get_range(&gateway, range, &[]);
        assert_eq!(response.status, 206, "{range}");
        assert_eq!(response.body, bytes[expected_range.clone()], "{range}");
        assert_eq!(
            response.header("content-range"),
            format!(
                "bytes {}-{}/{length}",
                expected_range.start,
                expected_range.end - 1
            )
        );
        assert_eq!(
            response.header("content-length"),
            expected_range.len().to_string()
        );
        for name in [
            "content-type",
            "etag",
            "last-modified",
            "cache-control",
            "vary",
            "accept-ranges",
        ] {
            assert_eq!(response.header(name), full.header(name), "{name}");
        }
    }
}

#[test]
fn unsatisfiable_range_returns_416_with_length() {
    let gateway = Gateway::start_live("", &[]);
    let length = main_script().len();
    let response = get_range(&gateway, &format!("bytes={length}-"), &[]);
    assert_eq!(response.status, 416);
    assert_eq!(response.header("content-range"), format!("bytes */{length}"));
    assert_eq!(response.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(response.header("cache-control"), "no-store");
    assert_eq!(response.header("vary"), "Accept-Encoding");
    assert!(!response.has("etag") && !response.has("content-encoding"));
}

#[test]
fn range_flood_does_not_affect_other_clients() {
    let gateway = Gateway::start_live("", &[]);
    let bytes = main_script();
    let overlapping = format!("bytes={}", vec!["0-"; 250].join(","));
    let parts: Vec<_> = (0..8).map(|at| format!("{at}-{at}")).collect();
    let parts = format!("bytes={}", parts.join(","));
    attack(&gateway, || {
        for _ in 0..30 {
            for ranges in [&overlapping, &parts] {
                let response = get_range(&gateway, ranges, &[]);
                assert_eq!((response.status, response.body == bytes), (200, true), "{ranges}");
                assert!(!response.has("content-range"), "{ranges}");
            }
        }
    });
}

#[test]
fn range_applies_to_encoded_bytes() {
    let gateway = Gateway::start_live("", &[]);
    for encoding in ["br", "zstd", "gzip"] {
        let accept = ("accept-encoding", encoding);
        let full = gateway
            .site
            .send(Request::new("GET", TARGET).header(accept.0, accept.1));
        let middle = full.body.len() / 2;
        let tag = ("if-range", full.header("etag"));
        let first = get_range(&gateway, &format!("bytes=0-{}", middle - 1), &[accept]);
        let rest = get_range(&gateway, &format!("bytes={middle}-"), &[accept, tag]);
        assert_eq!((first.status, rest.status), (206, 206));
        assert_eq!(rest.header("content-encoding"), encoding);
        assert_eq!([first.body, rest.body].concat(), full.body, "{encoding}");
        // The rest of another encoding would not fit.
        let other = get_range(&gateway, &format!("bytes={middle}-"), &[tag]);
        assert_eq!((other.status, other.body), (200, main_script()));
    }
}

#[test]
fn if_range_mismatch_returns_whole_file() {
    let gateway = Gateway::start_live("", &[]);
    let full = gateway.get(TARGET);
    let (tag, date) = (full.header("etag"), full.header("last-modified"));
    for (known, status) in [(tag, 206), (date, 206), ("\"other\"", 200)] {
        let response = get_range(&gateway, "bytes=1-2", &[("if-range", known)]);
        assert_eq!(response.status, status, "{known}");
    }
    // With a stale If-Range the range is ignored, even past the end.
    assert_eq!(
        get_range(&gateway, "bytes=999999-", &[("if-range", "\"other\"")]).status,
        200
    );
    let known = get_range(&gateway, "bytes=1-2", &[("if-none-match", tag)]);
    assert_eq!(
        (known.status, known.body.len()),
        (304, 0),
        "conditions must be evaluated before ranges"
    );
}

#[test]
fn range_applies_only_to_asset_get() {
    let gateway = Gateway::start_live("", &[]);
    for range in ["bytes=0-1", "bytes=999999-"] {
        let response = gateway
            .site
            .send(Request::new("HEAD", TARGET).header("range", range));
        assert_eq!(response.status, 200);
        assert_eq!(response.header("content-length"), main_script().len().to_string());
        assert!(!response.has("content-range"));
    }
    let document = gateway
        .site
        .send(Request::new("GET", "/").header("range", "bytes=0-1"));
    assert_eq!(document.status, 200, "documents must ignore Range");
}
