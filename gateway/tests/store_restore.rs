//! Restored stores: a restore starts a new timeline, and the changes of the lost one never appear.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{FaultyMachine, Gateway, Release, read_json, run_gateway};

/// A stopped gateway whose `live.json` is three deploys older than the rest of its store, as a restored copy that was made
/// during deploys.
fn older_live_state() -> Gateway {
    let mut gateway = Gateway::start_live("", &[]);
    let live = gateway.store().join("live.json");
    let copy = fs::read(&live).unwrap();
    for minor in 1..=3 {
        publish_and_deploy(&gateway, &format!("1.{minor}.0"), &format!("lost {minor}"));
    }
    gateway.kill();
    fs::write(live, copy).unwrap();
    gateway
}

fn publish_and_deploy(gateway: &Gateway, version: &str, reason: &str) {
    gateway.publish(&Release::section("directory", version, &["/"]));
    gateway.admin_change(
        "/api/v1/deployments",
        &json!({ "releases": { "directory": version }, "reason": reason }),
    );
}

/// The revision and the reason of each change, newest first.
fn history(gateway: &Gateway) -> Vec<(u64, Value)> {
    let history = gateway.admin_get("/api/v1/history");
    let entries = history["entries"].as_array().unwrap().iter();
    entries
        .map(|entry| (entry["revision"].as_u64().unwrap(), entry["reason"].clone()))
        .collect()
}

#[test]
fn older_live_state_starts_new_timeline() {
    let gateway = older_live_state().start_another();
    publish_and_deploy(&gateway, "2.0.0", "2.0.0");
    assert_eq!(history(&gateway), [(2, json!("2.0.0")), (1, json!(null))]);
    for version in ["2.1.0", "2.2.0"] {
        publish_and_deploy(&gateway, version, version);
    }
    let expected = [
        (4, json!("2.2.0")),
        (3, json!("2.1.0")),
        (2, json!("2.0.0")),
        (1, json!(null)),
    ];
    assert_eq!(history(&gateway), expected);
    gateway.wait_for_event(|line| line["event"] == "history_entry_replaced" && line["revision"] == 2);
    let entry = read_json(&gateway.store().join("history/3.json"));
    assert_eq!(entry["reason"], "2.1.0");
    for version in ["2.1.0", "2.0.0", "1.0.0"] {
        let rollback = gateway.admin_post("/api/v1/rollback", &json!({ "section": "directory" }));
        assert_eq!(rollback.status, 201, "{}", rollback.text());
        assert_eq!(rollback.json()["releases"]["directory"], version);
    }
}

#[test]
fn interrupted_restore_is_repeated() {
    let mut gateway = Gateway::start_live("", &[]);
    publish_and_deploy(&gateway, "1.1.0", "a change");
    let backup = gateway.folder().join("backup").display().to_string();
    assert_eq!(gateway.store_command(&["backup", &backup]).0, 0);
    gateway.kill();
    fs::remove_dir_all(gateway.store()).unwrap();
    let mut restore = Command::new(env!("CARGO_BIN_EXE_gateway"));
    restore
        .args(["store", "restore", &backup, "--config"])
        .arg(gateway.config());
    // After the files of the first release.
    let releases = gateway.store().join("releases");
    FaultyMachine::new().run_until_creation(&releases, &mut restore);
    let output = run_gateway(&["serve", "--config", gateway.config().to_str().unwrap()]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(
        error.contains("a copy to the store was interrupted; repeat it"),
        "{error}"
    );
    assert_eq!(gateway.store_command(&["verify"]).0, 4);
    // Another store does not mix with it.
    let other = Gateway::start_live("", &[]);
    let (code, output) = gateway.store_command(&["restore", other.store().to_str().unwrap()]);
    assert!(
        code == 1 && output.contains("another store was being copied"),
        "{output}"
    );
    let (code, output) = gateway.store_command(&["restore", &backup]);
    assert_eq!(code, 0, "{output}");
    assert_eq!(gateway.start_another().get("/").boot()["deployment"], "2");
    // What a gateway uses is never replaced.
    assert_eq!(gateway.store_command(&["restore", &backup]).0, 1);
}
