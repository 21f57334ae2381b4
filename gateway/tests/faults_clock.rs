//! Clock jumps, while the gateway runs and between runs: timestamps in the store are then far in the future
//! or in the past.

use std::fs;
use std::path::Path;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::support::preview::{token_in, viewer};
use crate::support::{
    Backend, Browser, Connection, FaultyMachine, Gateway, Raw, Release, Reply, Request, now,
};

/// Seconds in a year.
const YEAR: i64 = 365 * 24 * 60 * 60;

/// Sets the year of every timestamp in the store's records.
fn set_year(year: &str, folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            set_year(year, &path);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            let mut value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            set_year_in(year, &mut value);
            fs::write(&path, value.to_string()).unwrap();
        }
    }
}

fn set_year_in(year: &str, value: &mut Value) {
    match value {
        Value::String(text) if text.len() >= 20 && text.starts_with("20") && text.ends_with('Z') => {
            text.replace_range(..4, year);
        }
        Value::Array(items) => items.iter_mut().for_each(|item| set_year_in(year, item)),
        Value::Object(fields) => fields.values_mut().for_each(|field| set_year_in(year, field)),
        _ => {}
    }
}

#[test]
fn store_with_skewed_timestamps_stays_usable() {
    for year in ["2001", "2098"] {
        let mut gateway = Gateway::start_live("", &[]);
        gateway.publish(&Release::section("directory", "1.1.0", &["/"]));
        gateway.deploy(&json!({ "directory": "1.1.0" }));
        assert_eq!(
            gateway
                .admin_post("/api/v1/previews", &json!({ "deployment": 1 }))
                .status,
            201
        );
        gateway.kill();
        set_year(year, &gateway.store());
        let history = fs::read_to_string(gateway.store().join("live.json")).unwrap();
        assert!(history.contains(&format!("{year}-")), "{history}");

        let gateway = gateway.start_another();
        assert_eq!(gateway.get("/").boot()["deployment"], "2");
        assert_eq!(gateway.get("/readyz").status, 200);
        gateway.publish(&Release::section("directory", "1.2.0", &["/"]));
        assert_eq!(gateway.deploy(&json!({ "directory": "1.2.0" })), 3);
        let rollback = gateway.admin_post("/api/v1/rollback", &json!({ "section": "directory" }));
        assert_eq!(rollback.status, 201, "{}", rollback.text());
        assert_eq!(gateway.get("/").boot()["page"]["section"]["version"], "1.1.0");
        let preview = gateway.admin_post("/api/v1/previews", &json!({ "deployment": 3 }));
        assert_eq!(preview.status, 201, "{}", preview.text());
        // The newest deployments are retained whatever their timestamps.
        let collected = gateway.admin_post("/api/v1/garbage-collection", &json!({}));
        assert_eq!(collected.status, 200, "{}", collected.text());
        gateway.admin_get("/api/v1/history");
        assert_eq!(
            gateway
                .admin_request(Request::new("GET", "/api/v1/deployments"))
                .status,
            200
        );
        assert_eq!(gateway.get("/").boot()["page"]["section"]["version"], "1.1.0");
    }
}

fn signup_config(backend: &Backend) -> String {
    backend.signup_table() + "rate_limit_per_client_per_minute = 1\ntotal_timeout_ms = 60000\n"
}

fn sign_up() -> Request {
    Request::sign_up().header("connection", "close")
}

/// The date on a clock that is `off` seconds ahead.
fn date_at(off: i64) -> Value {
    let now = now() + SignedDuration::from_secs(off);
    json!(now.to_zoned(TimeZone::UTC).date())
}

fn assert_today(gateway: &Gateway, off: i64) {
    let before = date_at(off);
    let today = gateway.get("/").boot()["site"]["today"].clone();
    // Midnight may fall between the two.
    assert!(today == before || today == date_at(off), "{today}");
}

