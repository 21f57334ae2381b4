//! Client error reports and canary analysis.

use std::net::Ipv4Addr;

use serde_json::{Value, json};

use crate::support::{Browser, Gateway, Release, Request, Response, attack, rollout_cookie, wait_until};

/// Thresholds small enough for a test.
const SMALL_THRESHOLDS: &str = "[rollout]\nmin_views = 4\nmin_clients = 3\nabort_margin_percent = 5\n";

/// A gateway that rolls out deployment 2, with `directory` 2.0.0, to half of the visitors.
fn gateway(extra: &str) -> Gateway {
    let gateway = Gateway::start_live(extra, &[]);
    gateway.publish(&Release::section("directory", "2.0.0", &["/"]));
    let body = json!({ "releases": { "directory": "2.0.0" }, "percent": 50 });
    assert_eq!(gateway.post_deployment(&body).status, 201);
    gateway
}

fn post(body: impl Into<Vec<u8>>) -> Request {
    Request::new("POST", "/_report")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/json")
        .body(body)
}

/// An error report about `directory` in a set.
fn failure(deployment: &str, error: &str) -> Value {
    let version = if deployment == "1" { "1.0.0" } else { "2.0.0" };
    json!({
        "deployment": deployment, "release": format!("directory@{version}"), "phase": "render", "error": error,
    })
}

/// Sends a report without a cookie.
fn report(gateway: &Gateway, client: u8, failure: &Value) -> Response {
    report_from(&mut browser(gateway, client), failure)
}

/// Sends a report of a client whom these of the running rollouts include.
fn report_with(gateway: &Gateway, client: u8, included: &[bool], failure: &Value) -> Response {
    report_from(&mut visitor(gateway, client, included), failure)
}

/// Sends a report of a client that the only rollout includes.
fn report_candidate(gateway: &Gateway, client: u8, failure: &Value) {
    report_with(gateway, client, &[true], failure);
}

fn report_from(browser: &mut Browser, failure: &Value) -> Response {
    let response = browser.send(post(failure.to_string()));
    assert_eq!(response.status, 204, "{}", response.text());
    assert_eq!(
        (response.header("cache-control"), response.body.len()),
        ("no-store", 0)
    );
    response
}

/// Sends the document of a set to a client, during one rollout.
fn view(gateway: &Gateway, client: u8, set: &str) {
    let response = visitor(gateway, client, &[set != "1"]).get("/");
    assert_eq!(response.boot()["deployment"], set);
}

/// Sends documents of the live deployment to so many clients that chance does not explain three failures with the rollout.
fn view_live(gateway: &Gateway) {
    for client in 131..=220 {
        view(gateway, client, "1");
    }
}

fn browser(gateway: &Gateway, client: u8) -> Browser {
    Browser::new(gateway.site.with_source_ip(Ipv4Addr::new(127, 0, 1, client)))
}

/// A client whom these of the running rollouts include.
fn visitor(gateway: &Gateway, client: u8, included: &[bool]) -> Browser {
    let mut browser = browser(gateway, client);
    browser.set_cookie("__Host-colonnade-rollout", &rollout_cookie(gateway, included));
    browser
}

/// The automatic aborts in the history.
fn aborts(gateway: &Gateway) -> Vec<Value> {
    let history = gateway.admin_get("/api/v1/history");
    let entries = history["entries"].as_array().unwrap().iter();
    entries
        .filter(|entry| entry["action"] == "automatic-abort")
        .cloned()
        .collect()
}

fn wait_for_abort(gateway: &Gateway) -> Value {
    let event =
        gateway.wait_for_event(|line| line["event"] == "deployment_changed" && line["by"] == "gateway");
    assert_eq!(event["level"], "WARN");
    let count = "colonnade_changes_total{action=\"automatic_abort\",outcome=\"succeeded\"}";
    wait_until("the abort is counted", || gateway.metric(count) == 1);
    let aborts = aborts(gateway);
    assert_eq!(aborts.len(), 1);
    aborts[0].clone()
}

/// The error reports logged so far.
fn logged_failures(gateway: &Gateway) -> Vec<Value> {
    // Log lines are written in order, so all earlier events precede this request's.
    gateway.request_event(&gateway.get("/healthz"));
    let lines = gateway.output();
    let events = lines
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    events
        .filter(|event| event["event"] == "client_error_reported")
        .collect()
}

