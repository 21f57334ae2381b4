//! Examples in releases: a deploy is rejected if a page or an extension fails with the results that its section gives.

use serde_json::{Value, json};

use crate::support::{
    CLOSED_ORIGIN, Gateway, Release, extending_section, extensible_shell, query_shell, rendered_section,
    upstream_table,
};

const EXAMPLES: &str = "server/examples.json";

/// A page that fails with the value 1.
const PAGE: &str = r#"
export default {
  queries: () => ({ a: "/api/events/a" }),
  data: (key, { a }) => { if (a.value === 1) throw new Error("one"); return a; },
};
"#;

/// An extension that fails with the value 1.
const EXTENSION: &str = "{ queries: () => ({ a: '/api/events/a' }), show(props, { results: { a } }) { \
    if (a.value === 1) throw new Error(`one in ${props.city}`); return { extension: null, readsToday: false }; } }";

fn with_examples(release: Release, examples: &Value) -> Release {
    release
        .bytes(EXAMPLES, "application/json", examples.to_string())
        .with("examples", json!(EXAMPLES))
}

fn page(version: &str, value: u8) -> Release {
    let results = json!({ "a": { "ok": true, "value": value } });
    let example = json!({ "pattern": "/live/:key", "path": "/live/x", "results": results });
    let page = rendered_section("live", version, "/live/:key", PAGE);
    with_examples(page, &json!({ "pages": [example], "extensions": [] }))
}

fn extension(version: &str, value: u8) -> Release {
    let results = json!({ "a": { "ok": true, "value": value } });
    let example = json!({ "point": "page/aside@1", "props": { "city": "Nome" }, "results": results });
    let section = extending_section("events", version, "page/aside@1", EXTENSION);
    with_examples(section, &json!({ "pages": [], "extensions": [example] }))
}

/// Deploys a release whose example succeeds, then another one whose example does not. Its problem is also a warning of the
/// publish.
fn assert_rejected(shell: &Release, good: &Release, bad: &Release, problem: &str) {
    // Upstreams do not decide.
    let gateway = Gateway::start_with(&upstream_table(&[CLOSED_ORIGIN], ""), &[]);
    gateway.publish(shell);
    gateway.publish(good);
    gateway.deploy(&json!({ "shell": shell.version, &good.name: good.version }));
    let published = gateway.put_release(&bad.name, &bad.version, bad.archive());
    let response = gateway.post_deployment(&json!({ "releases": { &bad.name: bad.version } }));
    assert_eq!(response.status, 422, "{}", response.text());
    let problems = response.json()["problems"].take();
    let found = problems[0].as_str().unwrap();
    assert!(found.starts_with(problem), "{problems}");
    let warnings = published.json()["warnings"].take();
    let warning = json!(format!("a deploy now would be rejected: {found}"));
    assert!(warnings.as_array().unwrap().contains(&warning), "{warnings}");
}

#[test]
fn page_that_fails_with_its_example_rejects_deploy() {
    let problem = "rendering /live/x (page /live/:key of live@2.0.0) with the results of its example failed: one\n  at data";
    assert_rejected(&query_shell(), &page("1.0.0", 2), &page("2.0.0", 1), problem);
}

#[test]
fn extension_that_fails_with_own_example_rejects_deploy() {
    let problem = "rendering `page/aside@1` (extension of events@2.0.0) with its own example failed: one in Nome\n  at show";
    assert_rejected(
        &extensible_shell(),
        &extension("1.0.0", 2),
        &extension("2.0.0", 1),
        problem,
    );
}

#[test]
fn examples_of_other_pages_reject_publish() {
    let gateway = Gateway::start_with("[render]\nenabled = false\n", &[]);
    let results = json!({});
    let examples = json!({
        "pages": [{ "pattern": "/live/:key", "path": "/other/x", "results": results }],
        "extensions": [{ "point": "page/aside@1", "props": {}, "results": results }],
    });
    let live = || rendered_section("live", "1.0.0", "/live/:key", PAGE);
    let problems = |release: Release| {
        let response = gateway.put_release("live", "1.0.0", release.archive());
        assert_eq!(response.status, 422, "{}", response.text());
        response.json()["problems"].take()
    };
    assert_eq!(
        problems(with_examples(live(), &examples)),
        json!([
            "the example `/other/x` is not one of page `/live/:key`",
            "an example is of `page/aside@1`, which the release does not fill"
        ])
    );
    assert_eq!(
        problems(live().with("examples", json!("client/entry.js"))),
        json!(["examples refers to `client/entry.js`, which is not a listed file below server/"])
    );
    let unknown = problems(with_examples(
        live(),
        &json!({ "pages": [], "extensions": [], "forms": [] }),
    ));
    let unknown = unknown[0].as_str().unwrap();
    assert!(
        unknown.starts_with("`server/examples.json`: unknown field `forms`"),
        "{unknown}"
    );
}
