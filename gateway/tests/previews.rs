//! Previews: a deployment that is not live, for whoever has a link.

use serde_json::{Value, json};

use crate::support::preview::{COOKIE, deployment, gateway, link, preview, token, viewer, wish};
use crate::support::{Gateway, Release, Request};

#[test]
fn a_link_sets_a_cookie_and_leads_to_the_page() {
    let gateway = gateway();
    let answer = wish(
        &gateway,
        &json!({ "releases": { "directory": "2.0.0" }, "path": "/state/New%20York", "minutes": 5 }),
    );
    assert_eq!(answer.json()["deployment"], 2);
    let token = token(&answer);
    let answer = link(&gateway, &token);
    assert_eq!(
        (answer.status, answer.header("location")),
        (303, "/state/New%20York")
    );
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(answer.header("referrer-policy"), "no-referrer");
    assert_eq!(answer.header("x-robots-tag"), "noindex, nofollow");
    let cookie = answer.header("set-cookie");
    let seconds = cookie
        .strip_prefix(&format!("{COOKIE}={token}; Path=/; Max-Age="))
        .and_then(|rest| rest.strip_suffix("; HttpOnly; SameSite=Lax; Secure"))
        .unwrap_or_else(|| panic!("{cookie}"));
    assert!((1..=300).contains(&seconds.parse::<u32>().unwrap()), "{cookie}");
}

#[test]
fn a_link_never_leads_elsewhere() {
    let gateway = gateway();
    let long = format!("/{}", "x".repeat(512));
    for path in [
        "",
        "terms",
        "//evil.example",
        "//evil.example/x",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/%2Fevil.example",
        "/%2f%2fevil.example",
        "/..//evil.example",
        "/%2e%2e/evil",
        "/a//b",
        "/a?next=https://evil.example",
        "/a#b",
        "/a\r\nlocation: https://evil.example",
        "/a\tb",
        "/ä",
        "/%zz",
        "https://evil.example/",
        "javascript:alert(1)",
        "/_preview/end",
        "/_page/1",
        "/_report",
        "/assets/shell/1.0.0/main.js",
        "/functions/v1/signup",
        "/go/example",
        "/robots.txt",
        "/healthz",
        &long,
    ] {
        let answer = wish(&gateway, &json!({ "deployment": 1, "path": path }));
        assert_eq!(answer.status, 400, "{path}");
    }
    // An encoded backslash stays one, and the longest path still fits into an address and a cookie.
    let longest = format!("/{}", "\"".repeat(511));
    for path in [
        "/%5Cevil.example",
        "/%5C%5Cevil.example",
        "/state/Ohio",
        "/state/a%20b",
        &longest,
    ] {
        let token = token(&wish(&gateway, &json!({ "deployment": 1, "path": path })));
        let answer = link(&gateway, &token);
        assert_eq!((answer.status, answer.header("location")), (303, path));
        assert!(answer.header("set-cookie").len() < 4096);
    }
}

#[test]
fn a_preview_is_marked_and_kept_by_nobody() {
    let gateway = gateway();
    let mut viewer = viewer(&gateway, &preview(&gateway));
    let banner = "<body><aside class=\"preview\" aria-label=\"Preview\">\
                  <p>Preview of deployment 2. You see it by a link.</p>\
                  <form method=\"post\" action=\"/_preview/end\"><button type=\"submit\">End preview</button></form>\
                  </aside><div id=\"root\"></div>";
    for (target, status) in [("/", 200), ("/state/Ohio", 200), ("/nowhere", 404)] {
        for condition in ["*", "\"x\""] {
            let request = Request::new("GET", target).header("if-none-match", condition);
            let answer = viewer.send(request);
            assert_eq!((answer.status, deployment(&answer)), (status, 2));
            let html = answer.text();
            assert!(html.contains(banner), "{html}");
            assert_eq!(
                html.matches("<meta data-head=\"\" name=\"robots\" content=\"noindex,nofollow\">")
                    .count(),
                1
            );
            assert_eq!(answer.header("x-robots-tag"), "noindex, nofollow");
            assert_eq!(answer.header("cache-control"), "no-store");
            assert!(!answer.has("etag") && !answer.has("set-cookie"));
        }
    }
    let home = viewer.get("/");
    assert_eq!(home.boot()["page"]["section"]["version"], "2.0.0");
    assert_eq!(viewer.get("/assets/directory/2.0.0/page.js").status, 200);
    assert_eq!(viewer.get("/_page/2?path=%2F").json(), home.boot()["page"]);

    let others = gateway.get("/");
    assert_eq!(
        (deployment(&others), others.header("cache-control")),
        (1, "no-cache")
    );
    assert!(!others.text().contains("class=\"preview\"") && !others.has("x-robots-tag"));
    let tag = others.header("etag").to_owned();
    let ask = Request::new("GET", "/").header("if-none-match", &tag);
    assert_eq!(
        viewer.send(ask).status,
        200,
        "what a browser kept before is no preview"
    );
}

