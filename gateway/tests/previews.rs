//! Previews: a deployment that is not live, shown to visitors with a link.

use serde_json::{Value, json};

use crate::support::preview::{
    COOKIE, create_preview, create_preview_of, deployment, gateway, open_link, post_preview, start_preview,
    token_in, viewer,
};
use crate::support::{Gateway, Release, Request};

#[test]
fn preview_link_asks_before_its_code_runs() {
    let gateway = gateway();
    let token = create_preview_of(&gateway, &json!({ "directory": "2.0.0", "legal": "1.0.0" }));
    let response = open_link(&gateway, &token);
    assert_eq!(response.status, 200);
    assert!(!response.has("set-cookie") && !response.has("location"));
    assert_eq!(response.header("cache-control"), "no-store");
    assert_eq!(response.header("x-robots-tag"), "noindex, nofollow");
    // The links of the page do not reveal the token.
    assert_eq!(response.header("referrer-policy"), "strict-origin");
    let policy = response.header("content-security-policy");
    assert!(
        policy.starts_with("default-src 'none'; style-src 'sha256-")
            && policy.ends_with("; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"),
        "{policy}"
    );
    let html = response.text();
    for text in [
        "<title>Start a preview? - Test &amp; Brand</title>",
        "<meta name=\"robots\" content=\"noindex\">",
        "deployment 2, created by name of token-for-everything",
        "<li>directory 1.0.0 → 2.0.0</li><li>legal 1.0.0, new</li>",
        "It runs on this site's address",
        "End preview",
        "<form class=\"actions\" method=\"post\"><button class=\"button\" type=\"submit\">Start preview</button>",
    ] {
        assert!(html.contains(text), "{text}: {html}");
    }
    assert!(!html.contains("<script") && !html.contains(&token), "{html}");
    let head = gateway
        .site
        .send(Request::new("HEAD", &format!("/_preview/{token}")));
    assert_eq!((head.status, head.body.len()), (200, 0));

    let removal = create_preview_of(&gateway, &json!({ "directory": null }));
    assert!(
        open_link(&gateway, &removal)
            .text()
            .contains("<li>directory, removed</li>")
    );
    let live = token_in(&post_preview(&gateway, &json!({ "deployment": 1 })));
    let live = open_link(&gateway, &live).text();
    assert!(
        live.contains("<dt>Changes to the live site</dt><dd>none</dd>"),
        "{live}"
    );
}

#[test]
fn only_the_pages_own_button_starts_a_preview() {
    let gateway = gateway();
    let response = post_preview(
        &gateway,
        &json!({ "releases": { "directory": "2.0.0" }, "path": "/state/New%20York", "minutes": 5 }),
    );
    assert_eq!(response.json()["deployment"], 2);
    let token = token_in(&response);
    let target = format!("/_preview/{token}");
    for (name, value) in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("sec-fetch-site", "none"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("accept", "text/html"),
    ] {
        let response = gateway
            .site
            .send(Request::new("POST", &target).header(name, value));
        assert_eq!(response.status, 403, "{name}: {value}");
        assert!(!response.has("set-cookie") && !response.has("location"));
    }
    assert_eq!(gateway.site.send(Request::new("PUT", &target)).status, 405);
    let response = start_preview(&gateway, &token);
    assert_eq!(
        (response.status, response.header("location")),
        (303, "/state/New%20York")
    );
    assert_eq!(response.header("cache-control"), "no-store");
    assert_eq!(response.header("referrer-policy"), "no-referrer");
    assert_eq!(response.header("x-robots-tag"), "noindex, nofollow");
    let cookie = response.header("set-cookie");
    let seconds = cookie
        .strip_prefix(&format!("{COOKIE}={token}; Path=/; Max-Age="))
        .and_then(|rest| rest.strip_suffix("; HttpOnly; SameSite=Lax; Secure"))
        .unwrap_or_else(|| panic!("{cookie}"));
    assert!((1..=300).contains(&seconds.parse::<u32>().unwrap()), "{cookie}");
}

#[test]
fn preview_path_rejects_open_redirects() {
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
        let response = post_preview(&gateway, &json!({ "deployment": 1, "path": path }));
        assert_eq!(response.status, 422, "{path}");
    }
    // An encoded backslash stays encoded, and the longest path fits into the URL and the cookie.
    let longest = format!("/{}", "\"".repeat(511));
    for path in [
        "/%5Cevil.example",
        "/%5C%5Cevil.example",
        "/state/Ohio",
        "/state/a%20b",
        &longest,
    ] {
        let token = token_in(&post_preview(&gateway, &json!({ "deployment": 1, "path": path })));
        let response = start_preview(&gateway, &token);
        assert_eq!((response.status, response.header("location")), (303, path));
        assert!(response.header("set-cookie").len() < 4096);
    }
}

