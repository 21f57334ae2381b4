//! A clock that jumps while the gateway runs, or has jumped: what the store says of times then lies far ahead, or far back.

use std::fs;
use std::path::Path;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::support::{Act, Backend, Browser, Connection, Gateway, Machine, Raw, Release, Request, now};

/// Seconds in a year.
const YEAR: i64 = 365 * 24 * 60 * 60;

/// Writes another year into every time that the store has noted.
fn put_into(year: &str, folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            put_into(year, &path);
        } else if path.extension().is_some_and(|extension| extension == "json")
            && path.file_name().is_some_and(|name| name != "release.json")
        {
            let mut value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            shift(year, &mut value);
            fs::write(&path, value.to_string()).unwrap();
        }
    }
}

fn shift(year: &str, value: &mut Value) {
    match value {
        Value::String(text) if text.len() >= 20 && text.starts_with("20") && text.ends_with('Z') => {
            text.replace_range(..4, year);
        }
        Value::Array(items) => items.iter_mut().for_each(|item| shift(year, item)),
        Value::Object(fields) => fields.values_mut().for_each(|field| shift(year, field)),
        _ => {}
    }
}

#[test]
fn what_was_noted_by_another_clock_is_served_and_changed_all_the_same() {
    for year in ["2001", "2098"] {
        let mut gateway = Gateway::start_live("", &[]);
        gateway.publish(&Release::section("directory", "1.1.0", &["/"]));
        gateway.deploy(&json!({ "directory": "1.1.0" }));
        assert_eq!(
            gateway
                .tell("/api/v1/previews", &json!({ "deployment": 1 }))
                .status,
            201
        );
        gateway.kill();
        put_into(year, &gateway.store());
        let history = fs::read_to_string(gateway.store().join("live.json")).unwrap();
        assert!(history.contains(&format!("{year}-")), "{history}");

        let gateway = gateway.beside();
        assert_eq!(gateway.get("/").boot()["deployment"], 2);
        assert_eq!(gateway.get("/readyz").status, 200);
        gateway.publish(&Release::section("directory", "1.2.0", &["/"]));
        assert_eq!(gateway.deploy(&json!({ "directory": "1.2.0" })), 3);
        let back = gateway.tell("/api/v1/rollback", &json!({ "section": "directory" }));
        assert_eq!(back.status, 201, "{}", back.text());
        assert_eq!(gateway.get("/").boot()["page"]["section"]["version"], "1.1.0");
        let preview = gateway.tell("/api/v1/previews", &json!({ "deployment": 3 }));
        assert_eq!(preview.status, 201, "{}", preview.text());
        // Whatever the times say, the last deployments stay.
        let collected = gateway.tell("/api/v1/collect", &json!({}));
        assert_eq!(collected.status, 200, "{}", collected.text());
        gateway.ask("/api/v1/history");
        assert_eq!(
            gateway.operate(Request::new("GET", "/api/v1/deployments")).status,
            200
        );
        assert_eq!(gateway.get("/").boot()["page"]["section"]["version"], "1.1.0");
    }
}

fn signup_at(backend: &Backend) -> String {
    format!(
        "[signup]\nbackend = \"{}\"\nkey = {{ env = \"KEY\" }}\naffiliate_subid = \"tag\"\n\
         attempts_per_client = 1\ntotal_timeout_ms = 60000\n",
        backend.origin()
    )
}

fn sign_up() -> Request {
    let body = json!({ "email": "visitor@example.com", "password": "123456", "age": 30 });
    Request::new("POST", "/functions/v1/signup")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/json")
        .header("connection", "close")
        .body(body.to_string())
}

/// The day of a clock that is so many seconds off.
fn day(off: i64) -> Value {
    let now = now() + SignedDuration::from_secs(off);
    json!(now.to_zoned(TimeZone::UTC).date())
}

fn assert_today(gateway: &Gateway, off: i64) {
    let before = day(off);
    let today = gateway.get("/").boot()["site"]["today"].clone();
    // Midnight may be in between.
    assert!(today == before || today == day(off), "{today}");
}

