//! The log of a section.

use std::thread;

use serde_json::{Value, json};

use crate::support::{
    Gateway, Release, Request, authorized, rendered_section, rendering_gateway, token, with_timeout,
};

const BROKEN: &str = "export default { page: () => { throw new Error('broken'); } };";

fn entries(gateway: &Gateway, section: &str, query: &str) -> Vec<Value> {
    let logs = gateway.admin_get(&format!("/api/v1/sections/{section}/logs{query}"));
    logs["entries"].as_array().unwrap().clone()
}

/// The kinds of entries, with the action of changes.
fn kinds(entries: &[Value]) -> Vec<String> {
    let kind = |entry: &Value| match entry["change"]["action"].as_str() {
        Some(action) => action.to_owned(),
        None => entry["kind"].as_str().unwrap().to_owned(),
    };
    entries.iter().map(kind).collect()
}

/// The kinds of entries, with the action that each trial render is part of.
fn kinds_and_actions(entries: &[Value]) -> Vec<(String, Value)> {
    let actions = entries.iter().map(|entry| entry["action"].clone());
    kinds(entries).into_iter().zip(actions).collect()
}

/// A section whose only page lists a path and throws.
fn broken_section(version: &str) -> Release {
    rendered_section("attack", version, "/attack", BROKEN).with_paths(&["/attack"])
}

#[test]
fn publish_trial_and_deploy_are_logged() {
    let gateway = rendering_gateway("", "export default { page: (path) => path };");
    let before = entries(&gateway, "attack", "");
    assert_eq!(kinds(&before), ["published", "deploy"]);
    let last = before.last().unwrap()["id"].as_u64().unwrap();
    gateway.publish(&broken_section("2.0.0"));
    assert_eq!(
        gateway
            .post_deployment(&json!({ "releases": { "attack": "2.0.0" } }))
            .status,
        422
    );
    assert_eq!(
        gateway
            .admin_post("/api/v1/previews", &json!({ "releases": { "attack": "2.0.0" } }))
            .status,
        422
    );
    let found = entries(&gateway, "attack", &format!("?after={last}"));
    let trial = |action: &str| ["trial-started", "trial-failed"].map(|kind| (kind.to_owned(), json!(action)));
    let trials = ["publish", "deploy", "preview"].map(trial).concat();
    assert_eq!(
        kinds_and_actions(&found),
        [vec![("published".to_owned(), Value::Null)], trials].concat()
    );
    let failed = &found[2];
    assert_eq!(
        (&failed["release"], &failed["by"]),
        (&json!("attack@2.0.0"), &Value::Null)
    );
    let problem = "rendering /attack (page /attack of attack@2.0.0) failed: broken\n  at page (section:1:42)";
    assert_eq!(failed["problems"], json!([problem]));
    let passes = "export default { page: (path) => path };";
    gateway.publish(&rendered_section("late", "1.0.0", "/late", passes).with_paths(&["/late"]));
    assert_eq!(
        kinds(&entries(&gateway, "late", "")),
        ["published", "trial-started", "trial-passed"]
    );
    // The log of another section has no such entry.
    assert_eq!(kinds(&entries(&gateway, "healthy", "")), ["published", "deploy"]);
}

#[test]
fn rejected_publish_is_logged_with_problems() {
    let gateway = Gateway::start();
    let release = Release::section("directory", "1.0.0", &["/"]);
    let mut json = release.json();
    json["entry"] = json!("client/absent.js");
    let rejected = gateway.put_release("directory", "1.0.0", release.archive_with_json(&json));
    assert_eq!(rejected.status, 422);
    let invalid = gateway.put_release("directory", "1.0.0", "x");
    assert_eq!(invalid.status, 400);
    let found = entries(&gateway, "directory", "");
    assert_eq!(kinds(&found), ["publish-rejected", "publish-rejected"]);
    assert_eq!(found[0]["problems"], rejected.json()["problems"]);
    assert_eq!(found[0]["by"], "name of token-for-everything");
    assert_eq!(found[1]["problems"], json!([invalid.json()["detail"]]));
    for query in [
        "after=-1",
        "after=x",
        "wait=31",
        "wait=",
        "follow",
        "after=1&after=2",
    ] {
        let target = format!("/api/v1/sections/directory/logs?{query}");
        let response = gateway.admin_request(Request::new("GET", &target));
        assert_eq!(response.status, 400, "{query}");
    }
}