#[test]
fn cross_origin_report_is_rejected() {
    let gateway = gateway("");
    let body = failure("1.2", "TypeError").to_string();
    for headers in [
        &[][..],
        &[
            ("sec-fetch-site", "cross-site"),
            ("origin", "https://site.example"),
        ],
        &[("sec-fetch-site", "same-site")],
        &[("sec-fetch-site", "none")],
        &[("origin", "https://evil.example"), ("host", "site.example")],
        &[("origin", "null"), ("host", "site.example")],
    ] {
        let mut request = Request::new("POST", "/_report").header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let response = gateway.site.send(request.body(body.clone()));
        assert_eq!(response.status, 403, "{headers:?}");
        assert!(response.json()["error"].is_string());
    }
    let request = Request::new("POST", "/_report")
        .header("host", "site.example")
        .header("origin", "https://site.example")
        .body(body);
    assert_eq!(gateway.site.send(request).status, 204);
    for method in ["GET", "HEAD", "PUT", "DELETE"] {
        let response = gateway.site.send(Request::new(method, "/_report"));
        assert_eq!(
            (response.status, response.header("allow")),
            (405, "POST, OPTIONS")
        );
    }
}

#[test]
fn invalid_report_is_rejected() {
    let gateway = gateway("");
    let valid = failure("1.2", "TypeError");
    let with = |field: &str, value: Value| {
        let mut report = valid.clone();
        report[field] = value;
        report.to_string()
    };
    for body in [
        String::new(),
        "{".to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        with("deployment", json!("99")),
        with("deployment", json!("1.99")),
        with("deployment", json!("2")),
        with("deployment", json!(1)),
        with("release", json!("directory")),
        with("release", json!("directory@9.9.9")),
        with("release", json!("directory@1.0.0")),
        with("release", json!("unknown@2.0.0")),
        with("release", json!("directory@2.0.0@")),
        with("phase", json!("marked-phase")),
        with("url", json!("https://site.example/marked")),
        with("page", json!("/marked")),
        with("page", json!("/state/texas")),
        with("extensionPoint", json!("shell/marked@1")),
        with("extensionPoint", json!("marked")),
        with("position", json!("")),
        with("position", json!("marked")),
        with("position", json!("marked.js:1:1")),
        with("position", json!("page.js:1")),
        with("position", json!("page.js:1:1:1")),
        with("position", json!("page.js:0:1")),
        with("position", json!("page.js:1:0")),
        with("position", json!("page.js:1:-1")),
        with("position", json!("page.js:1:4294967296")),
        with("position", json!("page.js:9999:9999")),
        with("position", json!("client/page.js:1:1")),
        with("position", json!("../client/page.js:1:1")),
        with(
            "position",
            json!("https://site.example/assets/directory/2.0.0/page.js:1:1"),
        ),
        with("position", json!(["page.js", 1, 1])),
        with("error", json!(1)),
        with("error", Value::Null),
    ] {
        assert_eq!(gateway.site.send(post(body.clone())).status, 400, "{body}");
    }
    assert_eq!(gateway.site.send(post("x".repeat(1025))).status, 413);
    let padded = format!("{valid}{}", " ".repeat(1024 - valid.to_string().len()));
    let response = gateway.site.send(post(padded));
    assert_eq!(response.status, 204, "exactly 1 KiB is accepted");
    gateway.request_event(&response);
    assert_eq!(logged_failures(&gateway).len(), 1);
    assert!(!gateway.output().contains("marked"));
}

#[test]
fn report_logs_only_listed_error_classes() {
    let gateway = gateway("");
    let long = "x".repeat(900);
    let unlisted = [
        "",
        " ",
        "marked word",
        "marked\nevent",
        "marked\u{0}",
        "<marked>",
        "MarkedError",
        "märked",
        "\u{202e}dekram",
        "{\"marked\":1}",
        "visitor@marked.example",
        "typeerror",
        "TypeError ",
        &long,
    ];
    for (client, error) in (1..).zip(unlisted) {
        gateway.request_event(&report(&gateway, client, &failure("1.2", error)));
    }
    let listed: Vec<String> =
        serde_json::from_str(include_str!("../../tests/tables/error-classes.json")).unwrap();
    for (client, error) in (101..).zip(&listed) {
        gateway.request_event(&report(&gateway, client, &failure("1.2", error)));
    }
    let mut logged = logged_failures(&gateway);
    let classes: Vec<_> = logged.iter().map(|event| event["error_class"].clone()).collect();
    let mut expected = vec![json!("Other"); unlisted.len()];
    expected.extend(listed.iter().map(|class| json!(class)));
    assert_eq!(classes, expected);
    let errors = gateway.admin_get("/api/v1/sections/directory/errors");
    for text in [gateway.output(), errors.to_string()] {
        assert!(!text.contains("arked") && !text.contains(&long), "{text}");
    }
    let mut counted = errors["errors"].as_array().unwrap().iter();
    assert_eq!(counted.len(), 1 + listed.len());
    let other = counted.find(|error| error["class"] == "Other").unwrap();
    assert_eq!(other["count"], unlisted.len());

    let logged = logged[0].as_object_mut().unwrap();
    logged.remove("timestamp");
    logged.remove("request_id");
    assert_eq!(
        json!(logged),
        json!({
            "level": "WARN", "event": "client_error_reported", "deployment": "1.2", "release": "directory@2.0.0",
            "phase": "Render", "error_class": "Other",
        })
    );
}

