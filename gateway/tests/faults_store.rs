//! Store faults: read-only, full or missing. Visitors keep reading, and operators get an error.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::support::{
    Backend, DiskFull, FaultyMachine, Gateway, Release, Request, Response, Setup, attack, authorized,
    edit_json, wait_until,
};
use crate::webhooks::{VARIABLES, accepted, messages, webhook};

/// Drops the capabilities that let root write to read-only folders. Tests often run as root.
const DROP_CAPABILITIES: &str = "setpriv --bounding-set=-dac_override,-dac_read_search,-fowner";

fn wrapper() -> &'static str {
    if is_root() { DROP_CAPABILITIES } else { "" }
}

/// Whether the tests run as root.
fn is_root() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    status.lines().any(|line| line.starts_with("Uid:\t0\t"))
}

/// Asserts that publishing fails and that the error is logged.
fn assert_publish_fails(gateway: &Gateway, version: &str) {
    let release = Release::section("other", version, &["/other"]).bytes(
        "client/large.bin",
        "application/octet-stream",
        incompressible_bytes(),
    );
    let response = gateway.put_release("other", version, release.archive());
    assert_eq!(response.status, 500, "{}", response.text());
    assert_eq!(response.header("content-type"), "application/problem+json");
    let failed = gateway.wait_for_event(|line| line["event"] == "admin_error");
    assert!(
        failed["error"].as_str().is_some_and(|text| !text.is_empty()),
        "{failed}"
    );
}

/// Incompressible bytes.
fn incompressible_bytes() -> Vec<u8> {
    let mut state = 1_u32;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    std::iter::repeat_with(next).take(300_000).collect()
}

fn assert_live(gateway: &Gateway, number: u64) {
    let response = gateway.get("/");
    assert_eq!(
        (response.status, &response.boot()["deployment"]),
        (200, &json!(number.to_string()))
    );
    assert_eq!(gateway.get("/readyz").status, 200);
}

fn set_mode(gateway: &Gateway, mode: u32) {
    let mut folders = vec![gateway.store()];
    while let Some(folder) = folders.pop() {
        fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
}

#[test]
fn read_only_store_still_serves_reads() {
    let gateway = Gateway::set_up_live(Setup {
        wrapper: wrapper(),
        ..Setup::default()
    });
    gateway.publish(&Release::section("directory", "1.1.0", &["/"]));
    set_mode(&gateway, 0o555);
    attack(&gateway, || {
        assert_publish_fails(&gateway, "1.0.0");
        let deploy = gateway.post_deployment(&json!({ "releases": { "directory": "1.1.0" } }));
        assert_eq!(deploy.status, 500, "{}", deploy.text());
        assert_eq!(gateway.get("/assets/directory/1.0.0/entry.js").status, 200);
    });
    assert_live(&gateway, 1);
    set_mode(&gateway, 0o755);
    gateway.publish(&Release::section("other", "1.0.0", &["/other"]));
    gateway.deploy(&json!({ "other": "1.0.0" }));
    assert_eq!(gateway.get("/other").status, 200);
}

#[test]
fn read_only_store_is_backed_up() {
    let mut gateway = Gateway::start_live("", &[]);
    gateway.kill();
    set_mode(&gateway, 0o555);
    let file = gateway.folder().join("backup");
    let output = Command::new("sh")
        .args(["-c", &format!("exec {} \"$0\" \"$@\"", wrapper())])
        .args([env!("CARGO_BIN_EXE_gateway"), "store", "backup"])
        .args([
            file.as_os_str(),
            "--config".as_ref(),
            gateway.config().as_os_str(),
        ])
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{error}");
    set_mode(&gateway, 0o755);
    fs::remove_dir_all(gateway.store()).unwrap();
    let (code, output) = gateway.store_command(&["restore", file.to_str().unwrap()]);
    assert_eq!(code, 0, "{output}");
    assert_live(&gateway.start_another(), 1);
}

/// Approximates a full disk: no file may exceed 64 KiB.
#[test]
fn file_size_limit_leaves_no_partial_release() {
    let gateway = Gateway::set_up_live(Setup {
        before: "trap '' XFSZ; ulimit -f 128;",
        ..Setup::default()
    });
    attack(&gateway, || {
        assert_publish_fails(&gateway, "1.0.0");
        assert!(!gateway.record("other/1.0.0").exists());
    });
    assert_live(&gateway, 1);
    // Small releases still fit.
    gateway.publish(&Release::section("other", "1.0.0", &["/other"]));
    gateway.deploy(&json!({ "other": "1.0.0" }));
    assert_live(&gateway, 2);
}

/// All files of a store by path, without the scratch folder and the reserve.
fn store_files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("store/scratch") || path.ends_with("store/reserve") {
            continue;
        }
        if path.is_dir() {
            found.extend(store_files(&path));
        } else {
            found.insert(path.clone(), fs::read(path).unwrap());
        }
    }
    found
}

/// Asserts that a change fails because the disk is full, and that the response says so, but not where the store is.
fn assert_disk_full(response: &Response) {
    assert_eq!(response.status, 500, "{}", response.text());
    let problem = response.json();
    let detail = problem["detail"].as_str().unwrap();
    let causes = [": No space left on device (os error 28)", ": no storage space"];
    let is_expected = causes.iter().any(|cause| detail.ends_with(cause)) && !detail.contains('/');
    assert!(is_expected, "{detail}");
}

