//! Garbage collection of deployments and releases.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Gateway, Release, Response, edit_json, entries, read_json, wait_until};

/// A gateway with six releases of `directory` that were live one after the other, and a release of `legal`
/// that was never deployed.
fn gateway() -> Gateway {
    let gateway = Gateway::start_live("", &[]);
    for minor in 1..=5 {
        let version = format!("1.{minor}.0");
        gateway.publish(&Release::section("directory", &version, &["/"]));
        gateway.deploy(&json!({ "directory": version }));
    }
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    gateway
}

/// Backdates all records of a store. No gateway may be running on it.
fn backdate(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            backdate(&path);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            let mut json: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            // What was deleted stays recognizable.
            if json.get("deleted").is_none() {
                backdate_times(&mut json);
                std::fs::write(&path, json.to_string()).unwrap();
            }
        }
    }
}

fn backdate_times(json: &mut Value) {
    match json {
        Value::Object(fields) => {
            for (name, value) in fields {
                if ["createdAt", "publishedAt", "startedAt", "endedAt", "at"].contains(&name.as_str()) {
                    *value = json!("2020-01-01T00:00:00Z");
                } else {
                    backdate_times(value);
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(backdate_times),
        _ => {}
    }
}

/// Restarts the gateway years later with `extra` in `[store]` of the configuration.
fn restart_years_later(mut gateway: Gateway, extra: &str) -> Gateway {
    gateway.signal("KILL");
    gateway.wait_for_exit();
    backdate(&gateway.store());
    gateway.start_another_with(extra)
}

fn run_gc(gateway: &Gateway) -> Value {
    gc_result(
        &gateway.admin_post("/api/v1/garbage-collection", &json!({})),
        false,
    )
}

fn gc_result(response: &Response, dry_run: bool) -> Value {
    assert_eq!(response.status, 200, "{}", response.text());
    let mut response = response.json();
    assert_eq!(
        response.as_object_mut().unwrap().remove("dryRun"),
        Some(json!(dry_run))
    );
    response
}

fn empty_result() -> Value {
    json!({ "deployments": [], "releases": [] })
}

fn asset_status(gateway: &Gateway, version: &str) -> u16 {
    gateway
        .get(&format!("/assets/directory/{version}/page.js"))
        .status
}

fn page_status(gateway: &Gateway, deployment: u64) -> u16 {
    gateway.get(&format!("/_page/{deployment}?path=%2F")).status
}

#[test]
fn gc_retains_newest_deployments_and_their_releases() {
    let gateway = restart_years_later(gateway(), "retain_deployments = 2\nretain_releases = 0");
    let expected = json!({
        "deployments": [1, 2, 3, 4],
        "releases": ["directory@1.0.0", "directory@1.1.0", "directory@1.2.0", "directory@1.3.0", "legal@1.0.0"],
    });
    let report = gc_result(
        &gateway.admin_post("/api/v1/garbage-collection", &json!({ "dryRun": true })),
        true,
    );
    assert_eq!(report, expected);
    assert_eq!(
        gateway.object_names("deployments").len(),
        6,
        "a dry run must remove nothing"
    );
    assert_eq!(
        (asset_status(&gateway, "1.0.0"), page_status(&gateway, 1)),
        (200, 200)
    );

    assert_eq!(run_gc(&gateway), expected);
    assert_eq!(gateway.object_names("deployments"), ["5.json", "6.json"]);
    assert_eq!(
        gateway.object_names("releases/directory"),
        ["1.4.0.json", "1.5.0.json"]
    );
    assert_eq!(gateway.object_names("releases/legal"), Vec::<String>::new());
    assert_eq!(entries(&gateway.store().join("uploads")).count(), 0);
    assert_eq!(
        (asset_status(&gateway, "1.3.0"), page_status(&gateway, 4)),
        (404, 410)
    );
    assert_eq!(
        (asset_status(&gateway, "1.4.0"), page_status(&gateway, 5)),
        (200, 200)
    );
    assert_eq!(gateway.get("/").boot()["page"]["section"]["version"], "1.5.0");

    let entry = &gateway.admin_get("/api/v1/history?limit=1")["entries"][0];
    assert_eq!(
        (&entry["action"], &entry["live"], &entry["before"]),
        (&json!("garbage-collection"), &json!(6), &json!(6))
    );
    assert_eq!(entry["reason"], "4 unused deployments and 5 unused releases");
    assert_eq!(run_gc(&gateway), empty_result());
    assert_eq!(
        gateway.admin_get("/api/v1/history?limit=1")["entries"][0],
        *entry,
        "an empty garbage collection must add no history entry"
    );
}

#[test]
fn gc_retains_recent_releases_and_deployments() {
    assert_eq!(run_gc(&Gateway::start()), empty_result());
    let gateway = gateway().kill_and_restart("retain_deployments = 1\nretain_hours = 1");
    assert_eq!(run_gc(&gateway), empty_result());
    // Releases that were published but never deployed are retained for `retain_hours` as well.
    let gateway = restart_years_later(gateway, "retain_deployments = 1\nretain_hours = 1");
    gateway.publish(&Release::section("legal", "2.0.0", &["/terms"]));
    let gc_result = run_gc(&gateway);
    assert_eq!(gc_result["deployments"], json!([1, 2, 3, 4, 5]));
    assert_eq!(gateway.object_names("releases/legal"), ["2.0.0.json"]);
}

#[test]
fn gc_retains_recently_live_deployments() {
    let gateway = restart_years_later(gateway(), "retain_deployments = 1\nretain_releases = 0");
    // Deployment 6 was live until now. Deployment 7 is a new one with the releases of deployment 1.
    gateway.admin_post("/api/v1/rollback", &json!({ "deployment": 1 }));
    let gc_result = run_gc(&gateway);
    assert_eq!(gc_result["deployments"], json!([1, 2, 3, 4, 5]));
    assert_eq!(
        gateway.object_names("releases/directory"),
        ["1.0.0.json", "1.5.0.json"]
    );
    assert_eq!(
        (page_status(&gateway, 6), asset_status(&gateway, "1.5.0")),
        (200, 200)
    );
}

#[test]
fn gc_retains_releases_that_rollbacks_restore() {
    let gateway = Gateway::start_live("", &[]);
    let deploy = |name: &str, version: &str| gateway.deploy(&json!({ name: version }));
    let roll_back =
        |gateway: &Gateway| gateway.admin_post("/api/v1/rollback", &json!({ "section": "legal" }));
    for version in ["1.0.0", "2.0.0", "3.0.0", "4.0.0", "5.0.0", "6.0.0"] {
        gateway.publish(&Release::section("legal", version, &["/terms"]));
        deploy("legal", version);
    }
    assert_eq!(roll_back(&gateway).json()["releases"]["legal"], "5.0.0");
    // All deployments with an earlier release of `legal` are old enough to be deleted.
    gateway.publish(&Release::section("directory", "1.1.0", &["/"]));
    deploy("directory", "1.1.0");
    deploy("directory", "1.0.0");
    let gateway = restart_years_later(gateway, "retain_deployments = 1");
    assert_eq!(run_gc(&gateway)["releases"], json!(["legal@1.0.0"]));
    for version in ["4.0.0", "3.0.0", "2.0.0"] {
        let restored = roll_back(&gateway);
        assert_eq!(
            (restored.status, &restored.json()["releases"]["legal"]),
            (201, &json!(version))
        );
    }
    assert_eq!(roll_back(&gateway).status, 422);
}

#[test]
fn gc_retains_last_releases_after_rollbacks_and_removal() {
    let gateway = Gateway::start_live("", &[]);
    for version in ["1.0.0", "2.0.0", "3.0.0", "4.0.0", "5.0.0"] {
        gateway.publish(&Release::section("legal", version, &["/terms"]));
        gateway.deploy(&json!({ "legal": version }));
    }
    for _ in 0..3 {
        gateway.admin_change("/api/v1/rollback", &json!({ "section": "legal" }));
    }
    gateway.publish(&Release::section("removed", "1.0.0", &["/removed"]));
    gateway.deploy(&json!({ "removed": "1.0.0" }));
    gateway.deploy(&json!({ "removed": null }));
    gateway.publish(&Release::section("never", "1.0.0", &["/never"]));
    let gateway = restart_years_later(gateway, "retain_deployments = 1");
    assert_eq!(run_gc(&gateway)["releases"], json!(["never@1.0.0"]));
    gateway.deploy(&json!({ "legal": "5.0.0", "removed": "1.0.0" }));
}

#[test]
fn gc_retains_deployments_of_rollouts_at_any_age() {
    let gateway = gateway();
    gateway.publish(&Release::section("directory", "2.0.0", &["/"]));
    gateway.publish(&Release::section("legal", "2.0.0", &["/terms"]));
    gateway.post_deployment(&json!({ "releases": { "directory": "2.0.0" }, "percent": 50 }));
    gateway.post_deployment(&json!({ "releases": { "legal": "2.0.0" }, "percent": 50 }));
    for _ in 0..3 {
        gateway.admin_post("/api/v1/previews", &json!({ "releases": { "legal": "1.0.0" } }));
    }
    let gateway = restart_years_later(gateway, "retain_deployments = 1");
    assert_eq!(run_gc(&gateway)["deployments"], json!([1, 2, 3, 4, 5, 9, 10]));
    assert_eq!(
        (asset_status(&gateway, "1.5.0"), asset_status(&gateway, "2.0.0")),
        (200, 200)
    );
    // Live, each candidate, and both candidates together.
    let page_statuses =
        || ["6", "6.7", "6.8", "6.7.8"].map(|set| gateway.get(&format!("/_page/{set}?path=%2F")).status);
    assert_eq!(page_statuses(), [200; 4]);
    let promoted = gateway.admin_post("/api/v1/deployments/7/promote", &json!({}));
    assert_eq!(promoted.status, 200);
    // Visitors got deployment 6 until now.
    assert_eq!(run_gc(&gateway)["deployments"], json!([]));
    assert_eq!(page_statuses(), [200; 4]);
}

#[test]
fn gc_above_the_bound_takes_previews_first() {
    let mut live = Gateway::start_live("", &[]);
    live.publish(&Release::section("directory", "1.1.0", &["/"]));
    live.kill();
    let gateway = live.start_another_with("max_deployments = 3\nretain_deployments = 1");
    for _ in 0..4 {
        gateway.admin_post(
            "/api/v1/previews",
            &json!({ "releases": { "directory": "1.1.0" } }),
        );
    }
    gateway.deploy(&json!({ "directory": "1.1.0" }));
    // The deployment that was live until now stays, although it is the oldest one.
    assert_eq!(run_gc(&gateway)["deployments"], json!([2, 3, 4]));
    assert_eq!(page_status(&gateway, 1), 200);
}

#[test]
fn gc_runs_by_itself_on_one_gateway() {
    let gateway = gateway();
    let begun = gateway.store().join("collection.json");
    wait_until("the first interval begins", || begun.exists());
    edit_json(&begun, |collection| {
        collection["begunAt"] = json!("2020-01-01T00:00:00Z")
    });
    let extra = "retain_deployments = 1\nretain_releases = 0";
    let gateway = restart_years_later(gateway, extra);
    let event = gateway.wait_for_event(|line| line["event"] == "garbage_collected");
    assert_eq!(
        (&event["deployments"], &event["releases"]),
        (&json!(5), &json!(6))
    );
    let entry = &gateway.admin_get("/api/v1/history?limit=1")["entries"][0];
    assert_eq!(
        (&entry["action"], &entry["by"]),
        (&json!("garbage-collection"), &json!("gateway"))
    );
    assert_eq!(asset_status(&gateway, "1.5.0"), 200);
    // Another gateway finds that it has been done.
    let before = read_json(&begun);
    let other = gateway.start_another_with("garbage_collection_hours = 1");
    other.publish(&Release::section("legal", "2.0.0", &["/terms"]));
    assert_eq!(read_json(&begun), before);
    assert!(!other.output().contains("garbage_collected"));
}

#[test]
fn gc_is_seen_by_other_gateways() {
    let gateway = restart_years_later(gateway(), "retain_deployments = 1");
    let other = gateway.start_another();
    assert_eq!(
        (asset_status(&other, "1.0.0"), page_status(&other, 1)),
        (200, 200)
    );
    run_gc(&gateway);
    wait_until("the other gateway drops the deployment", || {
        page_status(&other, 1) == 410
    });
    assert_eq!(asset_status(&other, "1.0.0"), 404);
    assert_eq!(asset_status(&other, "1.5.0"), 200);
}

#[test]
fn collected_deployment_is_not_restored_nor_its_number_reused() {
    let gateway = restart_years_later(gateway(), "retain_deployments = 1\nretain_releases = 0");
    run_gc(&gateway);
    let rejected = gateway.admin_post("/api/v1/rollback", &json!({ "deployment": 5 }));
    assert_eq!(
        (rejected.status, &rejected.json()["detail"]),
        (404, &json!("deployment 5 does not exist"))
    );
    let rejected = gateway.admin_post("/api/v1/rollback", &json!({}));
    assert_eq!(
        (rejected.status, &rejected.json()["detail"]),
        (409, &json!("there is no previous deployment"))
    );
    let rejected = gateway.admin_post("/api/v1/rollback", &json!({ "section": "directory" }));
    assert_eq!(
        (rejected.status, &rejected.json()["problems"]),
        (422, &json!(["directory@1.4.0 is not published"]))
    );
    let rejected = gateway.admin_post("/api/v1/previews", &json!({ "deployment": 5 }));
    assert_eq!(rejected.status, 404);
    assert_eq!(gateway.get("/").boot()["page"]["section"]["version"], "1.5.0");
    let gateway = gateway.kill_and_restart("");
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    assert_eq!(gateway.deploy(&json!({ "legal": "1.0.0" })), 7);
}

#[test]
fn collected_version_accepts_only_identical_content() {
    let legal = || Release::section("legal", "1.0.0", &["/terms"]);
    let changed_legal = || legal().bytes("client/entry.js", "text/javascript; charset=utf-8", "other");
    let mut gateway = gateway();
    // First right after the release is collected, then after it is republished and collected again.
    for _ in 0..2 {
        gateway = restart_years_later(gateway, "retain_deployments = 1");
        let removed = run_gc(&gateway)["releases"].clone();
        assert!(removed.as_array().unwrap().contains(&json!("legal@1.0.0")));
        assert_eq!(gateway.object_names("tombstones/legal"), ["1.0.0.json"]);
        let other_gateway = gateway.start_another();
        let rejected = other_gateway.put_release("legal", "1.0.0", changed_legal().archive());
        assert_eq!(
            (rejected.status, &rejected.json()["detail"]),
            (
                409,
                &json!(
                    "legal@1.0.0 was published with other contents and deleted; publish under a new version"
                )
            )
        );
        assert_eq!(gateway.object_names("releases/legal"), Vec::<String>::new());
        gateway.wait_for_empty_scratch();
        for status in [201, 200] {
            assert_eq!(
                other_gateway
                    .put_release("legal", "1.0.0", legal().archive())
                    .status,
                status
            );
        }
        let rejected = other_gateway.put_release("legal", "1.0.0", changed_legal().archive());
        assert_eq!(rejected.status, 409);
    }
    assert_eq!(gateway.deploy(&json!({ "legal": "1.0.0" })), 7);
    let next = Release::section("legal", "1.0.1", &["/terms"]);
    assert_eq!(gateway.put_release("legal", "1.0.1", next.archive()).status, 201);
}