#[test]
fn report_log_is_limited_per_client() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        for client in [1, 1, 2, 1, 2, 1, 3] {
            gateway.request_event(&report(&gateway, client, &failure("1", "TypeError")));
        }
    });
    assert_eq!(logged_failures(&gateway).len(), 3);
}

#[test]
fn failing_canary_is_aborted() {
    let gateway = gateway(SMALL_THRESHOLDS);
    for client in 1..=4 {
        view(&gateway, client, "1.2");
    }
    view_live(&gateway);
    for client in [1, 1, 1, 2] {
        report_candidate(&gateway, client, &failure("1.2", "TypeError"));
    }
    assert_eq!(
        gateway.admin_get("/api/v1/deployments")["rollouts"][0]["deployment"],
        2,
        "two clients are below the minimum"
    );
    report_candidate(&gateway, 3, &failure("1.2", "ChunkLoadError"));
    let abort = wait_for_abort(&gateway);
    assert_eq!(
        (&abort["by"], &abort["candidate"], &abort["live"]),
        (&json!("gateway"), &json!(2), &json!(1))
    );
    assert_eq!(
        abort["reason"],
        "75.0 % of 4 clients with the rollout's releases failed, and 0.0 % of 90 without"
    );
    assert_eq!(
        abort["sections"],
        json!({ "directory": { "from": "2.0.0", "to": "1.0.0" } })
    );
    let response = gateway.get("/");
    assert_eq!(response.boot()["deployment"], "1");
    assert!(!response.has("set-cookie"));
    // Late reports are accepted, but change nothing.
    report(&gateway, 4, &failure("1.2", "TypeError"));
    assert_eq!(aborts(&gateway).len(), 1);
}

#[test]
fn reports_from_clients_without_document_are_ignored() {
    let gateway = gateway(SMALL_THRESHOLDS);
    for client in 1..=4 {
        view(&gateway, client, "1.2");
    }
    view(&gateway, 5, "1");
    view_live(&gateway);
    for client in 100..=120 {
        report_candidate(&gateway, client, &failure("1.2", "TypeError"));
    }
    // Reports of clients that saw the other deployment are ignored, too.
    report_candidate(&gateway, 5, &failure("1.2", "TypeError"));
    // Reports need a cookie of the set.
    for client in 1..=4 {
        report(&gateway, client, &failure("1.2", "TypeError"));
        report_with(&gateway, client, &[false], &failure("1.2", "TypeError"));
    }
    for client in 1..=3 {
        assert_eq!(
            gateway.admin_get("/api/v1/deployments")["rollouts"][0]["deployment"],
            2
        );
        report_candidate(&gateway, client, &failure("1.2", "TypeError"));
    }
    let abort = wait_for_abort(&gateway);
    assert_eq!(
        abort["reason"],
        "75.0 % of 4 clients with the rollout's releases failed, and 0.0 % of 91 without"
    );
}

#[test]
fn canary_analysis_continues_after_other_section_deploy() {
    let gateway = gateway(SMALL_THRESHOLDS);
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    for client in 1..=4 {
        view(&gateway, client, "1.2");
    }
    view_live(&gateway);
    assert_eq!(gateway.deploy(&json!({ "legal": "1.0.0" })), 3);
    for client in 1..=3 {
        report_candidate(&gateway, client, &failure("3.2", "TypeError"));
    }
    assert_eq!(wait_for_abort(&gateway)["candidate"], 2);
    assert_eq!(gateway.get("/terms").boot()["deployment"], "3");
}

#[test]
fn reports_never_change_live_deployment() {
    let gateway = gateway(SMALL_THRESHOLDS);
    for client in 1..=9 {
        view(&gateway, client, "1");
        report(&gateway, client, &failure("1", "TypeError"));
    }
    assert_eq!(
        gateway
            .admin_post("/api/v1/deployments/2/promote", &json!({}))
            .status,
        200
    );
    for client in 1..=9 {
        report(&gateway, client, &failure("2", "TypeError"));
    }
    let list = gateway.admin_get("/api/v1/deployments");
    assert_eq!((&list["live"], &list["rollouts"]), (&json!(2), &json!([])));
    assert_eq!(aborts(&gateway), Vec::<Value>::new());
}

#[test]
fn boot_payload_contains_report_sample_rate() {
    let of = |extra: &str| Gateway::start_live(extra, &[]).get("/").boot()["reports"].clone();
    assert_eq!(of(""), json!({ "samplePercent": 100 }));
    assert_eq!(
        of("[rollout]\nreport_sample_percent = 7\n"),
        json!({ "samplePercent": 7 })
    );
}
