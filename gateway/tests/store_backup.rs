//! `gateway store backup`, `restore`, `ls`, `cat` and `tree`.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support::{Gateway, Release, edit_json};

fn publish_and_deploy(gateway: &Gateway, version: &str) {
    gateway.publish(&Release::section("directory", version, &["/"]));
    gateway.deploy(&json!({ "directory": version }));
}

/// Creates a preview of the live releases without `directory`. Returns its link.
fn create_preview_link(gateway: &Gateway) -> String {
    let preview = gateway.admin_post("/api/v1/previews", &json!({ "releases": { "directory": null } }));
    let link = preview.json()["url"].as_str().unwrap().to_owned();
    link.strip_prefix("https://site.example").unwrap().to_owned()
}

fn back_up(gateway: &Gateway, name: &str) -> String {
    let folder = gateway.folder().join(name).display().to_string();
    let (code, output) = gateway.store_command(&["backup", &folder]);
    assert_eq!(code, 0, "{output}");
    folder
}

/// Stops the gateway, removes its store, and restores a backup.
fn restore(gateway: &mut Gateway, file: &str) {
    gateway.kill();
    fs::remove_dir_all(gateway.store()).unwrap();
    let (code, output) = gateway.store_command(&["restore", file]);
    assert_eq!(code, 0, "{output}");
}

fn revisions(gateway: &Gateway) -> Vec<u64> {
    let history = gateway.admin_get("/api/v1/history");
    let entries = history["entries"].as_array().unwrap().iter();
    entries.map(|entry| entry["revision"].as_u64().unwrap()).collect()
}

#[test]
fn restored_backup_serves_and_rolls_back() {
    let mut gateway = Gateway::start_live("", &[]);
    publish_and_deploy(&gateway, "1.1.0");
    let link = create_preview_link(&gateway);
    assert_eq!(gateway.get(&link).status, 200);
    let file = back_up(&gateway, "backup");
    let (code, output) = gateway.store_command(&["backup", &file]);
    assert!(
        code == 1 && output.contains("never overwrites a store"),
        "{output}"
    );
    gateway.wait_for_empty_scratch();
    let before = gateway.admin_get("/api/v1/history");
    publish_and_deploy(&gateway, "1.2.0");
    publish_and_deploy(&gateway, "1.3.0");
    restore(&mut gateway, &file);

    let restored = gateway.start_another();
    assert_eq!(restored.get("/").boot()["deployment"], "2");
    assert_eq!(restored.get(&link).status, 403, "a restore ends previews");
    assert_eq!(restored.admin_get("/api/v1/history"), before);
    assert_eq!(restored.get("/assets/directory/1.1.0/entry.js").status, 200);
    publish_and_deploy(&restored, "2.0.0");
    assert_eq!(revisions(&restored), [4, 3, 2, 1]);
    for version in ["1.1.0", "1.0.0"] {
        let rollback = restored.admin_post("/api/v1/rollback", &json!({ "section": "directory" }));
        assert_eq!(
            rollback.json()["releases"]["directory"],
            version,
            "{}",
            rollback.text()
        );
    }
}

#[test]
fn gateway_rejects_timeline_restored_while_it_runs() {
    let mut gateway = Gateway::start_live("", &[]);
    let file = back_up(&gateway, "backup");
    publish_and_deploy(&gateway, "1.1.0");
    let running = gateway.start_another();
    restore(&mut gateway, &file);
    running.wait_for_event(|line| {
        line["event"] == "store_refresh_failed"
            && line["error"].as_str().unwrap().contains("restart the gateway")
    });
    let ready = running.get("/readyz");
    let expected = "degraded: the store was restored while the gateway runs\n".to_owned();
    assert_eq!((ready.status, ready.text()), (200, expected));
    let deploy = running.post_deployment(&json!({ "releases": { "directory": "1.0.0" } }));
    assert_eq!(deploy.status, 500, "{}", deploy.text());
    assert_eq!(running.get("/").boot()["deployment"], "2");
    let restarted = running.kill_and_restart("");
    assert_eq!(restarted.get("/").boot()["deployment"], "1");
}

