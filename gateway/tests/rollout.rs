//! Progressive rollouts: a percentage of visitors sees the canary, and each visitor one consistent deployment.

use serde_json::{Value, json};

use crate::support::{Browser, CLOSED_SIGNUP, Exchange, Gateway, Release, Request, Response, rollout_cookie};

/// The pages of `directory`.
const PAGES: [&str; 3] = ["/", "/state/:state", "/signup"];

/// A gateway with `directory` 1.0.0 live; `directory` 2.0.0 and `legal` 1.0.0 are published.
fn gateway_with(extra: &str) -> Gateway {
    let gateway = Gateway::start_live(extra, &[]);
    gateway.publish(&Release::section("directory", "2.0.0", &PAGES));
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    gateway
}

/// Starts a rollout of `directory` 2.0.0 and returns the candidate's number.
fn start(gateway: &Gateway, percent: u8) -> u64 {
    let response =
        gateway.post_deployment(&json!({ "releases": { "directory": "2.0.0" }, "percent": percent }));
    assert_eq!(response.status, 201, "{}", response.text());
    response.json()["number"].as_u64().unwrap()
}

fn set_percent(gateway: &Gateway, number: u64, percent: u8) {
    let response = gateway.admin_post(
        &format!("/api/v1/deployments/{number}/promote"),
        &json!({ "percent": percent }),
    );
    assert_eq!(
        response.json(),
        json!({ "number": number, "live": false, "percent": percent })
    );
}

/// How errors describe a rollout of one section.
fn described(section: &str, candidate: u64, percent: u8) -> String {
    format!(
        "`{section}` is being rolled out with deployment {candidate} to {percent}% of visitors, \
         started by `name of token-for-everything`"
    )
}

/// A visitor whom the rollout includes, or not.
fn visitor(gateway: &Gateway, is_candidate: bool) -> Browser {
    let mut browser = Browser::new(gateway.site);
    browser.set_cookie(
        "__Host-colonnade-rollout",
        &rollout_cookie(gateway, &[is_candidate]),
    );
    browser
}

/// The name of the set with a candidate.
fn with_candidate(candidate: u64) -> String {
    format!("1.{candidate}")
}

/// A sign-up without an age.
fn rejected_form() -> Request {
    Request::new("POST", "/functions/v1/signup")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/x-www-form-urlencoded")
        .body("email=visitor%40example.com&password=123456&age=")
}

#[test]
fn visitor_sees_one_consistent_deployment() {
    let gateway = gateway_with(CLOSED_SIGNUP);
    let candidate = start(&gateway, 50);
    for (set, version) in [(with_candidate(candidate), "2.0.0"), ("1".to_owned(), "1.0.0")] {
        let mut visitor = visitor(&gateway, version == "2.0.0");
        for path in ["/", "/state/Ohio", "/signup", "/nowhere"] {
            let document = visitor.get(path);
            let html = document.text();
            assert_eq!(document.set(), set, "{path}");
            let names = html.split("\"/assets/").skip(1);
            let names: Vec<&str> = names.filter_map(|rest| rest.split('"').next()).collect();
            assert!(names.len() > 2, "{html}");
            for name in names {
                let release = if name.starts_with("shell/") {
                    "shell/1.0.0/".to_owned()
                } else {
                    format!("directory/{version}/")
                };
                assert!(name.starts_with(&release), "{name}");
                assert_eq!(visitor.get(&format!("/assets/{name}")).status, 200, "{name}");
            }
        }
        let page = visitor.get(&format!("/_page/{set}?path=%2Fstate%2FOhio"));
        assert_eq!(page.json(), visitor.get("/state/Ohio").boot()["page"]);
        let rejected = visitor.send(rejected_form());
        assert_eq!(
            (rejected.status, rejected.header("cache-control")),
            (422, "no-store, no-transform")
        );
        assert_eq!(rejected.set(), set);
        assert_eq!(rejected.boot()["page"]["section"]["version"], version);
        assert!(!rejected.has("set-cookie"));
        assert_eq!(gateway.request_event(&rejected)["deployment"], set);
    }
    // A new visitor stays on the deployment of the first document.
    let mut new = Browser::new(gateway.site);
    let shown = new.send(rejected_form()).set();
    assert!(new.cookie("__Host-colonnade-rollout").is_some());
    assert_eq!(new.get("/").set(), shown);
    // Each visitor's browser keeps the documents of its own deployment.
    let mut visitors = [true, false].map(|is_candidate| visitor(&gateway, is_candidate));
    let tags = visitors
        .each_mut()
        .map(|visitor| visitor.get("/").header("etag").to_owned());
    assert_ne!(tags[0], tags[1]);
    for (own, visitor) in visitors.iter_mut().enumerate() {
        let mut request = |tag: &str| visitor.send(Request::new("GET", "/").header("if-none-match", tag));
        let not_modified = request(&tags[own]);
        assert_eq!(not_modified.status, 304);
        assert_eq!(cache_headers(&not_modified), PRIVATE);
        assert_eq!(request(&tags[1 - own]).status, 200);
    }
}

