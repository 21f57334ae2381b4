//! The files of the console.

use crate::support::{Gateway, Request};

#[test]
fn console_has_a_strict_policy_or_says_that_it_is_not_built() {
    let gateway = Gateway::start();
    let response = gateway.admin.get("/console");
    let typed = gateway.admin.get("/console/");
    if response.status == 404 {
        for response in [response, typed] {
            let text = response.text();
            assert!(text.contains("built without the console"), "{text}");
        }
        return;
    }
    assert!(typed.body == response.body, "{}", typed.status);
    // The address of a page.
    let page = gateway.admin.get("/console/sections/legal");
    assert!(page.body == response.body, "{}", page.status);
    assert_eq!(response.status, 200);
    assert_eq!(response.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(response.header("cache-control"), "no-cache");
    let policy = response.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; "), "{policy}");
    for forbidden in ["unsafe", "http:", "https:", "data:", "*"] {
        assert!(!policy.contains(forbidden), "{policy}");
    }
    let html = response.text();
    assert!(!html.contains("<style") && !html.contains("style="), "{html}");
    let (_, script) = html.split_once("src=\"").unwrap();
    let (script, _) = script.split_once('"').unwrap();
    let identity = gateway.admin.get(script);
    assert_eq!(
        identity.header("cache-control"),
        "public, max-age=31536000, immutable"
    );
    let compressed = Request::new("GET", script).header("accept-encoding", "br");
    let compressed = gateway.admin.send(compressed);
    assert_eq!(compressed.header("content-encoding"), "br");
    assert!(compressed.decoded() == identity.body, "the codings differ");
    let again = Request::new("GET", script).header("if-none-match", identity.header("etag"));
    assert_eq!(gateway.admin.send(again).status, 304);
    // The encoded file is no file of its own.
    assert_eq!(gateway.admin.get(&format!("{script}.br")).status, 404);
    assert_eq!(gateway.admin.get("/console/unknown.js").status, 404);
}