/// Somebody who has followed a link to a preview of the first deployment.
fn viewer(gateway: &Gateway) -> Browser {
    let answer = gateway.tell("/api/v1/previews", &json!({ "deployment": 1 }));
    assert_eq!(answer.status, 201, "{}", answer.text());
    let url = answer.json()["url"].as_str().unwrap().to_owned();
    let mut viewer = Browser::new(gateway.site);
    let link = viewer.get(url.strip_prefix("https://site.example").unwrap());
    assert_eq!(link.status, 303);
    assert_eq!(viewer.get("/").boot()["deployment"], 1);
    viewer
}

/// Changes what is live, and puts it back.
fn assert_can_be_changed(gateway: &Gateway, version: &str, off: i64) {
    let before = gateway.get("/").boot()["page"]["section"]["version"].clone();
    gateway.publish(&Release::section("directory", version, &["/"]));
    let number = gateway.deploy(&json!({ "directory": version }));
    assert_eq!(gateway.get("/").boot()["deployment"], number);
    let change = gateway.ask("/api/v1/history")["entries"][0].clone();
    let at: Timestamp = change["at"].as_str().unwrap().parse().unwrap();
    let wrong = at.duration_since(now() + SignedDuration::from_secs(off));
    assert!(wrong.abs() < SignedDuration::from_hours(1), "{change}");
    let back = gateway.tell("/api/v1/rollback", &json!({ "section": "directory" }));
    assert_eq!(back.status, 201, "{}", back.text());
    assert_eq!(gateway.get("/").boot()["page"]["section"]["version"], before);
    let collected = gateway.tell("/api/v1/collect", &json!({}));
    assert_eq!(collected.status, 200, "{}", collected.text());
    assert_eq!(gateway.get("/readyz").status, 200);
}

#[test]
fn what_is_live_is_served_and_changed_whatever_the_clock_does_meanwhile() {
    let machine = Machine::new();
    let gateway = machine.start("").made_live();
    gateway.publish(&Release::section("directory", "1.1.0", &["/"]));
    gateway.deploy(&json!({ "directory": "1.1.0" }));
    let mut early = viewer(&gateway);
    for (off, version) in [(YEAR, "2.0.0"), (-YEAR, "3.0.0"), (0, "4.0.0")] {
        machine.set_clock(off);
        assert_today(&gateway, off);
        assert_can_be_changed(&gateway, version, off);
        // Ahead, the preview that was made before is over; back, it goes on.
        let seen = early.get("/").boot()["deployment"].clone();
        assert_eq!(seen == 1, off <= 0, "{off}: {seen}");
        viewer(&gateway);
        // The browser was told to forget it; it is followed anew.
        if off > 0 {
            machine.set_clock(0);
            early = viewer(&gateway);
        }
    }
}

#[test]
fn a_clock_that_jumps_changes_no_limit_and_no_deadline() {
    for off in [YEAR, -YEAR] {
        let backend = Backend::start(Act::Hold(json!({}).to_string()));
        let machine = Machine::new();
        let gateway = machine.start(&signup_at(&backend)).made_live();
        let mut kept = Connection::open(&gateway.site).unwrap();
        assert_eq!(kept.exchange(Request::new("GET", "/")).unwrap().status, 200);
        let mut held = Raw::open(&gateway.site);
        assert!(held.say(sign_up().message(gateway.site.address())));
        backend.wait_for_request();
        let refused = || {
            let answer = gateway.site.send(sign_up());
            let wait: u64 = answer.header("retry-after").parse().unwrap();
            (answer.status, (1..=60).contains(&wait))
        };
        assert_eq!(refused(), (429, true));
        machine.set_clock(off);
        assert_today(&gateway, off);
        assert_eq!(refused(), (429, true));
        assert_eq!(kept.exchange(Request::new("GET", "/")).unwrap().status, 200);
        backend.release();
        assert_eq!(held.answer().status, 200);
        for cause in ["silent", "slow_head", "slow_body", "slow_reader", "idle"] {
            assert_eq!(gateway.ended(cause), 0, "{cause}");
        }
    }
}
