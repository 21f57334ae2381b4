//! Removing what nothing needs any more.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Gateway, Release, Response, until};

/// A gateway with six releases of `directory` that were live one after the other, and one that never was.
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

/// Makes everything in a store old. The gateway on it must not run.
fn age(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            age(&path);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            let mut json: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            let is_own = !path.ends_with("release.json");
            if is_own {
                make_old(&mut json);
                std::fs::write(&path, json.to_string()).unwrap();
            }
        }
    }
}

fn make_old(json: &mut Value) {
    if let Value::Object(fields) = json {
        for (name, value) in fields {
            if ["createdAt", "publishedAt", "startedAt", "at"].contains(&name.as_str()) {
                *value = json!("2020-01-01T00:00:00Z");
            } else {
                make_old(value);
            }
        }
    }
}

/// The same store, years later, with more of `[store]` in the configuration.
fn years_later(mut gateway: Gateway, extra: &str) -> Gateway {
    gateway.signal("KILL");
    gateway.end();
    age(&gateway.store());
    gateway.beside_with(extra)
}

fn collect(gateway: &Gateway) -> Value {
    collected(&gateway.tell("/api/v1/collect", &json!({})), false)
}

fn collected(answer: &Response, dry_run: bool) -> Value {
    assert_eq!(answer.status, 200, "{}", answer.text());
    let mut answer = answer.json();
    assert_eq!(
        answer.as_object_mut().unwrap().remove("dryRun"),
        Some(json!(dry_run))
    );
    answer
}

fn nothing() -> Value {
    json!({ "deployments": [], "releases": [] })
}

