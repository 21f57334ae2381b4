//! Putting releases live.

use serde_json::{Value, json};

use crate::support::{Gateway, Release, Request, Response};

fn deployments(gateway: &Gateway) -> Value {
    gateway.operate(Request::new("GET", "/api/v1/deployments")).json()
}

/// The version of the section that a path's document names.
fn version(gateway: &Gateway, path: &str) -> Value {
    gateway.get(path).boot()["page"]["section"]["version"].clone()
}

#[test]
fn a_deployment_is_live_when_its_answer_arrives() {
    let gateway = Gateway::start_live("", &[]);
    assert_eq!(version(&gateway, "/"), "1.0.0");
    for minor in 1..=5 {
        let release = format!("1.{minor}.0");
        gateway.publish(&Release::section("directory", &release, &["/"]));
        let number = gateway.deploy(&json!({ "directory": release }));
        assert_eq!(number, minor + 1);
        let boot = gateway.get("/").boot();
        assert_eq!(
            (&boot["deployment"], &boot["page"]["section"]["version"]),
            (&json!(number), &json!(release))
        );
    }
}

#[test]
fn the_answer_tells_the_whole_set() {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("legal", "0.1.0", &["/terms"]));
    let answer = gateway.post_deployment(&json!({ "releases": { "legal": "0.1.0" }, "reason": "terms" }));
    let set = json!({ "directory": "1.0.0", "legal": "0.1.0", "shell": "1.0.0" });
    assert_eq!(answer.status, 201);
    assert_eq!(
        answer.json(),
        json!({ "number": 2, "releases": set, "live": true })
    );

    let list = deployments(&gateway);
    assert_eq!(list["live"], 2);
    let second = &list["deployments"][1];
    assert_eq!(
        (&second["number"], &second["releases"], &second["reason"]),
        (&json!(2), &set, &json!("terms"))
    );
    assert_eq!(second["by"], "name of token-for-everything");
    assert!(second["createdAt"].as_str().unwrap().ends_with('Z'));
    assert_eq!(list["deployments"][0]["reason"], Value::Null);
}

#[test]
fn what_is_live_already_is_not_deployed_again() {
    let gateway = Gateway::start_live("", &[]);
    for releases in [json!({ "directory": "1.0.0" }), json!({})] {
        let answer = gateway.post_deployment(&json!({ "releases": releases }));
        assert_eq!((answer.status, &answer.json()["number"]), (200, &json!(1)));
    }
    assert_eq!(deployments(&gateway)["deployments"].as_array().unwrap().len(), 1);
}

#[test]
fn a_set_that_does_not_fit_is_refused_and_nothing_changes() {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("rival", "1.0.0", &["/", "/state/:other"]).slot("join"));
    let demanding =
        Release::section("demanding", "1.0.0", &["/d"]).with("shared", json!({ "react": "^20.0.0" }));
    gateway.publish(&demanding);
    let wish = json!({ "releases": { "rival": "1.0.0", "demanding": "1.0.0" } });
    let answer = gateway.post_deployment(&wish);
    assert_eq!(answer.status, 409);
    assert_eq!(answer.header("content-type"), "application/problem+json");
    assert_eq!(
        answer.json()["problems"],
        json!([
            "pattern `/` of directory and pattern `/` of rival collide",
            "pattern `/state/:state` of directory and pattern `/state/:other` of rival collide",
            "slot `join` is filled by both directory and rival",
            "demanding@1.0.0 needs `react` ^20.0.0; shell@1.0.0 provides 19.1.0",
        ])
    );
    assert_eq!(deployments(&gateway)["live"], 1);
    assert_eq!(version(&gateway, "/"), "1.0.0");
}

