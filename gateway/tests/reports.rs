//! Failures that browsers report, and what they do to a rollout.

use std::net::Ipv4Addr;

use serde_json::{Value, json};

use crate::support::{Browser, Gateway, Release, Request, Response, attack};

/// So few that a test can have them.
const SMALL: &str = "[rollout]\nminimum_views = 4\nminimum_clients = 3\nmargin_percent = 5\n";

/// A gateway on which deployment 2 is rolled out to half of the visitors: 2.0.0 of `directory`.
fn gateway(extra: &str) -> Gateway {
    let gateway = Gateway::start_live(extra, &[]);
    gateway.publish(&Release::section("directory", "2.0.0", &["/"]));
    let wish = json!({ "releases": { "directory": "2.0.0" }, "percent": 50 });
    assert_eq!(gateway.post_deployment(&wish).status, 201);
    gateway
}

fn post(body: impl Into<Vec<u8>>) -> Request {
    Request::new("POST", "/_report")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/json")
        .body(body)
}

/// A failure of `directory` in a deployment.
fn failure(deployment: u64, error: &str) -> Value {
    let version = if deployment == 1 { "1.0.0" } else { "2.0.0" };
    json!({
        "deployment": deployment, "release": format!("directory@{version}"), "phase": "render", "error": error,
    })
}

fn report(gateway: &Gateway, client: u8, failure: &Value) -> Response {
    let site = gateway.site.coming_from(Ipv4Addr::new(127, 0, 1, client));
    let answer = site.send(post(failure.to_string()));
    assert_eq!(answer.status, 204, "{}", answer.text());
    assert_eq!(
        (answer.header("cache-control"), answer.body.len()),
        ("no-store", 0)
    );
    answer
}

/// A client is sent the document of one side.
fn view(gateway: &Gateway, client: u8, deployment: u64) {
    let state = std::fs::read(gateway.store().join("live.json")).unwrap();
    let state: Value = serde_json::from_slice(&state).unwrap();
    let id = state["rollout"]["id"].as_str().unwrap();
    let draw = if deployment == 1 { u32::MAX } else { 0 };
    let mut browser = Browser::new(gateway.site.coming_from(Ipv4Addr::new(127, 0, 1, client)));
    browser.set_cookie("colonnade-rollout", &format!("{id}.{draw}"));
    assert_eq!(browser.get("/").boot()["deployment"], deployment);
}

/// The automatic aborts there were.
fn aborts(gateway: &Gateway) -> Vec<Value> {
    let history = gateway.ask("/api/v1/history");
    let entries = history["entries"].as_array().unwrap().iter();
    entries
        .filter(|entry| entry["action"] == "automatic-abort")
        .cloned()
        .collect()
}

fn wait_for_abort(gateway: &Gateway) -> Value {
    gateway.wait_for(|line| line["event"] == "changed" && line["by"] == "gateway");
    let aborts = aborts(gateway);
    assert_eq!(aborts.len(), 1);
    aborts[0].clone()
}

/// All that were logged until now.
fn failures_logged(gateway: &Gateway) -> Vec<Value> {
    // Lines come together before they are written, in their order.
    gateway.event_of(&gateway.get("/healthz"));
    let lines = gateway.output();
    let events = lines
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    events
        .filter(|event| event["event"] == "section_failed")
        .collect()
}

#[test]
fn only_this_sites_own_pages_report() {
    let gateway = gateway("");
    let body = failure(2, "TypeError").to_string();
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
        let answer = gateway.site.send(request.body(body.clone()));
        assert_eq!(answer.status, 403, "{headers:?}");
        assert!(answer.json()["error"].is_string());
    }
    let request = Request::new("POST", "/_report")
        .header("host", "site.example")
        .header("origin", "https://site.example")
        .body(body);
    assert_eq!(gateway.site.send(request).status, 204);
    for method in ["GET", "HEAD", "PUT", "DELETE"] {
        let answer = gateway.site.send(Request::new(method, "/_report"));
        assert_eq!((answer.status, answer.header("allow")), (405, "POST, OPTIONS"));
    }
}

