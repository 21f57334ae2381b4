//! Deployments.

use serde_json::{Value, json};

use crate::support::{Gateway, Release, Request, Response};

fn deployments(gateway: &Gateway) -> Value {
    gateway
        .admin_request(Request::new("GET", "/api/v1/deployments"))
        .json()
}

/// The version of the section that serves a path.
fn version(gateway: &Gateway, path: &str) -> Value {
    gateway.get(path).boot()["page"]["section"]["version"].clone()
}

#[test]
fn deployment_is_live_when_response_arrives() {
    let gateway = Gateway::start_live("", &[]);
    assert_eq!(version(&gateway, "/"), "1.0.0");
    for minor in 1..=5 {
        let release = format!("1.{minor}.0");
        gateway.publish(&Release::section("directory", &release, &["/"]));
        let number = gateway.deploy(&json!({ "directory": release }));
        assert_eq!(number, minor + 1);
        let boot = gateway.get("/").boot();
        assert_eq!(
            (&boot["deployment"], &boot["page"]["section"]["version"]),
            (&json!(number.to_string()), &json!(release))
        );
    }
}

#[test]
fn response_lists_all_releases_and_unchanged_ones_do_nothing() {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section(
        "legal",
        "0.1.0",
        &["/terms/:country", "/terms"],
    ));
    let request = json!({ "releases": { "legal": "0.1.0" }, "reason": "terms" });
    let plan = gateway.admin_post("/api/v1/deployments/plan", &request).json();
    let added = json!({ "legal": { "from": null, "to": "0.1.0" } });
    assert_eq!(plan, json!({ "live": 1, "sections": added }));
    let unknown = json!({ "releases": { "legal": "9.0.0" } });
    let unknown = gateway.admin_post("/api/v1/deployments/plan", &unknown);
    assert_eq!(unknown.status, 422, "{}", unknown.text());
    let response = gateway.post_deployment(&request);
    let set = json!({ "directory": "1.0.0", "legal": "0.1.0", "shell": "1.0.0" });
    assert_eq!(response.status, 201);
    assert_eq!(
        response.json(),
        json!({
            "number": 2, "releases": set, "live": true, "rollouts": [], "url": "https://site.example", "warnings": [],
            "paths": { "directory": "/", "legal": "/terms" },
        })
    );

    let list = deployments(&gateway);
    assert_eq!(
        (&list["live"], &list["url"]),
        (&json!(2), &json!("https://site.example"))
    );
    let second = &list["deployments"][1];
    assert_eq!(
        (&second["number"], &second["releases"], &second["reason"]),
        (&json!(2), &set, &json!("terms"))
    );
    assert_eq!(second["by"], "name of token-for-everything");
    assert!(second["createdAt"].as_str().unwrap().ends_with('Z'));
    assert_eq!(list["deployments"][0]["reason"], Value::Null);

    // Nothing to change.
    for releases in [json!({ "directory": "1.0.0" }), json!({})] {
        let response = gateway.post_deployment(&json!({ "releases": releases }));
        assert_eq!((response.status, &response.json()["number"]), (200, &json!(2)));
    }
    assert_eq!(deployments(&gateway), list);
}

#[test]
fn conflicting_releases_are_rejected() {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("rival", "1.0.0", &["/", "/state/:other"]));
    let demanding = Release::section("demanding", "1.0.0", &["/d"])
        .with("shared", json!({ "left-pad": "^1.0.0", "react": "^20.0.0" }));
    gateway.publish(&demanding);
    let body = json!({ "releases": { "rival": "1.0.0", "demanding": "1.0.0" } });
    let response = gateway.post_deployment(&body);
    assert_eq!(response.status, 409);
    assert_eq!(response.header("content-type"), "application/problem+json");
    assert_eq!(
        response.json()["problems"],
        json!([
            "pattern `/` of directory and pattern `/` of rival collide",
            "pattern `/state/:state` of directory and pattern `/state/:other` of rival collide",
            "demanding@1.0.0 needs `left-pad` ^1.0.0; shell@1.0.0 does not provide it",
            "demanding@1.0.0 needs `react` ^20.0.0; shell@1.0.0 provides 19.1.0",
        ])
    );
    assert_eq!(deployments(&gateway)["live"], 1);
    assert_eq!(version(&gateway, "/"), "1.0.0");
}

