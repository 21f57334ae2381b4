//! What a publish says about the live set. It never refuses.

use serde_json::{Value, json};

use crate::support::{Gateway, Release};

/// Publishes a sound release and returns what it is warned of.
fn warnings(gateway: &Gateway, release: &Release) -> Vec<String> {
    let answer = gateway.put(&release.name, &release.version, release.archive());
    assert_eq!(answer.status, 201, "{}", answer.text());
    let warnings = answer.json()["warnings"].take();
    let again = gateway.put(&release.name, &release.version, release.archive());
    assert_eq!((again.status, &again.json()["warnings"]), (200, &warnings));
    let text = |warning: &Value| warning.as_str().unwrap().to_owned();
    warnings.as_array().unwrap().iter().map(text).collect()
}

fn section(name: &str, version: &str, pattern: &str) -> Release {
    Release::section(name, version, &[pattern])
}

#[test]
fn with_nothing_live_there_is_nothing_to_warn_of() {
    let gateway = Gateway::start();
    assert_eq!(warnings(&gateway, &section("legal", "1.0.0", "/terms")), [""; 0]);
    assert_eq!(warnings(&gateway, &Release::shell("1.0.0")), [""; 0]);
}

#[test]
fn a_release_that_fits_is_not_warned_of() {
    let gateway = Gateway::start_live("", &[]);
    assert_eq!(warnings(&gateway, &section("legal", "1.0.0", "/terms")), [""; 0]);
    let next = Release::section("directory", "1.1.0", &["/", "/state/:name"]).slot("join");
    assert_eq!(warnings(&gateway, &next), [""; 0]);
    assert_eq!(warnings(&gateway, &Release::shell("1.1.0")), [""; 0]);
}

#[test]
fn what_a_deploy_would_be_refused_for_is_told() {
    let gateway = Gateway::start_live("", &[]);
    let release = Release::section("articles", "1.0.0", &["/state/:article", "/about"])
        .slot("join")
        .with("shared", json!({ "react": "^20.0.0", "react-dom": "^20.0.0" }));
    let warnings = warnings(&gateway, &release);
    let expected = [
        "a deploy now would be refused: pattern `/state/:article` of articles and pattern `/state/:state` of directory collide",
        "a deploy now would be refused: slot `join` is filled by both articles and directory",
        "a deploy now would be refused: articles@1.0.0 needs `react` ^20.0.0; shell@1.0.0 provides 19.1.0",
        "a deploy now would be refused: articles@1.0.0 needs `react-dom` ^20.0.0; shell@1.0.0 does not provide it",
    ];
    let sorted = |mut list: Vec<String>| {
        list.sort();
        list
    };
    assert_eq!(
        sorted(warnings.clone()),
        sorted(expected.map(str::to_owned).to_vec())
    );

    // The same words, and the site is as it was.
    let refused = gateway.post_deployment(&json!({ "releases": { "articles": "1.0.0" } }));
    assert_eq!(refused.status, 409);
    for problem in refused.json()["problems"].as_array().unwrap() {
        assert!(
            warnings
                .iter()
                .any(|warning| warning.ends_with(problem.as_str().unwrap()))
        );
    }
}

#[test]
fn a_shell_that_sections_cannot_live_with_is_warned_of() {
    let gateway = Gateway::start_live("", &[]);
    let shell = Release::shell("2.0.0").with("shared", json!({ "react": "20.0.0" }));
    assert_eq!(
        warnings(&gateway, &shell),
        ["a deploy now would be refused: directory@1.0.0 needs `react` ^19.0.0; shell@2.0.0 provides 20.0.0"]
    );
}

#[test]
fn a_version_older_than_the_live_one_is_warned_of() {
    let gateway = Gateway::start_live("", &[]);
    let older = Release::section("directory", "0.9.0", &["/"]);
    assert_eq!(
        warnings(&gateway, &older),
        ["directory@0.9.0 is older than 1.0.0, which is live"]
    );
    let build = |version| Release::section("directory", version, &["/"]);
    assert_eq!(warnings(&gateway, &build("1.0.1-dev.fff")), [""; 0]);
    gateway.deploy(&json!({ "directory": "1.0.1-dev.fff" }));
    assert_eq!(warnings(&gateway, &build("1.0.1-dev.aaa")), [""; 0]);
}