/// Cache-Control and Vary of a document.
fn cache_headers(response: &Response) -> (&str, &str) {
    (response.header("cache-control"), response.header("vary"))
}

const PUBLIC: (&str, &str) = ("no-cache, no-transform", "Accept-Encoding");
const PRIVATE: (&str, &str) = ("private, no-cache, no-transform", "Accept-Encoding, Cookie");

#[test]
fn documents_are_private_only_during_rollout() {
    let gateway = gateway_with("");
    let is_public = |response: &Response| cache_headers(response) == PUBLIC && !response.has("set-cookie");
    assert!(is_public(&gateway.get("/")));

    let candidate = start(&gateway, 10);
    for path in ["/", "/state/Ohio", "/nowhere"] {
        let response = gateway.get(path);
        assert_eq!(cache_headers(&response), PRIVATE);
        let cookie = response.header("set-cookie");
        let group = cookie
            .strip_prefix("__Host-colonnade-rollout=")
            .and_then(|rest| rest.strip_suffix("; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure"))
            .unwrap_or_else(|| panic!("{cookie}"));
        let mut browser = Browser::new(gateway.site);
        browser.set_cookie("__Host-colonnade-rollout", group);
        let again = browser.get(path);
        assert_eq!(again.set(), response.set());
        assert!(!again.has("set-cookie"), "a valid cookie is not replaced");
        assert_eq!(cache_headers(&again), PRIVATE);
    }
    for target in [
        "/assets/directory/2.0.0/page.js",
        &format!("/_page/1.{candidate}?path=%2F"),
        "/robots.txt",
        "/sitemap.xml",
        "/state/Ohio/",
        "/healthz",
    ] {
        let response = gateway.get(target);
        assert!(!response.has("set-cookie"), "{target}");
        assert!(
            !response
                .header_values("vary")
                .iter()
                .any(|vary| vary.contains("Cookie")),
            "{target}"
        );
    }

    let response = gateway.admin_post(&format!("/api/v1/deployments/{candidate}/abort"), &json!({}));
    assert_eq!(response.json(), json!({ "number": candidate, "live": 1 }));
    assert!(is_public(&gateway.get("/")));
}

