//! Scoping of sections' stylesheets.

use serde_json::Value;

use crate::support::{Gateway, Release, Response, STYLE};

fn publish(gateway: &Gateway, css: &str) -> Response {
    let release = Release::section("legal", "1.0.0", &["/terms"]).bytes("client/page.css", STYLE, css);
    gateway.put_release("legal", "1.0.0", release.archive())
}

/// Publishes a section with this stylesheet, which must be rejected. Returns the problems.
fn problems(css: &str) -> Vec<Value> {
    let gateway = Gateway::start();
    let response = publish(&gateway, css);
    assert_eq!(response.status, 422, "{}", response.text());
    assert!(!gateway.store().join("releases/legal").exists());
    response.json()["problems"].as_array().unwrap().clone()
}

#[test]
fn scoped_stylesheet_is_accepted() {
    let css = ".legal_text_aB1-_9 p, :is(.legal_a_x, .legal_b_x):hover { color: red; & a { color: blue } }\
               @media (width > 40em) { .legal_text_aB1-_9 { color: green } }\
               @keyframes legal_fade_x { to { opacity: 0 } }";
    assert_eq!(publish(&Gateway::start(), css).status, 201);
}

#[test]
fn unscoped_rules_are_reported_with_position() {
    let css = ".legal_a, p {}\n@media print {\n  .directory_a { b {} }\n}\n@import 'x.css';\n\
               @keyframes fade {}\n:root:has(.legal_a) {}";
    let scope = "has no class that starts with `legal_` outside :not() and :has()";
    let expected = [
        format!("client/page.css:1:11: selector `p` {scope}"),
        format!("client/page.css:3:3: selector `.directory_a` {scope}"),
        "client/page.css:5:1: @import is not allowed; import the stylesheet in the section's code instead"
            .to_owned(),
        "client/page.css:6:1: @keyframes `fade` must have a name that starts with `legal_`".to_owned(),
        format!("client/page.css:7:1: selector `:root:has(.legal_a)` {scope}"),
    ];
    assert_eq!(problems(css), expected);
}

#[test]
fn excess_problems_of_one_file_are_summarized() {
    let problems = problems(&"p{}".repeat(100));
    assert_eq!(problems.len(), 21);
    assert_eq!(problems[20], "client/page.css: and 80 more problems");
}

#[test]
fn deeply_nested_blocks_are_rejected() {
    let problems = problems(&".legal_a{".repeat(100_000));
    assert_eq!(problems.len(), 1);
    assert!(
        problems[0].as_str().unwrap().contains("more than 32 deep"),
        "{problems:?}"
    );
}

#[test]
fn shell_stylesheet_is_not_scoped() {
    let shell = Release::shell("1.0.0").bytes("client/frame.css", STYLE, "p { color: red } @layer base;");
    Gateway::start().publish(&shell);
}
