//! Rollbacks of one section or of the whole deployment.

use serde_json::{Value, json};

use crate::support::{Browser, Gateway, Release, Request, Response, rollout_cookie};

/// A gateway with `directory` 1.0.0 live; `directory` 2.0.0 and 3.0.0 and `legal` 1.0.0 and 2.0.0 are published.
fn gateway() -> Gateway {
    let gateway = Gateway::start_live("", &[]);
    for version in ["2.0.0", "3.0.0"] {
        gateway.publish(&Release::section("directory", version, &["/"]));
    }
    for version in ["1.0.0", "2.0.0"] {
        gateway.publish(&Release::section("legal", version, &["/terms"]));
    }
    gateway
}

fn roll_back(gateway: &Gateway, body: &Value) -> Response {
    gateway.admin_post("/api/v1/rollback", body)
}

/// Performs a rollback, which must be accepted, and returns the live releases.
fn rolled_back(gateway: &Gateway, body: &Value) -> Value {
    let response = roll_back(gateway, body);
    assert_eq!(response.status, 201, "{}", response.text());
    let response = response.json();
    assert_eq!(response["live"], true);
    assert_eq!(gateway.get("/nowhere").set(), response["number"].to_string());
    response["releases"].clone()
}

fn problem_detail(response: &Response, status: u16) -> String {
    assert_eq!(response.status, status, "{}", response.text());
    response.json()["detail"].as_str().unwrap().to_owned()
}

fn newest(gateway: &Gateway) -> Value {
    gateway.admin_get("/api/v1/history?limit=1")["entries"][0].clone()
}

#[test]
fn section_rollback_changes_only_that_section() {
    let gateway = gateway();
    gateway.deploy(&json!({ "directory": "2.0.0", "legal": "1.0.0" }));
    gateway.deploy(&json!({ "legal": "2.0.0" }));
    let releases = rolled_back(
        &gateway,
        &json!({ "section": "directory", "reason": "it was slow" }),
    );
    assert_eq!(
        releases,
        json!({ "directory": "1.0.0", "legal": "2.0.0", "shell": "1.0.0" })
    );
    let change = newest(&gateway);
    assert_eq!(change["action"], "rollback");
    assert_eq!(change["reason"], "it was slow");
    assert_eq!(
        change["sections"],
        json!({ "directory": { "from": "2.0.0", "to": "1.0.0" } })
    );
    assert_eq!((&change["live"], &change["before"]), (&json!(4), &json!(3)));
}

#[test]
fn repeated_rollback_goes_one_release_further_back() {
    let gateway = gateway();
    for version in ["2.0.0", "3.0.0"] {
        gateway.deploy(&json!({ "directory": version }));
    }
    let roll_back_once = || rolled_back(&gateway, &json!({ "section": "directory" }))["directory"].clone();
    assert_eq!(
        [roll_back_once(), roll_back_once()],
        [json!("2.0.0"), json!("1.0.0")]
    );
    for section in ["directory", "shell"] {
        let rejected = roll_back(&gateway, &json!({ "section": section }));
        assert_eq!(
            problem_detail(&rejected, 409),
            format!("`{section}` has no previous release; deploy another of its releases")
        );
    }
    assert_eq!(gateway.get("/").status, 200);
    // After a new deploy of 3.0.0, the release that was live just before it counts.
    gateway.deploy(&json!({ "directory": "3.0.0" }));
    assert_eq!(roll_back_once(), json!("1.0.0"));
}

#[test]
fn sections_name_the_release_that_a_rollback_restores() {
    let gateway = gateway();
    let previous = || {
        let sections = gateway.admin_get("/api/v1/sections");
        let planned = |name: &str| {
            let plan = gateway.admin_post("/api/v1/rollback/plan", &json!({ "section": name }));
            plan.json()["sections"][name]["to"].take()
        };
        for section in sections.as_array().unwrap() {
            let name = section["name"].as_str().unwrap();
            assert_eq!(section["previous"], planned(name), "{name}");
        }
        sections[0]["previous"].clone()
    };
    assert_eq!(previous(), Value::Null, "the others were never live");
    let rollout = json!({ "releases": { "directory": "2.0.0" }, "percent": 10 });
    gateway.admin_change("/api/v1/deployments", &rollout);
    assert_eq!(previous(), Value::Null, "its rollout runs");
    gateway.admin_change("/api/v1/deployments/2/abort", &json!({}));
    assert_eq!(previous(), Value::Null, "its only rollout was aborted");
    for (version, expected) in [("2.0.0", "1.0.0"), ("3.0.0", "2.0.0")] {
        gateway.deploy(&json!({ "directory": version }));
        assert_eq!(previous(), expected);
    }
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    assert_eq!(previous(), "2.0.0");
    for expected in [json!("1.0.0"), Value::Null] {
        rolled_back(&gateway, &json!({ "section": "directory" }));
        assert_eq!(previous(), expected);
    }
    assert_eq!(gateway.admin_get("/api/v1/sections")[0]["live"], "1.0.0");
}