#[test]
fn changes_concern_only_changed_sections() {
    let gateway = Gateway::start().with_live_site();
    gateway.publish(&Release::section("directory", "2.0.0", &["/"]));
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    let post = |target: &str, body: Value| gateway.admin_change(target, &body);
    post(
        "/api/v1/deployments",
        json!({ "releases": { "directory": "2.0.0" }, "percent": 10, "reason": "a test" }),
    );
    post("/api/v1/deployments/2/promote", json!({ "percent": 50 }));
    post("/api/v1/deployments/2/abort", json!({}));
    post(
        "/api/v1/deployments",
        json!({ "releases": { "directory": "2.0.0" }, "percent": 10 }),
    );
    post("/api/v1/deployments/3/promote", json!({}));
    post("/api/v1/rollback", json!({ "section": "directory" }));
    let found = entries(&gateway, "directory", "");
    assert_eq!(
        kinds(&found),
        [
            "published",
            "deploy",
            "published",
            "rollout",
            "percent",
            "abort",
            "rollout",
            "promote",
            "rollback"
        ]
    );
    let history = gateway.admin_get("/api/v1/history");
    let (newest, rollback) = (&history["entries"][0], &found.last().unwrap()["change"]);
    assert_eq!(newest, rollback);
    assert_eq!(found[3]["change"]["reason"], "a test");
    assert_eq!(kinds(&entries(&gateway, "legal", "")), ["published"]);
}

#[test]
fn change_at_another_gateway_is_logged() {
    let gateway = Gateway::start_live("", &[]);
    let other = gateway.start_another();
    gateway.publish(&Release::section("directory", "2.0.0", &["/"]));
    gateway.deploy(&json!({ "directory": "2.0.0" }));
    // Waits until the other gateway has polled the store.
    let found = entries(&other, "directory", "?wait=30");
    assert_eq!(kinds(&found), ["deploy"]);
}

#[test]
fn waiting_reader_gets_next_entry() {
    let gateway = Gateway::start();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| entries(&gateway, "directory", "?wait=30"));
        gateway.publish(&Release::section("directory", "1.0.0", &["/"]));
        assert_eq!(kinds(&waiting.join().unwrap()), ["published"]);
    });
    assert_eq!(entries(&gateway, "legal", "?wait=1"), Vec::<Value>::new());
}

#[test]
fn shutdown_ends_waiting_reader() {
    // The gateway also reads requests after the signal, so either can come first.
    let mut gateway = Gateway::start_with("[limits]\nshutdown_delay_ms = 1000\n", &[]);
    let admin = gateway.admin;
    let waiting =
        thread::spawn(move || admin.send(authorized(Request::new("GET", "/api/v1/sections/x/logs?wait=30"))));
    gateway.signal("TERM");
    let response = with_timeout("the response", || waiting.join().unwrap());
    assert_eq!(response.status, 503, "{}", response.text());
    assert_eq!(gateway.wait_for_exit().code(), Some(0));
    assert!(!gateway.output().contains("drain_timeout"));
}

#[test]
fn problems_are_only_for_the_team() {
    let tokens = [
        token("team", &["attack"], &["preview"]),
        token("other-team", &["healthy"], &["publish", "deploy", "preview"]),
        token("collector", &["*"], &["metrics"]),
    ];
    let gateway = rendering_gateway(&tokens.concat(), "export default { page: (path) => path };");
    gateway.publish(&broken_section("2.0.0"));
    let request = || Request::new("GET", "/api/v1/sections/attack/logs");
    assert_eq!(gateway.send_admin(request()).status, 401);
    for (token, sees_problems) in [("team", true), ("other-team", false), ("collector", false)] {
        let response = gateway.admin_request_as(token, request());
        assert_eq!(response.status, 200);
        assert!(response.text().contains("trial-failed"), "{token}");
        assert_eq!(response.text().contains("broken"), sees_problems, "{token}");
    }
}