#[test]
fn what_is_not_published_or_no_wish_is_refused() {
    let gateway = Gateway::start();
    let unknown = gateway.post_deployment(&json!({ "releases": { "shell": "1.0.0", "x": "../.." } }));
    assert_eq!(unknown.status, 422);
    assert_eq!(
        unknown.json()["problems"],
        json!(["shell@1.0.0 is not published", "x@../.. is not published"])
    );
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    let headless = gateway.post_deployment(&json!({ "releases": { "legal": "1.0.0" } }));
    assert_eq!(
        (headless.status, headless.json()["problems"][0].as_str()),
        (409, Some("the set has no `shell`"))
    );
    for body in [
        "",
        "{",
        "[]",
        "{}",
        "{\"releases\":[]}",
        "{\"releases\":{},\"percent\":100}",
        "{\"releases\":{},\"percent\":-1}",
        "{\"releases\":{},\"share\":5}",
        "{\"releases\":{},\"reason\":\"two\\nlines\"}",
    ] {
        let answer = gateway.operate(Request::new("POST", "/api/v1/deployments").body(body));
        assert_eq!(answer.status, 400, "{body}");
    }
    let long = "x".repeat(70_000);
    assert_eq!(
        gateway
            .operate(Request::new("POST", "/api/v1/deployments").body(long))
            .status,
        413
    );
    assert_eq!(
        deployments(&gateway),
        json!({ "live": null, "rollout": null, "deployments": [] })
    );
}

#[test]
fn a_section_that_is_not_in_the_set_cannot_be_taken_out() {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    let refused = |releases: Value| {
        let answer = gateway.post_deployment(&json!({ "releases": releases }));
        assert_eq!(answer.status, 422, "{}", answer.text());
        answer.json()["problems"].clone()
    };
    assert_eq!(
        refused(json!({ "nothing": null })),
        json!(["nothing is not in the set"])
    );
    assert_eq!(
        refused(json!({ "legal": "1.0.0", "nothing": null, "neither": null })),
        json!(["neither is not in the set", "nothing is not in the set"])
    );
    assert_eq!(deployments(&gateway)["deployments"].as_array().unwrap().len(), 1);
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    gateway.deploy(&json!({ "legal": null }));
    assert_eq!(
        refused(json!({ "legal": null })),
        json!(["legal is not in the set"])
    );
    // The same during a rollout of another section.
    gateway.publish(&Release::section("directory", "2.0.0", &["/"]));
    gateway.post_deployment(&json!({ "releases": { "directory": "2.0.0" }, "percent": 10 }));
    assert_eq!(
        refused(json!({ "legal": null })),
        json!(["legal is not in the set"])
    );
}

#[test]
fn a_share_that_is_none_is_told_what_one_is() {
    let gateway = Gateway::start_live("", &[]);
    gateway.publish(&Release::section("directory", "2.0.0", &["/"]));
    let wish = |percent| json!({ "releases": { "directory": "2.0.0" }, "percent": percent });
    let expected = "the body is not what it should be: `percent` is to be a whole number from 0 to 99; \
                    without it everybody sees the deployment";
    for percent in [-1, 100, 256, i64::MIN, i64::MAX] {
        let answer = gateway.post_deployment(&wish(percent));
        assert_eq!(
            (answer.status, &answer.json()["detail"]),
            (400, &json!(expected)),
            "{percent}"
        );
    }
    assert_eq!(gateway.post_deployment(&wish(99)).status, 201);
    for percent in [-1, 100] {
        let answer = gateway.tell("/api/v1/deployments/2/promote", &json!({ "percent": percent }));
        assert_eq!(
            (answer.status, &answer.json()["detail"]),
            (400, &json!(expected)),
            "{percent}"
        );
    }
}

