//! Warnings of a publish about the live deployment. They never reject a release.

use serde_json::{Value, json};

use crate::support::{Gateway, Release, STYLE};

/// Publishes a release, which must be accepted, and returns the warnings.
fn warnings(gateway: &Gateway, release: &Release) -> Vec<String> {
    let response = gateway.put_release(&release.name, &release.version, release.archive());
    assert_eq!(response.status, 201, "{}", response.text());
    let warnings = response.json()["warnings"].take();
    let again = gateway.put_release(&release.name, &release.version, release.archive());
    assert_eq!((again.status, &again.json()["warnings"]), (200, &warnings));
    let text = |warning: &Value| warning.as_str().unwrap().to_owned();
    warnings.as_array().unwrap().iter().map(text).collect()
}

#[test]
fn publish_warns_of_deploy_conflicts() {
    let gateway = Gateway::start_live("", &[]);
    let release = Release::section("articles", "1.0.0", &["/state/:article", "/about"])
        .slot("join")
        .with("shared", json!({ "react": "^20.0.0", "react-dom": "^20.0.0" }));
    let warnings = warnings(&gateway, &release);
    let expected = [
        "a deploy now would be rejected: pattern `/state/:article` of articles and pattern `/state/:state` of directory collide",
        "a deploy now would be rejected: slot `join` is filled by both articles and directory",
        "a deploy now would be rejected: articles@1.0.0 needs `react` ^20.0.0; shell@1.0.0 provides 19.1.0",
        "a deploy now would be rejected: articles@1.0.0 needs `react-dom` ^20.0.0; shell@1.0.0 does not provide it",
    ];
    let sorted = |mut list: Vec<String>| {
        list.sort();
        list
    };
    assert_eq!(
        sorted(warnings.clone()),
        sorted(expected.map(str::to_owned).to_vec())
    );

    // The deploy is rejected with the same problems.
    let rejected = gateway.post_deployment(&json!({ "releases": { "articles": "1.0.0" } }));
    assert_eq!(rejected.status, 409);
    for problem in rejected.json()["problems"].as_array().unwrap() {
        assert!(
            warnings
                .iter()
                .any(|warning| warning.ends_with(problem.as_str().unwrap()))
        );
    }
}

#[test]
fn publish_warns_of_incompatible_shell() {
    let gateway = Gateway::start_live("", &[]);
    // The stylesheet of a shell is not scoped.
    let shell = Release::shell("2.0.0")
        .with("shared", json!({ "react": "20.0.0" }))
        .bytes("client/frame.css", STYLE, "p { color: red } @layer base;");
    assert_eq!(
        warnings(&gateway, &shell),
        [
            "a deploy now would be rejected: directory@1.0.0 needs `react` ^19.0.0; shell@2.0.0 provides 20.0.0"
        ]
    );
}

#[test]
fn publish_warns_of_downgrade() {
    let gateway = Gateway::start_live("", &[]);
    let older = Release::section("directory", "0.9.0", &["/"]);
    let next = Release::section("directory", "1.1.0", &["/", "/state/:name"]).slot("join");
    assert_eq!(warnings(&gateway, &next), [""; 0]);
    assert_eq!(
        warnings(&gateway, &older),
        ["directory@0.9.0 is older than the live version 1.0.0"]
    );
    let build = |version| Release::section("directory", version, &["/"]);
    assert_eq!(warnings(&gateway, &build("1.0.1-dev.fff")), [""; 0]);
    gateway.deploy(&json!({ "directory": "1.0.1-dev.fff" }));
    assert_eq!(warnings(&gateway, &build("1.0.1-dev.aaa")), [""; 0]);
}
