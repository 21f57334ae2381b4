//! What the console reads besides the live state: traffic, releases and the gateway itself.

use serde_json::{Value, json};

use crate::support::{Browser, Gateway, Release, Request, rollout_cookie, wait_until};

/// The sum of a field over the points of a series.
fn sum(gateway: &Gateway, track: &str, field: &str) -> u64 {
    let page = gateway.admin_get("/api/v1/traffic?minutes=10");
    let series = page["series"].as_array().unwrap().iter();
    let own = series.filter(|series| series["section"] == "directory" && series["track"] == track);
    let points = own.flat_map(|series| series["points"].as_array().unwrap());
    points.map(|point| point[field].as_u64().unwrap()).sum()
}

fn report(gateway: &Gateway, deployment: &str, version: &str) {
    let failure = json!({
        "deployment": deployment, "release": format!("directory@{version}"), "phase": "render", "error": "Error",
    });
    let request = Request::new("POST", "/_report")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/json");
    let response = gateway.site.send(request.body(failure.to_string()));
    assert_eq!(response.status, 204, "{}", response.text());
}

#[test]
fn traffic_is_counted_by_section_and_track() {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("directory", "2.0.0", &["/"]));
    let body = json!({ "releases": { "directory": "2.0.0" }, "percent": 50 });
    assert_eq!(gateway.post_deployment(&body).status, 201);
    for (is_candidate, count) in [(false, 3), (true, 2)] {
        let mut browser = Browser::new(gateway.site);
        browser.set_cookie(
            "__Host-colonnade-rollout",
            &rollout_cookie(&gateway, &[is_candidate]),
        );
        for _ in 0..count {
            assert_eq!(browser.get("/").status, 200);
        }
    }
    report(&gateway, "1", "1.0.0");
    report(&gateway, "1.2", "2.0.0");
    report(&gateway, "1.2", "2.0.0");
    // Neither assets nor the operator's requests count.
    assert_eq!(gateway.get("/robots.txt").status, 200);
    let all = |track: &str| ["requests", "errors", "failures"].map(|field| sum(&gateway, track, field));
    wait_until("all requests are counted", || {
        all("live")[0] == 3 && all("candidate")[0] == 2
    });
    assert_eq!((all("live"), all("candidate")), ([3, 0, 1], [2, 0, 2]));
}

#[test]
fn traffic_of_a_day_has_long_steps() {
    let gateway = Gateway::start();
    let page = gateway.admin_get("/api/v1/traffic?minutes=1440");
    assert_eq!((&page["step"], &page["series"]), (&json!(8), &json!([])));
    for query in ["minutes=0", "minutes=1441", "minutes=x", "other=1"] {
        let request = Request::new("GET", &format!("/api/v1/traffic?{query}"));
        assert_eq!(gateway.admin_request(request).status, 400, "{query}");
    }
}

#[test]
fn release_lists_files_and_what_pages_load() {
    let gateway = Gateway::start_live("", &[]);
    let release = gateway.admin_get("/api/v1/sections/directory/releases/1.0.0");
    let files = release["files"].as_array().unwrap();
    let total: u64 = files.iter().map(|file| file["bytes"].as_u64().unwrap()).sum();
    let sections = gateway.admin_get("/api/v1/sections");
    let directory = sections.as_array().unwrap().iter();
    let directory = directory
        .into_iter()
        .find(|section| section["name"] == "directory")
        .unwrap();
    assert_eq!(directory["releases"][0]["bytes"], total);
    let pages: Vec<&Value> = release["pages"].as_array().unwrap().iter().collect();
    assert_eq!(pages.len(), 3);
    for page in pages {
        for path in page["files"].as_array().unwrap() {
            assert!(files.iter().any(|file| file["path"] == *path), "{path}");
        }
    }
    let missing = Request::new("GET", "/api/v1/sections/directory/releases/9.0.0");
    assert_eq!(gateway.admin_request(missing).status, 404);
}

#[test]
fn gateway_describes_itself() {
    let gateway = Gateway::start();
    assert_eq!(
        gateway.admin_get("/api/v1/gateway")["status"],
        "no-live-deployment"
    );
    let gateway = gateway.with_live_site();
    let state = gateway.admin_get("/api/v1/gateway");
    assert_eq!(
        (&state["status"], &state["revision"]),
        (&json!("ready"), &json!(1))
    );
    assert!(state["version"].as_str().unwrap().starts_with("0."), "{state}");
    std::fs::remove_file(gateway.store().join("live.json")).unwrap();
    wait_until("the loss is reported", || {
        let state = gateway.admin_get("/api/v1/gateway");
        let problem = state["problems"][0].as_str().unwrap_or_default();
        state["status"] == "degraded" && problem.starts_with("the store cannot be read since ")
    });
}
