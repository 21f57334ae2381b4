//! Rollouts in steps: the gateway raises the share and promotes the candidate.

use serde_json::{Value, json};

use crate::support::{FaultyMachine, Gateway, Release, Response, wait_until};

/// Steps pass without any request.
const WITHOUT_MINIMUM: &str = "[rollout.analysis]\nmin_requests = 0\n";

/// A day in seconds.
const DAY: i64 = 24 * 60 * 60;

/// A gateway with `directory` and `legal` 1.0.0 live as deployment 2; both are published as 2.0.0.
fn gateway(extra: &str) -> Gateway {
    with_releases(Gateway::start_live(extra, &[]))
}

fn with_releases(gateway: Gateway) -> Gateway {
    for (name, version, page) in [
        ("directory", "2.0.0", "/"),
        ("legal", "1.0.0", "/terms"),
        ("legal", "2.0.0", "/terms"),
    ] {
        gateway.publish(&Release::section(name, version, &[page]));
    }
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    gateway
}

/// Requests a rollout of a section's version 2.0.0.
fn request(gateway: &Gateway, section: &str, steps: &str) -> Response {
    gateway.post_deployment(&json!({ "releases": { section: "2.0.0" }, "steps": steps }))
}

/// Starts a rollout of a section's version 2.0.0. Returns the candidate.
fn start(gateway: &Gateway, section: &str, steps: &str) -> u64 {
    let response = request(gateway, section, steps);
    assert_eq!(response.status, 201, "{}", response.text());
    response.json()["number"].as_u64().unwrap()
}

/// Waits until the candidate is live for all visitors.
fn wait_until_promoted(gateway: &Gateway, candidate: u64) {
    wait_until("the candidate is promoted", || {
        gateway.admin_get("/api/v1/deployments")["live"] == candidate
    });
}

/// The only running rollout.
fn rollout(gateway: &Gateway) -> Value {
    let rollouts = gateway.admin_get("/api/v1/rollouts");
    assert_eq!(rollouts.as_array().unwrap().len(), 1, "{rollouts}");
    rollouts[0].clone()
}

fn post(gateway: &Gateway, action: &str, body: &Value) -> Value {
    let response = gateway.admin_post(&format!("/api/v1/rollouts/directory/{action}"), body);
    assert_eq!(response.status, 200, "{}", response.text());
    response.json()
}

/// The newest entries of the history.
fn history(gateway: &Gateway, entries: usize) -> Vec<Value> {
    let history = gateway.admin_get(&format!("/api/v1/history?limit={entries}"));
    history["entries"].as_array().unwrap().clone()
}

#[test]
fn steps_raise_share_and_promote_candidate() {
    let gateway = gateway(WITHOUT_MINIMUM);
    let candidate = start(&gateway, "directory", "10% for 1s, 50% for 1s,100%");
    wait_until_promoted(&gateway, candidate);
    let entries = history(&gateway, 3);
    let fields = ["action", "by", "percent", "steps"];
    let described = entries
        .iter()
        .map(|entry| fields.map(|field| entry[field].clone()))
        .collect::<Vec<_>>();
    let expected = [
        json!(["promote", "gateway", null, null]),
        json!(["percent", "gateway", 50, null]),
        json!([
            "rollout",
            "name of token-for-everything",
            10,
            "10% for 1s, 50% for 1s, 100%"
        ]),
    ];
    assert_eq!(json!(described), json!(expected));
    for (entry, expected) in entries.iter().zip(["2 of 2, 50% for 1s", "1 of 2, 10% for 1s"]) {
        let reason = entry["reason"].as_str().unwrap();
        let expected = format!("end of step {expected}; passing: with the rollout's releases 0 requests, ");
        assert!(reason.starts_with(&expected), "{reason}");
    }
    assert_eq!(gateway.admin_get("/api/v1/rollouts"), json!([]));
    let advances = "colonnade_changes_total{action=\"advance\",outcome=\"succeeded\"}";
    wait_until("both advances are counted", || gateway.metric(advances) == 2);
}

#[test]
fn default_steps_are_those_of_the_configuration() {
    let gateway = gateway("[rollout]\nsteps = \"20% for 60m, 100%\"\n");
    start(&gateway, "directory", "default");
    let mut rollout = rollout(&gateway);
    rollout.as_object_mut().unwrap().remove("analysis");
    let progress = &rollout["progress"];
    assert_eq!(
        (&rollout["percent"], &progress["steps"], &progress["step"]),
        (&json!(20), &json!("20% for 1h, 100%"), &json!(1))
    );
    assert_eq!(progress["paused"], false);
    assert!(progress["stepEndsAt"].as_str() > progress["stepStartedAt"].as_str());
    assert_eq!(
        gateway.admin_get("/api/v1/deployments")["rollouts"],
        json!([rollout])
    );
}