/// The names in a folder of the store, sorted.
fn names(gateway: &Gateway, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(gateway.store().join(folder)).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn asset(gateway: &Gateway, version: &str) -> u16 {
    gateway
        .get(&format!("/assets/directory/{version}/page.js"))
        .status
}

fn page(gateway: &Gateway, deployment: u64) -> u16 {
    gateway.get(&format!("/_page/{deployment}?path=%2F")).status
}

#[test]
fn the_last_deployments_are_kept_with_their_releases() {
    let gateway = years_later(gateway(), "keep_deployments = 2");
    let expected = json!({
        "deployments": [1, 2, 3, 4],
        "releases": ["directory@1.0.0", "directory@1.1.0", "directory@1.2.0", "directory@1.3.0", "legal@1.0.0"],
    });
    let told = collected(&gateway.tell("/api/v1/collect", &json!({ "dryRun": true })), true);
    assert_eq!(told, expected);
    assert_eq!(names(&gateway, "deployments").len(), 6, "telling removes nothing");
    assert_eq!((asset(&gateway, "1.0.0"), page(&gateway, 1)), (200, 200));

    assert_eq!(collect(&gateway), expected);
    assert_eq!(names(&gateway, "deployments"), ["5.json", "6.json"]);
    assert_eq!(names(&gateway, "releases/directory"), ["1.4.0", "1.5.0"]);
    assert_eq!(names(&gateway, "releases/legal"), Vec::<String>::new());
    assert_eq!(
        names(&gateway, "scratch"),
        Vec::<String>::new(),
        "nothing is half removed"
    );
    assert_eq!((asset(&gateway, "1.3.0"), page(&gateway, 4)), (404, 410));
    assert_eq!((asset(&gateway, "1.4.0"), page(&gateway, 5)), (200, 200));
    assert_eq!(gateway.get("/").boot()["page"]["section"]["version"], "1.5.0");

    let entry = &gateway.ask("/api/v1/history?limit=1")["entries"][0];
    assert_eq!(
        (&entry["action"], &entry["live"], &entry["before"]),
        (&json!("collect"), &json!(6), &json!(6))
    );
    assert_eq!(entry["reason"], "4 deployments and 5 releases that nothing needs");
    assert_eq!(collect(&gateway), nothing());
    assert_eq!(
        gateway.ask("/api/v1/history?limit=1")["entries"][0],
        *entry,
        "nothing is no change"
    );
}

#[test]
fn what_is_young_is_kept() {
    let gateway = gateway().killed_and_restarted("keep_deployments = 1\nkeep_hours = 1");
    assert_eq!(collect(&gateway), nothing());
    // A release that was published, but not yet deployed, stays as long.
    let gateway = years_later(gateway, "keep_deployments = 1\nkeep_hours = 1");
    gateway.publish(&Release::section("legal", "2.0.0", &["/terms"]));
    let collected = collect(&gateway);
    assert_eq!(collected["deployments"], json!([1, 2, 3, 4, 5]));
    assert_eq!(names(&gateway, "releases/legal"), ["2.0.0"]);
}

#[test]
fn what_visitors_saw_lately_is_kept() {
    let gateway = years_later(gateway(), "keep_deployments = 1");
    // Deployment 6 was live until now, and 7 is a new one of what 1 had.
    gateway.tell("/api/v1/rollback", &json!({ "deployment": 1 }));
    let collected = collect(&gateway);
    assert_eq!(collected["deployments"], json!([1, 2, 3, 4, 5]));
    assert_eq!(names(&gateway, "releases/directory"), ["1.0.0", "1.5.0"]);
    assert_eq!((page(&gateway, 6), asset(&gateway, "1.5.0")), (200, 200));
}

#[test]
fn what_is_live_or_rolled_out_is_kept_however_old() {
    let gateway = gateway();
    gateway.publish(&Release::section("directory", "2.0.0", &["/"]));
    gateway.post_deployment(&json!({ "releases": { "directory": "2.0.0" }, "percent": 50 }));
    for _ in 0..3 {
        gateway.tell("/api/v1/previews", &json!({ "releases": { "legal": "1.0.0" } }));
    }
    let gateway = years_later(gateway, "keep_deployments = 1");
    assert_eq!(collect(&gateway)["deployments"], json!([1, 2, 3, 4, 5, 8, 9]));
    assert_eq!(names(&gateway, "deployments"), ["10.json", "6.json", "7.json"]);
    assert_eq!((asset(&gateway, "1.5.0"), asset(&gateway, "2.0.0")), (200, 200));
    let list = gateway.ask("/api/v1/deployments");
    assert_eq!(
        (&list["live"], &list["rollout"]["deployment"]),
        (&json!(6), &json!(7))
    );
    assert_eq!(
        gateway.tell("/api/v1/deployments/7/promote", &json!({})).status,
        200
    );
}

#[test]
fn other_gateways_notice() {
    let gateway = years_later(gateway(), "keep_deployments = 1");
    let other = gateway.beside();
    assert_eq!((asset(&other, "1.0.0"), page(&other, 1)), (200, 200));
    collect(&gateway);
    until("the other gateway forgets the deployment", || {
        page(&other, 1) == 410
    });
    assert_eq!(asset(&other, "1.0.0"), 404);
    assert_eq!(asset(&other, "1.5.0"), 200);
}

#[test]
fn numbers_are_never_used_again() {
    let gateway = years_later(gateway(), "keep_deployments = 1");
    collect(&gateway);
    let gateway = gateway.killed_and_restarted("");
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    assert_eq!(gateway.deploy(&json!({ "legal": "1.0.0" })), 7);
}

#[test]
fn going_back_to_what_was_removed_is_refused_by_name() {
    let gateway = years_later(gateway(), "keep_deployments = 1");
    collect(&gateway);
    let refused = gateway.tell("/api/v1/rollback", &json!({ "deployment": 5 }));
    assert_eq!(
        (refused.status, &refused.json()["detail"]),
        (404, &json!("deployment 5 is not kept"))
    );
    let refused = gateway.tell("/api/v1/rollback", &json!({}));
    assert_eq!(
        (refused.status, &refused.json()["detail"]),
        (404, &json!("deployment 5 is not kept"))
    );
    let refused = gateway.tell("/api/v1/rollback", &json!({ "section": "directory" }));
    assert_eq!(
        (refused.status, &refused.json()["problems"]),
        (422, &json!(["directory@1.4.0 is not published"]))
    );
    let refused = gateway.tell("/api/v1/previews", &json!({ "deployment": 5 }));
    assert_eq!(refused.status, 404);
    assert_eq!(gateway.get("/").boot()["page"]["section"]["version"], "1.5.0");
}

#[test]
fn a_version_never_changes_also_when_it_is_gone() {
    let legal = || Release::section("legal", "1.0.0", &["/terms"]);
    let other = || legal().bytes("client/entry.js", "text/javascript; charset=utf-8", "other");
    let mut gateway = gateway();
    // Once when it was just removed, and once when it was published anew and removed again.
    for _ in 0..2 {
        gateway = years_later(gateway, "keep_deployments = 1");
        let removed = collect(&gateway)["releases"].clone();
        assert!(removed.as_array().unwrap().contains(&json!("legal@1.0.0")));
        assert_eq!(names(&gateway, "gone/legal"), ["1.0.0.json"]);
        let beside = gateway.beside();
        let refused = beside.put("legal", "1.0.0", other().archive());
        assert_eq!(
            (refused.status, &refused.json()["detail"]),
            (
                409,
                &json!(
                    "legal@1.0.0 was published before and removed, with other contents; a version never changes"
                )
            )
        );
        assert_eq!(names(&gateway, "releases/legal"), Vec::<String>::new());
        assert_eq!(names(&gateway, "scratch"), Vec::<String>::new());
        for status in [201, 200] {
            assert_eq!(beside.put("legal", "1.0.0", legal().archive()).status, status);
        }
        let refused = beside.put("legal", "1.0.0", other().archive());
        assert_eq!(refused.status, 409);
    }
    assert_eq!(gateway.deploy(&json!({ "legal": "1.0.0" })), 7);
    // Another version is another release.
    let next = Release::section("legal", "1.0.1", &["/terms"]);
    assert_eq!(gateway.put("legal", "1.0.1", next.archive()).status, 201);
}

#[test]
fn before_anything_is_live_there_is_nothing_to_remove() {
    assert_eq!(collect(&Gateway::start()), nothing());
}
