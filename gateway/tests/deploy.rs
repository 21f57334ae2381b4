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
            (&json!(number), &json!(release))
        );
    }
}

#[test]
fn response_lists_all_releases() {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section(
        "legal",
        "0.1.0",
        &["/terms/:country", "/terms"],
    ));
    let response = gateway.post_deployment(&json!({ "releases": { "legal": "0.1.0" }, "reason": "terms" }));
    let set = json!({ "directory": "1.0.0", "legal": "0.1.0", "shell": "1.0.0" });
    assert_eq!(response.status, 201);
    assert_eq!(
        response.json(),
        json!({
            "number": 2, "releases": set, "live": true, "rollouts": [], "url": "https://site.example",
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
}

#[test]
fn unchanged_releases_create_no_deployment() {
    let gateway = Gateway::start_live("", &[]);
    for releases in [json!({ "directory": "1.0.0" }), json!({})] {
        let response = gateway.post_deployment(&json!({ "releases": releases }));
        assert_eq!((response.status, &response.json()["number"]), (200, &json!(1)));
    }
    assert_eq!(deployments(&gateway)["deployments"].as_array().unwrap().len(), 1);
}

#[test]
fn conflicting_releases_are_rejected() {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("rival", "1.0.0", &["/", "/state/:other"]).slot("join"));
    let demanding =
        Release::section("demanding", "1.0.0", &["/d"]).with("shared", json!({ "react": "^20.0.0" }));
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
            "slot `join` is filled by both directory and rival",
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
            "live": null, "rollouts": [], "deployments": [], "damaged": [], "url": "https://site.example",
        })
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
fn invalid_percent_is_rejected_with_valid_range() {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("directory", "2.0.0", &["/"]));
    let body = |percent| json!({ "releases": { "directory": "2.0.0" }, "percent": percent });
    let expected = "invalid request body: `percent` must be an integer from 0 to 99; \
                    omit it to make the deployment live for all visitors";
    for percent in [-1, 100, 256, i64::MIN, i64::MAX] {
        let response = gateway.post_deployment(&body(percent));
        assert_eq!(response.status, 400, "{percent}");
        let detail = response.json()["detail"].as_str().unwrap_or_default().to_owned();
        assert!(detail.starts_with(expected), "{detail}");
    }
    assert_eq!(gateway.post_deployment(&body(99)).status, 201);
    for percent in [-1, 100] {
        let response = gateway.admin_post("/api/v1/deployments/2/promote", &json!({ "percent": percent }));
        assert_eq!(response.status, 400, "{percent}");
        let detail = response.json()["detail"].as_str().unwrap_or_default().to_owned();
        assert!(detail.starts_with(expected), "{detail}");
    }
}

#[test]
fn null_member_of_request_is_rejected() {
    let gateway = Gateway::start_live("", &[]);
    for (path, body) in [
        ("/api/v1/deployments", json!({ "releases": {}, "reason": null })),
        ("/api/v1/deployments", json!({ "releases": {}, "base": null })),
        ("/api/v1/deployments", json!({ "releases": {}, "percent": null })),
        ("/api/v1/previews", json!({ "deployment": 1, "releases": null })),
        ("/api/v1/previews", json!({ "deployment": 1, "reason": null })),
        ("/api/v1/rollback", json!({ "section": null })),
        ("/api/v1/garbage-collection", json!({ "reason": null })),
    ] {
        assert_eq!(gateway.admin_post(path, &body).status, 400, "{path} {body}");
    }
}

#[test]
fn number_without_fraction_is_an_integer() {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("directory", "2.0.0", &["/"]));
    let body = json!({ "releases": { "directory": "2.0.0" }, "base": 1.0, "percent": 50.0 });
    assert_eq!(gateway.post_deployment(&body).json()["percent"], 50);
    let preview = gateway.admin_post(
        "/api/v1/previews",
        &json!({ "deployment": 1.0, "minutes": 899.0 }),
    );
    assert_eq!(preview.status, 201);
}

