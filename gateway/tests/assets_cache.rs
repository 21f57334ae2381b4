//! The in-memory asset cache.

use std::fs;

use serde_json::json;

use crate::support::preview::{token_in, viewer};
use crate::support::{Gateway, Release, Request};

const TARGET: &str = "/assets/shell/1.0.0/main.js";

fn remove(gateway: &Gateway, path: &str) {
    fs::remove_file(gateway.object("shell/1.0.0", path)).unwrap();
}

#[test]
fn cached_asset_is_not_read_from_disk_again() {
    let gateway = Gateway::start_live("[assets]\ncache_mib = 64\n", &[]);
    let first = gateway.get(TARGET);
    remove(&gateway, "client/main.js");
    for _ in 0..3 {
        let again = gateway.get(TARGET);
        assert_eq!((again.status, &again.body), (200, &first.body));
    }
    let part = Request::new("GET", TARGET).header("range", "bytes=1-3");
    assert_eq!(gateway.site.send(part).body, first.body[1..4]);
    // Each encoding is a file of its own.
    let br = || {
        gateway
            .site
            .send(Request::new("GET", TARGET).header("accept-encoding", "br"))
    };
    assert_eq!(br().status, 200);
    remove(&gateway, "compressed/client/main.js.br");
    assert_eq!(br().decoded(), first.body);
}

#[test]
fn cache_size_is_bounded() {
    let gateway = Gateway::start_with("[assets]\ncache_mib = 1\n", &[]);
    let half: Vec<u8> = (0..600 * 1024_u32).map(|at| at.to_le_bytes()[0]).collect();
    let other: Vec<u8> = half.iter().rev().copied().collect();
    let shell = Release::shell("1.0.0")
        .bytes("client/a.bin", "application/octet-stream", half.clone())
        .bytes("client/b.bin", "application/octet-stream", other)
        .bytes(
            "client/large.bin",
            "application/octet-stream",
            [half.clone(), half].concat(),
        );
    gateway.publish(&shell);
    gateway.deploy(&json!({ "shell": "1.0.0" }));
    let status = |name: &str| gateway.get(&format!("/assets/shell/1.0.0/{name}")).status;
    assert_eq!((status("a.bin"), status("large.bin")), (200, 200));
    remove(&gateway, "client/large.bin");
    assert_eq!(
        status("large.bin"),
        503,
        "a file larger than the cache must not be cached"
    );
    assert_eq!(status("b.bin"), 200);
    for name in ["a.bin", "b.bin"] {
        remove(&gateway, &format!("client/{name}"));
    }
    assert_eq!(
        (status("a.bin"), status("b.bin")),
        (503, 200),
        "the newer file must evict the older one"
    );
}

#[test]
fn zero_cache_size_disables_the_cache() {
    let gateway = Gateway::start_live("[assets]\ncache_mib = 0\n", &[]);
    assert_eq!(gateway.get(TARGET).status, 200);
    remove(&gateway, "client/main.js");
    assert_eq!(gateway.get(TARGET).status, 503);
}

#[test]
fn cached_preview_asset_stays_private() {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("directory", "2.0.0", &["/"]));
    let preview = gateway.admin_post(
        "/api/v1/previews",
        &json!({ "releases": { "directory": "2.0.0" } }),
    );
    let target = "/assets/directory/2.0.0/entry.js";
    let asset = viewer(&gateway, &token_in(&preview)).get(target);
    assert_eq!(
        (asset.status, asset.header("cache-control")),
        (200, "private, no-store")
    );
    assert_eq!(gateway.get(target).status, 404);
}
