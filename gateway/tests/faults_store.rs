//! A store that cannot be written, is full, or is gone: visitors go on reading, and an operator is told.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::support::{Full, Gateway, Machine, Release, Request, Response, Setup, attack, authorized};

/// Takes from the administrator of a machine what lets him write where nobody may. Tests often run as one.
const UNPRIVILEGED: &str = "setpriv --bounding-set=-dac_override,-dac_read_search,-fowner";

fn wrapper() -> &'static str {
    if is_administrator() { UNPRIVILEGED } else { "" }
}

/// Whether these tests run as the administrator.
fn is_administrator() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    status.lines().any(|line| line.starts_with("Uid:\t0\t"))
}

/// A change that the store cannot keep.
fn assert_not_kept(gateway: &Gateway, version: &str) {
    let release = Release::section("other", version, &["/other"]).bytes(
        "client/large.bin",
        "application/octet-stream",
        noise(),
    );
    let answer = gateway.put("other", version, release.archive());
    assert_eq!(answer.status, 500, "{}", answer.text());
    assert_eq!(answer.header("content-type"), "application/problem+json");
    let failed = gateway.wait_for(|line| line["event"] == "admin_failed");
    assert!(
        failed["error"].as_str().is_some_and(|words| !words.is_empty()),
        "{failed}"
    );
}

/// Bytes that do not get smaller.
fn noise() -> Vec<u8> {
    let mut state = 1_u32;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    std::iter::repeat_with(next).take(300_000).collect()
}

fn is_live(gateway: &Gateway, number: u64) {
    let answer = gateway.get("/");
    assert_eq!(
        (answer.status, &answer.boot()["deployment"]),
        (200, &json!(number))
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
fn a_store_that_cannot_be_written_is_read_on() {
    let gateway = Gateway::set_up_live(Setup {
        wrapper: wrapper(),
        ..Setup::default()
    });
    gateway.publish(&Release::section("directory", "1.1.0", &["/"]));
    set_mode(&gateway, 0o555);
    attack(&gateway, || {
        assert_not_kept(&gateway, "1.0.0");
        let deploy = gateway.post_deployment(&json!({ "releases": { "directory": "1.1.0" } }));
        assert_eq!(deploy.status, 500, "{}", deploy.text());
        assert_eq!(gateway.get("/assets/directory/1.0.0/entry.js").status, 200);
    });
    is_live(&gateway, 1);
    set_mode(&gateway, 0o755);
    gateway.publish(&Release::section("other", "1.0.0", &["/other"]));
    gateway.deploy(&json!({ "other": "1.0.0" }));
    assert_eq!(gateway.get("/other").status, 200);
}

/// A full disk, as near as it can be had without making one: no file may be longer than 64 KiB.
#[test]
fn a_store_that_is_full_loses_nothing_and_keeps_nothing_by_halves() {
    let gateway = Gateway::set_up_live(Setup {
        before: "trap '' XFSZ; ulimit -f 128;",
        ..Setup::default()
    });
    attack(&gateway, || {
        assert_not_kept(&gateway, "1.0.0");
        assert!(!gateway.store().join("releases/other").join("1.0.0").exists());
    });
    is_live(&gateway, 1);
    // What there is room for is still kept.
    gateway.publish(&Release::section("other", "1.0.0", &["/other"]));
    gateway.deploy(&json!({ "other": "1.0.0" }));
    is_live(&gateway, 2);
}

/// What is kept in a store, by path: everything but what is in the making.
fn kept(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("store/scratch") {
            continue;
        }
        if path.is_dir() {
            found.extend(kept(&path));
        } else {
            found.insert(path.clone(), fs::read(path).unwrap());
        }
    }
    found
}

/// A change that finds no room: the operator is told so.
fn assert_no_room(answer: &Response) {
    assert_eq!(answer.status, 500, "{}", answer.text());
    let problem = answer.json();
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("No space left on device"), "{detail}");
}

#[test]
fn on_a_full_disk_nothing_changes_until_there_is_room() {
    for full in [Full::Writing, Full::Syncing, Full::Creating] {
        let machine = Machine::new();
        let gateway = machine.start("").made_live();
        let release = |version| Release::section("directory", version, &["/", "/state/:state"]);
        gateway.publish(&release("1.1.0"));
        gateway.deploy(&json!({ "directory": "1.1.0" }));
        gateway.publish(&release("1.2.0"));
        let before = kept(&gateway.store());
        machine.fill(full);
        attack(&gateway, || {
            let next = release("1.3.0");
            assert_no_room(&gateway.put(&next.name, &next.version, next.archive()));
            let wish = json!({ "releases": { "directory": "1.2.0" } });
            assert_no_room(&gateway.post_deployment(&wish));
            assert_no_room(&gateway.tell("/api/v1/rollback", &json!({ "section": "directory" })));
            assert_no_room(&gateway.tell("/api/v1/previews", &wish));
        });
        assert_eq!(kept(&gateway.store()), before, "{full:?}");
        assert_eq!(
            fs::read_dir(gateway.store().join("scratch")).unwrap().count(),
            0,
            "{full:?}"
        );
        is_live(&gateway, 2);
        // Starting takes no room.
        if full != Full::Syncing {
            is_live(&machine.start(""), 2);
        }
        machine.make_room();
        gateway.publish(&release("1.3.0"));
        gateway.deploy(&json!({ "directory": "1.3.0" }));
        let back = gateway.tell("/api/v1/rollback", &json!({ "section": "directory" }));
        assert_eq!(back.status, 201, "{}", back.text());
        is_live(&gateway, 4);
    }
}

#[test]
fn a_store_that_is_gone_leaves_what_is_in_memory_and_is_used_again_when_it_is_back() {
    let gateway = Gateway::start_live("[assets]\ncache_mib = 64\n", &[]);
    let (store, aside) = (gateway.store(), gateway.folder().join("aside"));
    // What was asked for is in memory; this file was not.
    let (known, unknown) = ("/assets/shell/1.0.0/main.js", "/assets/directory/1.0.0/entry.js");
    assert_eq!(gateway.get(known).status, 200);
    fs::rename(&store, &aside).unwrap();
    attack(&gateway, || {
        assert_eq!(gateway.get(known).status, 200);
        // A browser keeps no such answer, and the section says 'Try again'.
        let answer = gateway.get(unknown);
        assert_eq!((answer.status, answer.header("cache-control")), (404, "no-store"));
        let event = gateway.wait_for(|line| line["event"] == "store_unreadable");
        let error = event["error"].as_str().unwrap();
        assert!(error.contains("does not stand in the store any more"), "{error}");
        let sections = gateway
            .admin
            .send(authorized(Request::new("GET", "/api/v1/sections")));
        assert!(matches!(sections.status, 200 | 500), "{}", sections.status);
    });
    is_live(&gateway, 1);
    if store.exists() {
        fs::remove_dir_all(&store).unwrap();
    }
    fs::rename(&aside, &store).unwrap();
    assert_eq!(gateway.get(unknown).status, 200);
    gateway.publish(&Release::section("other", "1.0.0", &["/other"]));
    gateway.deploy(&json!({ "other": "1.0.0" }));
    is_live(&gateway, 2);
}