#[test]
fn rollback_skips_deployments_without_section() {
    let gateway = gateway();
    gateway.deploy(&json!({ "directory": "2.0.0" }));
    gateway.deploy(&json!({ "directory": null, "legal": "1.0.0" }));
    gateway.deploy(&json!({ "directory": "3.0.0" }));
    let roll_back_once = || rolled_back(&gateway, &json!({ "section": "directory" }))["directory"].clone();
    assert_eq!(roll_back_once(), json!("2.0.0"));
    // Removing a section and deploying the same release again adds no earlier release.
    gateway.deploy(&json!({ "directory": null }));
    gateway.deploy(&json!({ "directory": "2.0.0" }));
    assert_eq!(roll_back_once(), json!("1.0.0"));
}

#[test]
fn rollback_restores_deployment_by_number() {
    let gateway = gateway();
    gateway.deploy(&json!({ "directory": "2.0.0", "legal": "1.0.0" }));
    gateway.deploy(&json!({ "directory": "3.0.0", "legal": "2.0.0" }));
    let releases = rolled_back(&gateway, &json!({ "deployment": 2 }));
    assert_eq!(
        releases,
        json!({ "directory": "2.0.0", "legal": "1.0.0", "shell": "1.0.0" })
    );
    let change = newest(&gateway);
    assert_eq!(
        (&change["live"], &change["before"], &change["restores"]),
        (&json!(4), &json!(3), &json!(2))
    );
    let again = roll_back(&gateway, &json!({ "deployment": 2 }));
    assert_eq!(
        (again.status, &again.json()["number"]),
        (200, &json!(4)),
        "these releases are live already"
    );
    let unknown = roll_back(&gateway, &json!({ "deployment": 99 }));
    assert_eq!(problem_detail(&unknown, 404), "deployment 99 does not exist");
}

#[test]
fn repeated_full_rollback_goes_further_back() {
    let gateway = gateway();
    gateway.deploy(&json!({ "directory": "2.0.0" }));
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    let roll_back_once = || rolled_back(&gateway, &json!({}));
    assert_eq!(
        roll_back_once(),
        json!({ "directory": "2.0.0", "shell": "1.0.0" })
    );
    assert_eq!(
        roll_back_once(),
        json!({ "directory": "1.0.0", "shell": "1.0.0" })
    );
    let rejected = roll_back(&gateway, &json!({}));
    assert_eq!(problem_detail(&rejected, 409), "there is no previous deployment");
}

#[test]
fn full_rollback_never_restores_a_rolled_back_release() {
    let gateway = gateway();
    gateway.deploy(&json!({ "directory": "2.0.0" }));
    // 2.0.0 is bad, and its team rolls it back.
    rolled_back(&gateway, &json!({ "section": "directory" }));
    let rejected = roll_back(&gateway, &json!({}));
    assert_eq!(problem_detail(&rejected, 409), "there is no previous deployment");
    // Other teams deploy before and after.
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    gateway.deploy(&json!({ "directory": "3.0.0", "legal": "2.0.0" }));
    rolled_back(&gateway, &json!({ "section": "directory" }));
    let releases = json!({ "directory": "1.0.0", "legal": "1.0.0", "shell": "1.0.0" });
    assert_eq!(rolled_back(&gateway, &json!({})), releases);
    let releases = json!({ "directory": "1.0.0", "shell": "1.0.0" });
    assert_eq!(rolled_back(&gateway, &json!({})), releases);
    assert_eq!(roll_back(&gateway, &json!({})).status, 409);
    // A release that is deployed again is no longer rolled back.
    gateway.deploy(&json!({ "directory": "2.0.0" }));
    gateway.deploy(&json!({ "legal": "2.0.0" }));
    assert_eq!(
        rolled_back(&gateway, &json!({})),
        json!({ "directory": "2.0.0", "shell": "1.0.0" })
    );
}

