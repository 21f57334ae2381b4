//! What operators decide about extensions: which are shown, in which order, and which are switched off.

use serde_json::{Value, json};

use crate::extensions::{ASIDE, BANNER, directory, gateway, section, shown};
use crate::support::preview::{create_preview_of, viewer};
use crate::support::{
    Browser, Gateway, Release, Request, Response, SCRIPT, configuration, integrity, rollout_cookie, token,
    wait_until,
};

/// The point of the pages of `directory`, in all its versions.
const POINT: &str = "directory/aside";

fn events(version: &str) -> Release {
    section("events", version).fills(ASIDE, 0)
}

/// What a page of `directory` shows a visitor in its point.
fn aside(visitor: &mut Browser) -> Value {
    let [mut page, _] = shown(visitor, "/state/Ohio");
    page[ASIDE].take()
}

/// Switches an extension of `events`.
fn switch_as(gateway: &Gateway, token: &str, (section, point): (&str, &str), on: bool) -> Response {
    let body = json!({ "section": section, "point": point, "on": on, "reason": "it flickers" });
    let request = Request::new("POST", "/api/v1/extensions").body(body.to_string());
    gateway.admin_request_as(token, request)
}

/// The members of each listed extension that name it and say whether it is shown.
fn listed(gateway: &Gateway) -> Vec<String> {
    let extensions = gateway.admin_get("/api/v1/extensions");
    let extensions = extensions.as_array().unwrap().iter();
    let text = |extension: &Value| {
        let members = ["section", "version", "point", "pointVersion", "live", "state"].map(|name| {
            let value = &extension[name];
            value.as_str().map_or_else(|| value.to_string(), str::to_owned)
        });
        members.join(" ")
    };
    extensions.map(text).collect()
}

fn left_out(gateway: &Gateway) -> Value {
    gateway.admin_get("/api/v1/gateway")["leftOutExtensions"].take()
}

#[test]
fn switched_off_extension_leaves_all_new_documents() {
    let tokens = token("events", &["events"], &["rollback"])
        + &token("page", &["directory"], &["rollback"])
        + &token("other", &["news"], &["rollback", "deploy"]);
    let news = section("news", "1.0.0").fills(ASIDE, 5);
    let gateway = gateway(&tokens, &[events("1.0.0"), news]);
    let second = gateway.start_another();
    gateway.publish(&events("2.0.0"));
    gateway.publish(&events("3.0.0"));
    let rollout = json!({ "releases": { "events": "2.0.0" }, "percent": 50 });
    assert_eq!(gateway.post_deployment(&rollout).status, 201);
    let mut candidate = Browser::new(gateway.site);
    candidate.set_cookie("__Host-colonnade-rollout", &rollout_cookie(&gateway, &[true]));
    let mut live = Browser::new(gateway.site);
    live.set_cookie("__Host-colonnade-rollout", &rollout_cookie(&gateway, &[false]));
    let mut preview = viewer(&gateway, &create_preview_of(&gateway, &json!({ "news": null })));
    assert_eq!(aside(&mut live), json!(["events@1.0.0"]));
    assert_eq!(aside(&mut candidate), json!(["events@2.0.0"]));
    assert_eq!(aside(&mut preview), json!(["events@1.0.0"]));

    let refused = switch_as(&gateway, "other", ("events", POINT), false);
    assert_eq!(refused.status, 403, "{}", refused.text());
    let unknown = switch_as(&gateway, "events", ("events", "shell/banner"), false);
    let detail = unknown.json()["detail"].to_string();
    assert_eq!(unknown.status, 404);
    assert!(
        detail.contains("no live release of `events` fills `shell/banner`"),
        "{detail}"
    );
    let versioned = switch_as(&gateway, "events", ("events", ASIDE), false);
    assert_eq!(versioned.status, 400, "{}", versioned.text());
    let off = |token| switch_as(&gateway, token, ("events", POINT), false).status;
    assert_eq!((off("events"), off("page")), (201, 200));

    for visitor in [&mut live, &mut candidate] {
        assert_eq!(aside(visitor), json!(["news@1.0.0"]));
    }
    assert_eq!(aside(&mut preview), Value::Null);
    let mut elsewhere = Browser::new(second.site);
    wait_until("the other gateway follows", || {
        aside(&mut elsewhere) == json!(["news@1.0.0"])
    });
    let newest =
        |query: &str| gateway.admin_get(&format!("/api/v1/history?limit=1{query}"))["entries"][0].take();
    let history = newest("");
    for (section, is_concerned) in [("events", true), ("directory", true), ("news", false)] {
        let change = newest(&format!("&section={section}"));
        assert_eq!(change == history, is_concerned, "{section}: {change}");
    }
    let extension = json!({ "section": "events", "point": POINT });
    assert_eq!(
        (
            &history["action"],
            &history["by"],
            &history["reason"],
            &history["extension"],
            &history["sections"]
        ),
        (
            &json!("extension-off"),
            &json!("name of events"),
            &json!("it flickers"),
            &extension,
            &json!({})
        ),
    );
    assert_eq!(
        listed(&gateway),
        [
            "news 1.0.0 directory/aside 1 true visible",
            "events 1.0.0 directory/aside 1 true off",
            "events 2.0.0 directory/aside 1 false off",
        ]
    );
    let listed_off = gateway.admin_get("/api/v1/extensions")[1]["off"].take();
    assert_eq!(
        (&listed_off["by"], &listed_off["reason"], &listed_off["at"]),
        (&history["by"], &history["reason"], &history["at"])
    );
    assert_eq!(
        left_out(&gateway),
        json!(["events@1.0.0 fills `directory/aside@1`, but is switched off"])
    );
    let logs = gateway.admin_get("/api/v1/sections/directory/logs").to_string();
    assert!(logs.contains("extension-off"), "{logs}");
    stays_off(&gateway);

    // With a place for both.
    let on = || switch_as(&gateway, "page", ("events", POINT), true);
    let refused = on();
    assert_eq!(refused.status, 409, "{}", refused.text());
    assert_eq!(
        refused.json()["problems"],
        json!([would_push_out("events@1.0.0 (order 0)", 1)])
    );
    assert_eq!(aside(&mut live), json!(["news@1.0.0"]));
    gateway.publish(&directory("2.0.0", 2));
    gateway.deploy(&json!({ "directory": "2.0.0" }));
    assert_eq!(on().status, 201);
    assert_eq!(aside(&mut live), json!(["events@1.0.0", "news@1.0.0"]));
}

