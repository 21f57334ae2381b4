//! A store that lost `live.json`, or what it needs: the gateway refuses to start, and `gateway serve --recover` goes on.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Gateway, Release, Setup, run_gateway};

/// A stopped gateway after three deploys, the last of them during a rollout.
fn gateway() -> Gateway {
    let mut gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("directory", "1.1.0", &["/"]));
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    gateway.publish(&Release::section("legal", "1.1.0", &["/terms"]));
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    gateway.admin_change(
        "/api/v1/deployments",
        &json!({ "releases": { "legal": "1.1.0" }, "percent": 10 }),
    );
    gateway.deploy(&json!({ "directory": "1.1.0" }));
    gateway.kill();
    gateway
}

fn assert_start_fails(gateway: &Gateway, message: &str) {
    let output = run_gateway(&["serve", "--config", gateway.config().to_str().unwrap()]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains(message), "{error}");
}

fn recover(gateway: &Gateway) -> Gateway {
    Gateway::set_up(Setup {
        folder: Some(gateway.shared_folder()),
        arguments: &["--recover"],
        ..Setup::default()
    })
}

#[test]
fn store_with_only_first_deploy_needs_live_state() {
    let mut gateway = Gateway::start_live("", &[]);
    gateway.kill();
    fs::remove_file(gateway.store().join("live.json")).unwrap();
    assert_start_fails(&gateway, "live.json is missing");
}

#[test]
fn store_without_deploys_needs_no_live_state() {
    let mut gateway = Gateway::start();
    gateway.publish(&Release::shell("1.0.0"));
    gateway.kill();
    assert_eq!(gateway.start_another().get("/").status, 503);
}

#[test]
fn recover_makes_newest_change_live_and_ends_rollouts() {
    let gateway = gateway();
    let live = gateway.store().join("live.json");
    for damage in ["missing", "damaged"] {
        match damage {
            "missing" => fs::remove_file(&live).unwrap(),
            _ => fs::write(&live, "{").unwrap(),
        }
        assert_start_fails(&gateway, "restore a backup, or run `gateway serve --recover`");
        assert_eq!(live.exists(), damage == "damaged");
        let mut recovered = recover(&gateway);
        recovered.wait_for_event(|line| line["event"] == "live_state_recovered" && line["revision"] == 4);
        let state = recovered.admin_get("/api/v1/deployments");
        assert_eq!(state["rollouts"], json!([]), "{state}");
        let boot = recovered.get("/").boot();
        assert_eq!(boot["page"]["section"]["version"], "1.1.0");
        assert_eq!(
            recovered.admin_get("/api/v1/history")["entries"][0]["revision"],
            4
        );
        recovered.kill();
    }
    assert_eq!(fs::read(gateway.store().join("live.json.damaged")).unwrap(), b"{");
    let restarted = gateway.start_another();
    let rollback = restarted.admin_post("/api/v1/rollback", &json!({ "section": "directory" }));
    assert_eq!(
        rollback.json()["releases"]["directory"],
        "1.0.0",
        "{}",
        rollback.text()
    );
    assert_eq!(
        restarted.admin_get("/api/v1/history")["entries"][0]["revision"],
        5
    );
}

#[test]
fn recover_replaces_damaged_newest_change() {
    let gateway = gateway();
    fs::remove_file(gateway.store().join("live.json")).unwrap();
    fs::write(gateway.store().join("history/4.json"), "{").unwrap();
    let recovered = recover(&gateway);
    recovered.wait_for_event(|line| line["event"] == "live_state_recovered" && line["revision"] == 3);
    recovered.deploy(&json!({ "directory": "1.1.0" }));
    recovered.deploy(&json!({ "legal": "1.1.0" }));
    let history = recovered.admin_get("/api/v1/history");
    let entries = history["entries"].as_array().unwrap().iter();
    let revisions: Vec<_> = entries.map(|entry| entry["revision"].as_u64().unwrap()).collect();
    assert_eq!(revisions, [5, 4, 3, 2, 1]);
}

