//! Rollouts of different sections at the same time: each visitor takes part in each of them independently.

use serde_json::{Value, json};

use crate::support::{Browser, Gateway, Release, Request, Response, TOKEN, rollout_cookie, token};

/// Whether each rollout includes a visitor: no rollout, the first, the second, and both.
const COMBINATIONS: [[bool; 2]; 4] = [[false, false], [true, false], [false, true], [true, true]];

/// The configuration of one token per team.
fn teams() -> String {
    token("directory", &["directory"], &["deploy"]) + &token("legal", &["legal"], &["deploy"])
}

/// A gateway with `directory` and `legal` 1.0.0 live as deployment 2. `directory` and `legal` 2.0.0 and `news` 1.0.0
/// are published.
fn gateway() -> Gateway {
    let gateway = Gateway::start_live(&teams(), &[]);
    for release in [
        Release::section("legal", "1.0.0", &["/terms"]),
        Release::section("legal", "2.0.0", &["/terms"]),
        Release::section("directory", "2.0.0", &["/"]).fills("shell/banner@1", 0),
        Release::section("news", "1.0.0", &["/news"]),
    ] {
        gateway.publish(&release);
    }
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    gateway
}

fn post_as(gateway: &Gateway, team: &str, target: &str, body: &Value) -> Response {
    gateway.admin_request_as(
        team,
        Request::new("POST", &format!("/api/v1/{target}")).body(body.to_string()),
    )
}

/// Starts a rollout of a section's version 2.0.0 with its team's token.
fn start(gateway: &Gateway, section: &str, percent: u8) {
    let body = json!({ "releases": { section: "2.0.0" }, "percent": percent });
    let response = post_as(gateway, section, "deployments", &body);
    assert_eq!(response.status, 201, "{}", response.text());
    assert_eq!(response.json()["percent"], percent);
}

/// A gateway with a rollout of `directory` (deployment 3) and one of `legal` (deployment 4).
fn gateway_with_two_rollouts() -> Gateway {
    let gateway = gateway();
    start(&gateway, "directory", 50);
    start(&gateway, "legal", 20);
    gateway
}

/// A visitor whom these of the running rollouts include.
fn visitor(gateway: &Gateway, included: &[bool]) -> Browser {
    let mut browser = Browser::new(gateway.site);
    browser.set_cookie("__Host-colonnade-rollout", &rollout_cookie(gateway, included));
    browser
}

fn visitors(gateway: &Gateway) -> [Browser; 4] {
    COMBINATIONS.map(|included| visitor(gateway, &included))
}

/// The versions of `directory` and `legal` that a visitor gets, from one set and without a new cookie.
fn versions(visitor: &mut Browser) -> [String; 2] {
    let mut deployments = Vec::new();
    let versions = ["/", "/terms"].map(|path| {
        let response = visitor.get(path);
        assert!(!response.has("set-cookie"), "the cookie stays valid");
        let boot = response.boot();
        deployments.push(response.set());
        boot["page"]["section"]["version"].as_str().unwrap().to_owned()
    });
    assert_eq!(deployments[0], deployments[1]);
    versions
}

/// The sections of the running rollouts, with candidate and percent.
fn running(gateway: &Gateway) -> Vec<(String, u64, u64)> {
    let list = gateway.admin_get("/api/v1/deployments");
    let rollouts = list["rollouts"].as_array().unwrap().iter();
    let described = rollouts.map(|rollout| {
        let sections: Vec<&String> = rollout["sections"].as_object().unwrap().keys().collect();
        let number = |name: &str| rollout[name].as_u64().unwrap();
        assert_eq!(rollout["by"], format!("name of {}", sections[0]));
        (sections[0].clone(), number("deployment"), number("percent"))
    });
    described.collect()
}

fn detail(response: &Response) -> String {
    assert_eq!(response.status, 409, "{}", response.text());
    response.json()["detail"].as_str().unwrap().to_owned()
}

const DIRECTORY: &str =
    "`directory` is being rolled out with deployment 3 to 50% of visitors, started by `name of directory`";
const LEGAL: &str =
    "`legal` is being rolled out with deployment 4 to 20% of visitors, started by `name of legal`";

#[test]
fn shares_of_two_rollouts_are_independent() {
    const VISITORS: u32 = 200;
    let gateway = gateway_with_two_rollouts();
    let mut counts = [0_u32; 4];
    for _ in 0..VISITORS {
        let set = gateway.get("/").set();
        let index = ["2", "2.3", "2.4", "2.3.4"].iter().position(|name| *name == set);
        counts[index.unwrap()] += 1;
    }
    for (count, share) in counts.into_iter().zip([0.4, 0.4, 0.1, 0.1]) {
        let expected = f64::from(VISITORS) * share;
        // Six standard deviations.
        let error = 6.0 * (expected * (1.0 - share)).sqrt();
        assert!((f64::from(count) - expected).abs() < error, "{counts:?}");
    }
}

