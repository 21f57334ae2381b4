//! Putting releases live.

use serde_json::{Value, json};

use crate::support::{Gateway, Release, Request};

fn deployments(gateway: &Gateway) -> Value {
    gateway.operate(Request::new("GET", "/api/v1/deployments")).json()
}

/// The version of the section that a path's document names.
fn version(gateway: &Gateway, path: &str) -> Value {
    gateway.get(path).boot()["page"]["section"]["version"].clone()
}

#[test]
fn a_deployment_is_live_when_its_answer_arrives() {
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
fn the_answer_tells_the_whole_set() {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("legal", "0.1.0", &["/terms"]));
    let answer = gateway.post_deployment(&json!({ "releases": { "legal": "0.1.0" }, "reason": "terms" }));
    let set = json!({ "directory": "1.0.0", "legal": "0.1.0", "shell": "1.0.0" });
    assert_eq!(answer.status, 201);
    assert_eq!(
        answer.json(),
        json!({ "number": 2, "releases": set, "live": true })
    );

    let list = deployments(&gateway);
    assert_eq!(list["live"], 2);
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
fn what_is_live_already_is_not_deployed_again() {
    let gateway = Gateway::start_live("", &[]);
    for releases in [json!({ "directory": "1.0.0" }), json!({})] {
        let answer = gateway.post_deployment(&json!({ "releases": releases }));
        assert_eq!((answer.status, &answer.json()["number"]), (200, &json!(1)));
    }
    assert_eq!(deployments(&gateway)["deployments"].as_array().unwrap().len(), 1);
}

#[test]
fn a_set_that_does_not_fit_is_refused_and_nothing_changes() {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("rival", "1.0.0", &["/", "/state/:other"]).slot("join"));
    let demanding =
        Release::section("demanding", "1.0.0", &["/d"]).with("shared", json!({ "react": "^20.0.0" }));
    gateway.publish(&demanding);
    let wish = json!({ "releases": { "rival": "1.0.0", "demanding": "1.0.0" } });
    let answer = gateway.post_deployment(&wish);
    assert_eq!(answer.status, 409);
    assert_eq!(answer.header("content-type"), "application/problem+json");
    assert_eq!(
        answer.json()["problems"],
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
fn what_is_not_published_or_no_wish_is_refused() {
    let gateway = Gateway::start();
    let unknown = gateway.post_deployment(&json!({ "releases": { "shell": "1.0.0", "x": "../.." } }));
    assert_eq!(unknown.status, 422);
    assert_eq!(
        unknown.json()["problems"],
        json!(["shell@1.0.0 is not published", "x@../.. is not published"])
    );
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    let headless = gateway.post_deployment(&json!({ "releases": { "legal": "1.0.0" } }));
    assert_eq!(
        (headless.status, headless.json()["problems"][0].as_str()),
        (409, Some("the set has no `shell`"))
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
        let answer = gateway.operate(Request::new("POST", "/api/v1/deployments").body(body));
        assert_eq!(answer.status, 400, "{body}");
    }
    let long = "x".repeat(70_000);
    assert_eq!(
        gateway
            .operate(Request::new("POST", "/api/v1/deployments").body(long))
            .status,
        413
    );
    assert_eq!(
        deployments(&gateway),
        json!({ "live": null, "rollout": null, "deployments": [] })
    );
}

#[test]
fn another_gateway_on_the_same_store_notices() {
    let first = Gateway::start();
    let second = first.beside();
    assert_eq!(second.get("/").status, 503);
    first.publish(&Release::shell("1.0.0"));
    first.publish(&Release::section("directory", "1.0.0", &["/"]));
    first.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    first.deploy(&json!({ "shell": "1.0.0", "directory": "1.0.0" }));
    wait_until_live(&second, 1);
    // What the second deploys starts from what the first did.
    second.deploy(&json!({ "legal": "1.0.0" }));
    wait_until_live(&first, 2);
    assert_eq!(first.get("/terms").status, 200);
    assert_eq!(first.get("/").status, 200);
}

/// Asks until a deployment is seen; each question is answered, so nothing is waited for blindly.
fn wait_until_live(gateway: &Gateway, number: u64) {
    for _ in 0..100_000 {
        let answer = gateway.get("/");
        if answer.status == 200 && answer.boot()["deployment"] == number {
            return;
        }
    }
    panic!("deployment {number} was never noticed");
}

#[test]
fn deploys_at_once_keep_each_others_changes() {
    let gateway = Gateway::start_live("", &[]);
    let names: Vec<String> = (0..8).map(|number| format!("section-{number}")).collect();
    for name in &names {
        gateway.publish(&Release::section(name, "1.0.0", &[&format!("/{name}")]));
    }
    std::thread::scope(|scope| {
        for name in &names {
            let gateway = &gateway;
            scope.spawn(move || gateway.deploy(&json!({ name: "1.0.0" })));
        }
    });
    for name in &names {
        assert_eq!(gateway.get(&format!("/{name}")).status, 200, "{name}");
    }
    assert_eq!(deployments(&gateway)["live"], 9);
}
