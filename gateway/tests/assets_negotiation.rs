//! The coding of assets (RFC 9110, 12.5.3).

use serde_json::json;

use crate::support::{Gateway, Release, Request, Response};

const TARGET: &str = "/assets/shell/1.0.0/main.js";

fn accepting(gateway: &Gateway, codings: &str) -> Response {
    gateway
        .site
        .send(Request::new("GET", TARGET).header("accept-encoding", codings))
}

#[test]
fn the_best_coding_is_the_heaviest_then_the_smallest() {
    let gateway = Gateway::start_live("", &[]);
    let plain = gateway.get(TARGET);
    for (codings, expected) in [
        ("gzip, deflate, br, zstd", Some("br")),
        ("gzip, deflate, zstd", Some("zstd")),
        ("gzip", Some("gzip")),
        ("br;q=0.5, gzip;q=0.6", Some("gzip")),
        ("br;q=0, *", Some("zstd")),
        ("identity;q=0, gzip;q=0.1", Some("gzip")),
        ("identity;q=0, *", Some("br")),
        ("*;q=0, zstd", Some("zstd")),
        ("identity, br;q=0.5", None),
        ("identity", None),
        ("", None),
        // Nothing is acceptable: what it can use most likely.
        ("*;q=0", None),
        ("compress, identity;q=0", None),
    ] {
        let answer = accepting(&gateway, codings);
        assert_eq!(answer.status, 200);
        assert_eq!(answer.has("content-encoding"), expected.is_some(), "{codings}");
        if let Some(coding) = expected {
            assert_eq!(answer.header("content-encoding"), coding, "{codings}");
            assert!(answer.body.len() < plain.body.len());
        }
        assert_eq!(answer.decoded(), plain.body, "{codings}");
        assert_eq!(answer.header("vary"), "Accept-Encoding");
        assert_eq!(answer.header("content-type"), plain.header("content-type"));
    }
}

#[test]
fn each_coding_has_a_tag_of_its_own() {
    let gateway = Gateway::start_live("", &[]);
    let mut tags: Vec<String> = ["identity", "gzip", "zstd", "br"]
        .iter()
        .map(|coding| accepting(&gateway, coding).header("etag").to_owned())
        .collect();
    assert!(
        tags.iter().all(|tag| tag.starts_with('"') && tag.ends_with('"')),
        "{tags:?}"
    );
    tags.sort();
    tags.dedup();
    assert_eq!(tags.len(), 4);
}

#[test]
fn a_release_from_before_a_coding_is_served_without_it() {
    let gateway = Gateway::start_live("", &[]);
    let folder = gateway.store().join("releases/shell/1.0.0");
    // As it was kept before there were such variants.
    let text = std::fs::read_to_string(folder.join("stored.json")).unwrap();
    let mut record: serde_json::Value = serde_json::from_str(&text).unwrap();
    record["variants"] = json!({ "client/main.js": ["gzip", "br"] });
    std::fs::write(folder.join("stored.json"), record.to_string()).unwrap();
    std::fs::remove_file(folder.join("compressed/client/main.js.zstd")).unwrap();
    let gateway = gateway.beside();
    assert!(!accepting(&gateway, "zstd").has("content-encoding"));
    assert_eq!(
        accepting(&gateway, "zstd, gzip").header("content-encoding"),
        "gzip"
    );
    assert_eq!(
        accepting(&gateway, "zstd, gzip").decoded(),
        Release::shell("1.0.0").contents("client/main.js")
    );
}