/// The problem of a change after which these and no extension of `news` may be shown.
fn would_push_out(others: &str, max: u8) -> String {
    format!(
        "`directory/aside@1` would show {others} and not news@1.0.0 (order 5), which it shows now: its `max` is {max}; \
         set `order` or `allow` in `[extension_points.\"directory/aside\"]` of site.toml, or raise `max` in directory"
    )
}

/// A promotion, a deploy, a removal and rollbacks leave the extension of `events` switched off.
fn stays_off(gateway: &Gateway) {
    let off = "colonnade_extension_off{section=\"events\",extension_point=\"directory/aside\"}";
    let mut visitor = Browser::new(gateway.site);
    let rollback = ("/api/v1/rollback", json!({ "section": "events" }));
    for (target, body) in [
        ("/api/v1/rollouts/events/promote", json!({})),
        (
            "/api/v1/deployments",
            json!({ "releases": { "events": "3.0.0" } }),
        ),
        rollback.clone(),
        rollback,
    ] {
        gateway.admin_change(target, &body);
        assert_eq!(aside(&mut visitor), json!(["news@1.0.0"]), "{target}");
        assert_eq!(gateway.metric(off), 1);
    }
    gateway.deploy(&json!({ "events": null }));
    assert_eq!(gateway.metric(off), 0);
    assert_eq!(
        listed(gateway),
        [
            "news 1.0.0 directory/aside 1 true visible",
            "events null directory/aside null false off"
        ]
    );
    gateway.deploy(&json!({ "events": "1.0.0" }));
    assert_eq!(
        (aside(&mut visitor), gateway.metric(off)),
        (json!(["news@1.0.0"]), 1)
    );
}

#[test]
fn reload_orders_allows_and_limits_extensions() {
    let rules = |keys: &str| format!("[extension_points.\"{POINT}\"]\n{keys}\n");
    let sections = [
        events("1.0.0").fills(BANNER, 0),
        section("news", "1.0.0").fills(ASIDE, 5).fills(BANNER, 5),
    ];
    let gateway = gateway(&rules("order = [\"news\"]"), &sections);
    let mut visitor = Browser::new(gateway.site);
    assert_eq!(aside(&mut visitor), json!(["news@1.0.0"]));
    let etag = gateway.get("/").header("etag").to_owned();
    let changed = |etag: &str| {
        let request = Request::new("GET", "/").header("if-none-match", etag);
        gateway.site.send(request).status == 200
    };
    gateway.reload_and_wait(&configuration(&rules("order = [\"news\"]\nmax_script_kib = 1")));
    assert!(!changed(&etag));
    gateway.reload_and_wait(&configuration(&rules("allow = [\"events\", \"other\"]")));
    assert!(changed(&etag));
    assert_eq!(
        shown(&mut visitor, "/"),
        [
            json!({ ASIDE: ["events@1.0.0"] }),
            json!({ BANNER: ["events@1.0.0", "news@1.0.0"] })
        ]
    );
    let not_allowed = "news@1.0.0 fills `directory/aside@1`, but site.toml does not allow it";
    assert_eq!(left_out(&gateway), json!([not_allowed]));
    assert_eq!(
        listed(&gateway)[1],
        "news 1.0.0 directory/aside 1 true not-allowed"
    );
    let news = section("news", "2.0.0").fills(ASIDE, 0);
    let published = gateway.put_release("news", "2.0.0", news.archive());
    assert_eq!(
        published.json()["warnings"][0],
        not_allowed.replace("1.0.0", "2.0.0")
    );
    // The budget of a point applies to the whole extension.
    let script: String = (0..50).map(|number: u8| integrity(&[number])).collect();
    let large = events("2.0.0").bytes("client/page.js", SCRIPT, script);
    gateway.reload_and_wait(&configuration(&rules("max_script_kib = 1")));
    let rejected = gateway.put_release("events", "2.0.0", large.archive());
    let problems = rejected.json()["problems"].to_string();
    assert_eq!(rejected.status, 422, "{problems}");
    assert!(
        problems.contains("the extension of `directory/aside@1` loads")
            && problems.contains("extension_points"),
        "{problems}"
    );
    gateway.reload_and_wait(&configuration(""));
    gateway.publish(&large);
    assert_eq!(
        left_out(&gateway)[0],
        "`directory/aside@1` shows 1 extension; news@1.0.0 (order 5) is left out"
    );
}

