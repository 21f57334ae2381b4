//! robots.txt and sitemap.xml.

use serde_json::json;

use crate::support::{Gateway, Release};

#[test]
fn robots_may_see_all_but_what_is_no_page() {
    let gateway = Gateway::start();
    let answer = gateway.get("/robots.txt");
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(
        answer.text(),
        "User-agent: *\nAllow: /\nDisallow: /go/\nDisallow: /functions/\n\n\
         Sitemap: https://site.example/sitemap.xml\n"
    );
}

#[test]
fn the_sitemap_lists_what_is_indexable_and_nothing_else() {
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
    let answer = gateway.get("/sitemap.xml");
    assert_eq!(answer.header("content-type"), "application/xml; charset=utf-8");
    assert_eq!(answer.text(), format!("{start}</urlset>\n"));
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    let terms = "<url><loc>https://site.example/terms</loc></url>\n";
    assert_eq!(
        gateway.get("/sitemap.xml").text(),
        format!("{start}{terms}</urlset>\n")
    );
}
