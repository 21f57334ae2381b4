//! robots.txt, sitemap.xml, the web app manifest, icons, and what replaces the service worker of a former site.

use std::fs;

use serde_json::{Value, json};

use crate::support::{CLOSED_SIGNUP, Gateway, Release, Request};

#[test]
fn robots_txt_disallows_non_pages() {
    let partners = "[partners.example]\nname = \"Example\"\nurl = \"https://partner.example\"\n";
    for (integrations, lines) in [
        ("", ""),
        (partners, "Disallow: /go/\n"),
        (CLOSED_SIGNUP, "Disallow: /functions/\n"),
        (
            &format!("{partners}{CLOSED_SIGNUP}"),
            "Disallow: /go/\nDisallow: /functions/\n",
        ),
    ] {
        let gateway = Gateway::start_with(integrations, &[]);
        let response = gateway.get("/robots.txt");
        assert_eq!(response.status, 200);
        assert_eq!(response.header("content-type"), "text/plain; charset=utf-8");
        assert_eq!(
            response.text(),
            format!("User-agent: *\nAllow: /\n{lines}\nSitemap: https://site.example/sitemap.xml\n")
        );
    }
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

#[test]
fn large_sitemap_is_an_index_of_parts() {
    const SECTIONS: usize = 11;
    const PATHS: usize = 5000;
    let gateway = Gateway::start();
    gateway.publish(&Release::shell("1.0.0"));
    gateway.deploy(&json!({ "shell": "1.0.0" }));
    let paths = |section: usize| (0..PATHS).map(move |number| format!("/s{section}/{number}"));
    let mut releases = serde_json::Map::new();
    for section in 0..SECTIONS {
        let listed: Vec<Value> = paths(section)
            .map(|path| json!({ "path": path, "indexable": true }))
            .collect();
        let name = format!("s{section}");
        let page = json!({ "pattern": format!("/{name}/:x"), "assets": [], "paths": listed });
        gateway.publish(&Release::section(&name, "1.0.0", &[]).with("pages", json!([page])));
        releases.insert(name, json!("1.0.0"));
    }
    let last = releases.remove("s10").unwrap();
    gateway.deploy(&Value::Object(releases));
    // 50,000 URLs fit into one file.
    assert!(gateway.get("/sitemap.xml").text().contains("<urlset"));
    assert_eq!(gateway.get("/sitemap.xml?part=1").status, 404);

    gateway.deploy(&json!({ "s10": last }));
    assert_eq!(
        gateway.get("/sitemap.xml").text(),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\
         <sitemap><loc>https://site.example/sitemap.xml?part=1</loc></sitemap>\n\
         <sitemap><loc>https://site.example/sitemap.xml?part=2</loc></sitemap>\n\
         </sitemapindex>\n"
    );
    let locations = |part: usize| {
        let response = gateway.get(&format!("/sitemap.xml?part={part}"));
        assert_eq!(response.header("content-type"), "application/xml; charset=utf-8");
        let text = response.text();
        assert!(text.contains("<urlset"), "{part}");
        let urls = text.lines().filter_map(|line| {
            let url = line.strip_prefix("<url><loc>https://site.example")?;
            Some(url.strip_suffix("</loc></url>").unwrap().to_owned())
        });
        urls.collect::<Vec<_>>()
    };
    let (first, second) = (locations(1), locations(2));
    assert_eq!((first.len(), second.len()), (50_000, 5000));
    let compressed = Request::new("GET", "/sitemap.xml?part=1").header("accept-encoding", "br");
    let compressed = gateway.site.send(compressed);
    assert_eq!(compressed.header("content-encoding"), "br");
    assert!(compressed.body.len() < 500_000, "{}", compressed.body.len());
    let mut listed: Vec<String> = first.into_iter().chain(second).collect();
    let mut expected: Vec<String> = (0..SECTIONS).flat_map(paths).collect();
    listed.sort();
    expected.sort();
    assert!(listed == expected, "each path is in one part");
    // A part has one number.
    for part in ["0", "3", "x", "18446744073709551616", "+1", "%2B1", "01", ""] {
        let response = gateway.get(&format!("/sitemap.xml?part={part}"));
        assert_eq!(response.status, 404, "{part}");
    }
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
fn icons_at_the_root_are_those_of_the_shell() {
    let gateway = Gateway::start();
    gateway.publish(&Release::shell("0.9.0"));
    gateway.deploy(&json!({ "shell": "0.9.0" }));
    for path in ["/favicon.ico", "/apple-touch-icon.png"] {
        assert_eq!(gateway.get(path).status, 404, "{path}");
    }
    gateway.publish(&shell_with_icons("1.0.0"));
    gateway.deploy(&json!({ "shell": "1.0.0" }));
    for (path, icon) in [("/favicon.ico", "small"), ("/apple-touch-icon.png", "touch")] {
        let response = gateway.get(path);
        assert_eq!(response.status, 302, "{path}");
        assert_eq!(
            response.header("location"),
            format!("/assets/shell/1.0.0/{icon}.png")
        );
        assert_eq!(response.header("cache-control"), "public, max-age=300");
    }
}

#[test]
fn files_of_the_operator_are_served_at_the_root() {
    let folder = tempfile::tempdir().unwrap();
    let files = folder.path();
    fs::create_dir(files.join(".well-known")).unwrap();
    for (name, content) in [
        ("ads.txt", "ads"),
        ("favicon.ico", "icon"),
        ("verify.html", "<p>owner"),
        (".well-known/security.txt", "Contact: x"),
        (".well-known/apple-app-site-association", "{}"),
        (".hidden.txt", ""),
    ] {
        fs::write(files.join(name), content).unwrap();
    }
    let table = format!("[files]\nfolder = \"{}\"\n", files.display());
    let gateway = Gateway::start_with(&table, &[]).with_live_site();
    for (path, content_type, body) in [
        ("/ads.txt", "text/plain; charset=utf-8", "ads"),
        ("/favicon.ico", "image/x-icon", "icon"),
        ("/verify.html", "text/html; charset=utf-8", "<p>owner"),
        (
            "/.well-known/security.txt",
            "text/plain; charset=utf-8",
            "Contact: x",
        ),
        (
            "/.well-known/apple-app-site-association",
            "application/json",
            "{}",
        ),
    ] {
        let response = gateway.get(path);
        assert_eq!(
            (response.status, response.header("content-type"), response.text()),
            (200, content_type, body.to_owned())
        );
        assert_eq!(response.header("cache-control"), "public, max-age=300");
        let request = Request::new("GET", path).header("if-none-match", response.header("etag"));
        assert_eq!(gateway.site.send(request).status, 304, "{path}");
    }
    assert_eq!(gateway.site.send(Request::new("POST", "/ads.txt")).status, 405);
    for path in ["/.hidden.txt", "/ads.txt/", "/.well-known/other.txt"] {
        assert_ne!(gateway.get(path).status, 200, "{path}");
    }
}

#[test]
fn pages_that_files_hide_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["ads.txt", "old.html", "verify.html"] {
        fs::write(folder.path().join(name), "file").unwrap();
    }
    let table = format!("[files]\nfolder = \"{}\"\n", folder.path().display());
    let gateway = Gateway::start_live(&table, &[]);
    let page = |pattern: &str, paths: &[&str]| {
        let paths = paths
            .iter()
            .map(|path| json!({ "path": path, "indexable": true }));
        json!({ "pattern": pattern, "assets": [], "paths": paths.collect::<Vec<_>>() })
    };
    // The page of `:name` names one of the two other files.
    let pages = json!([
        page("/old.html", &[]),
        page("/:name", &["/about", "/verify.html"])
    ]);
    let release = Release::section("owner", "1.0.0", &[]).with("pages", pages);
    let warning = |name: &str| {
        format!(
            "page `/{name}` of owner is hidden: the gateway serves a file of the operator at its path; rename the page, or ask \
             the operator to remove `{name}` from `files.folder`"
        )
    };
    let expected = json!([warning("old.html"), warning("verify.html")]);
    let published = gateway.put_release("owner", "1.0.0", release.archive()).json();
    assert_eq!(published["warnings"], expected);
    let deployed = gateway.post_deployment(&json!({ "releases": { "owner": "1.0.0" } }));
    assert_eq!(deployed.json()["warnings"], expected);
    let other = gateway.post_deployment(&json!({ "releases": { "directory": "1.0.0" } }));
    assert_eq!(other.json()["warnings"], json!([]));
    let assert_logged = |gateway: &Gateway| {
        for path in ["/old.html", "/verify.html"] {
            let event = gateway.wait_for_event(|line| line["event"] == "page_hidden" && line["path"] == path);
            assert_eq!(
                (&event["section"], &event["level"]),
                (&json!("owner"), &json!("WARN"))
            );
        }
        assert_eq!(gateway.output().matches("page_hidden").count(), 2);
    };
    assert_logged(&gateway);
    assert_logged(&gateway.kill_and_restart(&table));
}

#[test]
fn former_service_worker_is_replaced_outside_of_assets() {
    let gateway = Gateway::start().with_live_site();
    let request = |path| Request::new("GET", path).header("service-worker", "script");
    for path in ["/sw.js", "/", "/app/worker.js?v=3"] {
        let response = gateway.site.send(request(path));
        assert_eq!(response.status, 200, "{path}");
        assert_eq!(response.header("content-type"), "text/javascript; charset=utf-8");
        assert_eq!(response.header("cache-control"), "no-store");
        assert!(response.text().contains("registration.unregister()"), "{path}");
    }
    for path in ["/assets/sw.js", "/api/sw.js"] {
        assert_eq!(gateway.site.send(request(path)).status, 404, "{path}");
    }
    assert_eq!(
        gateway.get("/sw.js").header("content-type"),
        "text/html; charset=utf-8"
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
