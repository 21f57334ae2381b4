//! Previews: a deployment that is not live, for whoever has a link.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::support::{Browser, Gateway, Release, Request, Response, until};

const COOKIE: &str = "colonnade-preview";

/// Has the browser forget the cookie.
const FORGET: &str = "colonnade-preview=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure";

/// A gateway with `directory` 1.0.0 live, and 2.0.0 of it and 1.0.0 of `legal` published.
fn gateway() -> Gateway {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("directory", "2.0.0", &["/", "/state/:state", "/signup"]).slot("join"));
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    gateway
}

fn wish(gateway: &Gateway, body: &Value) -> Response {
    gateway.tell("/api/v1/previews", body)
}

/// Makes a preview of `directory` 2.0.0; its token comes back.
fn preview(gateway: &Gateway) -> String {
    token_of(gateway, &json!({ "directory": "2.0.0" }))
}

/// Makes a preview of the live set with these releases in it; its token comes back.
fn token_of(gateway: &Gateway, releases: &Value) -> String {
    token(&wish(gateway, &json!({ "releases": releases })))
}

fn token(answer: &Response) -> String {
    assert_eq!(answer.status, 201, "{}", answer.text());
    let url = answer.json()["url"].as_str().unwrap().to_owned();
    url.strip_prefix("https://site.example/_preview/")
        .unwrap()
        .to_owned()
}

fn link(gateway: &Gateway, token: &str) -> Response {
    gateway.get(&format!("/_preview/{token}"))
}

/// A browser that has followed a link.
fn viewer(gateway: &Gateway, token: &str) -> Browser {
    let mut browser = Browser::new(gateway.site);
    assert_eq!(browser.get(&format!("/_preview/{token}")).status, 303);
    browser
}

fn with_cookie(gateway: &Gateway, token: &str, target: &str) -> Response {
    let cookie = format!("{COOKIE}={token}");
    gateway
        .site
        .send(Request::new("GET", target).header("cookie", &cookie))
}

fn deployment(answer: &Response) -> u64 {
    answer.boot()["deployment"].as_u64().unwrap()
}

fn keys_file(gateway: &Gateway) -> PathBuf {
    gateway.store().join("preview-keys.json")
}

fn keys(gateway: &Gateway) -> Value {
    serde_json::from_slice(&std::fs::read(keys_file(gateway)).unwrap()).unwrap()
}

/// A token that is signed as the gateway signs, with any payload.
fn signed(id: &str, secret: &str, payload: &Value) -> String {
    let signed = format!("{id}.{}", URL_SAFE_NO_PAD.encode(payload.to_string()));
    let mut mac = Hmac::<Sha256>::new_from_slice(&URL_SAFE_NO_PAD.decode(secret).unwrap()).unwrap();
    mac.update(signed.as_bytes());
    let signature = URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
    format!("{signed}.{signature}")
}

/// The same with the gateway's newest key.
fn signed_here(gateway: &Gateway, payload: &Value) -> String {
    let key = &keys(gateway)[0];
    signed(
        key["id"].as_str().unwrap(),
        key["secret"].as_str().unwrap(),
        payload,
    )
}

/// Far in the future.
const LATER: u64 = 4_000_000_000;

/// Fails unless a token is worth nothing: neither as a link nor as a cookie.
fn assert_refused(gateway: &Gateway, token: &str, why: &str) {
    let answer = link(gateway, token);
    assert_eq!(answer.status, 403, "{why}");
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(answer.header("cache-control"), "no-store");
    assert!(answer.text().contains("This preview is over"), "{why}");
    assert!(!answer.has("set-cookie") && !answer.has("location"), "{why}");

    let live = gateway.get("/state/Ohio");
    let answer = with_cookie(gateway, token, "/state/Ohio");
    assert_eq!((answer.status, &answer.body), (200, &live.body), "{why}");
    assert_eq!(answer.header("cache-control"), "no-store", "{why}");
    assert_eq!(answer.header("set-cookie"), FORGET, "{why}");
    assert!(!answer.has("x-robots-tag") && !answer.has("etag"), "{why}");
}

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
fn what_is_forged_altered_or_over_is_refused() {
    let gateway = gateway();
    let token = preview(&gateway);
    let [id, payload, signature] = token.split('.').collect::<Vec<_>>()[..] else {
        panic!("{token}");
    };
    let sound = json!({ "deployment": 2, "expires": LATER, "path": "/" });
    let other = |field: &str, value: Value| {
        let mut payload = sound.clone();
        payload[field] = value;
        payload
    };
    let encoded = |payload: &Value| URL_SAFE_NO_PAD.encode(payload.to_string());
    let mut flipped = URL_SAFE_NO_PAD.decode(signature).unwrap();
    flipped[31] ^= 1;
    let none = URL_SAFE_NO_PAD.encode([0; 32]);
    for (why, token) in [
        ("nothing", "x".to_owned()),
        ("dots", "...".to_owned()),
        ("an address", "https:evil.example".to_owned()),
        ("another key's name", format!("00000000.{payload}.{signature}")),
        ("no key's name", format!(".{payload}.{signature}")),
        ("a longer key's name", format!("{id}0.{payload}.{signature}")),
        ("another payload", format!("{id}.{}.{signature}", encoded(&sound))),
        ("no payload", format!("{id}..{signature}")),
        ("two payloads", format!("{id}.{payload}.{payload}.{signature}")),
        (
            "another signature",
            format!("{id}.{payload}.{}", URL_SAFE_NO_PAD.encode(flipped)),
        ),
        ("half a signature", format!("{id}.{payload}.{}", &signature[..20])),
        ("no signature", format!("{id}.{payload}.")),
        ("nothing signed", format!("{id}.{payload}")),
        ("zeros", format!("{id}.{payload}.{none}")),
        ("a key of their own", signed(id, &none, &sound)),
        ("an empty key", signed(id, "", &sound)),
        (
            "over",
            signed_here(&gateway, &other("expires", json!(1_700_000_000))),
        ),
        (
            "over since ever",
            signed_here(&gateway, &other("expires", json!(-1))),
        ),
        (
            "a deployment that is not kept",
            signed_here(&gateway, &other("deployment", json!(99))),
        ),
        (
            "a deployment that is none",
            signed_here(&gateway, &other("deployment", json!("2"))),
        ),
        (
            "more than is known",
            signed_here(&gateway, &other("load", json!("https://evil.example/"))),
        ),
        (
            "far too long",
            signed_here(&gateway, &other("path", json!(format!("/{}", "x".repeat(3000))))),
        ),
    ] {
        assert_refused(&gateway, &token, why);
    }
    // The tests sign as the gateway does: otherwise these would be refused for no good reason.
    assert_eq!(link(&gateway, &signed_here(&gateway, &sound)).status, 303);
    assert_eq!(deployment(&with_cookie(&gateway, &token, "/")), 2);
}