#[test]
fn invalid_steps_are_rejected_with_their_position() {
    let gateway = gateway(WITHOUT_MINIMUM);
    for (steps, expected) in [
        (
            "default",
            "`steps` is `default`, but the configuration has none; expected",
        ),
        (
            "5% for 1m, 5% for 1m, 100%",
            "`steps` step 2, `5% for 1m`, has no larger share than the step before; expected",
        ),
    ] {
        let response = request(&gateway, "directory", steps);
        let detail = response.json()["detail"].as_str().unwrap().to_owned();
        assert!(response.status == 422 && detail.starts_with(expected), "{detail}");
    }
    let both = json!({ "releases": { "directory": "2.0.0" }, "percent": 5, "steps": "5% for 1m, 100%" });
    assert_eq!(gateway.post_deployment(&both).status, 400);
    let long = request(&gateway, "directory", &"5".repeat(1001));
    assert_eq!(long.status, 400);
    assert_eq!(gateway.admin_get("/api/v1/rollouts"), json!([]));
}

#[test]
fn paused_rollout_keeps_its_share() {
    let gateway = gateway(WITHOUT_MINIMUM);
    let steps: Vec<String> = (1..20).map(|percent| format!("{percent}% for 1s, ")).collect();
    start(&gateway, "directory", &(steps.concat() + "100%"));
    let paused = post(&gateway, "pause", &json!({ "reason": "holiday" }));
    assert_eq!(paused["paused"], true);
    let event = gateway.wait_for_event(|line| line["event"] == "admin_request" && line["action"] == "pause");
    assert_eq!(
        (&event["target"], &event["reason"]),
        (&json!("directory"), &json!("holiday"))
    );
    let entry = history(&gateway, 1).remove(0);
    assert_eq!(
        (&entry["action"], &entry["paused"], &entry["reason"]),
        (&json!("percent"), &json!(true), &json!("holiday"))
    );
    assert_eq!(
        post(&gateway, "pause", &json!({})),
        paused,
        "it is paused already"
    );
    // Another rollout goes through steps of the same duration.
    start(&gateway, "legal", "10% for 1s, 50% for 1s, 100%");
    wait_until("the other rollout is promoted", || {
        gateway.admin_get("/api/v1/rollouts").as_array().unwrap().len() == 1
    });
    assert_eq!(rollout(&gateway)["percent"], paused["percent"]);
    assert_eq!(rollout(&gateway)["progress"]["stepEndsAt"], Value::Null);

    assert_eq!(post(&gateway, "resume", &json!({}))["paused"], false);
    assert_eq!(history(&gateway, 1)[0]["paused"], false);
    wait_until("the rollout continues", || {
        rollout(&gateway)["percent"].as_u64() > paused["percent"].as_u64()
    });
}

#[test]
fn share_set_by_hand_pauses_until_resumed() {
    let gateway = gateway(WITHOUT_MINIMUM);
    let steps = "10% for 1h, 50% for 1h, 80% for 1h, 100%";
    let candidate = start(&gateway, "directory", steps);
    for (percent, resumed_percent, step) in [(60, 60, 2), (5, 10, 1), (99, 99, 3)] {
        post(&gateway, "promote", &json!({ "percent": percent }));
        assert_eq!(rollout(&gateway)["progress"]["paused"], true);
        let resumed = post(&gateway, "resume", &json!({}));
        assert_eq!(
            resumed,
            json!({ "number": candidate, "percent": resumed_percent, "paused": false })
        );
        assert_eq!(rollout(&gateway)["progress"]["step"], step);
    }
    assert_eq!(post(&gateway, "promote", &json!({}))["live"], true);

    // A rollout by hand has no steps to pause.
    let body = json!({ "releases": { "directory": "1.0.0" }, "percent": 5 });
    assert_eq!(gateway.post_deployment(&body).status, 201);
    for action in ["pause", "resume"] {
        let response = gateway.admin_post(&format!("/api/v1/rollouts/directory/{action}"), &json!({}));
        let detail = "the rollout of `directory` has no steps: its share changes only with `promote`";
        assert_eq!(
            (response.status, &response.json()["detail"]),
            (409, &json!(detail))
        );
    }
    let by_number = gateway.admin_post("/api/v1/deployments/2/pause", &json!({}));
    assert_eq!(by_number.status, 409);
}

#[test]
fn rollout_continues_after_a_crash() {
    let gateway = gateway(WITHOUT_MINIMUM);
    let candidate = start(&gateway, "directory", "10% for 1s, 50% for 1s, 100%");
    let restarted = gateway.kill_and_restart(WITHOUT_MINIMUM);
    wait_until_promoted(&restarted, candidate);
}

#[test]
fn outage_and_clock_jump_are_no_step_time() {
    let machine = FaultyMachine::new();
    let before = with_releases(machine.start(WITHOUT_MINIMUM).with_live_site());
    start(&before, "directory", "20% for 1h, 100%");
    let steps_pass = |gateway: &Gateway, version| {
        let body = json!({ "releases": { "legal": version }, "steps": "50% for 1s, 100%" });
        assert_eq!(gateway.post_deployment(&body).status, 201);
        wait_until("the short rollout is promoted", || {
            gateway.admin_get("/api/v1/rollouts").as_array().unwrap().len() == 1
        });
        assert_eq!(rollout(gateway)["percent"], 20);
    };
    machine.set_clock(DAY);
    steps_pass(&before, "2.0.0");
    drop(before);
    machine.set_clock(2 * DAY);
    let after = machine.start(WITHOUT_MINIMUM);
    steps_pass(&after, "1.0.0");
}
