//! `/_remotes`: the sections of a set and the modules that they expose.

use serde_json::json;

use crate::support::{Gateway, Release, Request};

fn catalog(version: &str) -> Release {
    let exposes = json!([{ "name": "./PriceTag", "assets": ["client/page.js", "client/page.css"] }]);
    Release::section("catalog", version, &["/catalog"]).with("exposes", exposes)
}

/// A gateway with the sections `directory` and `catalog`, as deployment 2.
fn gateway() -> Gateway {
    let gateway = Gateway::start_live("[sections.catalog.config]\ncurrency = \"EUR\"\n", &[]);
    gateway.publish(&catalog("1.0.0"));
    gateway.deploy(&json!({ "catalog": "1.0.0" }));
    gateway
}

#[test]
fn remotes_endpoint_lists_sections_and_exposed_modules() {
    let gateway = gateway();
    let response = gateway.get("/_remotes/2");
    assert_eq!(response.status, 200);
    assert_eq!(response.header("content-type"), "application/json");
    assert_eq!(response.header("cache-control"), "public, max-age=300");
    let remotes = response.json();
    let mut expected = gateway.get("/catalog").boot()["page"]["section"].take();
    expected.as_object_mut().unwrap().remove("assets");
    let files = ["client/entry.js", "client/page.js", "client/page.css"];
    let release = catalog("1.0.0");
    let bytes: usize = files.iter().map(|path| release.contents(path).len()).sum();
    expected["exposes"] = json!({ "./PriceTag": { "bytes": bytes } });
    assert_eq!(remotes["catalog"], expected);
    assert_eq!(remotes["directory"]["exposes"], json!({}));
    let names: Vec<_> = remotes.as_object().unwrap().keys().collect();
    assert_eq!(names, ["catalog", "directory"]);
    let compressed = Request::new("GET", "/_remotes/2").header("accept-encoding", "gzip, br");
    let compressed = gateway.site.send(compressed);
    assert_eq!(compressed.header("content-encoding"), "br");
    let etag = compressed.header("etag").to_owned();
    let again = Request::new("GET", "/_remotes/2")
        .header("accept-encoding", "br")
        .header("if-none-match", &etag);
    assert_eq!(gateway.site.send(again).status, 304);
}

#[test]
fn remotes_endpoint_names_what_modules_of_section_need() {
    let gateway = gateway();
    let response = gateway.get("/_remotes/2?section=catalog");
    assert_eq!(response.status, 200);
    // A reload changes the configuration.
    assert_eq!(response.header("cache-control"), "no-cache");
    let assets = gateway.get("/catalog").boot()["page"]["assets"].take();
    assert_eq!(
        response.json(),
        json!({ "assets": { "./PriceTag": assets }, "config": { "currency": "EUR" } })
    );
    let directory = gateway.get("/_remotes/2?section=directory");
    assert_eq!(directory.json(), json!({ "assets": {} }));
    assert_eq!(directory.header("cache-control"), "public, max-age=300");
    for section in ["", "shell", "nowhere"] {
        let response = gateway.get(&format!("/_remotes/2?section={section}"));
        assert_eq!(response.status, 404, "{section}");
    }
    assert_eq!(gateway.get("/_remotes/1?section=catalog").status, 404);
    assert_eq!(gateway.get("/_remotes/99?section=catalog").status, 410);
}

#[test]
fn remotes_endpoint_resolves_in_requested_set() {
    let gateway = gateway();
    gateway.publish(&catalog("2.0.0"));
    let body = json!({ "releases": { "catalog": "2.0.0" }, "percent": 50 });
    assert_eq!(gateway.post_deployment(&body).status, 201);
    for (set, expected) in [("1", None), ("2", Some("1.0.0")), ("2.3", Some("2.0.0"))] {
        let remotes = gateway.get(&format!("/_remotes/{set}")).json();
        assert_eq!(remotes["catalog"]["version"].as_str(), expected, "{set}");
        assert_eq!(remotes["directory"]["version"], "1.0.0", "{set}");
    }
    for (set, status) in [("x", 404), ("", 404), ("3", 410), ("99", 410)] {
        let response = gateway.get(&format!("/_remotes/{set}"));
        assert_eq!(response.status, status, "{set}");
    }
    assert_eq!(gateway.get("/_remotes/99").header("cache-control"), "no-store");
}