#[test]
fn preview_shows_banner_and_is_not_cached() {
    let gateway = gateway();
    let mut viewer = viewer(&gateway, &create_preview(&gateway));
    let banner = "<body><aside class=\"preview\" lang=\"en\" dir=\"ltr\" aria-label=\"Preview\">\
                  <p>Preview of deployment 2. You see it by a link.</p>\
                  <form method=\"post\" action=\"/_preview/end\"><button type=\"submit\">End preview</button></form>\
                  </aside><div id=\"root\"></div>";
    for (target, status) in [("/", 200), ("/state/Ohio", 200), ("/nowhere", 404)] {
        for condition in ["*", "\"x\""] {
            let request = Request::new("GET", target).header("if-none-match", condition);
            let response = viewer.send(request);
            assert_eq!((response.status, deployment(&response)), (status, 2));
            let html = response.text();
            assert!(html.contains(banner), "{html}");
            assert_eq!(
                html.matches("<meta data-head=\"\" name=\"robots\" content=\"noindex,nofollow\">")
                    .count(),
                1
            );
            assert_eq!(response.header("x-robots-tag"), "noindex, nofollow");
            assert_eq!(response.header("cache-control"), "no-store, no-transform");
            assert!(!response.has("etag") && !response.has("set-cookie"));
        }
    }
    let home = viewer.get("/");
    assert_eq!(home.boot()["page"]["section"]["version"], "2.0.0");
    assert_eq!(viewer.get("/assets/directory/2.0.0/page.js").status, 200);
    assert_eq!(viewer.get("/_page/2?path=%2F").json(), home.boot()["page"]);

    let others = gateway.get("/");
    assert_eq!(
        (deployment(&others), others.header("cache-control")),
        (1, "no-cache, no-transform")
    );
    assert!(!others.text().contains("class=\"preview\"") && !others.has("x-robots-tag"));
    let tag = others.header("etag").to_owned();
    let request = Request::new("GET", "/").header("if-none-match", &tag);
    assert_eq!(
        viewer.send(request).status,
        200,
        "a cached live document must not count as the preview"
    );

    let form = Request::new("POST", "/functions/v1/signup")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/x-www-form-urlencoded")
        .body("email=visitor%40example.com&password=123456&age=");
    let response = viewer.send(form);
    assert_eq!((response.status, deployment(&response)), (422, 2));
    assert!(response.text().contains("<aside class=\"preview\""));
    assert_eq!(response.header("x-robots-tag"), "noindex, nofollow");
    assert_eq!(response.header("cache-control"), "no-store, no-transform");

    // A preview takes precedence over a rollout.
    gateway.post_deployment(&json!({ "releases": { "legal": "1.0.0" }, "percent": 50 }));
    assert_eq!(deployment(&viewer.get("/")), 2);
    assert_eq!(viewer.cookie("__Host-colonnade-rollout"), None);
}

#[test]
fn preview_accepts_past_and_validates_new_deployments() {
    let gateway = gateway();
    gateway.deploy(&json!({ "directory": "2.0.0" }));
    let old = token_in(&post_preview(&gateway, &json!({ "deployment": 1 })));
    assert_eq!(deployment(&viewer(&gateway, &old).get("/")), 1);
    gateway.admin_post("/api/v1/rollback", &json!({ "deployment": 1 }));
    let same = post_preview(&gateway, &json!({ "deployment": 1 }));
    assert_eq!(
        same.json()["deployment"],
        1,
        "the requested deployment, although the live one has the same releases"
    );
    let live = post_preview(&gateway, &json!({ "releases": { "directory": "1.0.0" } }));
    assert_eq!(
        live.json()["deployment"],
        3,
        "a preview of the live releases creates no deployment"
    );

    gateway.publish(&Release::section("rival", "1.0.0", &["/"]));
    let preview_of = |releases: Value| post_preview(&gateway, &json!({ "releases": releases }));
    let conflict = preview_of(json!({ "rival": "1.0.0" }));
    assert_eq!(conflict.status, 409);
    assert_eq!(
        conflict.json()["problems"],
        json!(["pattern `/` of directory and pattern `/` of rival collide"])
    );
    assert_eq!(preview_of(json!({ "legal": "9.9.9" })).status, 422);
    let unknown = post_preview(&gateway, &json!({ "deployment": 99 }));
    assert_eq!(
        (unknown.status, &unknown.json()["detail"]),
        (404, &json!("deployment 99 does not exist"))
    );
    assert_eq!(
        gateway.admin_get("/api/v1/deployments")["deployments"]
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
        assert_eq!(post_preview(&gateway, &body).status, 400, "{body}");
    }
    assert_eq!(
        post_preview(&gateway, &json!({ "deployment": 1, "minutes": 10_080 })).status,
        201
    );
    let rejected = post_preview(&Gateway::start(), &json!({ "releases": {} }));
    assert_eq!(rejected.status, 409);
}