#[test]
fn deploy_promote_and_abort_keep_other_rollouts() {
    let gateway = gateway_with_two_rollouts();
    let mut four = visitors(&gateway);
    let two = |directory: &str, legal: &str| [directory.to_owned(), legal.to_owned()];
    let all = [
        two("1.0.0", "1.0.0"),
        two("2.0.0", "1.0.0"),
        two("1.0.0", "2.0.0"),
        two("2.0.0", "2.0.0"),
    ];
    assert_eq!(four.each_mut().map(versions), all);

    // A deploy of a third section reaches everyone.
    let deployed = gateway
        .post_deployment(&json!({ "releases": { "news": "1.0.0" } }))
        .json();
    assert_eq!(deployed["number"], 5);
    let numbers = running(&gateway);
    assert_eq!(
        numbers,
        [("directory".to_owned(), 3, 50), ("legal".to_owned(), 4, 20)]
    );
    assert_eq!(
        deployed["rollouts"],
        gateway.admin_get("/api/v1/deployments")["rollouts"]
    );
    assert_eq!(four.each_mut().map(versions), all);
    assert_eq!(
        four.each_mut().map(|visitor| visitor.get("/news").status),
        [200; 4]
    );
    // A restart keeps the rollouts.
    let gateway = gateway.kill_and_restart(&teams());
    let mut four = visitors(&gateway);
    assert_eq!(running(&gateway), numbers);
    assert_eq!(four.each_mut().map(versions), all);
    let sections = gateway.admin_get("/api/v1/sections");
    let candidates: Vec<&Value> = sections
        .as_array()
        .unwrap()
        .iter()
        .map(|section| &section["candidate"])
        .collect();
    assert_eq!(json!(candidates), json!(["2.0.0", "2.0.0", null, null]));

    // Each team ends its own rollout, without the number of the candidate.
    let forbidden = post_as(&gateway, "directory", "rollouts/legal/promote", &json!({}));
    assert_eq!(forbidden.status, 403);
    let percent = post_as(
        &gateway,
        "legal",
        "rollouts/legal/promote",
        &json!({ "percent": 30 }),
    );
    assert_eq!(
        percent.json(),
        json!({ "number": 4, "live": false, "percent": 30 })
    );
    let promoted = post_as(&gateway, "directory", "rollouts/directory/promote", &json!({}));
    // The live deployment has changed since the candidate was created.
    assert_eq!(promoted.json(), json!({ "number": 6, "live": true }));
    assert_eq!(running(&gateway), [("legal".to_owned(), 4, 30)]);
    assert_eq!(
        four.each_mut().map(versions),
        [
            two("2.0.0", "1.0.0"),
            two("2.0.0", "1.0.0"),
            two("2.0.0", "2.0.0"),
            two("2.0.0", "2.0.0"),
        ]
    );
    let aborted = post_as(&gateway, "legal", "rollouts/legal/abort", &json!({}));
    assert_eq!(aborted.json(), json!({ "number": 4, "live": 6 }));
    assert_eq!(running(&gateway), []);
    assert_eq!(
        four.each_mut().map(versions),
        [(); 4].map(|()| two("2.0.0", "1.0.0"))
    );
}

#[test]
fn abort_by_number_keeps_other_rollout() {
    let gateway = gateway_with_two_rollouts();
    let mut four = visitors(&gateway);
    let aborted = post_as(&gateway, "directory", "deployments/3/abort", &json!({}));
    assert_eq!(aborted.json(), json!({ "number": 3, "live": 2 }));
    assert_eq!(running(&gateway), [("legal".to_owned(), 4, 20)]);
    let shown = four.each_mut().map(|visitor| visitor.get("/").set());
    assert_eq!(shown, ["2", "2", "2.4", "2.4"]);
    assert_eq!(
        detail(&gateway.admin_post("/api/v1/deployments/3/promote", &json!({}))),
        format!("deployment 3 is not being rolled out: {LEGAL}")
    );
}

