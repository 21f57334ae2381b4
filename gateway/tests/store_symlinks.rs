//! Symbolic links in the store are never followed: they could lead out of it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use tempfile::TempDir;

use crate::support::{Gateway, Release, Request, Setup, run_gateway};

/// Moves a file or folder out of the store, and puts a link in its place during a check.
fn with_link(gateway: &Gateway, path: &Path, check: impl FnOnce()) {
    let target = gateway.folder().join("outside");
    fs::rename(path, &target).unwrap();
    symlink(&target, path).unwrap();
    check();
    fs::remove_file(path).unwrap();
    fs::rename(target, path).unwrap();
}

fn gateway() -> Gateway {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    gateway
}

#[test]
fn linked_file_or_folder_of_release_is_refused() {
    let gateway = gateway();
    let target = "/assets/directory/1.0.0/entry.js";
    let links = [
        gateway.object("directory/1.0.0", "client/entry.js"),
        gateway.store().join("files"),
    ];
    for (count, link) in (1..).zip(&links) {
        assert_eq!(gateway.get(target).status, 200);
        with_link(&gateway, link, || {
            assert_eq!(gateway.get(target).status, 503, "{}", link.display());
            assert_eq!(gateway.metric("colonnade_store_damaged_reads_total"), count);
            let (code, output) = gateway.store_command(&["verify"]);
            assert_ne!(code, 0, "{output}");
            assert!(output.contains("symbolic link"), "{output}");
        });
    }
    gateway.wait_for_event(|line| line["event"] == "file_damaged");
    for link in [
        links[0].clone(),
        gateway.record("legal/1.0.0"),
        gateway.store().join("history/1.json"),
    ] {
        with_link(&gateway, &link, || assert_backup_fails(&gateway, &link));
    }
}

#[test]
fn linked_release_is_unavailable_at_start() {
    let mut gateway = gateway();
    gateway.kill();
    for link in [
        gateway.record("legal/1.0.0"),
        gateway.store().join("releases/legal"),
    ] {
        with_link(&gateway, &link, || {
            let gateway = gateway.start_another();
            let event = gateway.wait_for_event(|line| line["event"] == "section_unavailable");
            assert!(
                event["error"].as_str().unwrap().contains("symbolic link"),
                "{event}"
            );
            assert_eq!(gateway.get("/terms").status, 503);
            assert_eq!(gateway.get("/").status, 200);
        });
    }
}

#[test]
fn linked_state_or_folder_of_store_prevents_start_and_backup() {
    let mut gateway = gateway();
    gateway.kill();
    for (link, is_folder) in [
        ("deployments/2.json", false),
        ("live.json", false),
        ("deployments", true),
        ("files", true),
        ("releases", true),
        ("tombstones", true),
        ("history", true),
    ] {
        let path = gateway.store().join(link);
        with_link(&gateway, &path, || {
            let output = run_gateway(&["serve", "--config", gateway.config().to_str().unwrap()]);
            let error = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{link}: {error}");
            if is_folder {
                assert!(error.contains("symbolic link"), "{link}: {error}");
                let (code, output) = gateway.store_command(&["verify"]);
                assert_eq!(code, 4, "{link}: {output}");
                assert_backup_fails(&gateway, &path);
            }
        });
    }
}

/// Asserts that a copy says that it is not whole.
fn assert_backup_fails(gateway: &Gateway, link: &Path) {
    let backup = TempDir::new().unwrap();
    let (code, output) = gateway.store_command(&["backup", backup.path().join("copy").to_str().unwrap()]);
    assert_ne!(code, 0, "{}: {output}", link.display());
}

#[test]
fn nothing_is_written_through_links() {
    let gateway = gateway();
    let outside = gateway.folder().join("outside");
    fs::create_dir(&outside).unwrap();
    symlink(&outside, gateway.store().join("releases/other")).unwrap();
    let release = Release::section("other", "1.0.0", &["/other"]);
    let target = "/api/v1/sections/other/releases/1.0.0";
    let publish = gateway.admin_request(Request::new("PUT", target).body(release.archive()));
    assert_eq!(publish.status, 500, "{}", publish.text());
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);

    let (lock, precious) = (gateway.store().join("lock"), outside.join("precious"));
    fs::write(&precious, "precious").unwrap();
    fs::remove_file(&lock).unwrap();
    symlink(&precious, lock).unwrap();
    let deploy = gateway.post_deployment(&json!({ "releases": { "legal": null } }));
    assert_eq!(deploy.status, 500, "{}", deploy.text());
    assert_eq!(fs::read(precious).unwrap(), b"precious");
}

#[test]
fn store_folder_itself_may_be_link() {
    let folder = Arc::new(TempDir::new().unwrap());
    fs::create_dir(folder.path().join("elsewhere")).unwrap();
    symlink(Path::new("elsewhere"), folder.path().join("store")).unwrap();
    let gateway = Gateway::set_up_live(Setup {
        folder: Some(folder),
        ..Setup::default()
    });
    assert_eq!(gateway.get("/assets/directory/1.0.0/entry.js").status, 200);
    assert_eq!(gateway.store_command(&["verify"]).0, 0);
}
