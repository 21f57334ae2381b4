//! The schema of store files: a gateway keeps what a newer one of the same schema wrote, and refuses a newer schema.

use std::fs;

use serde_json::json;

use crate::support::{Gateway, Release, Request, edit_json, read_json, run_gateway};

/// A stopped gateway with a rollout and a preview, and its files that gateways write.
fn gateway() -> Gateway {
    let mut gateway = Gateway::start_live("", &[]);
    for version in ["1.1.0", "1.2.0"] {
        gateway.publish(&Release::section("directory", version, &["/"]));
    }
    let directory = json!({ "directory": "1.1.0" });
    gateway.admin_change("/api/v1/previews", &json!({ "releases": directory }));
    gateway.admin_change(
        "/api/v1/deployments",
        &json!({ "releases": directory, "percent": 10 }),
    );
    gateway.kill();
    gateway
}

const FILES: [&str; 5] = [
    "live.json",
    "preview-keys.json",
    "deployments/1.json",
    "history/1.json",
    "releases/directory/1.0.0.json",
];

#[test]
fn store_files_carry_schema() {
    let gateway = gateway();
    for file in FILES {
        assert_eq!(read_json(&gateway.store().join(file))["schema"], 1, "{file}");
    }
}

#[test]
fn fields_of_newer_gateway_survive_changes() {
    let gateway = gateway();
    let store = gateway.store();
    let file = |name: &str| store.join(name);
    for name in FILES {
        edit_json(&file(name), |value| value["newer"] = json!({ "of": name }));
    }
    edit_json(&file("live.json"), |state| {
        state["visible"]["rollouts"][0]["newer"] = json!("rollout");
        state["change"]["newer"] = json!("change");
    });
    edit_json(&file("preview-keys.json"), |keys| {
        keys["keys"][0]["newer"] = json!("key");
    });
    let revision = read_json(&file("live.json"))["change"]["revision"]
        .as_u64()
        .unwrap();
    edit_json(&file(&format!("history/{revision}.json")), |change| {
        change["newer"] = json!("change");
    });

    let gateway = gateway.start_another();
    gateway.publish(&Release::section("other", "1.0.0", &["/other"]));
    gateway.deploy(&json!({ "other": "1.0.0" }));
    let state = read_json(&file("live.json"));
    assert_eq!(state["newer"], json!({ "of": "live.json" }));
    assert_eq!(state["visible"]["rollouts"][0]["newer"], "rollout");
    assert_eq!(state["schema"], 1);
    assert!(state["change"].get("newer").is_none(), "it is another change");
    assert_eq!(
        read_json(&file(&format!("history/{revision}.json")))["newer"],
        "change"
    );
    // The key is too old to sign, so the next preview adds one.
    edit_json(&file("preview-keys.json"), |keys| {
        let at = crate::support::now() - jiff::SignedDuration::from_hours(25);
        keys["keys"][0]["createdAt"] = json!(at.to_string());
    });
    gateway.admin_change("/api/v1/previews", &json!({ "releases": { "other": null } }));
    let keys = read_json(&file("preview-keys.json"));
    assert_eq!(keys["newer"], json!({ "of": "preview-keys.json" }));
    assert_eq!(keys["keys"].as_array().unwrap().len(), 2, "{keys}");
    assert_eq!(keys["keys"][1]["newer"], "key");
    // What is written once stays as it is, and is not served.
    for name in &FILES[2..] {
        assert_eq!(read_json(&file(name))["newer"], json!({ "of": name }));
    }
    for target in ["/api/v1/history", "/api/v1/deployments", "/api/v1/sections"] {
        let response = gateway.admin_request(Request::new("GET", target));
        assert!(!response.text().contains("newer"), "{target}");
    }
}

#[test]
fn newer_schema_is_refused() {
    let gateway = gateway();
    let live = gateway.store().join("live.json");
    let before = fs::read(&live).unwrap();
    fs::write(&live, json!({ "schema": 2, "other": "format" }).to_string()).unwrap();
    let newer = fs::read(&live).unwrap();
    let config = gateway.config().to_str().unwrap();
    for arguments in [
        &["serve", "--config", config][..],
        &["serve", "--recover", "--config", config],
    ] {
        let output = run_gateway(arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(
            error.contains("live.json: the file has schema 2, and this gateway reads up to 1"),
            "{error}"
        );
        assert_eq!(fs::read(&live).unwrap(), newer);
    }
    fs::write(&live, before).unwrap();
    // A section whose record is newer is unavailable.
    let record = gateway.store().join("releases/directory/1.0.0.json");
    edit_json(&record, |record| record["schema"] = json!(2));
    let gateway = gateway.start_another();
    let event = gateway.wait_for_event(|line| line["event"] == "section_unavailable");
    assert!(
        event["error"].as_str().unwrap().contains("the file has schema 2"),
        "{event}"
    );
    let sections = gateway.admin_get("/api/v1/sections");
    assert_eq!(sections[0]["releases"].as_array().unwrap().len(), 2, "{sections}");
}