/// A browser that has opened a preview of the first deployment.
fn open_preview(gateway: &Gateway) -> Browser {
    let response = gateway.admin_post("/api/v1/previews", &json!({ "deployment": 1 }));
    assert_eq!(response.status, 201, "{}", response.text());
    let mut browser = viewer(gateway, &token_in(&response));
    assert_eq!(browser.get("/").boot()["deployment"], "1");
    browser
}

/// Deploys a new version and rolls it back.
fn assert_deployable(gateway: &Gateway, version: &str, off: i64) {
    let before = gateway.get("/").boot()["page"]["section"]["version"].clone();
    gateway.publish(&Release::section("directory", version, &["/"]));
    let number = gateway.deploy(&json!({ "directory": version }));
    assert_eq!(gateway.get("/").boot()["deployment"], number.to_string());
    let change = gateway.admin_get("/api/v1/history")["entries"][0].clone();
    let at: Timestamp = change["at"].as_str().unwrap().parse().unwrap();
    let clock_error = at.duration_since(now() + SignedDuration::from_secs(off));
    assert!(clock_error.abs() < SignedDuration::from_hours(1), "{change}");
    let rollback = gateway.admin_post("/api/v1/rollback", &json!({ "section": "directory" }));
    assert_eq!(rollback.status, 201, "{}", rollback.text());
    assert_eq!(gateway.get("/").boot()["page"]["section"]["version"], before);
    let collected = gateway.admin_post("/api/v1/garbage-collection", &json!({}));
    assert_eq!(collected.status, 200, "{}", collected.text());
    assert_eq!(gateway.get("/readyz").status, 200);
}

#[test]
fn clock_jump_keeps_site_served_and_deployable() {
    let machine = FaultyMachine::new();
    let gateway = machine.start("").with_live_site();
    gateway.publish(&Release::section("directory", "1.1.0", &["/"]));
    gateway.deploy(&json!({ "directory": "1.1.0" }));
    let mut old_preview = open_preview(&gateway);
    for (off, version) in [(YEAR, "2.0.0"), (-YEAR, "3.0.0"), (0, "4.0.0")] {
        machine.set_clock(off);
        assert_today(&gateway, off);
        assert_deployable(&gateway, version, off);
        // A clock set ahead ends the earlier preview; a clock set back does not.
        let deployment = old_preview.get("/").boot()["deployment"].clone();
        assert_eq!(deployment == "1", off <= 0, "{off}: {deployment}");
        open_preview(&gateway);
        // The gateway cleared the cookie of the expired preview, so open a new one.
        if off > 0 {
            machine.set_clock(0);
            old_preview = open_preview(&gateway);
        }
    }
}

#[test]
fn clock_jump_changes_no_rate_limit_or_timeout() {
    for off in [YEAR, -YEAR] {
        let backend = Backend::start(Reply::Hold(json!({}).to_string()));
        let machine = FaultyMachine::new();
        let gateway = machine.start(&signup_config(&backend)).with_live_site();
        let mut keep_alive = Connection::open(&gateway.site).unwrap();
        assert_eq!(keep_alive.exchange(Request::new("GET", "/")).unwrap().status, 200);
        let mut pending = Raw::open(&gateway.site);
        assert!(pending.send(sign_up().into_bytes(gateway.site.address())));
        backend.wait_for_request();
        let rate_limited = || {
            let response = gateway.site.send(sign_up());
            let wait: u64 = response.header("retry-after").parse().unwrap();
            (response.status, (1..=60).contains(&wait))
        };
        assert_eq!(rate_limited(), (429, true));
        machine.set_clock(off);
        assert_today(&gateway, off);
        assert_eq!(rate_limited(), (429, true));
        assert_eq!(keep_alive.exchange(Request::new("GET", "/")).unwrap().status, 200);
        backend.release_held();
        assert_eq!(pending.read_response().status, 200);
        for cause in [
            "first_byte_timeout",
            "header_timeout",
            "body_timeout",
            "write_timeout",
            "keepalive_timeout",
        ] {
            assert_eq!(gateway.closed_connections(cause), 0, "{cause}");
        }
    }
}
