//! Ending previews.

use serde_json::json;

use crate::support::preview::{
    DELETE_COOKIE, assert_rejected, create_preview, deployment, gateway, open_link, start_preview, viewer,
};
use crate::support::{Gateway, Request, wait_until};

#[test]
fn preview_ends_when_deployment_is_removed() {
    let gateway = gateway();
    let token = create_preview(&gateway);
    create_preview(&gateway);
    // As garbage collection does. The gateway notices with the next change.
    std::fs::remove_file(gateway.store().join("deployments/2.json")).unwrap();
    assert_eq!(gateway.deploy(&json!({ "legal": "1.0.0" })), 4);
    assert_rejected(&gateway, &token, "deployment removed");
}

#[test]
fn revocation_ends_all_previews_on_all_gateways() {
    let gateway = gateway();
    let other = gateway.start_another();
    let token = create_preview(&gateway);
    wait_until("the link works on the other gateway", || {
        open_link(&other, &token).status == 200
    });
    let response = gateway.admin_request(Request::new("DELETE", "/api/v1/previews"));
    assert_eq!(response.status, 204);
    assert_rejected(&gateway, &token, "revoked");
    wait_until("the link ends on the other gateway", || {
        open_link(&other, &token).status == 403
    });
    assert_rejected(&other, &token, "revoked");
    let next = create_preview(&gateway);
    assert_eq!(
        start_preview(&gateway, &next).status,
        303,
        "new previews still work"
    );
    assert_eq!(
        Gateway::start()
            .admin_request(Request::new("DELETE", "/api/v1/previews"))
            .status,
        204
    );
}

#[test]
fn viewer_ends_own_preview() {
    let gateway = gateway();
    let mut viewer = viewer(&gateway, &create_preview(&gateway));
    let post = |site: &str| {
        Request::new("POST", "/_preview/end")
            .header("sec-fetch-site", site)
            .body("")
    };
    for site in ["cross-site", "same-site", "none"] {
        let response = viewer.send(post(site));
        assert_eq!(response.status, 403);
        assert!(!response.has("set-cookie"));
    }
    assert_eq!(viewer.get("/_preview/end").status, 405);
    assert_eq!(deployment(&viewer.get("/")), 2);
    let response = viewer.send(post("same-origin"));
    assert_eq!((response.status, response.header("location")), (303, "/"));
    assert_eq!(response.header("set-cookie"), DELETE_COOKIE);
    assert_eq!(deployment(&viewer.get("/")), 1);
}