#[test]
fn backup_during_changes_is_consistent() {
    // Garbage collection deletes all that it can.
    let extra = "retain_deployments = 1\nretain_hours = 0\nretain_releases = 0\n";
    let mut gateway = Gateway::start_live(extra, &[]);
    let done = AtomicBool::new(false);
    let changes = AtomicUsize::new(0);
    let files: Vec<String> = std::thread::scope(|scope| {
        let (shared, done, changes) = (&gateway, &done, &changes);
        scope.spawn(move || {
            for minor in 1..1000 {
                if done.load(Ordering::Relaxed) {
                    break;
                }
                publish_and_deploy(shared, &format!("1.{minor}.0"));
                changes.fetch_add(1, Ordering::Relaxed);
                shared.admin_change("/api/v1/garbage-collection", &json!({}));
            }
        });
        let mut files = Vec::new();
        let mut has_changed = false;
        // The last backup contains a change, however slow the first one is.
        while files.len() < 4 || !has_changed {
            has_changed = changes.load(Ordering::Relaxed) > 0;
            files.push(back_up(shared, &format!("backup{}", files.len())));
        }
        done.store(true, Ordering::Relaxed);
        files
    });
    let mut newest = 0;
    for file in files {
        restore(&mut gateway, &file);
        let (code, report) = gateway.store_command(&["verify", "--json"]);
        assert_eq!(code, 0, "{report}");
        let report: Value = serde_json::from_str(&report).unwrap();
        let revision = report["revision"].as_u64().unwrap();
        assert!(revision >= newest, "{report}");
        newest = revision;
        let mut restored = gateway.start_another();
        let live = restored.get("/").set();
        assert_eq!(live, report["live"].to_string());
        restored.kill();
    }
    assert!(newest > 1, "no change was made during the backups");
}

#[test]
fn restore_rejects_used_folder_and_incomplete_backup() {
    let mut gateway = Gateway::start_live("", &[]);
    let file = back_up(&gateway, "backup");
    gateway.kill();
    let (code, output) = gateway.store_command(&["restore", &file]);
    assert!(code == 1 && output.contains("the store is not empty"), "{output}");

    fs::remove_dir_all(gateway.store()).unwrap();
    let whole = gateway.folder().join("backup/store.json");
    let text = fs::read(&whole).unwrap();
    fs::remove_file(&whole).unwrap();
    let (code, output) = gateway.store_command(&["restore", &file]);
    assert!(
        code == 1 && output.contains("`store.json` of a store is not"),
        "{output}"
    );
    assert!(!gateway.store().exists());
    fs::write(whole, text).unwrap();
    fs::remove_dir_all(gateway.folder().join("backup/files")).unwrap();
    let (code, output) = gateway.store_command(&["restore", &file]);
    assert!(code == 3 && output.contains("the file is missing"), "{output}");
}

#[test]
fn backup_reads_nothing_outside_store() {
    let mut gateway = Gateway::start_live("", &[]);
    gateway.kill();
    fs::write(gateway.folder().join("escaped"), "secret").unwrap();
    edit_json(&gateway.record("directory/1.0.0"), |record| {
        record["files"]["client/entry.js"] = json!("../../escaped");
    });
    let copy = gateway.folder().join("backup");
    let (code, output) = gateway.store_command(&["backup", copy.to_str().unwrap()]);
    assert_eq!(code, 3, "{output}");
    assert_eq!(fs::read(gateway.folder().join("escaped")).unwrap(), b"secret");
    assert!(!copy.join("files/escaped").exists());
}

#[test]
fn store_is_shown_without_secrets() {
    let gateway = Gateway::start_live("", &[]);
    create_preview_link(&gateway);
    gateway.publish(&Release::section("directory", "1.1.0", &["/"]));
    let rollout = json!({ "releases": { "directory": "1.1.0" }, "percent": 10 });
    assert_eq!(gateway.post_deployment(&rollout).status, 201);
    let run = |arguments: &[&str]| gateway.store_command(arguments);
    let (code, keys) = run(&["ls", "releases/directory"]);
    assert_eq!(
        (code, &*keys),
        (
            0,
            "releases/directory/1.0.0.json\nreleases/directory/1.1.0.json\n"
        )
    );
    assert!(run(&["ls"]).1.contains("live.json"));
    let (code, tree) = run(&["tree", "directory/1.1"]);
    assert!(
        code == 0 && tree.starts_with("directory/1.1.0\n") && tree.contains("  client/entry.js  files/"),
        "{tree}"
    );
    let (code, live) = run(&["cat", "live.json"]);
    let live: Value = serde_json::from_str(&live).unwrap();
    assert_eq!(
        (code, &live["visible"]["rollouts"][0]["key"]),
        (0, &json!("(secret)"))
    );
    for (key, problem) in [
        ("preview-keys.json", "secrets"),
        ("../site.toml", "no such object"),
        ("history/9.json", "no such object"),
    ] {
        let (code, output) = run(&["cat", key]);
        assert!(code == 1 && output.contains(problem), "{output}");
    }
}
