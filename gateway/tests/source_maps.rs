//! Source maps of releases, which contain the sources of a section.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::json;

use crate::support::{Gateway, Release, Request, Response, authorized, token, wait_until};

/// What only the source map contains.
const SOURCE: &str = "the-source-of-the-section";
const MAP: &str = "server/maps/client/page.js.map";

fn with_source_map(version: &str) -> Release {
    let map = json!({ "version": 3, "sources": ["src/page.tsx"], "sourcesContent": [SOURCE], "names": [], "mappings": "AAAA" });
    let module = "server/maps/server/index.js.map";
    Release::section("legal", version, &["/terms"])
        .with("modules", json!({ "section": "server/index.js" }))
        .bytes(MAP, "application/json", map.to_string())
        .bytes(
            module,
            "application/json",
            json!({ "of": "the module" }).to_string(),
        )
}

fn read(gateway: &Gateway, token: &str, version: &str, script: &str) -> Response {
    let target = format!("/api/v1/sections/legal/releases/{version}/source-map?script={script}");
    gateway.admin_request_as(token, Request::new("GET", &target))
}

#[test]
fn source_map_is_for_the_team_of_the_section() {
    let of_other_team = token(
        "token-of-directory",
        &["directory"],
        &["publish", "deploy", "preview"],
    );
    let gateway = Gateway::start_with(&of_other_team, &[]);
    gateway.publish(&with_source_map("2.0.0"));
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    for team in [
        "token-for-everything",
        "token-to-publish-legal",
        "token-to-deploy-legal",
    ] {
        let response = read(&gateway, team, "2.0.0", "client/page.js");
        assert_eq!(response.status, 200, "{team}");
        assert_eq!(response.header("content-type"), "application/json");
        assert_eq!(response.json()["sourcesContent"], json!([SOURCE]));
    }
    let team = "token-to-publish-legal";
    assert_eq!(
        read(&gateway, team, "2.0.0", "section").json()["of"],
        "the module"
    );
    let other = read(&gateway, "token-of-directory", "2.0.0", "client/page.js");
    assert_eq!(other.status, 403);
    assert!(!other.text().contains(SOURCE));
    for (version, script, status) in [
        ("1.0.0", "client/page.js", 404),
        ("3.0.0", "client/page.js", 404),
        ("2.0.0", "client/entry.js", 404),
        ("2.0.0", "client/../../../release.json", 404),
        ("2.0.0", "section&script=section", 400),
    ] {
        assert_eq!(
            read(&gateway, team, version, script).status,
            status,
            "{version} {script}"
        );
    }
    let without = Request::new("GET", "/api/v1/sections/legal/releases/2.0.0/source-map");
    assert_eq!(gateway.admin_request(without).status, 400);
}

#[test]
fn visitors_cannot_read_source_maps() {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&with_source_map("2.0.0"));
    let number = gateway.deploy(&json!({ "legal": "2.0.0" }));
    for path in [
        MAP,
        "maps/client/page.js.map",
        "client/page.js.map",
        "page.js.map",
        "../server/maps/client/page.js.map",
        "..%2fserver%2fmaps%2fclient%2fpage.js.map",
    ] {
        let response = gateway.get(&format!("/assets/legal/2.0.0/{path}"));
        assert!(
            [400, 404].contains(&response.status),
            "{path}: {}",
            response.status
        );
        assert!(!response.text().contains(SOURCE), "{path}");
    }
    assert_eq!(gateway.get("/assets/legal/2.0.0/page.js").status, 200);
    for path in [
        "/terms".to_owned(),
        format!("/_page/{number}?path=/terms"),
        format!("/_remotes/{number}?section=legal"),
    ] {
        let response = gateway.get(&path);
        assert_eq!(response.status, 200, "{path}");
        assert!(!response.text().contains("server/maps"), "{path}");
    }
}

#[test]
fn source_maps_that_are_read_slowly_are_limited() {
    let gateway = Gateway::start();
    let largest = vec![b' '; 16 * 1024 * 1024];
    gateway.publish(&Release::section("legal", "2.0.0", &["/terms"]).bytes(MAP, "application/json", largest));
    let target = "/api/v1/sections/legal/releases/2.0.0/source-map?script=client/page.js";
    let request = || authorized(Request::new("GET", target));
    let address = gateway.admin.address();
    let slow_readers: Vec<_> = (0..4)
        .map(|_| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(&request().into_bytes(address)).unwrap();
            let mut start = [0; 12];
            stream.read_exact(&mut start).unwrap();
            assert_eq!(start, *b"HTTP/1.1 200");
            stream
        })
        .collect();
    let refused = gateway.send_admin(request());
    assert_eq!((refused.status, refused.header("retry-after")), (503, "5"));
    drop(slow_readers);
    wait_until("a source map can be read again", || {
        gateway.admin.send(request()).status == 200
    });
}
