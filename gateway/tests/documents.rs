//! HTML documents.

use serde_json::{Value, json};

use crate::support::{Gateway, Release, Request, Response};

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; \
                      font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types default";

fn get_with_header(gateway: &Gateway, target: &str, name: &str, value: &str) -> Response {
    gateway.site.send(Request::new("GET", target).header(name, value))
}

#[test]
fn document_has_expected_headers() {
    let extra = "[telemetry]\ncsp_report_url = \"https://reports.example/csp?key=1\"\n";
    let gateway = Gateway::start_live(extra, &[]);
    let response = gateway.get("/state/New%20York");
    assert_eq!(response.status, 200);
    assert_eq!(response.header("content-type"), "text/html; charset=utf-8");
    let url = "https://reports.example/csp?key=1";
    let policy = format!("{POLICY}; report-uri {url}; report-to csp");
    assert_eq!(response.header("content-security-policy"), policy);
    assert_eq!(response.header("reporting-endpoints"), format!("csp=\"{url}\""));
    assert_eq!(response.header("cache-control"), "no-cache, no-transform");
    assert_eq!(response.header("vary"), "Accept-Encoding");
    assert!(!response.has("set-cookie") && !response.has("server"));
}

#[test]
fn document_links_page_assets() {
    let gateway = Gateway::start_live("", &[]);
    let shell = Release::shell("1.0.0");
    let section = Release::section("directory", "1.0.0", &["/", "/state/:state", "/signup"]);
    let html = gateway.get("/state/Texas").text();
    assert!(html.starts_with("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">"));
    assert!(html.contains("<title>Test &amp; Brand</title>"));
    assert!(
        html.contains("<link rel=\"icon\" href=\"/assets/shell/1.0.0/icon.svg\" type=\"image/svg+xml\">")
    );
    let integrity = shell.integrity("client/frame.css");
    let link = format!(
        "<link rel=\"stylesheet\" href=\"/assets/shell/1.0.0/frame.css\" data-href=\"frame.css\" \
         integrity=\"{integrity}\" crossorigin=\"anonymous\">"
    );
    assert!(html.contains(&link), "{link}\n{html}");
    for (path, kind, priority) in [
        ("page.css", "style", ""),
        ("entry.js", "script", " fetchpriority=\"low\""),
        ("common.js", "script", " fetchpriority=\"low\""),
        ("page.js", "script", " fetchpriority=\"low\""),
    ] {
        let integrity = section.integrity(&format!("client/{path}"));
        let link = format!(
            "<link rel=\"preload\" as=\"{kind}\" href=\"/assets/directory/1.0.0/{path}\" integrity=\"{integrity}\" \
             crossorigin=\"anonymous\"{priority}>"
        );
        assert_eq!(html.matches(&link).count(), 1, "{link}\n{html}");
    }
    let integrity = shell.integrity("client/main.js");
    assert!(html.contains(&format!(
        "<script src=\"/assets/shell/1.0.0/main.js\" defer integrity=\"{integrity}\" \
         crossorigin=\"anonymous\">"
    )));
    assert!(html.contains("<body><div id=\"root\"></div><noscript>"));
    assert!(
        html.contains("noindex"),
        "a page without listed paths must not be indexed"
    );
}

#[test]
fn boot_payload_lists_only_sections_of_page() {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    let boot = gateway.get("/state/Texas").boot();
    assert_eq!(boot["deployment"], "2");
    let page = &boot["page"];
    assert_eq!(page["pattern"], "/state/:state");
    assert_eq!(page["section"]["name"], "directory");
    assert_eq!(page["section"]["container"], "directory_1");
    assert_eq!(page["section"]["entry"], "/assets/directory/1.0.0/entry.js");
    let section = Release::section("directory", "1.0.0", &[]);
    assert_eq!(page["section"]["integrity"], section.integrity("client/entry.js"));
    let asset = |path: &str, kind: &str| {
        json!({
            "href": format!("/assets/directory/1.0.0/{path}"), "name": path,
            "integrity": section.integrity(&format!("client/{path}")), "type": kind,
        })
    };
    assert_eq!(page["section"]["assets"], json!([asset("common.js", "script")]));
    assert_eq!(
        page["assets"],
        json!([asset("page.js", "script"), asset("page.css", "style")])
    );
    assert!(
        !boot.to_string().contains("legal/1.0.0"),
        "the payload must not list unused sections"
    );
    assert!(boot.get("form").is_none());
}

#[test]
fn form_action_policy_includes_redirect_hosts() {
    let extra = "[signup]\nbackend = \"https://backend.example\"\nbackend_api_key = { env = \"KEY\" }\naffiliate_subid = \"s\"\n\
                 allowed_redirect_hosts = [\"members.example.com\", \"a-b.example\"]\n";
    let gateway = Gateway::start_live(extra, &[("KEY", "secret-key")]);
    let policy = POLICY.replace(
        "form-action 'self'",
        "form-action 'self' https://members.example.com https://a-b.example",
    );
    // Any page may contain a form, and browsers check a redirect against the page with the form.
    for target in ["/", "/signup", "/nowhere"] {
        let response = gateway.get(target);
        assert_eq!(response.header("content-security-policy"), policy, "{target}");
    }
}

#[test]
fn boot_payload_contains_site_settings() {
    let extra = "[signup]\nbackend = \"https://backend.example\"\nbackend_api_key = { env = \"KEY\" }\naffiliate_subid = \"s\"\n\
                 allowed_redirect_hosts = [\"members.example.com\"]\nfallback_partner = \"example\"\n\
                 [partners.example]\nname = \"Example\"\nurl = \"https://partner.example/join\"\n\
                 parameters = { subid = \"a b\" }\n";
    let gateway = Gateway::start_live(extra, &[("KEY", "secret-key")]);
    let html = gateway.get("/").text();
    assert!(!html.contains("secret-key"));
    let mut site = gateway.get("/").boot()["site"].clone();
    let today = site.as_object_mut().unwrap().remove("today").unwrap();
    assert_eq!(today.as_str().unwrap().len(), "2026-01-01".len());
    assert_eq!(
        site,
        json!({
            "brand": "Test & Brand", "origin": "https://site.example", "contact": "contact@site.example",
            "language": "en", "facts": { "city": "Vienna" }, "logsClientIp": false,
            "navigation": {
                "menu": [{ "label": "Home", "path": "/" }], "footer": [{ "label": "Terms", "path": "/terms" }],
            },
            "integrations": {
                "signup": {
                    "host": "backend.example", "name": null, "signInUrl": null, "redirectHosts": ["members.example.com"],
                    "page": "/signup", "success": "/success",
                },
                "partner": {
                    "id": "example", "name": "Example", "host": "partner.example",
                    "url": "https://partner.example/join?subid=a+b",
                },
            },
        })
    );
    let logged = Gateway::start_live("[telemetry]\nlog_client_ip = true\n", &[]);
    assert_eq!(logged.get("/").boot()["site"]["logsClientIp"], true);
}

#[test]
fn unknown_path_gets_not_found_document() {
    let gateway = Gateway::start_live("", &[]);
    for target in ["/nowhere", "/state", "/state/a/b", "/State/Texas", "/go/unknown"] {
        let response = gateway.get(target);
        assert_eq!(response.status, 404, "{target}");
        assert_eq!(response.header("cache-control"), "no-cache, no-transform");
        assert_eq!(response.header("content-security-policy"), POLICY);
        assert_eq!(response.boot()["page"], Value::Null);
        assert!(
            response
                .text()
                .contains("<meta data-head=\"\" name=\"robots\" content=\"noindex\">")
        );
        assert!(response.text().contains("/assets/shell/1.0.0/main.js"));
        assert!(
            !response.text().contains("entry.js\" integrity"),
            "no section may be preloaded"
        );
    }
}

#[test]
fn matching_etag_returns_304() {
    let gateway = Gateway::start_live("", &[]);
    let tag = gateway.get("/").header("etag").to_owned();
    // A proxy that compresses appends the coding.
    let compressed = format!("{}-gzip\"", tag.strip_suffix('"').unwrap());
    assert_eq!(
        get_with_header(&gateway, "/", "if-none-match", &compressed).status,
        304
    );
    let not_modified = get_with_header(&gateway, "/", "if-none-match", &tag);
    assert_eq!((not_modified.status, not_modified.body.len()), (304, 0));
    assert_eq!(not_modified.header("cache-control"), "no-cache, no-transform");
    assert_eq!(
        get_with_header(&gateway, "/nowhere", "if-none-match", "*").status,
        404
    );

    gateway.publish(&Release::section("directory", "1.1.0", &["/"]));
    gateway.deploy(&json!({ "directory": "1.1.0" }));
    assert_eq!(
        get_with_header(&gateway, "/", "if-none-match", &tag).status,
        200,
        "a new deployment must change the ETag"
    );
}

#[test]
fn no_live_deployment_returns_setup_page() {
    let gateway = Gateway::start();
    for target in ["/", "/state/Texas", "/go/unknown"] {
        let response = gateway.get(target);
        assert_eq!(response.status, 503);
        assert_eq!(response.header("content-type"), "text/html; charset=utf-8");
        assert!(response.text().contains("This site is being set up"));
        assert!(
            response
                .text()
                .contains("<header><span class=\"brand\">Test &amp; Brand</span></header>")
        );
        assert!(
            !response.text().contains("<a "),
            "a site without a deployment has no home page to link to"
        );
        assert_eq!(response.header("cache-control"), "no-store");
        assert!(response.header("retry-after").parse::<u32>().unwrap() > 0);
    }
    assert_eq!(gateway.get("/assets/shell/1.0.0/main.js").status, 404);
    assert_eq!(gateway.get("/sitemap.xml").status, 503);
    assert_eq!(gateway.get("/manifest.webmanifest").status, 503);
}

#[test]
fn document_has_icons_colors_and_meta_of_shell() {
    let gateway = Gateway::start();
    let icon =
        |size: u32, purpose: &str| json!({ "file": "client/icon.png", "size": size, "purpose": purpose });
    let shell = Release::shell("1.0.0")
        .file("client/icon.png", "image/png")
        .with("icons", json!([icon(180, "touch"), icon(192, "any")]))
        .with("themeColor", json!({ "light": "#ffffff", "dark": "#201c1f" }))
        .with("meta", json!([{ "name": "color-scheme", "content": "dark" }, { "name": "rating", "content": "general" }]));
    gateway.publish(&shell);
    gateway.deploy(&json!({ "shell": "1.0.0" }));
    let html = gateway.get("/nowhere").text();
    for tag in [
        // Before everything that paints.
        "initial-scale=1\"><meta name=\"color-scheme\" content=\"dark\"><meta name=\"rating\" content=\"general\"><title>",
        "<meta name=\"theme-color\" content=\"#ffffff\" media=\"(prefers-color-scheme: light)\">",
        "<meta name=\"theme-color\" content=\"#201c1f\" media=\"(prefers-color-scheme: dark)\">",
        "<link rel=\"apple-touch-icon\" sizes=\"180x180\" href=\"/assets/shell/1.0.0/icon.png\">",
        "<link rel=\"manifest\" href=\"/manifest.webmanifest\">",
    ] {
        assert_eq!(html.matches(tag).count(), 1, "{tag}\n{html}");
    }
    let without = Gateway::start_live("", &[]).get("/nowhere").text();
    for absent in ["color-scheme\"", "theme-color", "apple-touch-icon", "rating"] {
        assert!(!without.contains(absent), "{absent}\n{without}");
    }
}
