//! Warnings of a publish about the live deployment. They never reject a release.

use serde_json::{Value, json};

use crate::support::{Gateway, Release, STYLE, configuration};

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
        .with("shared", json!({ "react": "^20.0.0", "react-dom": "^20.0.0" }));
    let warnings = warnings(&gateway, &release);
    let expected = [
        "a deploy now would be rejected: pattern `/state/:article` of articles and pattern `/state/:state` of directory collide",
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
fn missing_setting_is_a_warning_and_refuses_deploys() {
    let gateway = Gateway::start_live("", &[]);
    let facts = "city = 7\ndays = [\"Mon\"]\nhours = [8, \"late\"]";
    gateway.reload_and_wait(&with_settings(facts, "[sections.legal.config]\nlimit = [5]"));
    let facts = json!({ "city": "string", "country": "string", "days": "string[]", "hours": "number[]", "rooms": "number" });
    let config = json!({ "endpoint": "string", "limit": "number" });
    let release = Release::section("legal", "1.0.0", &["/terms"])
        .with("facts", facts)
        .with("config", config);
    let missing = "which the configuration does not have; the operator adds";
    let mistyped =
        |found| format!("but in the configuration it is a {found}; the operator changes its line in");
    let (number, list, mixed) = (
        mistyped("number"),
        mistyped("number[]"),
        mistyped("list of several types"),
    );
    let problems = [
        format!("`sections.legal.config.endpoint` (a string), {missing} `endpoint = \"…\"` to `[sections.legal.config]` of site.toml"),
        format!("`sections.legal.config.limit` as a number, {list} `[sections.legal.config]` of site.toml to `limit = 1`"),
        format!("`site.facts.city` as a string, {number} `[site.facts]` of site.toml to `city = \"…\"`"),
        format!("`site.facts.country` (a string), {missing} `country = \"…\"` to `[site.facts]` of site.toml"),
        format!("`site.facts.hours` as a number[], {mixed} `[site.facts]` of site.toml to `hours = [1]`"),
        format!("`site.facts.rooms` (a number), {missing} `rooms = 1` to `[site.facts]` of site.toml"),
    ]
    .map(|problem| format!("legal@1.0.0 reads {problem}, and reloads the gateway"));
    let mut warned = warnings(&gateway, &release);
    warned.sort();
    assert_eq!(
        warned,
        problems
            .clone()
            .map(|problem| format!("a deploy now would be rejected: {problem}"))
    );
    let deploy = json!({ "releases": { "legal": "1.0.0" } });
    let rollout = json!({ "releases": { "legal": "1.0.0" }, "percent": 5 });
    let preview = json!({ "releases": { "legal": "1.0.0" }, "path": "/terms" });
    for (target, body) in [
        ("deployments", &deploy),
        ("deployments", &rollout),
        ("previews", &preview),
    ] {
        let refused = gateway.admin_post(&format!("/api/v1/{target}"), body);
        assert_eq!(refused.status, 422, "{}", refused.text());
        assert_eq!(refused.json()["problems"], json!(problems));
    }
    // Other sections can be deployed, and so can this one with the settings.
    gateway.publish(&Release::section("articles", "1.0.0", &["/about"]));
    gateway.deploy(&json!({ "articles": "1.0.0" }));
    gateway.reload_and_wait(&with_settings(
        "city = \"Graz\"\ncountry = \"\"\ndays = []\nhours = []\nrooms = 0.5",
        "[sections.legal.config]\nendpoint = \"/api\"\nlimit = 5",
    ));
    assert_eq!(gateway.get("/readyz").text(), "ready\n");
    gateway.deploy(&json!({ "legal": "1.0.0" }));

    // A live release is served without them.
    gateway.reload_and_wait(&with_settings(
        "country = \"Austria\"\ndays = [3]\nhours = [8]\nrooms = 3",
        "[sections.legal.config]\nendpoint = \"/api\"\nlimit = \"5\"",
    ));
    let logged = |key: &'static str| {
        let event = gateway
            .wait_for_event(|line| line["event"] == "setting_missing_or_mistyped" && line["key"] == key);
        let text = |key: &str| event[key].as_str().map(str::to_owned);
        (
            text("release"),
            text("expected"),
            text("found"),
            event["level"].clone(),
        )
    };
    let of = |expected: &str, found: Option<&str>| {
        let owned = |text: &str| Some(text.to_owned());
        (
            owned("legal@1.0.0"),
            owned(expected),
            found.and_then(owned),
            json!("WARN"),
        )
    };
    assert_eq!(logged("site.facts.city"), of("string", None));
    assert_eq!(logged("site.facts.days"), of("string[]", Some("number[]")));
    assert_eq!(
        logged("sections.legal.config.limit"),
        of("number", Some("string"))
    );
    assert_eq!(gateway.get("/terms").status, 200);
    let ready = gateway.get("/readyz");
    assert_eq!(ready.status, 200);
    let named = "missing or mistyped settings: sections.legal.config.limit of legal, site.facts.city of legal, \
                 site.facts.days of legal";
    assert!(ready.text().contains(named), "{}", ready.text());
    let described = gateway.admin_get("/api/v1/gateway");
    let described = described["settingProblems"].as_array().unwrap();
    let keys = [
        "site.facts.city",
        "site.facts.days",
        "sections.legal.config.limit",
    ];
    let names = |(problem, key): (&Value, &str)| {
        problem
            .as_str()
            .unwrap()
            .contains(&format!("legal@1.0.0 reads `{key}`"))
    };
    assert!(
        described.len() == 3 && described.iter().zip(keys).all(names),
        "{described:?}"
    );
}

