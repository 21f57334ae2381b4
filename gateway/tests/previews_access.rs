//! Access to previewed releases: private to viewers until they are deployed.

use serde_json::json;

use crate::support::preview::{
    COOKIE, create_preview, create_preview_of, deployment, gateway, post_preview, sign_with_gateway_key,
    token_in, viewer, with_cookie,
};
use crate::support::{Request, Response};

/// The assets and the `/_page` URL that a document refers to.
fn references(document: &Response) -> Vec<String> {
    let text = document.text();
    let quoted = text.split('"').filter(|part| part.starts_with("/assets/"));
    let mut references: Vec<String> = quoted.map(str::to_owned).collect();
    references.push(format!("/_page/{}?path=%2F", deployment(document)));
    references
}

#[test]
fn preview_assets_require_cookie_and_are_not_cached() {
    let gateway = gateway();
    let before = gateway.get("/");
    let token = create_preview(&gateway);
    let mut viewer = viewer(&gateway, &token);
    let home = viewer.get("/");
    let (shared, mut private): (Vec<String>, Vec<String>) = references(&home)
        .into_iter()
        .partition(|target| target.starts_with("/assets/shell/"));
    private.push("/assets/directory/2.0.0/entry.js".to_owned());
    assert!(!shared.is_empty() && private.len() > 3, "{private:?}");
    for target in &private {
        let cache = if target.starts_with("/_page/") {
            "no-store"
        } else {
            "private, no-store"
        };
        let response = viewer.get(target);
        assert_eq!(
            (response.status, response.header("cache-control")),
            (200, cache),
            "{target}"
        );
    }
    for target in shared.iter().chain(&references(&before)) {
        let response = viewer.get(target);
        assert_eq!(response.status, 200, "{target}");
        assert!(
            response.header("cache-control").starts_with("public, "),
            "{target}"
        );
    }

    let other = create_preview_of(&gateway, &json!({ "legal": "1.0.0" }));
    let live = token_in(&post_preview(&gateway, &json!({ "deployment": 1 })));
    let ended = sign_with_gateway_key(
        &gateway,
        &json!({ "deployment": 2, "expires": 1_700_000_000, "path": "/" }),
    );
    let forged = format!("{token}A");
    let without_access = [&other, &live, &ended, &forged];
    let assert_hidden = |cookie: Option<&String>, targets: &[String]| {
        for target in targets {
            let response = match cookie {
                Some(token) => with_cookie(&gateway, token, target),
                None => gateway.get(target),
            };
            let status = if target.starts_with("/_page/") { 410 } else { 404 };
            assert_eq!(response.status, status, "{target} {cookie:?}");
            assert_eq!(response.header("cache-control"), "no-store");
            assert!(!response.has("etag"));
        }
    };
    assert_hidden(None, &private);
    // One asset and the page data: for what it does not know, a gateway reads the store at most twice a second.
    let few = &private[private.len() - 2..];
    for cookie in without_access {
        assert_hidden(Some(cookie), few);
    }
    assert_eq!(
        gateway.get("/_page/2?path=%2F").body,
        gateway.get("/_page/99?path=%2F").body
    );

    let report = || {
        let report = json!({
            "deployment": "2", "release": "directory@2.0.0", "phase": "render", "error": "TypeError",
        });
        Request::new("POST", "/_report")
            .header("sec-fetch-site", "same-origin")
            .body(report.to_string())
    };
    assert_eq!(gateway.site.send(report()).status, 400);
    let cookie = format!("{COOKIE}={token}");
    let response = gateway.site.send(report().header("cookie", &cookie));
    assert_eq!(response.status, 204);

    gateway.admin_request(Request::new("DELETE", "/api/v1/previews"));
    assert_hidden(Some(&token), few);

    let token = create_preview(&gateway);
    let gateway = gateway.kill_and_restart("");
    for target in references(&with_cookie(&gateway, &token, "/")) {
        assert_eq!(with_cookie(&gateway, &token, &target).status, 200, "{target}");
        let is_private = target.starts_with("/_page/") || target.contains("/directory/2.0.0/");
        assert_eq!(gateway.get(&target).status != 200, is_private, "{target}");
    }
}

#[test]
fn deployed_preview_becomes_public() {
    let gateway = gateway();
    let mut viewer = viewer(&gateway, &create_preview(&gateway));
    let asset = "/assets/directory/2.0.0/page.js";
    assert_eq!(gateway.get(asset).status, 404);
    assert_eq!(gateway.deploy(&json!({ "directory": "2.0.0" })), 3);
    for response in [gateway.get(asset), viewer.get(asset)] {
        assert_eq!(response.status, 200);
        assert_eq!(
            response.header("cache-control"),
            "public, max-age=31536000, immutable"
        );
    }
    assert_eq!(
        gateway.get("/_page/3?path=%2F").header("cache-control"),
        "public, max-age=300"
    );
    assert_eq!(gateway.get("/_page/2?path=%2F").status, 410);
    assert_eq!(viewer.get("/_page/2?path=%2F").status, 200);
    // Releases stay public after a rollback.
    gateway.admin_post("/api/v1/rollback", &json!({ "deployment": 1 }));
    assert_eq!(gateway.get(asset).status, 200);
    assert_eq!(gateway.get("/_page/3?path=%2F").status, 200);
}

#[test]
fn canary_and_rolled_back_preview_become_public() {
    let gateway = gateway();
    create_preview(&gateway);
    let asset = "/assets/directory/2.0.0/page.js";
    let rollback = gateway.admin_post("/api/v1/rollback", &json!({ "deployment": 2 }));
    assert_eq!((rollback.status, &rollback.json()["number"]), (201, &json!(3)));
    assert_eq!(
        (gateway.get(asset).status, deployment(&gateway.get("/"))),
        (200, 3)
    );

    let legal = create_preview_of(&gateway, &json!({ "legal": "1.0.0" }));
    let terms = "/assets/legal/1.0.0/page.js";
    assert_eq!(gateway.get(terms).status, 404);
    gateway.post_deployment(&json!({ "releases": { "legal": "1.0.0" }, "percent": 1 }));
    assert_eq!(
        gateway.get(terms).header("cache-control"),
        "public, max-age=31536000, immutable"
    );
    assert_eq!(gateway.get("/_page/3.5?path=%2Fterms").status, 200);
    assert_eq!(gateway.get("/_page/4?path=%2Fterms").status, 410);
    assert_eq!(
        with_cookie(&gateway, &legal, "/_page/4?path=%2Fterms").status,
        200
    );
    let preview_flags = gateway.admin_get("/api/v1/deployments")["deployments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|deployment| deployment["preview"] == true)
        .collect::<Vec<_>>();
    assert_eq!(preview_flags, [false, true, false, true, false]);
}
