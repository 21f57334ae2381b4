//! `/go/{partner}`: affiliate links.

use serde_json::{Value, json};

use crate::support::{Gateway, Release, Request};

const PARTNERS: &str = "[partners.example]\nname = \"Example\"\nurl = \"https://partner.example/join?a=1\"\n\
                        parameters = { subid = \"colon&nade\", src = \"site\" }\n\
                        [partners.plain]\nname = \"Plain\"\nurl = \"https://plain.example\"\n";

#[test]
fn partner_link_redirects_without_visitor_data() {
    let gateway = Gateway::start_live(PARTNERS, &[]);
    for target in [
        "/go/example",
        "/go/example?email=visitor%40example.com&subid=other",
    ] {
        let response = gateway
            .site
            .send(Request::new("GET", target).header("referer", "https://site.example/x"));
        assert_eq!(response.status, 302);
        assert_eq!(
            response.header("location"),
            "https://partner.example/join?a=1&src=site&subid=colon%26nade"
        );
        assert_eq!(response.header("cache-control"), "no-store");
        assert_eq!(response.header("referrer-policy"), "no-referrer");
        assert_eq!(response.header("x-robots-tag"), "noindex");
        assert!(!response.has("set-cookie") && response.body.is_empty());
    }
    assert_eq!(
        gateway.get("/go/plain").header("location"),
        "https://plain.example/"
    );
    assert_eq!(gateway.site.send(Request::new("HEAD", "/go/plain")).status, 302);
}

#[test]
fn unknown_partner_returns_404_page() {
    let gateway = Gateway::start_live(PARTNERS, &[]);
    for target in [
        "/go/other",
        "/go/Example",
        "/go/https:%5C%5Cevil.example",
        "/go/name",
        "/go",
        "/go/",
        "/go//",
        "/go/example/",
        "/go/example/more",
        "/%67o/example/more",
    ] {
        let response = gateway.get(target);
        assert_eq!(response.status, 404, "{target}");
        assert_eq!(response.boot()["page"], Value::Null);
        assert!(!response.has("location"));
    }
    // Matching page patterns do not apply below `/go`.
    gateway.publish(&Release::section(
        "any",
        "1.0.0",
        &["/:first", "/:first/:second/:third"],
    ));
    gateway.deploy(&json!({ "any": "1.0.0" }));
    for target in ["/go", "/go/example/more"] {
        let response = gateway.get(target);
        assert_eq!((response.status, &response.boot()["page"]), (404, &Value::Null));
    }
}

#[test]
fn partner_links_without_their_table_are_not_found() {
    let gateway = Gateway::start_live("", &[]);
    for target in ["/go/example", "/go", "/go/example/more"] {
        let response = gateway.get(target);
        assert_eq!((response.status, &response.boot()["page"]), (404, &Value::Null));
        assert!(!response.has("location"));
    }
    assert_eq!(gateway.get("/").boot()["site"]["integrations"], json!({}));
}

#[test]
fn partner_link_works_without_live_deployment() {
    let gateway = Gateway::start_with(PARTNERS, &[]);
    assert_eq!(gateway.get("/go/example").status, 302);
}