#[test]
fn deploy_that_pushes_out_an_extension_is_refused() {
    let gateway = gateway("", &[section("news", "1.0.0").fills(ASIDE, 5)]);
    let mut visitor = Browser::new(gateway.site);
    let published = gateway.put_release("events", "1.0.0", events("1.0.0").archive());
    let problem = would_push_out("events@1.0.0 (order 0)", 1);
    let warnings = published.json()["warnings"].to_string();
    assert!(
        warnings.contains(&json!(format!("a deploy now would be rejected: {problem}")).to_string()),
        "{warnings}"
    );
    for share in [json!(null), json!(10)] {
        let mut body = json!({ "releases": { "events": "1.0.0" } });
        if share.is_number() {
            body["percent"] = share;
        }
        for target in ["/api/v1/deployments", "/api/v1/deployments/plan"] {
            let refused = gateway.admin_post(target, &body);
            assert_eq!(refused.status, 409, "{}", refused.text());
            assert_eq!(refused.json()["problems"], json!([problem]));
        }
    }
    assert_eq!(aside(&mut visitor), json!(["news@1.0.0"]));

    // With a place for both, and a rollback that takes it away.
    let both = json!({ "events": "1.0.0", "directory": "2.0.0" });
    gateway.publish(&directory("2.0.0", 2));
    gateway.deploy(&both);
    assert_eq!(aside(&mut visitor), json!(["events@1.0.0", "news@1.0.0"]));
    gateway.admin_change("/api/v1/rollback", &json!({ "section": "directory" }));
    assert_eq!(aside(&mut visitor), json!(["events@1.0.0"]));

    // A candidate that started while the other extension was off.
    gateway.deploy(&json!({ "events": null }));
    let switch = |on| {
        let body = json!({ "section": "news", "point": POINT, "on": on });
        gateway.admin_change("/api/v1/extensions", &body);
    };
    switch(false);
    let rollout = json!({ "releases": { "events": "1.0.0" }, "percent": 10 });
    assert_eq!(gateway.post_deployment(&rollout).status, 201);
    switch(true);
    let promoted = gateway.admin_post("/api/v1/rollouts/events/promote", &json!({}));
    assert_eq!(promoted.status, 409, "{}", promoted.text());
    assert_eq!(promoted.json()["problems"], json!([problem]));
}

#[test]
fn rollouts_that_together_push_out_an_extension_are_refused() {
    let news = section("news", "1.0.0").fills(ASIDE, 5);
    let gateway = gateway("", &[directory("2.0.0", 3), news]);
    let start = |name: &str| {
        gateway.publish(&section(name, "1.0.0").fills(ASIDE, 0));
        gateway.post_deployment(&json!({ "releases": { name: "1.0.0" }, "percent": 99 }))
    };
    assert_eq!(["a", "b"].map(|name| start(name).status), [201, 201]);
    let refused = start("c");
    assert_eq!(refused.status, 409, "{}", refused.text());
    let others = "a@1.0.0 (order 0), b@1.0.0 (order 0), c@1.0.0 (order 0)";
    assert_eq!(refused.json()["problems"], json!([would_push_out(others, 3)]));
    let published = gateway.put_release("c", "1.0.0", section("c", "1.0.0").fills(ASIDE, 0).archive());
    let warnings = published.json()["warnings"].to_string();
    assert!(warnings.contains("a deploy now would be rejected"), "{warnings}");
    gateway.admin_change("/api/v1/rollouts/a/promote", &json!({}));
}
