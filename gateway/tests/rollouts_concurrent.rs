//! Rollouts of different sections at the same time: each visitor takes part in each of them independently.

use serde_json::{Value, json};

use crate::support::{
    Browser, Gateway, Release, Request, Response, TOKEN, rollout_cookie, rollout_ids, token,
};

/// The first draw, which is in every rollout above 0 %, and the last one, which is in none.
const IN: u32 = 0;
const OUT: u32 = u32::MAX;

/// The draws of a visitor for each combination: no rollout, the first, the second, and both.
const COMBINATIONS: [[u32; 2]; 4] = [[OUT, OUT], [IN, OUT], [OUT, IN], [IN, IN]];

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
        Release::section("directory", "2.0.0", &["/"]),
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

/// A gateway with a rollout of `directory` (deployment 3) and one of `legal` (deployment 4, and 5 with both).
fn gateway_with_two_rollouts() -> Gateway {
    let gateway = gateway();
    start(&gateway, "directory", 50);
    start(&gateway, "legal", 20);
    gateway
}

/// A visitor with these draws for the running rollouts.
fn visitor(gateway: &Gateway, draws: &[u32]) -> Browser {
    let mut browser = Browser::new(gateway.site);
    browser.set_cookie("__Host-colonnade-rollout", &rollout_cookie(gateway, draws));
    browser
}

fn visitors(gateway: &Gateway) -> [Browser; 4] {
    COMBINATIONS.map(|draws| visitor(gateway, &draws))
}

/// The versions of `directory` and `legal` that a visitor gets, from one deployment and without a new cookie.
fn versions(visitor: &mut Browser) -> [String; 2] {
    let mut deployments = Vec::new();
    let versions = ["/", "/terms"].map(|path| {
        let response = visitor.get(path);
        assert!(!response.has("set-cookie"), "the draws stay valid");
        let boot = response.boot();
        deployments.push(boot["deployment"].clone());
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
        let number = gateway.get("/").boot()["deployment"].as_u64().unwrap();
        counts[usize::try_from(number - 2).unwrap()] += 1;
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
    assert_eq!(deployed["number"], 6);
    let numbers = running(&gateway);
    assert_eq!(
        numbers,
        [("directory".to_owned(), 7, 50), ("legal".to_owned(), 8, 20)]
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
    let change = &gateway.admin_get("/api/v1/history")["entries"][0];
    assert_eq!(
        (&change["replaced"], &change["candidate"]),
        (&json!([2, 3, 4, 5]), &Value::Null)
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
        json!({ "number": 8, "live": false, "percent": 30 })
    );
    let promoted = post_as(&gateway, "directory", "rollouts/directory/promote", &json!({}));
    assert_eq!(promoted.json(), json!({ "number": 7, "live": true }));
    assert_eq!(running(&gateway), [("legal".to_owned(), 9, 30)]);
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
    assert_eq!(aborted.json(), json!({ "number": 9, "live": 7 }));
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
    let shown = four
        .each_mut()
        .map(|visitor| visitor.get("/").boot()["deployment"].take());
    assert_eq!(json!(shown), json!([2, 2, 4, 4]));
    // The number of a combination's deployment selects no rollout.
    assert_eq!(
        detail(&gateway.admin_post("/api/v1/deployments/5/promote", &json!({}))),
        format!("deployment 5 is not being rolled out: {LEGAL}")
    );
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
fn fifth_rollout_is_rejected_with_list() {
    let gateway = gateway();
    let names = ["one", "two", "three", "four", "five"];
    let mut responses = names.map(|name| {
        gateway.publish(&Release::section(name, "1.0.0", &[&format!("/{name}")]));
        gateway.post_deployment(&json!({ "releases": { name: "1.0.0" }, "percent": 10 }))
    });
    let [started @ .., fifth] = &mut responses;
    let candidates = started
        .each_mut()
        .map(|response| response.json()["number"].take());
    assert_eq!(json!(candidates), json!([3, 4, 6, 10]));
    let described = names.iter().zip([3, 4, 6, 10]).map(|(name, candidate)| {
        format!(
            "`{name}` is being rolled out with deployment {candidate} to 10% of visitors, started by `name of {TOKEN}`"
        )
    });
    let described = described.collect::<Vec<_>>().join("; ");
    assert_eq!(
        detail(fifth),
        format!("4 rollouts are running, which is the maximum: {described}; promote or abort one first")
    );

    // A visitor of all rollouts sees all sections. Other sections can still deploy.
    let mut everything = visitor(&gateway, &[IN; 4]);
    assert_eq!(everything.get("/").boot()["deployment"], 17);
    assert_eq!(
        names.map(|name| everything.get(&format!("/{name}")).status),
        [200, 200, 200, 200, 404]
    );
    assert_eq!(gateway.deploy(&json!({ "news": "1.0.0" })), 18);
    assert_eq!(everything.get("/news").boot()["deployment"], 33);

    // A full rollback ends all rollouts.
    gateway.admin_post("/api/v1/rollback", &json!({ "deployment": 2 }));
    assert_eq!(gateway.admin_get("/api/v1/deployments")["rollouts"], json!([]));
    assert_eq!(everything.get("/").boot()["deployment"], 34);
}

#[test]
fn cookie_keeps_draws_of_running_rollouts_only() {
    let gateway = gateway();
    start(&gateway, "directory", 50);
    let [first] = &rollout_ids(&gateway)[..] else {
        panic!("one rollout");
    };
    let mut known = visitor(&gateway, &[17]);
    start(&gateway, "legal", 20);
    let [_, second] = &rollout_ids(&gateway)[..] else {
        panic!("two rollouts");
    };
    known.get("/");
    let cookie = known.cookie("__Host-colonnade-rollout").unwrap().to_owned();
    let (kept, drawn) = cookie.split_once(':').unwrap();
    assert!(kept.starts_with(&format!("{first}.17.")), "{cookie}");
    assert!(drawn.starts_with(&format!("{second}.")), "{cookie}");
    assert!(!known.get("/").has("set-cookie"));

    post_as(&gateway, "directory", "rollouts/directory/abort", &json!({}));
    assert!(!known.get("/").has("set-cookie"), "no draw is missing");
    for value in [
        format!("{second}.x"),
        format!("{first}.1"),
        format!("{kept}:{kept}:{kept}:{kept}:{drawn}"),
        ":.:".to_owned(),
        "a.1.b:".repeat(500),
    ] {
        let mut browser = Browser::new(gateway.site);
        browser.set_cookie("__Host-colonnade-rollout", &value);
        assert!(browser.get("/").has("set-cookie"), "{value}");
        let replaced = browser.cookie("__Host-colonnade-rollout").unwrap();
        assert!(
            replaced.starts_with(&format!("{second}.")) && !replaced.contains(':'),
            "{replaced}"
        );
    }
}