#[test]
fn invalid_parameter_in_path_is_rejected() {
    let gateway = Gateway::start_live("", &[]);
    for (path, problem) in [
        ("/api/v1/deployments/0/promote", "the number of a deployment"),
        ("/api/v1/deployments/x/abort", "the number of a deployment"),
        (
            "/api/v1/rollouts/Legal/abort",
            "`Legal` is not the name of a section",
        ),
    ] {
        let response = gateway.admin_post(path, &json!({}));
        assert_eq!(response.status, 400, "{path}");
        assert!(response.text().contains(problem), "{}", response.text());
    }
}

#[test]
fn deployment_is_seen_by_other_gateways() {
    let first = Gateway::start();
    let second = first.start_another();
    assert_eq!(second.get("/").status, 503);
    first.publish(&Release::shell("1.0.0"));
    first.publish(&Release::section("directory", "1.0.0", &["/"]));
    first.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    first.deploy(&json!({ "shell": "1.0.0", "directory": "1.0.0" }));
    second.wait_until_live(1);
    // The second gateway's deployment builds on the first one's.
    second.deploy(&json!({ "legal": "1.0.0" }));
    first.wait_until_live(2);
    assert_eq!(first.get("/terms").status, 200);
    assert_eq!(first.get("/").status, 200);
}

/// A gateway with twenty published sections, and their names.
fn gateway_with_twenty_sections() -> (Gateway, Vec<String>) {
    let gateway = Gateway::start_live("", &[]);
    let names: Vec<String> = (0..20).map(|number| format!("section-{number}")).collect();
    for name in &names {
        gateway.publish(&Release::section(name, "1.0.0", &[&format!("/{name}")]));
    }
    (gateway, names)
}

/// Deploys all sections concurrently, alternating between the gateways, and returns the responses.
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

fn assert_all_deployed_serially(gateways: &[&Gateway], names: &[String]) {
    let responses = deploy_concurrently(gateways, names, None);
    let mut sizes = Vec::new();
    let mut numbers = Vec::new();
    for response in &responses {
        assert_eq!(response.status, 201, "{}", response.text());
        sizes.push(response.json()["releases"].as_object().unwrap().len());
        numbers.push(response.json()["number"].as_u64().unwrap());
    }
    sizes.sort_unstable();
    numbers.sort_unstable();
    numbers.dedup();
    // Two releases were live before, and each deployment adds one.
    assert_eq!(sizes, (3..23).collect::<Vec<_>>());
    assert_eq!(numbers.len(), 20);
    for gateway in gateways {
        gateway.wait_until_live(numbers[19]);
        for name in names {
            assert_eq!(gateway.get(&format!("/{name}")).status, 200, "{name}");
        }
    }
}

fn assert_one_deployed(gateways: &[&Gateway], names: &[String]) {
    let responses = deploy_concurrently(gateways, names, Some(1));
    let accepted: Vec<_> = responses
        .iter()
        .filter(|response| response.status == 201)
        .collect();
    assert_eq!(accepted.len(), 1);
    let live = accepted[0].json()["number"].clone();
    for response in responses.iter().filter(|response| response.status != 201) {
        assert_eq!(response.status, 409);
        assert_eq!(response.json()["live"], live);
        assert_eq!(
            response.json()["detail"],
            format!("base deployment 1 is not live: deployment {live} is live")
        );
    }
    assert_eq!(deployments(gateways[0])["live"], live);
}

#[test]
fn concurrent_deploys_all_take_effect() {
    let (gateway, names) = gateway_with_twenty_sections();
    assert_all_deployed_serially(&[&gateway], &names);
}

#[test]
fn concurrent_deploys_on_two_gateways_all_take_effect() {
    let (gateway, names) = gateway_with_twenty_sections();
    let other = gateway.start_another();
    assert_all_deployed_serially(&[&gateway, &other], &names);
}

#[test]
fn concurrent_deploys_from_same_base_one_wins() {
    let (gateway, names) = gateway_with_twenty_sections();
    assert_one_deployed(&[&gateway], &names);
}

#[test]
fn concurrent_deploys_from_same_base_on_two_gateways_one_wins() {
    let (gateway, names) = gateway_with_twenty_sections();
    let other = gateway.start_another();
    assert_one_deployed(&[&gateway, &other], &names);
}