#[test]
fn another_gateway_on_the_same_store_notices() {
    let first = Gateway::start();
    let second = first.beside();
    assert_eq!(second.get("/").status, 503);
    first.publish(&Release::shell("1.0.0"));
    first.publish(&Release::section("directory", "1.0.0", &["/"]));
    first.publish(&Release::section("legal", "1.0.0", &["/terms"]));
    first.deploy(&json!({ "shell": "1.0.0", "directory": "1.0.0" }));
    second.wait_until_live(1);
    // What the second deploys starts from what the first did.
    second.deploy(&json!({ "legal": "1.0.0" }));
    first.wait_until_live(2);
    assert_eq!(first.get("/terms").status, 200);
    assert_eq!(first.get("/").status, 200);
}

/// A gateway with a release of each of twenty sections published.
fn with_twenty_sections() -> (Gateway, Vec<String>) {
    let gateway = Gateway::start_live("", &[]);
    let names: Vec<String> = (0..20).map(|number| format!("section-{number}")).collect();
    for name in &names {
        gateway.publish(&Release::section(name, "1.0.0", &[&format!("/{name}")]));
    }
    (gateway, names)
}

/// Deploys each section at once with the others, by one gateway or the next; the answers come back.
fn deploy_at_once(gateways: &[&Gateway], names: &[String], base: Option<u64>) -> Vec<Response> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = names
            .iter()
            .zip(gateways.iter().cycle())
            .map(|(name, gateway)| {
                let mut wish = json!({ "releases": { name: "1.0.0" } });
                if let Some(base) = base {
                    wish["base"] = json!(base);
                }
                scope.spawn(move || gateway.post_deployment(&wish))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn assert_all_were_deployed_in_one_order(gateways: &[&Gateway], names: &[String]) {
    let answers = deploy_at_once(gateways, names, None);
    let mut sizes = Vec::new();
    let mut numbers = Vec::new();
    for answer in &answers {
        assert_eq!(answer.status, 201, "{}", answer.text());
        sizes.push(answer.json()["releases"].as_object().unwrap().len());
        numbers.push(answer.json()["number"].as_u64().unwrap());
    }
    sizes.sort_unstable();
    numbers.sort_unstable();
    numbers.dedup();
    // The first has one more than the two releases that were live, the second two more, and so on.
    assert_eq!(sizes, (3..23).collect::<Vec<_>>());
    assert_eq!(numbers.len(), 20);
    for gateway in gateways {
        gateway.wait_until_live(numbers[19]);
        for name in names {
            assert_eq!(gateway.get(&format!("/{name}")).status, 200, "{name}");
        }
    }
}

fn assert_one_was_deployed(gateways: &[&Gateway], names: &[String]) {
    let answers = deploy_at_once(gateways, names, Some(1));
    let accepted: Vec<_> = answers.iter().filter(|answer| answer.status == 201).collect();
    assert_eq!(accepted.len(), 1);
    let live = accepted[0].json()["number"].clone();
    for answer in answers.iter().filter(|answer| answer.status != 201) {
        assert_eq!(answer.status, 409);
        assert_eq!(answer.json()["live"], live);
        assert_eq!(
            answer.json()["detail"],
            format!("deployment 1 is not live any more: deployment {live} is")
        );
    }
    assert_eq!(deployments(gateways[0])["live"], live);
}

#[test]
fn deploys_at_once_keep_each_others_changes() {
    let (gateway, names) = with_twenty_sections();
    assert_all_were_deployed_in_one_order(&[&gateway], &names);
}

#[test]
fn deploys_at_once_by_two_gateways_keep_each_others_changes() {
    let (gateway, names) = with_twenty_sections();
    let other = gateway.beside();
    assert_all_were_deployed_in_one_order(&[&gateway, &other], &names);
}

#[test]
fn of_deploys_from_the_same_base_one_is_first() {
    let (gateway, names) = with_twenty_sections();
    assert_one_was_deployed(&[&gateway], &names);
}

#[test]
fn of_deploys_from_the_same_base_by_two_gateways_one_is_first() {
    let (gateway, names) = with_twenty_sections();
    let other = gateway.beside();
    assert_one_was_deployed(&[&gateway, &other], &names);
}