#[test]
fn cookie_names_follow_the_scheme_of_the_origin() {
    for (origin, prefix, other, end) in [
        (
            "https://site.example",
            "__Host-",
            "",
            "; HttpOnly; SameSite=Lax; Secure",
        ),
        ("http://localhost", "", "__Host-", "; HttpOnly; SameSite=Lax"),
    ] {
        let gateway = Gateway::start_live("", &[("COLONNADE_SITE__ORIGIN", origin)]);
        let invalid_preview = |prefix: &str| {
            let cookie = format!("{prefix}colonnade-preview=x");
            gateway
                .site
                .send(Request::new("GET", "/").header("cookie", &cookie))
        };
        let deleted = format!("{prefix}colonnade-preview=; Path=/; Max-Age=0{end}");
        assert_eq!(invalid_preview(prefix).header("set-cookie"), deleted);
        assert!(!invalid_preview(other).has("set-cookie"));

        gateway.publish(&Release::section("directory", "2.0.0", &PAGES));
        start(&gateway, 50);
        let response = gateway.get("/");
        let set = response.header("set-cookie");
        assert!(
            set.starts_with(&format!("{prefix}colonnade-rollout=")) && set.ends_with(end),
            "{set}"
        );
        assert!(set.contains("; Path=/; ") && !set.contains("Domain"), "{set}");
        let cookie = rollout_cookie(&gateway, &[true]);
        for (prefix, is_read) in [(prefix, true), (other, false)] {
            let mut browser = Browser::new(gateway.site);
            browser.set_cookie(&format!("{prefix}colonnade-rollout"), &cookie);
            assert_eq!(!browser.get("/").has("set-cookie"), is_read, "{origin}: {prefix}");
        }
    }
}

#[test]
fn cohort_survives_restart_and_applies_to_all_gateways() {
    let first = gateway_with("");
    let candidate = start(&first, 1);
    let canary_visitor = visitor(&first, true);
    let shows_candidate = |gateway: &Gateway| {
        let response = canary_visitor.clone().at(gateway.site).get("/");
        response.set() == with_candidate(candidate) && !response.has("set-cookie")
    };
    let second = first.start_another();
    assert!(shows_candidate(&first) && shows_candidate(&second));
    assert!(shows_candidate(&first.kill_and_restart("")));
}

#[test]
fn promote_makes_canary_live() {
    let gateway = gateway_with("");
    let candidate = start(&gateway, 10);
    let sections = gateway.admin_get("/api/v1/sections");
    assert_eq!(
        (&sections[0]["live"], &sections[0]["candidate"]),
        (&json!("1.0.0"), &json!("2.0.0"))
    );
    assert_eq!(sections[0]["patterns"], json!(PAGES));
    let mut rollouts = gateway.admin_get("/api/v1/deployments")["rollouts"].take();
    let started_at = rollouts[0]["startedAt"].take();
    assert!(started_at.as_str().unwrap().ends_with('Z'));
    assert_eq!(
        rollouts,
        json!([{
            "deployment": candidate, "percent": 10, "by": "name of token-for-everything", "startedAt": null,
            "sections": { "directory": { "from": "1.0.0", "to": "2.0.0" } },
        }])
    );

    let mut live_visitor = visitor(&gateway, false);
    assert_eq!(live_visitor.get("/").set(), "1");
    let target = format!("/api/v1/deployments/{candidate}/promote");
    let response = gateway.admin_post(&target, &json!({ "reason": "it does well" }));
    assert_eq!(response.json(), json!({ "number": candidate, "live": true }));
    for response in [live_visitor.get("/"), gateway.get("/")] {
        assert_eq!(response.set(), candidate.to_string());
        assert_eq!(cache_headers(&response), PUBLIC);
    }
    let list = gateway.admin_get("/api/v1/deployments");
    assert_eq!(
        (&list["live"], &list["rollouts"]),
        (&json!(candidate), &json!([]))
    );
    assert_eq!(gateway.admin_get("/api/v1/sections")[0]["candidate"], Value::Null);
    assert_eq!(
        gateway.admin_post(&target, &json!({})).status,
        409,
        "the rollout has ended"
    );
}