#[test]
fn what_is_no_report_about_this_site_is_refused() {
    let gateway = gateway("");
    let sound = failure(2, "TypeError");
    let with = |field: &str, value: Value| {
        let mut report = sound.clone();
        report[field] = value;
        report.to_string()
    };
    for body in [
        String::new(),
        "{".to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        with("deployment", json!(99)),
        with("deployment", json!("2")),
        with("release", json!("directory")),
        with("release", json!("directory@9.9.9")),
        with("release", json!("directory@1.0.0")),
        with("release", json!("unknown@2.0.0")),
        with("release", json!("directory@2.0.0@")),
        with("phase", json!("marked-phase")),
        with("url", json!("https://site.example/marked")),
    ] {
        assert_eq!(gateway.site.send(post(body.clone())).status, 400, "{body}");
    }
    assert_eq!(gateway.site.send(post("x".repeat(1025))).status, 413);
    let padded = format!("{sound}{}", " ".repeat(1024 - sound.to_string().len()));
    let answer = gateway.site.send(post(padded));
    assert_eq!(answer.status, 204, "1 KiB is not too long");
    gateway.event_of(&answer);
    assert_eq!(failures_logged(&gateway).len(), 1);
    assert!(!gateway.output().contains("marked"));
}

#[test]
fn only_names_of_classes_reach_the_log() {
    let gateway = gateway("");
    let long = "x".repeat(65);
    for error in [
        "",
        " ",
        "a b",
        "marked\nevent",
        "marked\r",
        "marked\u{0}",
        "<marked>",
        "marked-error",
        "marked.error",
        "märked",
        "\u{202e}dekram",
        "{\"marked\":1}",
        "marked()",
        "visitor@example.com",
        &long,
    ] {
        let answer = gateway.site.send(post(failure(2, error).to_string()));
        assert_eq!(answer.status, 400, "{error:?}");
        gateway.event_of(&answer);
    }
    assert_eq!(failures_logged(&gateway), Vec::<Value>::new());
    assert!(!gateway.output().contains("marked") && !gateway.output().contains(&long));

    let longest = format!("$_{}", "x".repeat(62));
    gateway.event_of(&report(&gateway, 1, &failure(2, &longest)));
    let mut logged = failures_logged(&gateway);
    let logged = logged[0].as_object_mut().unwrap();
    logged.remove("timestamp");
    assert_eq!(
        json!(logged),
        json!({
            "level": "WARN", "event": "section_failed", "deployment": 2, "release": "directory@2.0.0",
            "phase": "Render", "class": longest,
        })
    );
}

#[test]
fn a_client_is_one_line_a_minute() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        for client in [1, 1, 2, 1, 2, 1, 3] {
            gateway.event_of(&report(&gateway, client, &failure(1, "TypeError")));
        }
    });
    assert_eq!(failures_logged(&gateway).len(), 3);
}

#[test]
fn a_candidate_that_fails_is_taken_back() {
    let gateway = gateway(SMALL);
    for client in 1..=4 {
        view(&gateway, client, 2);
    }
    for client in 11..=14 {
        view(&gateway, client, 1);
    }
    for client in [1, 1, 1, 2] {
        report(&gateway, client, &failure(2, "TypeError"));
    }
    assert_eq!(
        gateway.ask("/api/v1/deployments")["rollout"]["deployment"],
        2,
        "two clients are too few"
    );
    report(&gateway, 3, &failure(2, "ChunkLoadError"));
    let abort = wait_for_abort(&gateway);
    assert_eq!(
        (&abort["by"], &abort["candidate"], &abort["live"]),
        (&json!("gateway"), &json!(2), &json!(1))
    );
    assert_eq!(
        abort["reason"],
        "it failed for 75.0 % of 4 clients, what is live for 0.0 % of 4"
    );
    assert_eq!(
        abort["sections"],
        json!({ "directory": { "from": "2.0.0", "to": "1.0.0" } })
    );
    let answer = gateway.get("/");
    assert_eq!(answer.boot()["deployment"], 1);
    assert!(!answer.has("set-cookie"));
    // Whoever still has its document is heard, and changes nothing.
    report(&gateway, 4, &failure(2, "TypeError"));
    assert_eq!(aborts(&gateway).len(), 1);
}