#[test]
fn page_that_no_rollout_changes_is_composed_once() {
    let gateway = gateway();
    start(&gateway, "directory", 50);
    start(&gateway, "legal", 50);
    gateway.publish(&Release::section("news", "2.0.0", &["/news"]));
    gateway.deploy(&json!({ "news": "1.0.0" }));
    gateway.post_deployment(&json!({ "releases": { "news": "2.0.0" }, "percent": 50 }));
    let names = ["one", "two", "three", "four", "five", "six"];
    for name in names {
        gateway.publish(&Release::section(name, "1.0.0", &[&format!("/{name}")]));
        let started = gateway.post_deployment(&json!({ "releases": { name: "1.0.0" }, "percent": 50 }));
        assert_eq!(started.status, 201, "{}", started.text());
    }
    let mut tags = std::collections::BTreeSet::new();
    let mut sets = std::collections::BTreeSet::new();
    for _ in 0..60 {
        let mut browser = Browser::new(gateway.site);
        let document = browser.get("/terms");
        tags.insert(document.header("etag").to_owned());
        sets.insert(document.set());
        let boot = document.boot();
        let name = boot["deployment"].as_str().unwrap();
        // Page data of the whole set and of its part that decides the page is the same.
        let page = browser.get(&format!("/_page/{}?path=%2Fterms", document.set()));
        assert_eq!(page.json(), boot["page"]);
        assert_eq!(
            browser.get(&format!("/_page/{name}?path=%2Fterms")).json(),
            boot["page"]
        );
    }
    assert!(sets.len() > 20, "{sets:?}");
    // `legal` is one of two, and `directory`, which fills a point of the shell with its rollout, one of two.
    assert_eq!(tags.len(), 4, "{tags:?}");
}

#[test]
fn document_names_the_set_whenever_it_is_revalidated() {
    let gateway = gateway();
    start(&gateway, "legal", 50);
    let mut visitor = visitor(&gateway, &[true]);
    let document = visitor.get("/");
    assert_eq!(document.set(), "2.3");
    post_as(&gateway, "legal", "rollouts/legal/abort", &json!({}));
    // A browser keeps the headers of a document that is not modified, unless the response has them.
    let tag = document.header("etag");
    let again = visitor.send(Request::new("GET", "/").header("if-none-match", tag));
    assert_eq!((again.status, again.set().as_str()), (304, "2"));
}

#[test]
fn preview_of_candidate_shows_what_its_visitors_get() {
    let gateway = gateway();
    start(&gateway, "legal", 50);
    gateway.deploy(&json!({ "news": "1.0.0" }));
    let preview = gateway
        .admin_post("/api/v1/previews", &json!({ "deployment": 3 }))
        .json();
    assert_eq!(preview["deployment"], 5);
    let list = gateway.admin_get("/api/v1/deployments");
    assert_eq!(
        list["deployments"][4]["releases"],
        json!({ "directory": "1.0.0", "legal": "2.0.0", "news": "1.0.0", "shell": "1.0.0" })
    );
}

#[test]
fn tab_keeps_its_set_after_rollouts_end() {
    let gateway = gateway_with_two_rollouts();
    let version = |set: &str, path: &str| {
        let response = gateway.get(&format!("/_page/{set}?path={path}"));
        match response.status {
            200 => response.json()["section"]["version"].as_str().unwrap().to_owned(),
            status => status.to_string(),
        }
    };
    let versions = |set: &str| ["%2F", "%2Fterms"].map(|path| version(set, path));
    assert_eq!(versions("2.3.4"), ["2.0.0", "2.0.0"]);
    gateway.deploy(&json!({ "news": "1.0.0" }));
    post_as(&gateway, "directory", "rollouts/directory/promote", &json!({}));
    post_as(&gateway, "legal", "rollouts/legal/abort", &json!({}));
    for (set, expected) in [
        ("2", ["1.0.0", "1.0.0"]),
        ("2.3", ["2.0.0", "1.0.0"]),
        ("2.3.4", ["2.0.0", "2.0.0"]),
        ("5.4", ["1.0.0", "2.0.0"]),
        ("5.3.4", ["2.0.0", "2.0.0"]),
        ("6.4", ["2.0.0", "2.0.0"]),
        ("6", ["2.0.0", "1.0.0"]),
        // These were never offered.
        ("1.3", ["410", "410"]),
        ("3", ["410", "410"]),
        ("6.3", ["410", "410"]),
        ("2.5", ["410", "410"]),
    ] {
        assert_eq!(versions(set), expected, "{set}");
    }
    assert_eq!(version("6", "%2Fnews"), "1.0.0");
    assert_eq!(version("2.3", "%2Fnews"), "404");
}

