//! `gateway store verify`: what is wrong with a store, and what still serves.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Gateway, Release, run_gateway};

/// A stopped gateway with a shell and two sections, after three changes.
fn gateway() -> Gateway {
    let mut gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    gateway.publish(&Release::section("directory", "1.1.0", &["/"]));
    gateway.deploy(&json!({ "directory": "1.1.0" }));
    gateway.kill();
    gateway
}

fn verify(gateway: &Gateway) -> (i32, Value) {
    let (code, output) = gateway.store_command(&["verify", "--json"]);
    (code, serde_json::from_str(&output).unwrap())
}

/// Asserts that one file is reported, and what is served of the visible releases.
fn assert_problem(gateway: &Gateway, code: i32, file: &str, problem: &str, serves: &Value) {
    let (actual_code, report) = verify(gateway);
    assert_eq!(actual_code, code, "{report}");
    let problems = report["problems"].as_array().unwrap();
    let found = problems.iter().find(|found| found["file"] == file);
    let found = found.unwrap_or_else(|| panic!("{file} is not reported: {report}"));
    assert!(found["problem"].as_str().unwrap().contains(problem), "{found}");
    let visible = report["visible"].as_array().unwrap().iter();
    let visible: Value = visible
        .map(|release| {
            (
                release["release"].as_str().unwrap().to_owned(),
                release["serves"].clone(),
            )
        })
        .collect();
    assert_eq!(&visible, serves, "{report}");
    let (text_code, text) = gateway.store_command(&["verify"]);
    assert_eq!(text_code, code);
    assert!(text.contains(&format!("{file}: ")), "{text}");
}

fn all_serve() -> Value {
    json!({ "directory@1.1.0": "all", "legal@1.0.0": "all", "shell@1.0.0": "all" })
}

fn except(release: &str, serves: &str) -> Value {
    let mut all = all_serve();
    all[release] = json!(serves);
    all
}

