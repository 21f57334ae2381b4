//! How previews end.

use serde_json::json;

use crate::support::preview::{FORGET, assert_refused, deployment, gateway, link, preview, viewer};
use crate::support::{Gateway, Request, until};

#[test]
fn a_preview_ends_with_its_deployment() {
    let gateway = gateway();
    let token = preview(&gateway);
    preview(&gateway);
    // As a collection does; it is noticed with the next change.
    std::fs::remove_file(gateway.store().join("deployments/2.json")).unwrap();
    assert_eq!(gateway.deploy(&json!({ "legal": "1.0.0" })), 4);
    assert_refused(&gateway, &token, "not kept");
}

#[test]
fn all_previews_end_at_once_everywhere() {
    let gateway = gateway();
    let other = gateway.beside();
    let token = preview(&gateway);
    until("the link works elsewhere", || link(&other, &token).status == 303);
    let answer = gateway.operate(Request::new("DELETE", "/api/v1/previews"));
    assert_eq!(answer.status, 204);
    assert_refused(&gateway, &token, "ended");
    until("the link is over elsewhere", || {
        link(&other, &token).status == 403
    });
    assert_refused(&other, &token, "ended");
    let next = preview(&gateway);
    assert_eq!(link(&gateway, &next).status, 303, "and new ones can be made");
    assert_eq!(
        Gateway::start()
            .operate(Request::new("DELETE", "/api/v1/previews"))
            .status,
        204
    );
}

#[test]
fn a_viewer_can_end_a_preview() {
    let gateway = gateway();
    let mut viewer = viewer(&gateway, &preview(&gateway));
    let post = |site: &str| {
        Request::new("POST", "/_preview/end")
            .header("sec-fetch-site", site)
            .body("")
    };
    for site in ["cross-site", "same-site", "none"] {
        let answer = viewer.send(post(site));
        assert_eq!(answer.status, 403);
        assert!(!answer.has("set-cookie"));
    }
    assert_eq!(viewer.get("/_preview/end").status, 405);
    assert_eq!(deployment(&viewer.get("/")), 2);
    let answer = viewer.send(post("same-origin"));
    assert_eq!((answer.status, answer.header("location")), (303, "/"));
    assert_eq!(answer.header("set-cookie"), FORGET);
    assert_eq!(deployment(&viewer.get("/")), 1);
}
