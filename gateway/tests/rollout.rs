//! Rollouts: a share of the visitors sees a candidate, each of them one deployment whole.

use serde_json::{Value, json};

use crate::support::{Browser, Exchange, Gateway, Release, Request, Response};

/// The pages of `directory`.
const PAGES: [&str; 3] = ["/", "/state/:state", "/signup"];

/// A gateway with `directory` 1.0.0 live, and 2.0.0 of it and 1.0.0 of `legal` published.
fn gateway_with(extra: &str) -> Gateway {
    let gateway = Gateway::start_live(extra, &[]);
    gateway.publish(&Release::section("directory", "2.0.0", &PAGES).slot("join"));
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    gateway
}

/// Starts a rollout of `directory` 2.0.0; the candidate's number comes back.
fn start(gateway: &Gateway, percent: u8) -> u64 {
    let answer =
        gateway.post_deployment(&json!({ "releases": { "directory": "2.0.0" }, "percent": percent }));
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.json()["number"].as_u64().unwrap()
}

fn share(gateway: &Gateway, number: u64, percent: u8) {
    let answer = gateway.tell(
        &format!("/api/v1/deployments/{number}/promote"),
        &json!({ "percent": percent }),
    );
    assert_eq!(
        answer.json(),
        json!({ "number": number, "live": false, "percent": percent })
    );
}

fn rollout_id(gateway: &Gateway) -> String {
    let state = std::fs::read(gateway.store().join("live.json")).unwrap();
    let state: Value = serde_json::from_slice(&state).unwrap();
    state["rollout"]["id"].as_str().unwrap().to_owned()
}

/// A visitor who drew this number.
fn visitor(gateway: &Gateway, draw: u32) -> Browser {
    let mut browser = Browser::new(gateway.site);
    browser.set_cookie("colonnade-rollout", &format!("{}.{draw}", rollout_id(gateway)));
    browser
}

fn deployment(answer: &Response) -> u64 {
    answer.boot()["deployment"].as_u64().unwrap()
}

/// Which visitors see the candidate.
fn who_sees(candidate: u64, visitors: &mut [Browser]) -> Vec<bool> {
    let visitors = visitors.iter_mut();
    visitors
        .map(|visitor| deployment(&visitor.get("/")) == candidate)
        .collect()
}

#[test]
fn a_larger_share_adds_visitors_and_moves_none_back() {
    const VISITORS: u32 = 400;
    let gateway = gateway_with("");
    let candidate = start(&gateway, 0);
    let mut visitors: Vec<Browser> = (0..VISITORS).map(|_| Browser::new(gateway.site)).collect();
    let mut before = who_sees(candidate, &mut visitors);
    assert!(!before.contains(&true), "none is none");
    let mut seen_by = Vec::new();
    for percent in [1, 10, 50, 99] {
        share(&gateway, candidate, percent);
        let now = who_sees(candidate, &mut visitors);
        assert_eq!(
            now,
            who_sees(candidate, &mut visitors),
            "a visitor stays where they are"
        );
        assert!(before.iter().zip(&now).all(|(before, now)| now >= before));
        let count = now.iter().map(|is| u32::from(*is)).sum::<u32>();
        let (expected, chance) = (
            f64::from(VISITORS) * f64::from(percent) / 100.0,
            f64::from(percent) / 100.0,
        );
        // Six standard deviations, and a little for the few of one percent.
        let error = 6.0 * (expected * (1.0 - chance)).sqrt() + 4.0;
        assert!(
            (f64::from(count) - expected).abs() < error,
            "{count} at {percent} %"
        );
        seen_by.push(now.clone());
        before = now;
    }
    share(&gateway, candidate, 10);
    assert_eq!(
        who_sees(candidate, &mut visitors),
        seen_by[1],
        "a smaller share is who it was"
    );
}

#[test]
fn a_share_is_exact_at_its_border() {
    let gateway = gateway_with("");
    let candidate = start(&gateway, 50);
    let sees = |draw: u32| deployment(&visitor(&gateway, draw).get("/")) == candidate;
    assert!(sees(0) && sees(u32::MAX / 2));
    assert!(!sees(u32::MAX / 2 + 1) && !sees(u32::MAX));
    share(&gateway, candidate, 0);
    assert!(!sees(0));
}

