//! robots.txt, sitemap.xml and the web app manifest.

use serde_json::{Value, json};

use crate::support::{Gateway, Release, Request};

#[test]
fn robots_txt_disallows_non_pages() {
    let gateway = Gateway::start();
    let response = gateway.get("/robots.txt");
    assert_eq!(response.status, 200);
    assert_eq!(response.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(
        response.text(),
        "User-agent: *\nAllow: /\nDisallow: /go/\nDisallow: /functions/\n\n\
         Sitemap: https://site.example/sitemap.xml\n"
    );
}

#[test]
fn sitemap_lists_only_indexable_paths() {
    let gateway = Gateway::start();
    let page = |pattern: &str, paths: &[(&str, bool)]| {
        let paths = paths
            .iter()
            .map(|(path, indexable)| json!({ "path": path, "indexable": indexable }));
        json!({ "pattern": pattern, "assets": [], "paths": paths.collect::<Vec<_>>() })
    };
    let directory = Release::section("directory", "1.0.0", &[]).with(
        "pages",
        json!([
            page("/", &[("/", true)]),
            page(
                "/state/:state",
                &[
                    ("/state/New%20York", true),
                    ("/state/Ohio", false),
                    ("/state/A&B'", true)
                ]
            ),
        ]),
    );
    let legal = Release::section("legal", "1.0.0", &[]).with(
        "pages",
        json!([
            page("/terms", &[("/terms", true)]),
            page("/privacy", &[("/privacy", false)])
        ]),
    );
    for release in [&Release::shell("1.0.0"), &directory, &legal] {
        gateway.publish(release);
    }
    gateway.deploy(&json!({ "shell": "1.0.0", "directory": "1.0.0" }));
    let start = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                 <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\
                 <url><loc>https://site.example/</loc></url>\n\
                 <url><loc>https://site.example/state/New%20York</loc></url>\n\
                 <url><loc>https://site.example/state/A&amp;B&apos;</loc></url>\n";
    let response = gateway.get("/sitemap.xml");
    assert_eq!(response.header("content-type"), "application/xml; charset=utf-8");
    assert_eq!(response.text(), format!("{start}</urlset>\n"));
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    let terms = "<url><loc>https://site.example/terms</loc></url>\n";
    assert_eq!(
        gateway.get("/sitemap.xml").text(),
        format!("{start}{terms}</urlset>\n")
    );
}

/// A shell with home screen icons.
fn shell_with_icons(version: &str) -> Release {
    let icon = |name: &str, size: u32, purpose: &str| json!({ "file": format!("client/{name}.png"), "size": size, "purpose": purpose });
    Release::shell(version)
        .file("client/touch.png", "image/png")
        .file("client/small.png", "image/png")
        .file("client/large.png", "image/png")
        .with(
            "icons",
            json!([
                icon("touch", 180, "touch"),
                icon("small", 192, "any"),
                icon("large", 512, "maskable")
            ]),
        )
        .with("themeColor", json!({ "light": "#ffffff", "dark": "#201c1f" }))
}

#[test]
fn manifest_contains_site_name_and_shell_icons() {
    let gateway = Gateway::start();
    gateway.publish(&shell_with_icons("1.0.0"));
    gateway.deploy(&json!({ "shell": "1.0.0" }));
    let response = gateway.get("/manifest.webmanifest");
    assert_eq!(response.status, 200);
    assert_eq!(response.header("content-type"), "application/manifest+json");
    assert_eq!(response.header("cache-control"), "public, max-age=300");
    let icon = |name: &str, size: u32, purpose: &str| {
        json!({
            "src": format!("/assets/shell/1.0.0/{name}.png"), "sizes": format!("{size}x{size}"),
            "type": "image/png", "purpose": purpose,
        })
    };
    assert_eq!(
        serde_json::from_slice::<Value>(&response.body).unwrap(),
        json!({
            "id": "/", "name": "Test & Brand", "start_url": "/", "scope": "/", "display": "browser", "lang": "en",
            "theme_color": "#ffffff", "background_color": "#ffffff",
            "icons": [icon("small", 192, "any"), icon("large", 512, "maskable")],
        })
    );
}

#[test]
fn manifest_etag_changes_with_shell_icons() {
    let gateway = Gateway::start();
    gateway.publish(&shell_with_icons("1.0.0"));
    gateway.deploy(&json!({ "shell": "1.0.0" }));
    let tag = gateway.get("/manifest.webmanifest").header("etag").to_owned();
    let request = || {
        gateway
            .site
            .send(Request::new("GET", "/manifest.webmanifest").header("if-none-match", &tag))
    };
    let not_modified = request();
    assert_eq!((not_modified.status, not_modified.body.len()), (304, 0));
    assert_eq!(not_modified.header("etag"), tag);
    // A shell without icons is valid, too.
    gateway.publish(&Release::shell("0.9.0"));
    gateway.deploy(&json!({ "shell": "0.9.0" }));
    let other = request();
    assert_eq!(other.status, 200);
    assert_ne!(other.header("etag"), tag);
    let manifest: Value = serde_json::from_slice(&other.body).unwrap();
    assert_eq!(manifest["icons"], json!([]));
    assert_eq!(manifest.get("theme_color"), None);
}