#[test]
fn a_key_that_was_rotated_away_verifies_nothing() {
    let gateway = gateway();
    let token = preview(&gateway);
    let old = keys(&gateway)[0].clone();
    // As if it had signed for longer than a day: it still verifies, and another signs.
    let created = |at: &str| {
        let mut key = old.clone();
        key["createdAt"] = json!(at);
        std::fs::write(keys_file(&gateway), json!([key]).to_string()).unwrap();
    };
    let day = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(25);
    created(&day.to_string());
    let next = preview(&gateway);
    assert_ne!(next.split('.').next(), token.split('.').next());
    assert_eq!(keys(&gateway).as_array().unwrap().len(), 2);
    assert_eq!(link(&gateway, &token).status, 303);
    // As if it had for longer than any preview lives: it is forgotten.
    created("2026-01-01T00:00:00Z");
    preview(&gateway);
    assert_eq!(keys(&gateway).as_array().unwrap().len(), 1);
    assert_refused(&gateway, &token, "an old key");
}

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

#[test]
fn secrets_of_previews_are_neither_logged_nor_readable_by_others() {
    let mut gateway = gateway();
    let token = preview(&gateway);
    let mode = std::fs::metadata(keys_file(&gateway))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let keys = keys(&gateway);
    let altered = token.replace('.', ".A");
    for target in [
        format!("/_preview/{token}"),
        format!("/_preview/{altered}"),
        format!("/{token}"),
    ] {
        assert_eq!(gateway.event_of(&gateway.get(&target))["event"], "request");
    }
    for cookie in [&token, &altered] {
        gateway.event_of(&with_cookie(&gateway, cookie, "/"));
        gateway.event_of(&with_cookie(&gateway, cookie, "/nowhere"));
    }
    let answer = link(&gateway, &token);
    assert_eq!(gateway.event_of(&answer)["route"], "/_preview/:token");
    gateway.operate(Request::new("DELETE", "/api/v1/previews"));
    gateway.signal("TERM");
    gateway.end();
    let output = gateway.output();
    assert!(
        output.contains("/_preview/:token"),
        "the log is there to be searched"
    );
    let secret = keys[0]["secret"].as_str().unwrap();
    for secret in token.split('.').chain([secret]) {
        assert!(!output.contains(secret), "{secret}");
    }
}

#[test]
fn nothing_a_visitor_sends_chooses_where_code_is_loaded_from() {
    let gateway = gateway();
    preview(&gateway);
    let plain = gateway.get("/state/Ohio").body;
    for query in [
        "deployment=2",
        "preview=2",
        "_preview=2",
        "release=directory@2.0.0",
        "directory=2.0.0",
        "directory=https://evil.example/entry.js",
        "entry=https://evil.example/entry.js",
        "base=https://evil.example/",
        "shell=https%3A%2F%2Fevil.example%2F",
        "importmap=%7B%7D",
    ] {
        assert_eq!(
            gateway.get(&format!("/state/Ohio?{query}")).body,
            plain,
            "{query}"
        );
    }
    for (name, value) in [
        ("cookie", "deployment=2"),
        ("cookie", "colonnade-preview=2"),
        ("cookie", "colonnade-preview=https://evil.example/"),
        ("cookie", "colonnade-rollout=2.0"),
        ("cookie", "import-map-overrides=https://evil.example/"),
        ("host", "evil.example"),
        ("x-forwarded-host", "evil.example"),
        ("x-forwarded-proto", "javascript"),
        ("x-original-url", "https://evil.example/"),
        ("forwarded", "host=evil.example"),
        ("origin", "https://evil.example"),
        ("referer", "https://evil.example/"),
    ] {
        let answer = gateway
            .site
            .send(Request::new("GET", "/state/Ohio").header(name, value));
        assert_eq!(answer.body, plain, "{name}: {value}");
    }
    let page = gateway
        .get("/_page/1?path=%2F&entry=https://evil.example/")
        .json();
    assert_eq!(page, gateway.get("/").boot()["page"]);
}