#[test]
fn full_disk_rejects_changes_until_space_returns() {
    for full in [DiskFull::Write, DiskFull::Sync, DiskFull::Create] {
        let machine = FaultyMachine::new();
        let gateway = machine.start("").with_live_site();
        let release = |version| Release::section("directory", version, &["/", "/state/:state"]);
        gateway.publish(&release("1.1.0"));
        gateway.deploy(&json!({ "directory": "1.1.0" }));
        gateway.publish(&release("1.2.0"));
        let before = store_files(&gateway.store());
        machine.fill_disk(full);
        attack(&gateway, || {
            let next = release("1.3.0");
            assert_disk_full(&gateway.put_release(&next.name, &next.version, next.archive()));
            let body = json!({ "releases": { "directory": "1.2.0" } });
            assert_disk_full(&gateway.post_deployment(&body));
            assert_disk_full(&gateway.admin_post("/api/v1/rollback", &json!({ "section": "directory" })));
            assert_disk_full(&gateway.admin_post("/api/v1/previews", &body));
        });
        assert_eq!(store_files(&gateway.store()), before, "{full:?}");
        gateway.wait_for_empty_scratch();
        assert_live(&gateway, 2);
        // Starting needs no disk space.
        if full != DiskFull::Sync {
            assert_live(&machine.start(""), 2);
        }
        machine.free_disk();
        gateway.publish(&release("1.3.0"));
        gateway.deploy(&json!({ "directory": "1.3.0" }));
        let rollback = gateway.admin_post("/api/v1/rollback", &json!({ "section": "directory" }));
        assert_eq!(rollback.status, 201, "{}", rollback.text());
        assert_live(&gateway, 4);
    }
}

#[test]
fn reserve_lets_rollback_work_on_full_disk() {
    let machine = FaultyMachine::new();
    let gateway = machine.start("").with_live_site();
    let release = |version| Release::section("directory", version, &["/", "/state/:state"]);
    gateway.publish(&release("1.1.0"));
    gateway.deploy(&json!({ "directory": "1.1.0" }));
    let reserve = gateway.store().join("reserve");
    wait_until("the reserve is kept", || reserve.exists());
    machine.fill_disk(DiskFull::WriteWithReserve);
    let next = release("1.2.0");
    assert_disk_full(&gateway.put_release(&next.name, &next.version, next.archive()));
    // A gateway that starts now says it before someone needs to write.
    let receiver = Backend::start(accepted());
    let conditions = webhook(&receiver, r#""store.degraded", "store.recovered""#);
    let other = machine.start_with(&conditions, &[&[("KEY", "the-key")], VARIABLES].concat());
    other.wait_for_event(|line| line["event"] == "store_not_writable");
    assert_eq!(
        other.get("/readyz").text(),
        "degraded: the store cannot be written\n"
    );
    assert_eq!(other.metric("colonnade_store_writable"), 0);
    let message = &messages(&receiver, 1)[0];
    assert_eq!(
        (&message["type"], &message["data"]["subject"]),
        (&json!("store.degraded"), &json!("writes to the store"))
    );
    assert!(reserve.exists());
    let rollback = gateway.admin_post("/api/v1/rollback", &json!({ "section": "directory" }));
    assert_eq!(rollback.status, 201, "{}", rollback.text());
    gateway.wait_for_event(|line| line["event"] == "store_reserve_used");
    assert_live(&gateway, 3);
    // Garbage collection frees space, and records first that it begins.
    fs::write(&reserve, "").unwrap();
    edit_json(&gateway.store().join("collection.json"), |collection| {
        collection["begunAt"] = json!("2020-01-01T00:00:00Z");
    });
    machine
        .start("")
        .wait_for_event(|line| line["event"] == "garbage_collected");
    machine.free_disk();
    machine.start("");
    wait_until("the reserve is kept again", || reserve.exists());
}

#[test]
fn missing_store_serves_cache_and_recovers() {
    let gateway = Gateway::start_live("[assets]\ncache_mib = 64\n", &[]);
    let (store, moved_store) = (gateway.store(), gateway.folder().join("moved-store"));
    // The first file is cached in memory, the second is not.
    let (cached, uncached) = ("/assets/shell/1.0.0/main.js", "/assets/directory/1.0.0/entry.js");
    assert_eq!(gateway.get(cached).status, 200);
    fs::rename(&store, &moved_store).unwrap();
    attack(&gateway, || {
        assert_eq!(gateway.get(cached).status, 200);
        // Browsers must not cache this response. The section then shows 'Try again'.
        let response = gateway.get(uncached);
        assert_eq!(
            (response.status, response.header("cache-control")),
            (404, "no-store")
        );
        let event = gateway.wait_for_event(|line| line["event"] == "store_refresh_failed");
        let error = event["error"].as_str().unwrap();
        assert!(error.contains("live.json is missing from the store"), "{error}");
        let ready = gateway.get("/readyz");
        let expected = "degraded: the live state is missing from the store\n".to_owned();
        assert_eq!((ready.status, ready.text()), (200, expected));
        let sections = gateway
            .admin
            .send(authorized(Request::new("GET", "/api/v1/sections")));
        assert!(matches!(sections.status, 200 | 500), "{}", sections.status);
    });
    assert_live(&gateway, 1);
    if store.exists() {
        fs::remove_dir_all(&store).unwrap();
    }
    fs::rename(&moved_store, &store).unwrap();
    wait_until("the gateway reads the store", || {
        gateway.get("/readyz").text() == "ready\n"
    });
    assert_eq!(gateway.get(uncached).status, 200);
    gateway.publish(&Release::section("other", "1.0.0", &["/other"]));
    gateway.deploy(&json!({ "other": "1.0.0" }));
    assert_live(&gateway, 2);
}