#[test]
fn a_visitor_sees_one_deployment_whole() {
    let gateway = gateway_with("");
    let candidate = start(&gateway, 50);
    for (draw, number, version) in [(0, candidate, "2.0.0"), (u32::MAX, 1, "1.0.0")] {
        let mut visitor = visitor(&gateway, draw);
        for path in ["/", "/state/Ohio", "/signup", "/nowhere"] {
            let document = visitor.get(path);
            let html = document.text();
            assert_eq!(deployment(&document), number, "{path}");
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
        let page = visitor.get(&format!("/_page/{number}?path=%2Fstate%2FOhio"));
        assert_eq!(page.json(), visitor.get("/state/Ohio").boot()["page"]);
    }
}

/// Cache-Control and Vary of a document.
fn kept_by(answer: &Response) -> (&str, &str) {
    (answer.header("cache-control"), answer.header("vary"))
}

const EVERYBODY: (&str, &str) = ("no-cache", "Accept-Encoding");
const VISITOR: (&str, &str) = ("private, no-cache", "Accept-Encoding, Cookie");

#[test]
fn documents_are_the_visitors_own_only_while_a_rollout_runs() {
    let gateway = gateway_with("");
    let is_plain = |answer: &Response| kept_by(answer) == EVERYBODY && !answer.has("set-cookie");
    assert!(is_plain(&gateway.get("/")));

    let candidate = start(&gateway, 10);
    let id = rollout_id(&gateway);
    for path in ["/", "/state/Ohio", "/nowhere"] {
        let answer = gateway.get(path);
        assert_eq!(kept_by(&answer), VISITOR);
        let cookie = answer.header("set-cookie");
        let draw = cookie
            .strip_prefix(&format!("colonnade-rollout={id}."))
            .and_then(|rest| rest.strip_suffix("; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure"))
            .unwrap_or_else(|| panic!("{cookie}"));
        assert!(draw.parse::<u32>().is_ok(), "{cookie}");
        let mut browser = visitor(&gateway, draw.parse().unwrap());
        let again = browser.get(path);
        assert_eq!(deployment(&again), deployment(&answer));
        assert!(!again.has("set-cookie"), "who has drawn does not draw again");
        assert_eq!(kept_by(&again), VISITOR);
    }
    for target in [
        "/assets/directory/2.0.0/page.js",
        &format!("/_page/{candidate}?path=%2F"),
        "/robots.txt",
        "/sitemap.xml",
        "/state/Ohio/",
        "/healthz",
    ] {
        let answer = gateway.get(target);
        assert!(!answer.has("set-cookie"), "{target}");
        assert!(
            !answer.all("vary").iter().any(|vary| vary.contains("Cookie")),
            "{target}"
        );
    }

    let answer = gateway.tell(&format!("/api/v1/deployments/{candidate}/abort"), &json!({}));
    assert_eq!(answer.json(), json!({ "number": candidate, "live": 1 }));
    assert!(is_plain(&gateway.get("/")));
}

#[test]
fn a_draw_that_is_none_is_drawn_anew() {
    let gateway = gateway_with("");
    start(&gateway, 50);
    let id = rollout_id(&gateway);
    for value in [
        String::new(),
        id.clone(),
        format!("{id}."),
        format!("{id}.-1"),
        format!("{id}.4294967296"),
        format!("{id}.1.1"),
        "0000000000000000.0".to_owned(),
        "https://evil.example/".to_owned(),
    ] {
        let mut browser = Browser::new(gateway.site);
        browser.set_cookie("colonnade-rollout", &value);
        assert!(browser.get("/").has("set-cookie"), "{value}");
        assert!(!browser.get("/").has("set-cookie"), "{value}");
    }
}

#[test]
fn each_rollout_draws_its_visitors_anew() {
    let gateway = gateway_with("");
    let first = start(&gateway, 50);
    let mut browser = visitor(&gateway, 0);
    assert_eq!(deployment(&browser.get("/")), first);
    gateway.tell(&format!("/api/v1/deployments/{first}/abort"), &json!({}));
    start(&gateway, 50);
    let answer = browser.get("/");
    let cookie = format!("colonnade-rollout={}.", rollout_id(&gateway));
    assert!(answer.header("set-cookie").starts_with(&cookie));
}

#[test]
fn promoting_puts_the_candidate_live_for_everybody() {
    let gateway = gateway_with("");
    let candidate = start(&gateway, 10);
    let sections = gateway.ask("/api/v1/sections");
    assert_eq!(
        (&sections[0]["live"], &sections[0]["candidate"]),
        (&json!("1.0.0"), &json!("2.0.0"))
    );
    let rollout = &gateway.ask("/api/v1/deployments")["rollout"];
    assert_eq!(
        (&rollout["deployment"], &rollout["percent"]),
        (&json!(candidate), &json!(10))
    );

    let mut late = visitor(&gateway, u32::MAX);
    assert_eq!(deployment(&late.get("/")), 1);
    let target = format!("/api/v1/deployments/{candidate}/promote");
    let answer = gateway.tell(&target, &json!({ "reason": "it does well" }));
    assert_eq!(answer.json(), json!({ "number": candidate, "live": true }));
    for answer in [late.get("/"), gateway.get("/")] {
        assert_eq!(deployment(&answer), candidate);
        assert_eq!(kept_by(&answer), EVERYBODY);
    }
    let list = gateway.ask("/api/v1/deployments");
    assert_eq!(
        (&list["live"], &list["rollout"]),
        (&json!(candidate), &Value::Null)
    );
    assert_eq!(gateway.ask("/api/v1/sections")[0]["candidate"], Value::Null);
    assert_eq!(gateway.tell(&target, &json!({})).status, 409, "it is over");
}

#[test]
fn only_the_candidate_is_promoted_or_aborted() {
    let gateway = gateway_with("");
    let ways = |number: u64| {
        ["promote", "abort"].map(|way| {
            let answer = gateway.tell(&format!("/api/v1/deployments/{number}/{way}"), &json!({}));
            (
                answer.status,
                answer.json()["detail"].as_str().unwrap_or_default().to_owned(),
            )
        })
    };
    for (status, detail) in ways(1) {
        assert_eq!(
            (status, &*detail),
            (
                409,
                "deployment 1 is not the candidate of a rollout: no rollout runs"
            )
        );
    }
    start(&gateway, 10);
    for number in [1, 3, u64::MAX] {
        for (status, detail) in ways(number) {
            let expected = format!("deployment {number} is not the candidate of a rollout: deployment 2 is");
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
        assert_eq!(gateway.operate(request).status, 400, "{body}");
    }
    assert_eq!(gateway.ask("/api/v1/deployments")["rollout"]["percent"], 10);
    let same = gateway.tell("/api/v1/deployments/2/promote", &json!({ "percent": 10 }));
    assert_eq!(same.json(), json!({ "number": 2, "live": false, "percent": 10 }));
    assert_eq!(
        gateway.ask("/api/v1/history")["entries"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn one_rollout_runs_at_a_time_and_from_something() {
    let gateway = gateway_with("");
    start(&gateway, 10);
    let second = gateway.post_deployment(&json!({ "releases": { "legal": "1.0.0" }, "percent": 10 }));
    assert_eq!(second.status, 409);
    assert_eq!(
        second.json()["detail"],
        "a rollout of deployment 2 runs; promote or abort it first"
    );
    let empty = Gateway::start();
    empty.publish(&Release::shell("1.0.0"));
    let first = empty.post_deployment(&json!({ "releases": { "shell": "1.0.0" }, "percent": 10 }));
    assert_eq!(first.status, 409);
}

#[test]
fn a_deploy_of_another_section_reaches_live_and_candidate() {
    let gateway = gateway_with("");
    let candidate = start(&gateway, 50);
    let (mut early, mut late) = (visitor(&gateway, 0), visitor(&gateway, u32::MAX));
    assert_eq!(early.get("/terms").status, 404);
    let answer = gateway.post_deployment(&json!({ "releases": { "legal": "1.0.0" } }));
    assert_eq!(answer.status, 201);
    let set = |directory: &str| json!({ "directory": directory, "legal": "1.0.0", "shell": "1.0.0" });
    assert_eq!(
        answer.json(),
        json!({
            "number": candidate + 1, "releases": set("1.0.0"), "live": true,
            "candidate": { "number": candidate + 2, "releases": set("2.0.0") },
        })
    );
    for (visitor, number, version) in [
        (&mut early, candidate + 2, "2.0.0"),
        (&mut late, candidate + 1, "1.0.0"),
    ] {
        assert_eq!(visitor.get("/terms").status, 200);
        let home = visitor.get("/");
        assert!(!home.has("set-cookie"), "the draw still holds");
        assert_eq!(deployment(&home), number);
        assert_eq!(home.boot()["page"]["section"]["version"], version);
    }

    for releases in [
        json!({ "directory": "1.0.0" }),
        json!({ "directory": null }),
        json!({ "directory": "2.0.0", "legal": null }),
    ] {
        let refused = gateway.post_deployment(&json!({ "releases": releases }));
        assert_eq!(refused.status, 409, "{releases}");
        assert_eq!(
            refused.json()["detail"],
            "`directory` is being rolled out with deployment 4; promote or abort it first"
        );
    }
    share(&gateway, candidate + 2, 99);
    let done = gateway.tell(
        &format!("/api/v1/deployments/{}/promote", candidate + 2),
        &json!({}),
    );
    assert_eq!(done.json()["live"], true);
    assert_eq!(gateway.get("/terms").status, 200);
}

#[test]
fn cookies_in_fields_of_their_own_are_read_over_http2() {
    let gateway = gateway_with("");
    let candidate = start(&gateway, 50);
    // So that whoever draws anew hardly ever sees what is expected.
    for (percent, draw, number) in [(1, 0, candidate), (99, u32::MAX, 1)] {
        share(&gateway, candidate, percent);
        let cookie = format!("colonnade-rollout={}.{draw}", rollout_id(&gateway));
        let fields = [("cookie", "a=1"), ("cookie", &*cookie), ("cookie", "b=2")];
        let answer = Exchange::new(gateway.site, "GET", &fields).response();
        assert_eq!(deployment(&answer), number);
    }
}

#[test]
fn a_browser_that_has_the_document_of_its_own_deployment_is_told_so() {
    let gateway = gateway_with("");
    start(&gateway, 50);
    let (mut early, mut late) = (visitor(&gateway, 0), visitor(&gateway, u32::MAX));
    let tags = [&mut early, &mut late].map(|visitor| visitor.get("/").header("etag").to_owned());
    assert_ne!(tags[0], tags[1]);
    for (visitor, own, other) in [(&mut early, &tags[0], &tags[1]), (&mut late, &tags[1], &tags[0])] {
        let mut ask = |tag: &str| visitor.send(Request::new("GET", "/").header("if-none-match", tag));
        let known = ask(own);
        assert_eq!(known.status, 304);
        assert_eq!(kept_by(&known), VISITOR);
        assert_eq!(ask(other).status, 200);
    }
}

#[test]
fn a_refused_sign_up_is_shown_by_the_visitors_deployment() {
    let gateway = gateway_with("");
    let candidate = start(&gateway, 50);
    let form = || {
        Request::new("POST", "/functions/v1/signup")
            .header("sec-fetch-site", "same-origin")
            .header("content-type", "application/x-www-form-urlencoded")
            .body("email=visitor%40example.com&password=123456&age=")
    };
    for (draw, number, version) in [(0, candidate, "2.0.0"), (u32::MAX, 1, "1.0.0")] {
        let answer = visitor(&gateway, draw).send(form());
        assert_eq!((answer.status, answer.header("cache-control")), (422, "no-store"));
        assert_eq!(deployment(&answer), number);
        assert_eq!(answer.boot()["page"]["section"]["version"], version);
        assert!(!answer.has("set-cookie"));
        assert_eq!(gateway.event_of(&answer)["deployment"], number);
    }
    // Who has not drawn yet stays on what they are shown.
    let mut new = Browser::new(gateway.site);
    let shown = deployment(&new.send(form()));
    assert!(new.cookie("colonnade-rollout").is_some());
    assert_eq!(deployment(&new.get("/")), shown);
}