#[test]
fn what_live_fails_with_too_is_not_held_against_a_candidate() {
    let gateway = gateway(SMALL);
    for client in 1..=4 {
        view(&gateway, client, 2);
        view(&gateway, client, 1);
    }
    for client in 1..=3 {
        report(&gateway, client, &failure(1, "TypeError"));
        report(&gateway, client, &failure(2, "TypeError"));
    }
    // 100 % and 75 %.
    report(&gateway, 4, &failure(2, "TypeError"));
    let abort = wait_for_abort(&gateway);
    assert_eq!(
        abort["reason"],
        "it failed for 100.0 % of 4 clients, what is live for 75.0 % of 4"
    );
}

#[test]
fn reports_of_those_who_were_sent_no_document_count_nothing() {
    let gateway = gateway(SMALL);
    for client in 1..=4 {
        view(&gateway, client, 2);
    }
    view(&gateway, 5, 1);
    for stranger in 100..=120 {
        report(&gateway, stranger, &failure(2, "TypeError"));
    }
    // Nor do those of somebody who saw the other side.
    report(&gateway, 5, &failure(2, "TypeError"));
    for client in 1..=3 {
        assert_eq!(gateway.ask("/api/v1/deployments")["rollout"]["deployment"], 2);
        report(&gateway, client, &failure(2, "TypeError"));
    }
    let abort = wait_for_abort(&gateway);
    assert_eq!(
        abort["reason"],
        "it failed for 75.0 % of 4 clients, what is live for 0.0 % of 1"
    );
}

#[test]
fn a_deploy_of_another_section_does_not_end_the_judging() {
    let gateway = gateway(SMALL);
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    for client in 1..=4 {
        view(&gateway, client, 2);
    }
    assert_eq!(gateway.deploy(&json!({ "legal": "1.0.0" })), 3);
    for client in 1..=3 {
        report(&gateway, client, &failure(4, "TypeError"));
    }
    assert_eq!(wait_for_abort(&gateway)["candidate"], 4);
    assert_eq!(gateway.get("/terms").boot()["deployment"], 3);
}

#[test]
fn live_is_never_touched() {
    let gateway = gateway(SMALL);
    for client in 1..=9 {
        view(&gateway, client, 1);
        report(&gateway, client, &failure(1, "TypeError"));
    }
    assert_eq!(
        gateway.tell("/api/v1/deployments/2/promote", &json!({})).status,
        200
    );
    for client in 1..=9 {
        report(&gateway, client, &failure(2, "TypeError"));
    }
    let list = gateway.ask("/api/v1/deployments");
    assert_eq!((&list["live"], &list["rollout"]), (&json!(2), &Value::Null));
    assert_eq!(aborts(&gateway), Vec::<Value>::new());
}

#[test]
fn one_line_leaves_it_to_people() {
    let gateway = gateway(&format!("{SMALL}automatic_abort = false\n"));
    for client in 1..=9 {
        view(&gateway, client, 2);
        report(&gateway, client, &failure(2, "TypeError"));
    }
    assert_eq!(gateway.ask("/api/v1/deployments")["rollout"]["deployment"], 2);
    assert_eq!(
        gateway.tell("/api/v1/deployments/2/abort", &json!({})).status,
        200
    );
    assert_eq!(aborts(&gateway), Vec::<Value>::new());
    assert_eq!(failures_logged(&gateway).len(), 9, "they are heard all the same");
}

#[test]
fn documents_say_how_much_is_reported() {
    let of = |extra: &str| Gateway::start_live(extra, &[]).get("/").boot()["reports"].clone();
    assert_eq!(of(""), json!({ "samplePercent": 100 }));
    assert_eq!(
        of("[rollout]\nsample_percent = 7\n"),
        json!({ "samplePercent": 7 })
    );
}
