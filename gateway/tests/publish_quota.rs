//! Quotas of sections: what they store, and how many releases of them are published within 24 hours.

use colonnade_testing_s3::S3Server;
use serde_json::{Value, json};

use crate::object_storage::{CREDENTIALS, keys};
use crate::support::{Gateway, Raw, Release, Request, Response, attack, authorized};

const MIB: usize = 1024 * 1024;

/// A release whose files have this many bytes together.
fn sized(name: &str, version: &str, bytes: usize) -> Release {
    let release = Release::section(name, version, &[&format!("/{name}")]);
    let own: usize = release.files.values().map(|(_, bytes)| bytes.len()).sum();
    release.bytes(
        "client/data.bin",
        "application/octet-stream",
        vec![0; bytes - own],
    )
}

fn put(gateway: &Gateway, release: &Release) -> Response {
    gateway.put_release(&release.name, &release.version, release.archive())
}

/// The response to the head of an upload whose body never comes.
fn put_without_body(gateway: &Gateway, name: &str, version: &str) -> Response {
    let target = format!("/api/v1/sections/{name}/releases/{version}");
    let request = authorized(Request::new("PUT", &target)).header("content-length", "1000000");
    let mut raw = Raw::open(&gateway.admin);
    assert!(raw.send(request.into_bytes(gateway.admin.address())));
    raw.read_response()
}

/// What `GET /api/v1/sections` says about a section.
fn section(gateway: &Gateway, name: &str) -> Value {
    let list = gateway.admin_get("/api/v1/sections");
    let mut sections = list.as_array().unwrap().iter();
    sections.find(|section| section["name"] == name).cloned().unwrap()
}

/// Panics unless a publish was refused with this status, for this reason, and stored nothing.
fn assert_refused(gateway: &Gateway, response: &Response, status: u16, reason: &str) {
    assert_eq!(response.status, status, "{}", response.text());
    let detail = response.json()["detail"].as_str().unwrap().to_owned();
    assert!(detail.contains(reason), "{detail}");
    let request = response.header("x-request-id");
    let event =
        gateway.wait_for_event(|event| event["event"] == "admin_request" && event["request_id"] == request);
    assert_eq!(event["cause"], "over_quota");
    let log = gateway.admin_get("/api/v1/sections/photos/logs");
    let newest = log["entries"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(
        (&newest["kind"], &newest["problems"]),
        (&json!("publish-rejected"), &json!([detail]))
    );
    gateway.wait_for_empty_scratch();
}

#[test]
fn stored_bytes_over_quota_are_refused() {
    let budget =
        "retain_hours = 0\n[budget]\nmax_stored_mib = 1\n[budget.sections.roomy]\nmax_stored_mib = 3\n";
    let gateway = Gateway::start_live(budget, &[]);
    let first = sized("photos", "1.0.0", MIB - 10_000);
    gateway.publish(&first);
    gateway.publish(&sized("roomy", "1.0.0", 2 * MIB));
    let reason = "the releases of `photos` in the store have 1.0 MiB, this one has 0.5 MiB, and its quota is 1.0 MiB; \
                  garbage collection deletes those that no deployment needs, and the operator can lower `store.retain_hours`, or \
                  raise `max_stored_mib` in `[budget.sections.photos]`";
    let second = sized("photos", "2.0.0", MIB / 2);
    attack(&gateway, || {
        assert_refused(&gateway, &put(&gateway, &second), 422, reason);
    });
    gateway.publish(&sized("photos", "1.1.0", 10_000));
    // Now nothing fits, so that a body need not be read.
    let reason = "the releases of `photos` in the store have 1.0 MiB, and its quota is 1.0 MiB; ";
    let another = gateway.start_another_with(budget);
    for gateway in [&gateway, &another] {
        let response = put_without_body(gateway, "photos", "2.0.0");
        assert_refused(gateway, &response, 422, reason);
    }
    assert_eq!(put(&gateway, &first).status, 200);
    let found = section(&gateway, "photos");
    assert_eq!(found["releases"].as_array().unwrap().len(), 2);
    let usage = json!({
        "storedBytes": MIB, "maxStoredBytes": MIB, "publishes": 2, "maxPublishesPerDay": 500,
    });
    assert_eq!(found["usage"], usage);
    let collected = gateway.admin_post("/api/v1/garbage-collection", &json!({}));
    assert_eq!(collected.status, 200, "{}", collected.text());
    for gateway in [&another, &gateway] {
        assert_eq!(
            put(gateway, &second).status,
            if std::ptr::eq(gateway, &another) { 201 } else { 200 }
        );
    }
}

#[test]
fn publishes_at_once_never_pass_quota_together() {
    let gateway = Gateway::start_with("[budget]\nmax_stored_mib = 1\n", &[]);
    let releases = ["1.0.0", "1.1.0", "1.2.0"].map(|version| sized("photos", version, MIB / 2));
    let mut statuses = std::thread::scope(|scope| {
        let gateway = &gateway;
        let puts = releases
            .each_ref()
            .map(|release| scope.spawn(move || put(gateway, release).status));
        puts.map(|put| put.join().unwrap())
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 201, 422]);
}

#[test]
fn publishes_over_daily_quota_get_429() {
    let server = S3Server::start();
    let extra = keys(&server, "s3://releases/site") + "[budget.sections.photos]\nmax_publishes_per_day = 2\n";
    // All gateways on a store count the same.
    let first = Gateway::start_with(&extra, &CREDENTIALS).with_live_site();
    let second = Gateway::start_with(&extra, &CREDENTIALS);
    let releases = ["1.0.0", "1.1.0"].map(|version| sized("photos", version, 10_000));
    first.publish(&releases[0]);
    second.publish(&releases[1]);
    let reason =
        "2 releases of `photos` were published in the last 24 hours, and its quota is 2; publish again in 14";
    attack(&first, || {
        let response = put_without_body(&first, "photos", "1.2.0");
        assert_refused(&first, &response, 429, reason);
    });
    for gateway in [&first, &second] {
        let response = put_without_body(gateway, "photos", "1.2.0");
        assert_refused(gateway, &response, 429, reason);
        let wait: u64 = response.header("retry-after").parse().unwrap();
        assert!((86_000..=86_400).contains(&wait), "{wait}");
        assert_eq!(put(gateway, &releases[0]).status, 200);
        assert_eq!(section(gateway, "photos")["usage"]["publishes"], 2);
    }
    first.publish(&sized("roomy", "1.0.0", 10_000));
}