#[test]
fn promote_and_abort_require_canary() {
    let gateway = gateway_with("");
    let promote_and_abort = |number: u64| {
        ["promote", "abort"].map(|action| {
            let response = gateway.admin_post(&format!("/api/v1/deployments/{number}/{action}"), &json!({}));
            (
                response.status,
                response.json()["detail"].as_str().unwrap_or_default().to_owned(),
            )
        })
    };
    for (status, detail) in promote_and_abort(1) {
        assert_eq!(
            (status, &*detail),
            (409, "deployment 1 is not being rolled out: no rollout is running")
        );
    }
    start(&gateway, 10);
    for number in [1, 3, (1 << 53) - 1] {
        for (status, detail) in promote_and_abort(number) {
            let expected = format!(
                "deployment {number} is not being rolled out: {}",
                described("directory", 2, 10)
            );
            assert_eq!((status, detail), (409, expected));
        }
    }
    for body in [
        "{\"percent\":100}",
        "{\"percent\":\"10\"}",
        "{\"percent\":1.5}",
        "{\"share\":1}",
        "[",
    ] {
        let request = Request::new("POST", "/api/v1/deployments/2/promote").body(body);
        assert_eq!(gateway.admin_request(request).status, 400, "{body}");
    }
    assert_eq!(
        gateway.admin_get("/api/v1/deployments")["rollouts"][0]["percent"],
        10
    );
    let same = gateway.admin_post("/api/v1/deployments/2/promote", &json!({ "percent": 10 }));
    assert_eq!(same.json(), json!({ "number": 2, "live": false, "percent": 10 }));
    assert_eq!(
        gateway.admin_get("/api/v1/history")["entries"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn deploy_of_other_section_applies_to_live_and_canary() {
    let gateway = gateway_with("");
    let candidate = start(&gateway, 50);
    let (mut canary_visitor, mut live_visitor) = (visitor(&gateway, true), visitor(&gateway, false));
    assert_eq!(canary_visitor.get("/terms").status, 404);
    let response = gateway.post_deployment(&json!({ "releases": { "legal": "1.0.0" } }));
    assert_eq!(response.status, 201);
    let set = |directory: &str| json!({ "directory": directory, "legal": "1.0.0", "shell": "1.0.0" });
    assert_eq!(
        response.json(),
        json!({
            "number": candidate + 1, "releases": set("1.0.0"), "live": true,
            "rollouts": gateway.admin_get("/api/v1/deployments")["rollouts"], "url": "https://site.example",
            "paths": { "directory": "/", "legal": "/terms" }, "warnings": [],
        })
    );
    for (visitor, set, version) in [
        (
            &mut canary_visitor,
            format!("{}.{candidate}", candidate + 1),
            "2.0.0",
        ),
        (&mut live_visitor, (candidate + 1).to_string(), "1.0.0"),
    ] {
        assert_eq!(visitor.get("/terms").status, 200);
        let home = visitor.get("/");
        assert!(!home.has("set-cookie"), "the cookie stays valid");
        assert_eq!(home.set(), set);
        assert_eq!(home.boot()["page"]["section"]["version"], version);
    }

    for releases in [
        json!({ "directory": "1.0.0" }),
        json!({ "directory": null }),
        json!({ "directory": "2.0.0", "legal": null }),
    ] {
        let rejected = gateway.post_deployment(&json!({ "releases": releases }));
        assert_eq!(rejected.status, 409, "{releases}");
        assert_eq!(
            rejected.json()["detail"],
            format!(
                "{}; promote or abort it first",
                described("directory", candidate, 50)
            )
        );
    }
    set_percent(&gateway, candidate, 99);
    let done = gateway.admin_post(&format!("/api/v1/deployments/{candidate}/promote"), &json!({}));
    assert_eq!(done.json()["live"], true);
    assert_eq!(gateway.get("/terms").status, 200);
}

#[test]
fn http2_split_cookie_fields_are_read() {
    let gateway = gateway_with("");
    let candidate = start(&gateway, 50);
    // With these percentages a new group would almost always select the other set.
    for (percent, is_candidate, set) in [(1, true, with_candidate(candidate)), (99, false, "1".to_owned())] {
        set_percent(&gateway, candidate, percent);
        let cookie = format!(
            "__Host-colonnade-rollout={}",
            rollout_cookie(&gateway, &[is_candidate])
        );
        let fields = [("cookie", "a=1"), ("cookie", &*cookie), ("cookie", "b=2")];
        let response = Exchange::new(gateway.site, "GET", &fields).response();
        assert_eq!(response.set(), set);
    }
}
