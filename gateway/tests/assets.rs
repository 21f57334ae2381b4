//! Serving assets.

use serde_json::json;

use crate::support::{Gateway, Release, Request, Response, SCRIPT};

fn get_encoded(gateway: &Gateway, target: &str, encoding: &str) -> Response {
    gateway
        .site
        .send(Request::new("GET", target).header("accept-encoding", encoding))
}

#[test]
fn asset_is_served_as_immutable() {
    let gateway = Gateway::start_live("", &[]);
    let shell = Release::shell("1.0.0");
    let response = gateway.get("/assets/shell/1.0.0/main.js");
    assert_eq!(response.status, 200);
    assert_eq!(response.body, shell.contents("client/main.js"));
    assert_eq!(response.header("content-type"), "text/javascript; charset=utf-8");
    assert_eq!(
        response.header("cache-control"),
        "public, max-age=31536000, immutable"
    );
    assert_eq!(response.header("vary"), "Accept-Encoding");
    assert_eq!(response.header("x-content-type-options"), "nosniff");
    let digest = shell.integrity("client/main.js");
    assert_eq!(
        response.header("etag"),
        format!("\"{}\"", &digest["sha384-".len()..][..24])
    );
    assert_eq!(
        gateway.get("/assets/shell/1.0.0/icon.svg").header("content-type"),
        "image/svg+xml"
    );
}

#[test]
fn incompressible_asset_is_sent_unencoded() {
    let gateway = Gateway::start();
    let shell = Release::shell("1.0.0")
        .bytes("client/tiny.js", SCRIPT, "1")
        .bytes("client/photo.png", "image/png", [0; 4096]);
    gateway.publish(&shell);
    gateway.deploy(&json!({ "shell": "1.0.0" }));
    for path in ["tiny.js", "photo.png"] {
        let response = get_encoded(&gateway, &format!("/assets/shell/1.0.0/{path}"), "br, gzip");
        assert_eq!(response.status, 200);
        assert!(!response.has("content-encoding"), "{path}");
        assert_eq!(response.body, shell.contents(&format!("client/{path}")));
    }
}

#[test]
fn head_matches_get_without_body() {
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
fn file_outside_manifest_returns_404() {
    let gateway = Gateway::start_live("", &[]);
    // An object that no release names is not an asset.
    std::fs::write(gateway.store().join("files/planted.js"), "planted").unwrap();
    let targets = [
        "planted.js",
        "gone.js",
        "",
        "client/main.js",
        "server/index.js",
        "release.json",
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
        let response = gateway.get(&format!("/assets/shell/1.0.0/{target}"));
        assert!(
            matches!(response.status, 400 | 404),
            "{target}: {}",
            response.status
        );
    }
    for target in [
        "/assets",
        "/assets/",
        "/assets/shell",
        "/assets/shell/1.0.0",
        "/assets/none/1.0.0/main.js",
    ] {
        let response = gateway.get(target);
        assert_eq!(response.status, 404, "{target}");
        assert_eq!(response.header("content-type"), "text/plain; charset=utf-8");
        assert_eq!(response.header("cache-control"), "no-store");
    }
}

#[test]
fn only_deployed_releases_serve_assets() {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("directory", "2.0.0", &["/"]));
    let (old, new) = (
        "/assets/directory/1.0.0/entry.js",
        "/assets/directory/2.0.0/entry.js",
    );
    assert_eq!(
        gateway.get(new).status,
        404,
        "a release must not be public before it is deployed"
    );
    gateway.deploy(&json!({ "directory": "2.0.0" }));
    assert_eq!(gateway.get(new).status, 200);
    assert_eq!(
        gateway.get(old).status,
        200,
        "assets of the old release must stay for open tabs"
    );
    let restarted = gateway.start_another();
    assert_eq!(restarted.get(old).status, 200);
    assert_eq!(restarted.get(new).status, 200);
}

#[test]
fn asset_of_missing_release_returns_404_and_is_logged() {
    let gateway = Gateway::start_live("", &[]);
    std::fs::remove_file(gateway.record("shell/1.0.0")).unwrap();
    std::fs::remove_dir_all(gateway.store().join("files")).unwrap();
    assert_eq!(gateway.get("/assets/shell/1.0.0/main.js").status, 404);
    let event = gateway.wait_for_event(|line| line["event"] == "asset_missing");
    assert_eq!(
        (event["release"].as_str(), event["level"].as_str()),
        (Some("shell@1.0.0"), Some("ERROR"))
    );
    assert_eq!(gateway.get("/").status, 200);
}
