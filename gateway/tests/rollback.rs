//! Going back: one section, or the whole set.

use serde_json::{Value, json};

use crate::support::{Gateway, Release, Request, Response};

/// A gateway with three releases of `directory` and of `legal` published, the first of `directory` live.
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
    gateway.tell("/api/v1/rollback", body)
}

/// A rollback that must be accepted; its answer without the number comes back.
fn rolled_back(gateway: &Gateway, body: &Value) -> Value {
    let answer = roll_back(gateway, body);
    assert_eq!(answer.status, 201, "{}", answer.text());
    let answer = answer.json();
    assert_eq!(answer["live"], true);
    assert_eq!(gateway.get("/nowhere").boot()["deployment"], answer["number"]);
    answer["releases"].clone()
}

fn refusal(answer: &Response, status: u16) -> String {
    assert_eq!(answer.status, status, "{}", answer.text());
    answer.json()["detail"].as_str().unwrap().to_owned()
}

fn newest(gateway: &Gateway) -> Value {
    gateway.ask("/api/v1/history?limit=1")["entries"][0].clone()
}

#[test]
fn a_section_goes_back_alone() {
    let gateway = gateway();
    gateway.deploy(&json!({ "directory": "2.0.0", "legal": "1.0.0" }));
    gateway.deploy(&json!({ "legal": "2.0.0" }));
    let set = rolled_back(
        &gateway,
        &json!({ "section": "directory", "reason": "it was slow" }),
    );
    assert_eq!(
        set,
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
fn a_rollback_after_a_rollback_goes_one_further_back() {
    let gateway = gateway();
    for version in ["2.0.0", "3.0.0"] {
        gateway.deploy(&json!({ "directory": version }));
    }
    let back = || rolled_back(&gateway, &json!({ "section": "directory" }))["directory"].clone();
    assert_eq!([back(), back()], [json!("2.0.0"), json!("1.0.0")]);
    let nothing = roll_back(&gateway, &json!({ "section": "directory" }));
    assert_eq!(
        refusal(&nothing, 409),
        "`directory` had no release before; a deploy can take it out of the set"
    );
    assert_eq!(gateway.get("/").status, 200);
    // And forth again: what counts is what was live before it was put live the last time.
    gateway.deploy(&json!({ "directory": "3.0.0" }));
    assert_eq!(back(), json!("1.0.0"));
}

#[test]
fn a_section_that_was_new_stays() {
    let gateway = gateway();
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    gateway.deploy(&json!({ "directory": "2.0.0" }));
    for section in ["legal", "shell"] {
        let answer = roll_back(&gateway, &json!({ "section": section }));
        assert_eq!(
            refusal(&answer, 409),
            format!("`{section}` had no release before; a deploy can take it out of the set")
        );
    }
    assert_eq!(gateway.get("/terms").status, 200);
}

#[test]
fn the_time_a_section_was_out_of_the_set_is_looked_past() {
    let gateway = gateway();
    gateway.deploy(&json!({ "directory": "2.0.0" }));
    gateway.deploy(&json!({ "directory": null, "legal": "1.0.0" }));
    gateway.deploy(&json!({ "directory": "3.0.0" }));
    let back = || rolled_back(&gateway, &json!({ "section": "directory" }))["directory"].clone();
    assert_eq!(back(), json!("2.0.0"));
    // Out and in again with the same release is no release before.
    gateway.deploy(&json!({ "directory": null }));
    gateway.deploy(&json!({ "directory": "2.0.0" }));
    assert_eq!(back(), json!("1.0.0"));
}

#[test]
fn the_whole_set_goes_back_by_number() {
    let gateway = gateway();
    gateway.deploy(&json!({ "directory": "2.0.0", "legal": "1.0.0" }));
    gateway.deploy(&json!({ "directory": "3.0.0", "legal": "2.0.0" }));
    let set = rolled_back(&gateway, &json!({ "deployment": 2 }));
    assert_eq!(
        set,
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
        "it is so already"
    );
    let unknown = roll_back(&gateway, &json!({ "deployment": 99 }));
    assert_eq!(refusal(&unknown, 404), "deployment 99 is not kept");
}

#[test]
fn the_whole_set_goes_back_further_each_time() {
    let gateway = gateway();
    gateway.deploy(&json!({ "directory": "2.0.0" }));
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    let back = || rolled_back(&gateway, &json!({}));
    assert_eq!(back(), json!({ "directory": "2.0.0", "shell": "1.0.0" }));
    assert_eq!(back(), json!({ "directory": "1.0.0", "shell": "1.0.0" }));
    let nothing = roll_back(&gateway, &json!({}));
    assert_eq!(refusal(&nothing, 409), "nothing was live before");
}

#[test]
fn what_was_never_live_can_be_put_live_and_taken_back() {
    let gateway = gateway();
    let preview = gateway.tell(
        "/api/v1/previews",
        &json!({ "releases": { "directory": "3.0.0" } }),
    );
    let shown = preview.json()["deployment"].clone();
    assert_eq!(
        rolled_back(&gateway, &json!({ "deployment": shown }))["directory"],
        "3.0.0"
    );
    assert_eq!(rolled_back(&gateway, &json!({}))["directory"], "1.0.0");
}

#[test]
fn a_whole_set_ends_a_rollout() {
    for body in [json!({ "deployment": 1 }), json!({})] {
        let gateway = gateway();
        gateway.deploy(&json!({ "legal": "1.0.0" }));
        gateway.post_deployment(&json!({ "releases": { "directory": "2.0.0" }, "percent": 50 }));
        let set = rolled_back(&gateway, &body);
        assert_eq!(set, json!({ "directory": "1.0.0", "shell": "1.0.0" }));
        assert_eq!(gateway.ask("/api/v1/deployments")["rollout"], Value::Null);
        assert!(!gateway.get("/").has("set-cookie"));
        assert_eq!(newest(&gateway)["candidate"], 3);
    }
}

#[test]
fn a_section_that_is_rolled_out_is_aborted_and_not_rolled_back() {
    let gateway = gateway();
    gateway.deploy(&json!({ "directory": "2.0.0" }));
    gateway.post_deployment(&json!({ "releases": { "directory": "3.0.0" }, "percent": 50 }));
    let refused = roll_back(&gateway, &json!({ "section": "directory" }));
    assert_eq!(
        refusal(&refused, 409),
        "`directory` is being rolled out with deployment 3; promote or abort it first"
    );
}

#[test]
fn a_rollback_of_another_section_reaches_live_and_candidate() {
    let gateway = gateway();
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    gateway.deploy(&json!({ "legal": "2.0.0" }));
    gateway.post_deployment(&json!({ "releases": { "directory": "2.0.0" }, "percent": 50 }));
    let answer = roll_back(&gateway, &json!({ "section": "legal" }));
    let set = |directory: &str| json!({ "directory": directory, "legal": "1.0.0", "shell": "1.0.0" });
    assert_eq!(
        answer.json(),
        json!({
            "number": 5, "releases": set("1.0.0"), "live": true,
            "candidate": { "number": 6, "releases": set("2.0.0") },
        })
    );
    let rollout = &gateway.ask("/api/v1/deployments")["rollout"];
    assert_eq!(
        (&rollout["deployment"], &rollout["percent"]),
        (&json!(6), &json!(50))
    );
}

#[test]
fn a_wish_that_makes_no_sense_is_refused() {
    let gateway = gateway();
    for body in [
        r#"{"section":"legal","deployment":1}"#,
        r#"{"section":7}"#,
        r#"{"deployment":"1"}"#,
        r#"{"deployment":-1}"#,
        r#"{"sections":["legal"]}"#,
        "[]",
    ] {
        let answer = gateway.operate(Request::new("POST", "/api/v1/rollback").body(body));
        assert_eq!(answer.status, 400, "{body}");
    }
    let unknown = roll_back(&gateway, &json!({ "section": "unknown" }));
    assert_eq!(refusal(&unknown, 409), "`unknown` is not live");
    let nothing = roll_back(&Gateway::start(), &json!({}));
    assert_eq!(nothing.status, 409);
    assert_eq!(gateway.ask("/api/v1/deployments")["live"], 1);
}
