//! Content negotiation of asset encodings (RFC 9110, section 12.5.3).

use std::collections::HashSet;

use serde_json::json;

use crate::support::{Gateway, Release, Request, Response, edit_json};

const TARGET: &str = "/assets/shell/1.0.0/main.js";

fn get_encoded(gateway: &Gateway, encodings: &str) -> Response {
    gateway
        .site
        .send(Request::new("GET", TARGET).header("accept-encoding", encodings))
}

#[test]
fn smallest_accepted_encoding_is_sent_with_its_own_etag() {
    let gateway = Gateway::start_live("", &[]);
    let plain = gateway.get(TARGET);
    let mut tags = HashSet::new();
    for (encodings, expected) in [
        ("gzip, deflate, br, zstd", Some("br")),
        ("gzip, deflate, zstd", Some("zstd")),
        ("br;q=0.5, gzip;q=0.6", Some("gzip")),
        ("identity", None),
    ] {
        let response = get_encoded(&gateway, encodings);
        assert_eq!(response.status, 200);
        assert_eq!(
            response.has("content-encoding"),
            expected.is_some(),
            "{encodings}"
        );
        if let Some(encoding) = expected {
            assert_eq!(response.header("content-encoding"), encoding, "{encodings}");
            assert!(response.body.len() < plain.body.len());
        }
        assert_eq!(response.decoded(), plain.body, "{encodings}");
        assert_eq!(response.header("vary"), "Accept-Encoding");
        assert_eq!(response.header("content-type"), plain.header("content-type"));
        let tag = response.header("etag").to_owned();
        assert!(tag.starts_with('"') && tags.insert(tag), "{encodings}");
    }
}

#[test]
fn older_release_is_served_without_newer_encodings() {
    let gateway = Gateway::start_live("", &[]);
    // A record written before zstd variants existed.
    std::fs::remove_file(gateway.object("shell/1.0.0", "compressed/client/main.js.zstd")).unwrap();
    edit_json(&gateway.record("shell/1.0.0"), |release| {
        release["record"]["variants"] = json!({ "client/main.js": ["gzip", "br"] });
    });
    let gateway = gateway.start_another();
    assert!(!get_encoded(&gateway, "zstd").has("content-encoding"));
    assert_eq!(
        get_encoded(&gateway, "zstd, gzip").header("content-encoding"),
        "gzip"
    );
    assert_eq!(
        get_encoded(&gateway, "zstd, gzip").decoded(),
        Release::shell("1.0.0").contents("client/main.js")
    );
}
