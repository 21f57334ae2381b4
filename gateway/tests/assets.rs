//! Assets.

use std::io::Read as _;

use flate2::read::GzDecoder;
use serde_json::json;

use crate::support::{Gateway, Release, Request, Response, SCRIPT};

fn accepting(gateway: &Gateway, target: &str, coding: &str) -> Response {
    gateway
        .site
        .send(Request::new("GET", target).header("accept-encoding", coding))
}

#[test]
fn an_asset_is_sent_for_ever() {
    let gateway = Gateway::start_live("", &[]);
    let shell = Release::shell("1.0.0");
    let answer = gateway.get("/assets/shell/1.0.0/main.js");
    assert_eq!(answer.status, 200);
    assert_eq!(answer.body, shell.contents("client/main.js"));
    assert_eq!(answer.header("content-type"), "text/javascript; charset=utf-8");
    assert_eq!(
        answer.header("cache-control"),
        "public, max-age=31536000, immutable"
    );
    assert_eq!(answer.header("vary"), "Accept-Encoding");
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    let digest = shell.integrity("client/main.js");
    assert_eq!(
        answer.header("etag"),
        format!("\"{}\"", digest.strip_prefix("sha384-").unwrap())
    );
    assert_eq!(
        gateway.get("/assets/shell/1.0.0/icon.svg").header("content-type"),
        "image/svg+xml"
    );
}

#[test]
fn an_asset_is_compressed_as_asked() {
    let gateway = Gateway::start_live("", &[]);
    let target = "/assets/shell/1.0.0/main.js";
    let plain = gateway.get(target);
    let gzip = accepting(&gateway, target, "gzip");
    assert_eq!(gzip.header("content-encoding"), "gzip");
    let mut text = Vec::new();
    GzDecoder::new(&gzip.body[..]).read_to_end(&mut text).unwrap();
    assert_eq!(text, plain.body);
    let br = accepting(&gateway, target, "gzip, br");
    assert_eq!(br.header("content-encoding"), "br");
    assert!(br.body.len() < gzip.body.len());
    for answer in [&gzip, &br] {
        assert_eq!(answer.header("content-type"), plain.header("content-type"));
        assert_eq!(answer.header("vary"), "Accept-Encoding");
        assert_ne!(answer.header("etag"), plain.header("etag"));
    }
    assert_ne!(br.header("etag"), gzip.header("etag"));
}

#[test]
fn what_compressing_does_not_help_is_sent_as_it_is() {
    let gateway = Gateway::start();
    let shell = Release::shell("1.0.0")
        .bytes("client/tiny.js", SCRIPT, "1")
        .bytes("client/photo.png", "image/png", [0; 4096]);
    gateway.publish(&shell);
    gateway.deploy(&json!({ "shell": "1.0.0" }));
    for path in ["tiny.js", "photo.png"] {
        let answer = accepting(&gateway, &format!("/assets/shell/1.0.0/{path}"), "br, gzip");
        assert_eq!(answer.status, 200);
        assert!(!answer.has("content-encoding"), "{path}");
        assert_eq!(answer.body, shell.contents(&format!("client/{path}")));
    }
}

#[test]
fn a_known_asset_is_not_sent_again() {
    let gateway = Gateway::start_live("", &[]);
    let target = "/assets/shell/1.0.0/main.js";
    for coding in ["identity", "gzip", "br"] {
        let first = accepting(&gateway, target, coding);
        let again = Request::new("GET", target)
            .header("accept-encoding", coding)
            .header("if-none-match", first.header("etag"));
        let again = gateway.site.send(again);
        assert_eq!((again.status, again.body.len()), (304, 0), "{coding}");
        for name in ["etag", "vary", "cache-control"] {
            assert_eq!(again.header(name), first.header(name));
        }
        assert!(!again.has("content-type") && !again.has("content-encoding"));
    }
}

#[test]
fn head_is_get_without_its_body() {
    let gateway = Gateway::start_live("", &[]);
    let target = "/assets/directory/1.0.0/entry.js";
    let (get, head) = (
        gateway.get(target),
        gateway.site.send(Request::new("HEAD", target)),
    );
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("content-length"), get.body.len().to_string());
    assert_eq!(head.header("etag"), get.header("etag"));
}

#[test]
fn what_is_not_listed_is_not_there() {
    let gateway = Gateway::start_live("", &[]);
    // A file that stands in the folder but was never published is no asset.
    let folder = gateway.store().join("releases/shell/1.0.0");
    std::fs::write(folder.join("client/planted.js"), "planted").unwrap();
    let targets = [
        "planted.js",
        "gone.js",
        "",
        "client/main.js",
        "server/index.js",
        "release.json",
        "stored.json",
        "main.js/",
        "main.js.br",
        "compressed/client/main.js.br",
        "%2e%2e/release.json",
        "../release.json",
        "..%2frelease.json",
        "main.js%00",
        "Main.js",
    ];
    for target in targets {
        let answer = gateway.get(&format!("/assets/shell/1.0.0/{target}"));
        assert!(matches!(answer.status, 400 | 404), "{target}: {}", answer.status);
    }
    for target in [
        "/assets",
        "/assets/",
        "/assets/shell",
        "/assets/shell/1.0.0",
        "/assets/none/1.0.0/main.js",
    ] {
        let answer = gateway.get(target);
        assert_eq!(answer.status, 404, "{target}");
        assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
        assert_eq!(answer.header("cache-control"), "no-store");
    }
}

#[test]
fn assets_are_those_of_releases_that_were_deployed() {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("directory", "2.0.0", &["/"]));
    let (old, new) = (
        "/assets/directory/1.0.0/entry.js",
        "/assets/directory/2.0.0/entry.js",
    );
    assert_eq!(gateway.get(new).status, 404, "published alone is not public");
    gateway.deploy(&json!({ "directory": "2.0.0" }));
    assert_eq!(gateway.get(new).status, 200);
    assert_eq!(gateway.get(old).status, 200, "open tabs still need it");
    let restarted = gateway.beside();
    assert_eq!(restarted.get(old).status, 200);
    assert_eq!(restarted.get(new).status, 200);
}

#[test]
fn a_file_that_is_lost_is_404_and_is_logged() {
    let gateway = Gateway::start_live("", &[]);
    let path = gateway.store().join("releases/shell/1.0.0/client/main.js");
    std::fs::remove_file(&path).unwrap();
    assert_eq!(gateway.get("/assets/shell/1.0.0/main.js").status, 404);
    let event = gateway.wait_for(|line| line["event"] == "file_lost");
    assert_eq!(
        (event["release"].as_str(), event["level"].as_str()),
        (Some("shell@1.0.0"), Some("ERROR"))
    );
    assert_eq!(gateway.get("/").status, 200);
}

#[test]
fn only_get_and_head() {
    let gateway = Gateway::start_live("", &[]);
    for method in ["POST", "PUT", "DELETE", "PATCH", "TRACE"] {
        let answer = gateway
            .site
            .send(Request::new(method, "/assets/shell/1.0.0/main.js"));
        assert_eq!(
            (answer.status, answer.header("allow")),
            (405, "GET, HEAD, OPTIONS"),
            "{method}"
        );
    }
}