#[test]
fn invalid_deployment_request_is_rejected() {
    let gateway = Gateway::start();
    let invalid = gateway.post_deployment(&json!({ "releases": { "x": "../.." } }));
    assert_eq!(invalid.status, 400);
    let problem = "`../..` is not a version";
    assert!(invalid.text().contains(problem), "{}", invalid.text());
    let unknown = gateway.post_deployment(&json!({ "releases": { "shell": "1.0.0", "x": "1.0.0" } }));
    assert_eq!(unknown.status, 422);
    assert_eq!(
        unknown.json()["problems"],
        json!(["shell@1.0.0 is not published", "x@1.0.0 is not published"])
    );
    gateway.publish(&Release::shell("2.0.0"));
    let rollout = json!({ "releases": { "shell": "2.0.0" }, "percent": 10 });
    assert_eq!(gateway.post_deployment(&rollout).status, 409, "nothing is live");
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    let without_shell = gateway.post_deployment(&json!({ "releases": { "legal": "1.0.0" } }));
    assert_eq!(
        (without_shell.status, without_shell.json()["problems"][0].as_str()),
        (409, Some("the deployment has no `shell`"))
    );
    for body in [
        "",
        "{",
        "[]",
        "{}",
        "{\"releases\":[]}",
        "{\"releases\":{},\"percent\":100}",
        "{\"releases\":{},\"percent\":-1}",
        "{\"releases\":{},\"share\":5}",
        "{\"releases\":{},\"reason\":\"two\\nlines\"}",
        "{\"releases\":{},\"reason\":\"two\\u2028lines\"}",
        "{\"releases\":{},\"reason\":\"\\u202eright to left\"}",
    ] {
        let response = gateway.admin_request(Request::new("POST", "/api/v1/deployments").body(body));
        assert_eq!(response.status, 400, "{body}");
    }
    let long = "x".repeat(70_000);
    assert_eq!(
        gateway
            .admin_request(Request::new("POST", "/api/v1/deployments").body(long))
            .status,
        413
    );
    assert_eq!(
        deployments(&gateway),
        json!({
            "live": null, "rollouts": [], "deployments": [], "sources": {}, "damaged": [], "next": null, "url": "https://site.example",
        })
    );
    assert_eq!(
        gateway.admin_get("/api/v1/history"),
        json!({ "entries": [], "sources": {}, "damaged": [], "next": null })
    );
}

#[test]
fn removing_absent_section_is_rejected() {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    let rejected_problems = |releases: Value| {
        let response = gateway.post_deployment(&json!({ "releases": releases }));
        assert_eq!(response.status, 422, "{}", response.text());
        response.json()["problems"].clone()
    };
    assert_eq!(
        rejected_problems(json!({ "nothing": null })),
        json!(["nothing cannot be removed: it is not in the live deployment"])
    );
    assert_eq!(
        rejected_problems(json!({ "legal": "1.0.0", "nothing": null, "neither": null })),
        json!([
            "neither cannot be removed: it is not in the live deployment",
            "nothing cannot be removed: it is not in the live deployment"
        ])
    );
    assert_eq!(deployments(&gateway)["deployments"].as_array().unwrap().len(), 1);
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    gateway.deploy(&json!({ "legal": null }));
    assert_eq!(
        rejected_problems(json!({ "legal": null })),
        json!(["legal cannot be removed: it is not in the live deployment"])
    );
    // The same holds during a rollout of another section.
    gateway.publish(&Release::section("directory", "2.0.0", &["/"]));
    gateway.post_deployment(&json!({ "releases": { "directory": "2.0.0" }, "percent": 10 }));
    assert_eq!(
        rejected_problems(json!({ "legal": null })),
        json!(["legal cannot be removed: it is not in the live deployment"])
    );
}

