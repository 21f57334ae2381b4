//! What is only previewed is for its viewers, until it is everybody's.

use serde_json::json;

use crate::support::preview::{
    COOKIE, deployment, gateway, preview, signed_here, token, token_of, viewer, wish, with_cookie,
};
use crate::support::{Request, Response};

/// Everything that a document says is to be loaded, and where its pages are asked for.
fn needs(document: &Response) -> Vec<String> {
    let text = document.text();
    let quoted = text.split('"').filter(|part| part.starts_with("/assets/"));
    let mut needs: Vec<String> = quoted.map(str::to_owned).collect();
    needs.push(format!("/_page/{}?path=%2F", deployment(document)));
    needs
}

#[test]
fn what_is_only_previewed_is_for_its_viewers_and_kept_by_nobody() {
    let gateway = gateway();
    let before = gateway.get("/");
    let own = preview(&gateway);
    let mut viewer = viewer(&gateway, &own);
    let home = viewer.get("/");
    let (shown, mut private): (Vec<String>, Vec<String>) = needs(&home)
        .into_iter()
        .partition(|need| need.starts_with("/assets/shell/"));
    private.push("/assets/directory/2.0.0/entry.js".to_owned());
    assert!(!shown.is_empty() && private.len() > 3, "{private:?}");
    for need in &private {
        let cache = if need.starts_with("/_page/") {
            "no-store"
        } else {
            "private, no-store"
        };
        let answer = viewer.get(need);
        assert_eq!(
            (answer.status, answer.header("cache-control")),
            (200, cache),
            "{need}"
        );
    }
    for need in shown.iter().chain(&needs(&before)) {
        let answer = viewer.get(need);
        assert_eq!(answer.status, 200, "{need}");
        assert!(answer.header("cache-control").starts_with("public, "), "{need}");
    }

    let other = token_of(&gateway, &json!({ "legal": "1.0.0" }));
    let live = token(&wish(&gateway, &json!({ "deployment": 1 })));
    let ended = signed_here(
        &gateway,
        &json!({ "deployment": 2, "expires": 1_700_000_000, "path": "/" }),
    );
    let forged = format!("{own}A");
    let strangers = [None, Some(&other), Some(&live), Some(&ended), Some(&forged)];
    let assert_hidden = |cookie: Option<&String>| {
        for need in &private {
            let answer = match cookie {
                Some(token) => with_cookie(&gateway, token, need),
                None => gateway.get(need),
            };
            let status = if need.starts_with("/_page/") { 410 } else { 404 };
            assert_eq!(answer.status, status, "{need} {cookie:?}");
            assert_eq!(answer.header("cache-control"), "no-store");
            assert!(!answer.has("etag"));
        }
    };
    strangers.into_iter().for_each(assert_hidden);
    assert_eq!(
        gateway.get("/_page/2?path=%2F").body,
        gateway.get("/_page/99?path=%2F").body
    );

    gateway.operate(Request::new("DELETE", "/api/v1/previews"));
    assert_hidden(Some(&own));
}

#[test]
fn what_was_previewed_and_then_deployed_is_everybodys() {
    let gateway = gateway();
    let mut viewer = viewer(&gateway, &preview(&gateway));
    let asset = "/assets/directory/2.0.0/page.js";
    assert_eq!(gateway.get(asset).status, 404);
    assert_eq!(gateway.deploy(&json!({ "directory": "2.0.0" })), 3);
    for answer in [gateway.get(asset), viewer.get(asset)] {
        assert_eq!(answer.status, 200);
        assert_eq!(
            answer.header("cache-control"),
            "public, max-age=31536000, immutable"
        );
    }
    assert_eq!(
        gateway.get("/_page/3?path=%2F").header("cache-control"),
        "public, max-age=300"
    );
    assert_eq!(gateway.get("/_page/2?path=%2F").status, 410);
    assert_eq!(viewer.get("/_page/2?path=%2F").status, 200);
    // What visitors saw stays theirs, also after it was taken back.
    gateway.tell("/api/v1/rollback", &json!({ "deployment": 1 }));
    assert_eq!(gateway.get(asset).status, 200);
    assert_eq!(gateway.get("/_page/3?path=%2F").status, 200);
}

#[test]
fn a_candidate_is_everybodys_and_what_is_rolled_back_to_is_a_deployment_of_its_own() {
    let gateway = gateway();
    preview(&gateway);
    let asset = "/assets/directory/2.0.0/page.js";
    let rollback = gateway.tell("/api/v1/rollback", &json!({ "deployment": 2 }));
    assert_eq!((rollback.status, &rollback.json()["number"]), (201, &json!(3)));
    assert_eq!(
        (gateway.get(asset).status, deployment(&gateway.get("/"))),
        (200, 3)
    );

    let legal = token_of(&gateway, &json!({ "legal": "1.0.0" }));
    let terms = "/assets/legal/1.0.0/page.js";
    assert_eq!(gateway.get(terms).status, 404);
    gateway.post_deployment(&json!({ "releases": { "legal": "1.0.0" }, "percent": 1 }));
    assert_eq!(
        gateway.get(terms).header("cache-control"),
        "public, max-age=31536000, immutable"
    );
    assert_eq!(gateway.get("/_page/5?path=%2Fterms").status, 200);
    assert_eq!(gateway.get("/_page/4?path=%2Fterms").status, 410);
    assert_eq!(
        with_cookie(&gateway, &legal, "/_page/4?path=%2Fterms").status,
        200
    );
    let marks = gateway.ask("/api/v1/deployments")["deployments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|deployment| deployment["preview"] == true)
        .collect::<Vec<_>>();
    assert_eq!(marks, [false, true, false, true, false]);
}

#[test]
fn only_viewers_report_what_is_only_previewed() {
    let gateway = gateway();
    let token = preview(&gateway);
    let report = json!({
        "deployment": 2, "release": "directory@2.0.0", "phase": "render", "error": "TypeError",
    });
    let post = || {
        Request::new("POST", "/_report")
            .header("sec-fetch-site", "same-origin")
            .body(report.to_string())
    };
    assert_eq!(gateway.site.send(post()).status, 400);
    let cookie = format!("{COOKIE}={token}");
    let answer = gateway.site.send(post().header("cookie", &cookie));
    assert_eq!(answer.status, 204);
}

#[test]
fn what_is_only_previewed_stays_so_after_a_restart() {
    let gateway = gateway();
    let token = preview(&gateway);
    let gateway = gateway.killed_and_restarted("");
    for need in ["/assets/directory/2.0.0/page.js", "/_page/2?path=%2F"] {
        assert!(matches!(gateway.get(need).status, 404 | 410), "{need}");
        assert_eq!(with_cookie(&gateway, &token, need).status, 200, "{need}");
    }
}
