//! `/_page`: the page of a path in a deployment.

use std::io::Read as _;

use serde_json::json;

use crate::support::{Gateway, Release, Request, Response};

fn get_page(gateway: &Gateway, deployment: u64, path: &str) -> Response {
    gateway.get(&format!("/_page/{deployment}?path={path}"))
}

#[test]
fn page_endpoint_matches_boot_payload() {
    let gateway = Gateway::start_live("", &[]);
    let response = get_page(&gateway, 1, "%2Fstate%2FNew%2520York");
    assert_eq!(response.status, 200);
    assert_eq!(response.header("content-type"), "application/json");
    assert_eq!(response.header("cache-control"), "public, max-age=300");
    let boot = gateway.get("/state/New%20York").boot();
    assert_eq!(response.json(), boot["page"]);
    // The length of what a browser loads: the entry, the section's assets and those of the view.
    let release = Release::section("directory", "1.0.0", &["/"]);
    let files = [
        "client/entry.js",
        "client/common.js",
        "client/page.js",
        "client/page.css",
    ];
    let bytes: usize = files.iter().map(|path| release.contents(path).len()).sum();
    assert_eq!(boot["page"]["bytes"], bytes);
}

#[test]
fn page_endpoint_compresses_on_request() {
    let gateway = Gateway::start_live("", &[]);
    let plain = get_page(&gateway, 1, "%2F");
    assert_eq!(plain.header("vary"), "Accept-Encoding");
    let gzip = gateway
        .site
        .send(Request::new("GET", "/_page/1?path=%2F").header("accept-encoding", "gzip"));
    assert_eq!(gzip.header("content-encoding"), "gzip");
    assert_eq!(gzip.header("vary"), "Accept-Encoding");
    let brotli = gateway
        .site
        .send(Request::new("GET", "/_page/1?path=%2F").header("accept-encoding", "gzip, br"));
    assert_eq!(brotli.header("content-encoding"), "br");
    assert!(brotli.body.len() < plain.body.len());
    let mut decompressed = Vec::new();
    flate2::read::GzDecoder::new(&gzip.body[..])
        .read_to_end(&mut decompressed)
        .unwrap();
    assert_eq!(decompressed, plain.body);
}

#[test]
fn page_endpoint_resolves_in_requested_deployment() {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("directory", "2.0.0", &["/", "/new"]));
    gateway.deploy(&json!({ "directory": "2.0.0" }));
    assert_eq!(get_page(&gateway, 1, "%2F").json()["section"]["version"], "1.0.0");
    assert_eq!(get_page(&gateway, 2, "%2F").json()["section"]["version"], "2.0.0");
    assert_eq!(get_page(&gateway, 1, "%2Fnew").status, 404);
    assert_eq!(get_page(&gateway, 2, "%2Fnew").status, 200);
}

#[test]
fn page_endpoint_unknown_path_returns_404() {
    let gateway = Gateway::start_live("", &[]);
    for path in ["%2Fnowhere", "%2Fstate%2FTexas%2F", "%2F%2F", "%2Fassets%2Fx"] {
        let response = get_page(&gateway, 1, path);
        assert_eq!(response.status, 404, "{path}");
        assert!(response.json()["error"].is_string());
    }
    for target in [
        "/_page/1",
        "/_page/1?other=%2F",
        "/_page/x?path=%2F",
        "/_page/-1?path=%2F",
    ] {
        assert_eq!(gateway.get(target).status, 404, "{target}");
    }
    assert_eq!(gateway.get("/_page?path=%2F").status, 404);
}

#[test]
fn page_endpoint_unknown_deployment_returns_410() {
    let gateway = Gateway::start_live("", &[]);
    let response = get_page(&gateway, 99, "%2F");
    assert_eq!(response.status, 410);
    assert!(response.json()["error"].is_string());
    assert_eq!(response.header("cache-control"), "no-store");
}

#[test]
fn page_endpoint_invalid_path_returns_400() {
    let gateway = Gateway::start_live("", &[]);
    for path in [
        "nowhere",
        "%2Fstate%2F%25F0%2528",
        "%2Fstate%2F..%252f..",
        "%2Fa%3Fb",
        "https%3A%2F%2Fevil%2F",
    ] {
        let response = get_page(&gateway, 1, path);
        assert_eq!(response.status, 400, "{path}");
        assert!(response.json()["error"].is_string());
    }
}