#[test]
fn verify_accepts_intact_store() {
    let gateway = gateway();
    let (code, report) = verify(&gateway);
    assert_eq!(code, 0, "{report}");
    assert_eq!(report["health"], "ok");
    assert_eq!((&report["revision"], &report["live"]), (&json!(3), &json!(3)));
    assert_eq!(report["releases"], 4);
    let (code, text) = gateway.store_command(&["verify"]);
    assert_eq!(code, 0);
    assert!(text.starts_with("ok: revision 3, 4 releases"), "{text}");
    // Of a running gateway, too.
    let running = gateway.start_another();
    assert_eq!(verify(&running).0, 0);
    running.wait_for_empty_scratch();
    // A backup that has failed looks like an empty store.
    let empty = Gateway::start();
    assert_eq!(verify(&empty).0, 3);
    assert_eq!(empty.store_command(&["verify", "--allow-empty"]).0, 0);
    // Only the folder of the store is needed.
    let config = gateway.folder().join("store.toml");
    fs::write(&config, "[store]\nfolder = \"store\"\n").unwrap();
    let output = run_gateway(&["store", "verify", "--config", config.to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    fs::write(&config, "[store]\n").unwrap();
    let output = run_gateway(&["store", "verify", "--config", config.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let problems = String::from_utf8(output.stderr).unwrap();
    assert!(problems.contains("store.folder: missing"), "{problems}");
}

#[test]
fn verify_reports_changed_file_and_variant() {
    let gateway = gateway();
    let serves = except("directory@1.1.0", "partly");
    let record = "releases/directory/1.1.0.json";
    for file in [
        "server/index.js",
        "compressed/client/entry.js.br",
        "compressed/client/entry.js.gzip",
        "compressed/client/entry.js.zstd",
    ] {
        let path = gateway.object("directory/1.1.0", file);
        let intact = fs::read(&path).unwrap();
        let mut bytes = intact.clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&path, bytes).unwrap();
        assert_problem(&gateway, 3, record, "do not match their digest", &serves);
        fs::remove_file(&path).unwrap();
        assert_problem(&gateway, 3, record, "is missing", &serves);
        fs::write(path, intact).unwrap();
    }
}

#[test]
fn verify_reports_damaged_and_missing_release() {
    let gateway = gateway();
    let record = gateway.record("directory/1.1.0");
    let text = fs::read_to_string(&record).unwrap();
    fs::write(&record, text.replace("\\\"path", "\\\"paths")).unwrap();
    let serves = except("directory@1.1.0", "nothing");
    let file = "releases/directory/1.1.0.json";
    assert_problem(&gateway, 3, file, "do not match their digest", &serves);
    fs::remove_file(&record).unwrap();
    let missing = "names missing releases: directory@1.1.0";
    assert_problem(&gateway, 3, "deployments/3.json", missing, &serves);
}

#[test]
fn verify_reports_damaged_keys_tombstone_and_history() {
    let gateway = gateway();
    let store = gateway.store();
    let tombstone = store.join("tombstones/legal/0.9.0.json");
    fs::create_dir_all(tombstone.parent().unwrap()).unwrap();
    let entry = store.join("history/2.json");
    let text = fs::read_to_string(&entry).unwrap();
    fs::remove_file(&entry).unwrap();
    assert_problem(&gateway, 3, "history/2.json", "it is missing", &all_serve());
    fs::write(&entry, &text).unwrap();
    for (file, contents, problem) in [
        (
            "history/2.json",
            &*text.replace("\"live\": 2", "\"live\": 1"),
            "deployment 1 was live after it",
        ),
        (
            "history/2.json",
            &text.replace("\"revision\": 2", "\"revision\": 7"),
            "not the change of its revision",
        ),
        ("history/3.json", "{", "EOF"),
        ("history/4.json", &text, "not a change of this timeline"),
        ("tombstones/legal/0.9.0.json", "{", "EOF"),
        ("preview-keys.json", "garbage", "expected value"),
    ] {
        let intact = fs::read(store.join(file)).ok();
        fs::write(store.join(file), contents).unwrap();
        assert_problem(&gateway, 3, file, problem, &all_serve());
        match intact {
            Some(intact) => fs::write(store.join(file), intact).unwrap(),
            None => fs::remove_file(store.join(file)).unwrap(),
        }
    }
}

#[test]
fn verify_reports_unusable_store() {
    let gateway = gateway();
    let store = gateway.store();
    let shell = gateway.record("shell/1.0.0");
    fs::rename(&shell, store.join("shell.json")).unwrap();
    let serves = except("shell@1.0.0", "nothing");
    assert_problem(&gateway, 4, "live.json", "shell@1.0.0, which is missing", &serves);
    fs::rename(store.join("shell.json"), shell).unwrap();

    fs::rename(store.join("deployments/3.json"), store.join("3.json")).unwrap();
    assert_problem(
        &gateway,
        4,
        "live.json",
        "deployment 3, which is missing",
        &json!({}),
    );
    fs::rename(store.join("3.json"), store.join("deployments/3.json")).unwrap();

    let keys = store.join("preview-keys.json");
    fs::write(&keys, r#"{ "schema": 2 }"#).unwrap();
    assert_problem(&gateway, 4, "preview-keys.json", "schema 2", &all_serve());
    fs::remove_file(keys).unwrap();

    fs::write(store.join("live.json"), "{").unwrap();
    assert_problem(&gateway, 4, "live.json", "EOF", &json!({}));
    fs::remove_file(store.join("live.json")).unwrap();
    assert_problem(&gateway, 4, "live.json", "is missing", &json!({}));
    fs::remove_dir_all(&store).unwrap();
    assert_eq!(verify(&gateway).0, 4);
}

#[test]
fn verify_reports_records_that_contradict_each_other() {
    let gateway = gateway();
    let edit = |file: &str, from: &str, to: &str| {
        let path = gateway.store().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(&path, text.replace(from, to)).unwrap();
        (path, text)
    };
    let (path, text) = edit("history/1.json", "\"to\": \"1.0.0\"", "\"to\": \"7.7.7\"");
    let other = "deployments/1.json has other releases";
    assert_problem(&gateway, 3, "history/1.json", other, &all_serve());
    // Deployment 1 as garbage collection deletes it.
    let deployment = gateway.store().join("deployments/1.json");
    let moved = gateway.store().join("1.json");
    fs::rename(&deployment, &moved).unwrap();
    fs::rename(
        gateway.store().join("deployments/2.json"),
        gateway.store().join("2.json"),
    )
    .unwrap();
    let replaced = "replaces other releases";
    assert_problem(&gateway, 3, "history/3.json", replaced, &all_serve());
    fs::write(&path, text).unwrap();
    assert_eq!(verify(&gateway).0, 0);

    edit("deployments/3.json", "\"1.1.0\"", "\"1.0.0\"");
    let serves = json!({ "directory@1.0.0": "all", "legal@1.0.0": "all", "shell@1.0.0": "all" });
    let other = "deployments/3.json has other releases";
    assert_problem(&gateway, 3, "history/3.json", other, &serves);
    // Also if what was live before it is unknown.
    fs::remove_file(gateway.store().join("history/2.json")).unwrap();
    assert_problem(&gateway, 3, "history/3.json", other, &serves);
}
