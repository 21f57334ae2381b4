//! `/go/{partner}`: affiliate links.

use serde_json::{Value, json};

use crate::support::{Gateway, Release, Request};

const PARTNERS: &str = "[partners.example]\nname = \"Example\"\nurl = \"https://partner.example/join?a=1\"\n\
                        parameters = { subid = \"colon&nade\", src = \"site\" }\n\
                        [partners.plain]\nname = \"Plain\"\nurl = \"https://plain.example\"\n";

#[test]
fn a_click_leads_to_the_configured_address_and_takes_nothing_along() {
    let gateway = Gateway::start_live(PARTNERS, &[]);
    for target in [
        "/go/example",
        "/go/example?email=visitor%40example.com&subid=other",
    ] {
        let answer = gateway
            .site
            .send(Request::new("GET", target).header("referer", "https://site.example/x"));
        assert_eq!(answer.status, 302);
        assert_eq!(
            answer.header("location"),
            "https://partner.example/join?a=1&src=site&subid=colon%26nade"
        );
        assert_eq!(answer.header("cache-control"), "no-store");
        assert_eq!(answer.header("referrer-policy"), "no-referrer");
        assert_eq!(answer.header("x-robots-tag"), "noindex");
        assert!(!answer.has("set-cookie") && answer.body.is_empty());
    }
    assert_eq!(
        gateway.get("/go/plain").header("location"),
        "https://plain.example/"
    );
    assert_eq!(gateway.site.send(Request::new("HEAD", "/go/plain")).status, 302);
}

#[test]
fn an_unknown_partner_is_a_page_not_found() {
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
        let answer = gateway.get(target);
        assert_eq!(answer.status, 404, "{target}");
        assert_eq!(answer.boot()["page"], Value::Null);
        assert!(!answer.has("location"));
    }
    // Not even a page whose pattern would match.
    gateway.publish(&Release::section(
        "any",
        "1.0.0",
        &["/:first", "/:first/:second/:third"],
    ));
    gateway.deploy(&json!({ "any": "1.0.0" }));
    for target in ["/go", "/go/example/more"] {
        let answer = gateway.get(target);
        assert_eq!((answer.status, &answer.boot()["page"]), (404, &Value::Null));
    }
}

#[test]
fn without_partners_there_is_nothing_to_go_to() {
    let gateway = Gateway::start_live("", &[]);
    assert_eq!(gateway.get("/go/example").status, 404);
}

#[test]
fn links_work_before_anything_is_live() {
    let gateway = Gateway::start_with(PARTNERS, &[]);
    assert_eq!(gateway.get("/go/example").status, 302);
}
