//! `/_page`: which page of a deployment a path belongs to.

use std::io::Read as _;

use serde_json::json;

use crate::support::{Gateway, Release, Request, Response};

fn ask(gateway: &Gateway, deployment: u64, path: &str) -> Response {
    gateway.get(&format!("/_page/{deployment}?path={path}"))
}

#[test]
fn the_answer_is_what_the_document_would_say() {
    let gateway = Gateway::start_live("", &[]);
    let answer = ask(&gateway, 1, "%2Fstate%2FNew%2520York");
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.header("cache-control"), "public, max-age=300");
    assert_eq!(answer.json(), gateway.get("/state/New%20York").boot()["page"]);
}

#[test]
fn the_answer_is_compressed_for_who_accepts_that() {
    let gateway = Gateway::start_live("", &[]);
    let plain = ask(&gateway, 1, "%2F");
    assert_eq!(plain.header("vary"), "accept-encoding");
    let packed = gateway
        .site
        .send(Request::new("GET", "/_page/1?path=%2F").header("accept-encoding", "gzip"));
    assert_eq!(packed.header("content-encoding"), "gzip");
    assert_eq!(packed.header("vary"), "accept-encoding");
    let smallest = gateway
        .site
        .send(Request::new("GET", "/_page/1?path=%2F").header("accept-encoding", "gzip, br"));
    assert_eq!(smallest.header("content-encoding"), "br");
    assert!(smallest.body.len() < plain.body.len());
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&packed.body[..])
        .read_to_end(&mut unpacked)
        .unwrap();
    assert_eq!(unpacked, plain.body);
}

#[test]
fn an_open_tab_stays_on_its_deployment() {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("directory", "2.0.0", &["/", "/new"]));
    gateway.deploy(&json!({ "directory": "2.0.0" }));
    assert_eq!(ask(&gateway, 1, "%2F").json()["section"]["version"], "1.0.0");
    assert_eq!(ask(&gateway, 2, "%2F").json()["section"]["version"], "2.0.0");
    assert_eq!(ask(&gateway, 1, "%2Fnew").status, 404);
    assert_eq!(ask(&gateway, 2, "%2Fnew").status, 200);
}

#[test]
fn a_path_without_a_page_is_404_in_words() {
    let gateway = Gateway::start_live("", &[]);
    for path in ["%2Fnowhere", "%2Fstate%2FTexas%2F", "%2F%2F", "%2Fassets%2Fx"] {
        let answer = ask(&gateway, 1, path);
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.json()["error"].is_string());
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
fn a_deployment_that_is_not_kept_is_gone() {
    let gateway = Gateway::start_live("", &[]);
    let answer = ask(&gateway, 99, "%2F");
    assert_eq!(answer.status, 410);
    assert!(answer.json()["error"].is_string());
    assert_eq!(answer.header("cache-control"), "no-store");
}

#[test]
fn a_path_that_is_none_is_400() {
    let gateway = Gateway::start_live("", &[]);
    for path in [
        "nowhere",
        "%2Fstate%2F%25F0%2528",
        "%2Fstate%2F..%252f..",
        "%2Fa%3Fb",
        "https%3A%2F%2Fevil%2F",
    ] {
        let answer = ask(&gateway, 1, path);
        assert_eq!(answer.status, 400, "{path}");
        assert!(answer.json()["error"].is_string());
    }
}