#[test]
fn a_refused_sign_up_in_a_preview_is_marked_too() {
    let gateway = gateway();
    let form = Request::new("POST", "/functions/v1/signup")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/x-www-form-urlencoded")
        .body("email=visitor%40example.com&password=123456&age=");
    let answer = viewer(&gateway, &preview(&gateway)).send(form);
    assert_eq!((answer.status, deployment(&answer)), (422, 2));
    assert!(answer.text().contains("<aside class=\"preview\""));
    assert_eq!(answer.header("x-robots-tag"), "noindex, nofollow");
    assert_eq!(answer.header("cache-control"), "no-store");
}

#[test]
fn a_preview_goes_before_a_rollout() {
    let gateway = gateway();
    let token = preview(&gateway);
    gateway.post_deployment(&json!({ "releases": { "legal": "1.0.0" }, "percent": 50 }));
    let mut viewer = viewer(&gateway, &token);
    assert_eq!(deployment(&viewer.get("/")), 2);
    assert_eq!(viewer.cookie("colonnade-rollout"), None);
}

#[test]
fn what_is_deployed_can_be_previewed_and_what_is_proposed_is_checked() {
    let gateway = gateway();
    gateway.deploy(&json!({ "directory": "2.0.0" }));
    let old = token(&wish(&gateway, &json!({ "deployment": 1 })));
    assert_eq!(deployment(&viewer(&gateway, &old).get("/")), 1);
    gateway.tell("/api/v1/rollback", &json!({ "deployment": 1 }));
    let same = wish(&gateway, &json!({ "deployment": 1 }));
    assert_eq!(
        same.json()["deployment"],
        1,
        "it is what was asked for, also if live is no different"
    );
    let live = wish(&gateway, &json!({ "releases": { "directory": "1.0.0" } }));
    assert_eq!(live.json()["deployment"], 3, "nothing is stored for what is live");

    gateway.publish(&Release::section("rival", "1.0.0", &["/"]));
    let proposed = |releases: Value| wish(&gateway, &json!({ "releases": releases }));
    let conflict = proposed(json!({ "rival": "1.0.0" }));
    assert_eq!(conflict.status, 409);
    assert_eq!(
        conflict.json()["problems"],
        json!(["pattern `/` of directory and pattern `/` of rival collide"])
    );
    assert_eq!(proposed(json!({ "legal": "9.9.9" })).status, 422);
    let unknown = wish(&gateway, &json!({ "deployment": 99 }));
    assert_eq!(
        (unknown.status, &unknown.json()["detail"]),
        (404, &json!("deployment 99 is not kept"))
    );
    assert_eq!(
        gateway.ask("/api/v1/deployments")["deployments"]
            .as_array()
            .unwrap()
            .len(),
        3
    );

    for body in [
        json!({}),
        json!({ "deployment": 1, "releases": {} }),
        json!({ "deployment": "1" }),
        json!({ "deployment": 1, "minutes": 0 }),
        json!({ "deployment": 1, "minutes": 10_081 }),
        json!({ "deployment": 1, "minutes": -5 }),
        json!({ "deployment": 1, "url": "https://evil.example/" }),
    ] {
        assert_eq!(wish(&gateway, &body).status, 400, "{body}");
    }
    assert_eq!(
        wish(&gateway, &json!({ "deployment": 1, "minutes": 10_080 })).status,
        201
    );
    let nothing = wish(&Gateway::start(), &json!({ "releases": {} }));
    assert_eq!(nothing.status, 409);
}
