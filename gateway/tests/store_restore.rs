//! Restored stores: a restore starts a new timeline, and the changes of the lost one never appear.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{FaultyMachine, Gateway, Release, run_gateway, wait_until};

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

fn json_file(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn older_live_state_starts_new_timeline() {
    let gateway = older_live_state().start_another();
    publish_and_deploy(&gateway, "2.0.0", "2.0.0");
    assert_eq!(history(&gateway), [(2, json!("2.0.0")), (1, json!(null))]);
    let entries = fs::read_dir(gateway.store().join("history")).unwrap();
    assert_eq!(entries.count(), 2, "the lost changes are deleted");
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
    let entry = json_file(&gateway.store().join("history/3.json"));
    assert_eq!(entry["reason"], "2.1.0");
    for version in ["2.1.0", "2.0.0", "1.0.0"] {
        let rollback = gateway.admin_post("/api/v1/rollback", &json!({ "section": "directory" }));
        assert_eq!(rollback.status, 201, "{}", rollback.text());
        assert_eq!(rollback.json()["releases"]["directory"], version);
    }
}

fn restore_command(gateway: &Gateway, file: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gateway"));
    command
        .args(["store", "restore", file, "--config"])
        .arg(gateway.config());
    command
}

/// Starts a restore that ends in the middle of the backup, waits for the writing of releases, and kills it.
fn interrupt_restore(gateway: &Gateway, file: &str) {
    let backup = fs::read(file).unwrap();
    let fifo = gateway.folder().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let mut restore = restore_command(gateway, fifo.to_str().unwrap()).spawn().unwrap();
    let mut writer = fs::File::options().write(true).open(&fifo).unwrap();
    writer.write_all(&backup[..backup.len() / 2]).unwrap();
    wait_until("releases are restored", || {
        gateway.store().join("releases").exists()
    });
    let (code, output) = gateway.store_command(&["restore", file]);
    assert_eq!(code, 1, "{output}");
    assert!(
        output.contains("another operation holds the lock of the store"),
        "{output}"
    );
    restore.kill().unwrap();
    restore.wait().unwrap();
}

#[test]
fn interrupted_restore_is_repeated() {
    let mut gateway = Gateway::start_live("", &[]);
    publish_and_deploy(&gateway, "1.1.0", "a change");
    let file = gateway.folder().join("backup.tar").display().to_string();
    assert_eq!(gateway.store_command(&["backup", &file]).0, 0);
    gateway.kill();
    fs::remove_dir_all(gateway.store()).unwrap();
    interrupt_restore(&gateway, &file);
    assert_restore_is_interrupted(&gateway);
    // Now before the last file, the live state.
    let scratch = gateway.store().join("scratch");
    FaultyMachine::new().run_until_creation(&scratch, &mut restore_command(&gateway, &file));
    assert_restore_is_interrupted(&gateway);
    let (code, output) = gateway.store_command(&["restore", &file]);
    assert_eq!(code, 0, "{output}");
    assert_eq!(gateway.start_another().get("/").boot()["deployment"], 2);
    // What a gateway uses is never replaced.
    assert_eq!(gateway.store_command(&["restore", &file]).0, 1);
}

fn assert_restore_is_interrupted(gateway: &Gateway) {
    let output = run_gateway(&["serve", "--config", gateway.config().to_str().unwrap()]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("run `gateway store restore` again"), "{error}");
    assert_eq!(gateway.store_command(&["verify"]).0, 4);
}