#[test]
fn invalid_member_or_parameter_is_rejected() {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("directory", "2.0.0", &["/"]));
    for (path, body) in [
        ("deployments", json!({ "releases": {}, "reason": null })),
        ("deployments", json!({ "releases": {}, "base": null })),
        ("deployments", json!({ "releases": {}, "percent": null })),
        ("previews", json!({ "deployment": 1, "releases": null })),
        ("previews", json!({ "deployment": 1, "reason": null })),
        ("rollback", json!({ "section": null })),
        ("garbage-collection", json!({ "reason": null })),
    ] {
        let response = gateway.admin_post(&format!("/api/v1/{path}"), &body);
        assert_eq!(response.status, 400, "{path} {body}");
    }
    for (path, problem) in [
        ("deployments/0/promote", "the number of a deployment"),
        ("deployments/x/abort", "the number of a deployment"),
        ("rollouts/Legal/abort", "`Legal` is not the name of a section"),
    ] {
        let response = gateway.admin_post(&format!("/api/v1/{path}"), &json!({}));
        assert_eq!(response.status, 400, "{path}");
        assert!(response.text().contains(problem), "{}", response.text());
    }
    let body = |percent| json!({ "releases": { "directory": "2.0.0" }, "percent": percent });
    let expected = "invalid request body: `percent` must be an integer from 0 to 99; \
                    omit it to make the deployment live for all visitors";
    for percent in [-1, 100, 256, i64::MIN, i64::MAX] {
        let response = gateway.post_deployment(&body(percent));
        assert_eq!(response.status, 400, "{percent}");
        let detail = response.json()["detail"].as_str().unwrap_or_default().to_owned();
        assert!(detail.starts_with(expected), "{detail}");
    }
    // A number without a fraction is an integer.
    let rollout = json!({ "releases": { "directory": "2.0.0" }, "base": 1.0, "percent": 99.0 });
    assert_eq!(gateway.post_deployment(&rollout).json()["percent"], 99);
    for percent in [-1, 100] {
        let response = gateway.admin_post("/api/v1/deployments/2/promote", &json!({ "percent": percent }));
        assert_eq!(response.status, 400, "{percent}");
        let detail = response.json()["detail"].as_str().unwrap_or_default().to_owned();
        assert!(detail.starts_with(expected), "{detail}");
    }
}

/// Deploys all sections concurrently, alternating between the gateways. Returns the responses.
fn deploy_concurrently(gateways: &[&Gateway], names: &[String], base: Option<u64>) -> Vec<Response> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = names
            .iter()
            .zip(gateways.iter().cycle())
            .map(|(name, gateway)| {
                let mut body = json!({ "releases": { name: "1.0.0" } });
                if let Some(base) = base {
                    body["base"] = json!(base);
                }
                scope.spawn(move || gateway.post_deployment(&body))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn concurrent_deploys_on_two_gateways_lose_nothing() {
    let gateway = Gateway::start_live("", &[]);
    let names: Vec<String> = (0..8).map(|number| format!("section-{number}")).collect();
    for name in &names {
        gateway.publish(&Release::section(name, "1.0.0", &[&format!("/{name}")]));
    }
    let other = gateway.start_another();
    let gateways = [&gateway, &other];

    // From the same base, one wins.
    let responses = deploy_concurrently(&gateways, &names, Some(1));
    let (accepted, rejected): (Vec<_>, Vec<_>) =
        responses.iter().partition(|response| response.status == 201);
    assert_eq!(accepted.len(), 1);
    let live = accepted[0].json()["number"].clone();
    for response in rejected {
        let problem = response.json();
        assert_eq!((response.status, &problem["live"]), (409, &live));
        let detail = format!("base deployment 1 is not live: deployment {live} is live");
        assert_eq!(problem["detail"], detail);
    }
    assert_eq!(deployments(&gateway)["live"], live);

    // Without a base, all take effect, one after the other.
    let responses = deploy_concurrently(&gateways, &names, None);
    let mut sizes = Vec::new();
    for response in responses.iter().filter(|response| response.status == 201) {
        sizes.push(response.json()["releases"].as_object().unwrap().len());
    }
    sizes.sort_unstable();
    assert_eq!(sizes, (4..11).collect::<Vec<_>>());
    let history = gateway.admin_get("/api/v1/history");
    assert_eq!(history, other.admin_get("/api/v1/history"));
    let entries = history["entries"].as_array().unwrap();
    let revisions: Vec<_> = entries.iter().map(|entry| entry["revision"].clone()).collect();
    assert_eq!(json!(revisions), json!([9, 8, 7, 6, 5, 4, 3, 2, 1]));
    for pair in entries.windows(2) {
        assert_eq!(pair[0]["before"], pair[1]["live"]);
    }
    for gateway in gateways {
        gateway.wait_until_live(entries[0]["live"].as_u64().unwrap());
        for name in &names {
            assert_eq!(gateway.get(&format!("/{name}")).status, 200, "{name}");
        }
    }
}