#[test]
fn plan_shows_what_a_rollback_restores() {
    let gateway = gateway();
    gateway.deploy(&json!({ "directory": "2.0.0", "legal": "1.0.0" }));
    let plan = |body: &Value| gateway.admin_post("/api/v1/rollback/plan", body);
    let directory = json!({ "from": "2.0.0", "to": "1.0.0" });
    assert_eq!(
        plan(&json!({ "section": "directory" })).json(),
        json!({ "live": 2, "restores": null, "sections": { "directory": directory } })
    );
    let all = json!({ "directory": directory, "legal": { "from": "1.0.0", "to": null } });
    assert_eq!(
        plan(&json!({})).json(),
        json!({ "live": 2, "restores": 1, "sections": all })
    );
    assert_eq!(
        plan(&json!({ "deployment": 2 })).json(),
        json!({ "live": 2, "restores": null, "sections": {} })
    );
    assert_eq!(plan(&json!({ "section": "shell" })).status, 409);
    assert_eq!(plan(&json!({ "deployment": 9 })).status, 404);
    let request = Request::new("POST", "/api/v1/rollback/plan").body("{}");
    assert_eq!(
        gateway.admin_request_as("token-to-deploy-legal", request).status,
        403
    );
    assert_eq!(newest(&gateway)["live"], 2, "a plan changes nothing");
    // The rollback that the plan describes is rejected once another deployment is live.
    gateway.deploy(&json!({ "legal": "2.0.0" }));
    let stale = roll_back(&gateway, &json!({ "base": 2 }));
    assert_eq!(stale.status, 409);
    assert_eq!(stale.json()["live"], 3);
    assert_eq!(roll_back(&gateway, &json!({ "base": 3 })).status, 201);
}

#[test]
fn rollback_to_preview_makes_it_live_and_is_reversible() {
    let gateway = gateway();
    let preview = gateway.admin_post(
        "/api/v1/previews",
        &json!({ "releases": { "directory": "3.0.0" } }),
    );
    let previewed = preview.json()["deployment"].clone();
    assert_eq!(
        rolled_back(&gateway, &json!({ "deployment": previewed }))["directory"],
        "3.0.0"
    );
    assert_eq!(rolled_back(&gateway, &json!({}))["directory"], "1.0.0");
}

#[test]
fn full_rollback_ends_rollout() {
    let gateway = gateway();
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    gateway.post_deployment(&json!({ "releases": { "directory": "2.0.0" }, "percent": 50 }));
    let releases = rolled_back(&gateway, &json!({}));
    assert_eq!(releases, json!({ "directory": "1.0.0", "shell": "1.0.0" }));
    assert_eq!(gateway.admin_get("/api/v1/deployments")["rollouts"], json!([]));
    assert!(!gateway.get("/").has("set-cookie"));
}

#[test]
fn section_rollback_applies_to_live_and_canary() {
    let gateway = gateway();
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    gateway.deploy(&json!({ "legal": "2.0.0" }));
    gateway.post_deployment(&json!({ "releases": { "directory": "2.0.0" }, "percent": 50 }));
    let response = roll_back(&gateway, &json!({ "section": "legal" }));
    let releases = |directory: &str| json!({ "directory": directory, "legal": "1.0.0", "shell": "1.0.0" });
    let body = response.json();
    assert_eq!(
        (&body["number"], &body["releases"]),
        (&json!(5), &releases("1.0.0"))
    );
    let list = gateway.admin_get("/api/v1/deployments");
    assert_eq!(body["rollouts"], list["rollouts"]);
    let rollout = &list["rollouts"][0];
    assert_eq!(
        (&rollout["deployment"], &rollout["percent"]),
        (&json!(4), &json!(50))
    );
    assert_eq!(
        rollout["sections"],
        json!({ "directory": { "from": "1.0.0", "to": "2.0.0" } })
    );
    let mut visitor = Browser::new(gateway.site);
    visitor.set_cookie("__Host-colonnade-rollout", &rollout_cookie(&gateway, &[true]));
    let versions = ["/", "/terms"].map(|path| visitor.get(path).boot()["page"]["section"]["version"].take());
    assert_eq!(json!(versions), json!(["2.0.0", "1.0.0"]));
}

#[test]
fn invalid_rollback_request_is_rejected() {
    let gateway = gateway();
    for body in [
        r#"{"section":"legal","deployment":1}"#,
        r#"{"section":7}"#,
        r#"{"deployment":"1"}"#,
        r#"{"deployment":-1}"#,
        r#"{"sections":["legal"]}"#,
        "[]",
    ] {
        let response = gateway.admin_request(Request::new("POST", "/api/v1/rollback").body(body));
        assert_eq!(response.status, 400, "{body}");
    }
    let unknown = roll_back(&gateway, &json!({ "section": "unknown" }));
    assert_eq!(problem_detail(&unknown, 409), "`unknown` is not live");
    let rejected = roll_back(&Gateway::start(), &json!({}));
    assert_eq!(rejected.status, 409);
    assert_eq!(gateway.admin_get("/api/v1/deployments")["live"], 1);
}