#[test]
fn recover_keeps_intact_live_state() {
    let gateway = gateway();
    let live = gateway.store().join("live.json");
    let before = fs::read(&live).unwrap();
    let recovered = recover(&gateway);
    assert_eq!(
        recovered.admin_get("/api/v1/deployments")["rollouts"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(fs::read(live).unwrap(), before);
    assert!(!recovered.output().contains("live_state_recovered"));
}

/// The live deployment of the newest change.
fn live(gateway: &Gateway) -> u64 {
    let text = fs::read(gateway.store().join("live.json")).unwrap();
    let state: Value = serde_json::from_slice(&text).unwrap();
    state["change"]["live"].as_u64().unwrap()
}

/// Asserts that recovery makes deployment 2 live, and that the gateway then starts without it.
fn assert_recovers_deployment_2(gateway: &Gateway) {
    let mut recovered = recover(gateway);
    recovered.wait_for_event(|line| line["event"] == "live_state_recovered" && line["deployment"] == 2);
    assert_eq!(recovered.get("/").boot()["deployment"], "2");
    recovered.kill();
    let mut restarted = gateway.start_another();
    restarted.deploy(&json!({ "legal": "1.1.0" }));
    restarted.kill();
    assert_ne!(gateway.store_command(&["verify"]).0, 4);
}

#[test]
fn recover_skips_lost_deployment() {
    let gateway = gateway();
    let store = gateway.store();
    fs::remove_file(store.join(format!("deployments/{}.json", live(&gateway)))).unwrap();
    fs::remove_file(store.join("live.json")).unwrap();
    assert_recovers_deployment_2(&gateway);
}

#[test]
fn recover_replaces_live_state_of_lost_deployment() {
    let gateway = gateway();
    let store = gateway.store();
    let before = fs::read(store.join("live.json")).unwrap();
    fs::write(store.join(format!("deployments/{}.json", live(&gateway))), "{").unwrap();
    assert_start_fails(&gateway, "run `gateway serve --recover`");
    assert_recovers_deployment_2(&gateway);
    assert_eq!(fs::read(store.join("live.json.damaged")).unwrap(), before);
}

#[test]
fn recover_skips_deployment_with_damaged_shell() {
    let mut gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    gateway.publish(&Release::section("legal", "1.1.0", &["/terms"]));
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    gateway.publish(&Release::shell("1.1.0"));
    gateway.deploy(&json!({ "shell": "1.1.0" }));
    gateway.kill();
    fs::write(gateway.record("shell/1.1.0"), "{").unwrap();
    assert_start_fails(&gateway, "run `gateway serve --recover`");
    assert_recovers_deployment_2(&gateway);
}

#[test]
fn recover_without_any_deployment_changes_nothing() {
    let gateway = gateway();
    let (live, deployments) = (
        gateway.store().join("live.json"),
        gateway.store().join("deployments"),
    );
    fs::write(&live, "damaged").unwrap();
    fs::remove_dir_all(deployments).unwrap();
    let config = gateway.config().to_str().unwrap();
    let output = run_gateway(&["serve", "--config", config, "--recover"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("no change of the history"), "{error}");
    assert_eq!(fs::read(live).unwrap(), b"damaged");
}

#[test]
fn start_with_damaged_live_state_names_recovery() {
    let gateway = gateway();
    let live = gateway.store().join("live.json");
    for damage in ["null", "folder"] {
        fs::remove_file(&live).unwrap();
        match damage {
            "folder" => fs::create_dir(&live).unwrap(),
            text => fs::write(&live, text).unwrap(),
        }
        assert_start_fails(&gateway, "restore a backup, or run `gateway serve --recover`");
        let (code, output) = gateway.store_command(&["verify"]);
        assert_eq!(code, 4, "{output}");
        assert!(output.contains("run `gateway serve --recover`"), "{output}");
        assert!(!output.contains("SchemaOnly"), "{output}");
        let mut recovered = recover(&gateway);
        assert_eq!(recovered.get("/").status, 200, "{damage}");
        recovered.kill();
    }
}

#[test]
fn start_rejects_store_without_history() {
    let gateway = gateway();
    let store = gateway.store();
    let config = gateway.config().to_str().unwrap();
    fs::remove_file(store.join("live.json")).unwrap();
    fs::remove_dir_all(store.join("history")).unwrap();
    assert_start_fails(&gateway, "live.json and the history are missing");
    let output = run_gateway(&["serve", "--config", config, "--recover"]);
    assert_eq!(output.status.code(), Some(1));
    let (code, output) = gateway.store_command(&["verify"]);
    assert_eq!(code, 4, "{output}");
    assert!(output.contains("the history are missing"), "{output}");
    // As the message says.
    fs::remove_dir_all(store.join("deployments")).unwrap();
    assert_eq!(gateway.start_another().get("/").status, 503);
}

#[test]
fn first_deploy_is_repeated_after_failed_one() {
    let mut gateway = Gateway::start();
    gateway.publish(&Release::shell("1.0.0"));
    let failed = gateway.store().join("deployments/1.json");
    fs::write(&failed, "{}").unwrap();
    assert_eq!(gateway.deploy(&json!({ "shell": "1.0.0" })), 2);
    gateway.kill();
    assert_eq!(gateway.start_another().get("/").boot()["deployment"], "2");
}