#[test]
fn change_of_section_in_rollout_names_its_owner() {
    let gateway = gateway_with_two_rollouts();
    let deploy = |releases: Value| detail(&gateway.post_deployment(&releases));
    for body in [
        json!({ "releases": { "directory": "1.0.0" } }),
        json!({ "releases": { "directory": null, "news": "1.0.0" }, "percent": 10 }),
    ] {
        assert_eq!(deploy(body), format!("{DIRECTORY}; promote or abort it first"));
    }
    assert_eq!(
        deploy(json!({ "releases": { "directory": "1.0.0", "legal": "1.0.0" } })),
        format!("{DIRECTORY}; {LEGAL}; promote or abort it first")
    );
    let rollback = gateway.admin_post("/api/v1/rollback", &json!({ "section": "legal" }));
    assert_eq!(detail(&rollback), format!("{LEGAL}; promote or abort it first"));
    assert_eq!(
        detail(&gateway.admin_post("/api/v1/rollouts/news/abort", &json!({}))),
        format!("`news` is not being rolled out: {DIRECTORY}; {LEGAL}")
    );
}

#[test]
fn conflict_with_candidate_names_its_rollout() {
    let gateway = gateway();
    gateway.publish(&Release::section("directory", "3.0.0", &["/", "/news"]));
    gateway.post_deployment(&json!({ "releases": { "directory": "3.0.0" }, "percent": 50 }));
    let response = gateway.post_deployment(&json!({ "releases": { "news": "1.0.0" } }));
    assert_eq!(
        detail(&response),
        format!(
            "the releases conflict with a rollout: `directory` is being rolled out with deployment 3 to 50% of visitors, \
             started by `name of {TOKEN}`; promote or abort it first, or deploy releases that fit both"
        )
    );
    assert_eq!(
        response.json()["problems"],
        json!(["pattern `/news` of directory and pattern `/news` of news collide"])
    );
    assert_eq!(gateway.admin_get("/api/v1/deployments")["live"], 2);
}

#[test]
fn many_rollouts_run_at_once() {
    let gateway = gateway();
    let names: Vec<String> = (0..20).map(|number| format!("section-{number}")).collect();
    for (name, candidate) in names.iter().zip(3..) {
        gateway.publish(&Release::section(name, "1.0.0", &[&format!("/{name}")]));
        let started = gateway.post_deployment(&json!({ "releases": { name: "1.0.0" }, "percent": 99 }));
        assert_eq!(started.json()["number"], candidate);
    }
    let mut visitor = Browser::new(gateway.site);
    let set = visitor.get("/").set();
    let cookie = visitor.cookie("__Host-colonnade-rollout").unwrap().to_owned();
    assert_eq!(cookie.len(), 4);
    for (name, candidate) in names.iter().zip(3..) {
        let is_included = set.split('.').any(|number| number == candidate.to_string());
        let document = visitor.get(&format!("/{name}"));
        assert_eq!(document.status == 200, is_included, "{name} in {set}");
        assert_eq!(document.set(), set);
        if is_included {
            assert_eq!(document.boot()["deployment"], format!("2.{candidate}"));
        }
    }
    // Other sections can still deploy, and the visitor keeps the candidates.
    assert_eq!(gateway.deploy(&json!({ "news": "1.0.0" })), 23);
    let (_, candidates) = set.split_once('.').unwrap();
    assert_eq!(visitor.get("/news").set(), format!("23.{candidates}"));

    // A full rollback ends all rollouts.
    gateway.admin_post("/api/v1/rollback", &json!({ "deployment": 2 }));
    assert_eq!(gateway.admin_get("/api/v1/deployments")["rollouts"], json!([]));
    assert_eq!(visitor.get("/").boot()["deployment"], "24");
}

#[test]
fn cookie_keeps_its_group_for_all_rollouts() {
    let gateway = gateway();
    start(&gateway, "directory", 50);
    let mut known = Browser::new(gateway.site);
    let first = known.get("/").set();
    let cookie = known.cookie("__Host-colonnade-rollout").unwrap().to_owned();
    start(&gateway, "legal", 20);
    let second = known.get("/");
    assert!(second.set().starts_with(&first) && !second.has("set-cookie"));
    for value in ["", "0", "00000", "00g0", "+123", "ABCD", "00.0", " 123"] {
        let mut browser = Browser::new(gateway.site);
        browser.set_cookie("__Host-colonnade-rollout", value);
        assert!(browser.get("/").has("set-cookie"), "{value}");
        assert!(!browser.get("/").has("set-cookie"), "{value}");
    }
    // The group is the same while other rollouts run.
    post_as(&gateway, "directory", "rollouts/directory/abort", &json!({}));
    assert_eq!(known.cookie("__Host-colonnade-rollout").unwrap(), cookie);
    assert!(!known.get("/").has("set-cookie"));
}