#[test]
fn extension_that_no_page_shows_is_a_warning() {
    let gateway = Gateway::start_live("", &[]);
    let section = |name: &str| Release::section(name, "1.0.0", &[&format!("/{name}")]);
    let fills = |name, order| section(name).fills("directory/aside@1", order);
    let directory = |version| Release::section("directory", version, &["/", "/state/:name"]);
    let moved = "which no live section opens; directory@1.2.0 opens `directory/aside@2`";
    let elsewhere = "other@1.0.0 fills `nowhere/aside@1`, which no live section opens".to_owned();
    let full = |left_out| format!("`directory/aside@1` shows 1 extension; {left_out} left out");
    let fills_moved = |name| format!("{name}@1.0.0 fills `directory/aside@1`, {moved}");
    let steps = [
        (directory("1.1.0").opens("directory/aside", 1, 1), vec![]),
        (fills("legal", 5), vec![]),
        (fills("news", 7), vec![full("news@1.0.0 (order 7) is")]),
        (
            fills("zoo", 9),
            vec![full("news@1.0.0 (order 7), zoo@1.0.0 (order 9) are")],
        ),
        (
            directory("1.2.0").opens("directory/aside", 2, 2),
            ["legal", "news", "zoo"].map(fills_moved).to_vec(),
        ),
        (
            section("other").fills("nowhere/aside@1", 0),
            vec![elsewhere.clone()],
        ),
        (section("unrelated"), vec![]),
    ];
    for (release, expected) in &steps {
        assert_eq!(&warnings(&gateway, release), expected);
        let deployed = gateway.post_deployment(&json!({ "releases": { &release.name: release.version } }));
        assert_eq!(
            (deployed.status, &deployed.json()["warnings"]),
            (201, &json!(expected))
        );
    }
    let described = gateway.admin_get("/api/v1/gateway");
    let left_out = ["legal", "news", "zoo"]
        .map(fills_moved)
        .into_iter()
        .chain([elsewhere]);
    assert_eq!(described["leftOutExtensions"], left_out.collect::<Value>());
    assert_eq!(gateway.get("/readyz").text(), "ready\n");
}

#[test]
fn missing_setting_is_a_warning_before_first_deploy() {
    let gateway = Gateway::start();
    let shell = Release::shell("1.0.0").with("facts", json!({ "country": "boolean" }));
    assert_eq!(
        warnings(&gateway, &shell),
        [
            "a deploy now would be rejected: shell@1.0.0 reads `site.facts.country` (a boolean), which the configuration \
             does not have; the operator adds `country = true` to `[site.facts]` of site.toml, and reloads the gateway"
        ]
    );
}

/// A configuration with these facts, and this table of a section.
fn with_settings(facts: &str, section: &str) -> String {
    configuration(section).replace("city = \"Vienna\"", facts)
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
    let next = Release::section("directory", "1.1.0", &["/", "/state/:name"]);
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
