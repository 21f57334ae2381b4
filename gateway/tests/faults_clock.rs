//! A clock that has jumped: what the store says of times then lies far ahead, or far back.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Gateway, Release, Request};

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
