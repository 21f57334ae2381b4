//! The recent errors of a section.

use serde_json::{Value, json};

use crate::support::{Gateway, Request, render_count, rendered_section, rendering_gateway, wait_until};

/// Throws an error with the path of the request, or exceeds the memory limit.
const FAILING: &str = "class SectionError extends Error {}
export default { page: (path) => {
  if (path.endsWith('memory')) { const all = []; for (;;) all.push(new Array(100000).fill(path)); }
  throw new SectionError(`private ${path}`);
} };";

fn errors(gateway: &Gateway, section: &str) -> Vec<Value> {
    let mut answer = gateway.admin_get(&format!("/api/v1/sections/{section}/errors"));
    assert!(answer["since"].is_string());
    for error in answer["errors"].as_array_mut().unwrap() {
        let (first, last) = (error["firstSeen"].take(), error["lastSeen"].take());
        assert!(first.as_str().unwrap() <= last.as_str().unwrap(), "{error}");
        let error = error.as_object_mut().unwrap();
        error.remove("firstSeen");
        error.remove("lastSeen");
    }
    answer["errors"].as_array().unwrap().clone()
}

fn report(gateway: &Gateway, body: &Value) -> u16 {
    let request = Request::new("POST", "/_report")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/json");
    gateway.site.send(request.body(body.to_string())).status
}

#[test]
fn failed_renders_of_visitors_are_counted_without_message() {
    let gateway = rendering_gateway("", FAILING);
    assert_eq!(errors(&gateway, "attack"), Vec::<Value>::new());
    for path in ["/attack/ann", "/attack/bob", "/attack/memory"] {
        assert_eq!(gateway.get(path).status, 200);
    }
    let error = |cause: &str, class: Value, position: Value, count: u64| {
        json!({
            "section": "attack", "version": "1.0.0", "page": "/attack/:x", "extensionPoint": null,
            "source": "gateway", "cause": cause, "class": class, "position": position, "count": count,
        })
    };
    let mut found = errors(&gateway, "attack");
    found.sort_by_key(|error| error["count"].as_u64());
    let expected = [
        error("memory_limit", Value::Null, Value::Null, 1),
        error("exception", json!("SectionError"), json!("section:4:37"), 2),
    ];
    assert_eq!(found, expected);
    assert_eq!(errors(&gateway, "healthy"), Vec::<Value>::new());
    let response = gateway.admin_request(Request::new("GET", "/api/v1/sections/attack/errors"));
    for private in ["private", "ann", "bob"] {
        assert!(!response.text().contains(private), "{private}");
    }
}

/// The causes of a section's errors, with their counts.
fn causes(gateway: &Gateway, section: &str) -> Vec<(String, u64)> {
    let cause = |error: &Value| {
        let cause = error["cause"].as_str().unwrap().to_owned();
        (cause, error["count"].as_u64().unwrap())
    };
    errors(gateway, section).iter().map(cause).collect()
}

#[test]
fn render_over_deadline_and_limit_is_counted_once() {
    let gateway = rendering_gateway(
        "[render]\nworkers = 1\ndeadline_ms = 100\ncpu_limit_ms = 500\n",
        "export default { page: () => { for (;;); } };",
    );
    assert_eq!(gateway.get("/attack/x").status, 200);
    gateway.wait_for_event(|line| line["event"] == "render_failed");
    assert_eq!(causes(&gateway, "attack"), [("cpu_limit".to_owned(), 1)]);
}

#[test]
fn page_rendered_after_the_deadline_is_counted() {
    let gateway = rendering_gateway(
        "[render]\nworkers = 1\ndeadline_ms = 50\ncpu_limit_ms = 60000\n",
        "export default { page: () => { let n = 0; for (let i = 0; i < 3e6; i++) n += i; return `${n}`; } };",
    );
    let mut number = 0;
    wait_until("a late page is counted", || {
        number += 1;
        assert_eq!(gateway.get(&format!("/attack/{number}")).status, 200);
        causes(&gateway, "attack")
            .iter()
            .any(|(cause, _)| cause == "deadline_exceeded")
    });
}

#[test]
fn renders_without_a_visitor_are_not_counted() {
    let gateway = rendering_gateway("", FAILING);
    let module =
        "export default { page: (path) => { if (path.endsWith('b')) throw new Error(); return path; } };";
    let pages = |paths: &[&str]| {
        let paths: Vec<_> = paths
            .iter()
            .map(|path| json!({ "path": path, "indexable": true }))
            .collect();
        json!([{ "pattern": "/late/:x", "assets": [], "paths": paths }])
    };
    for (version, paths, status) in [
        ("1.0.0", ["/late/b", "/late/a"], 422),
        ("2.0.0", ["/late/a", "/late/b"], 201),
    ] {
        gateway.publish(&rendered_section("late", version, "/late/:x", module).with("pages", pages(&paths)));
        let response = gateway.post_deployment(&json!({ "releases": { "late": version } }));
        assert_eq!(response.status, status, "{}", response.text());
    }
    // Two renders without a visitor failed: the trial render of 1.0.0, and a render of 2.0.0 that warmed the cache.
    assert!(render_count(&gateway, "late", "exception") > 0);
    assert_eq!(errors(&gateway, "late"), Vec::<Value>::new());
}

#[test]
fn reported_errors_are_counted_by_page_cause_and_position() {
    let gateway = Gateway::start_live("", &[]);
    let body = |phase: &str, page: Option<&str>| {
        let mut body =
            json!({ "deployment": "1", "release": "directory@1.0.0", "phase": phase, "error": "TypeError" });
        if let Some(page) = page {
            body["page"] = json!(page);
        }
        body
    };
    let at = |position: &str| {
        let mut body = body("load", None);
        body["position"] = json!(position);
        body
    };
    for accepted in [
        body("render", Some("/state/:state")),
        body("render", Some("/state/:state")),
        body("load", None),
        at("page.js:1:7"),
        at("page.js:01:+7"),
    ] {
        assert_eq!(report(&gateway, &accepted), 204);
    }
    assert_eq!(report(&gateway, &body("render", Some("/state/texas"))), 400);
    let error = |cause: &str, page: Value, position: Value, count: u64| {
        json!({
            "section": "directory", "version": "1.0.0", "page": page, "extensionPoint": null, "source": "browser", "cause": cause,
            "class": "TypeError", "position": position, "count": count,
        })
    };
    let mut found = errors(&gateway, "directory");
    found.sort_by_key(|error| (error["count"].as_u64(), error["position"].is_string()));
    let expected = [
        error("load", Value::Null, Value::Null, 1),
        error("render", json!("/state/:state"), Value::Null, 2),
        error("load", Value::Null, json!("client/page.js:1:7"), 2),
    ];
    assert_eq!(found, expected);

    // Any known token can read them.
    let request = || Request::new("GET", "/api/v1/sections/directory/errors");
    assert_eq!(gateway.send_admin(request()).status, 401);
    assert_eq!(
        gateway
            .admin_request_as("token-to-deploy-legal", request())
            .status,
        200
    );
    // Of one client, 20 reports count.
    for number in 0..25 {
        let mut body = body("load", None);
        body["error"] = json!(format!("Forged{number}"));
        assert_eq!(report(&gateway, &body), 204);
    }
    let counts = errors(&gateway, "directory");
    let counts = counts.iter().map(|error| error["count"].as_u64().unwrap());
    assert_eq!(counts.sum::<u64>(), 20);
}
