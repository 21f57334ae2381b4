//! Two gateways on one store: what one has told a visitor of, the other knows, however soon it is asked.

use serde_json::{Value, json};

use crate::support::{Gateway, Release, Request, Response};

const ROUNDS: usize = 20;

/// A gateway with `directory` 1.0.0 live, and another one that has seen that.
fn two() -> (Gateway, Gateway) {
    let first = Gateway::start_live("", &[]);
    let second = first.beside();
    assert_eq!(second.get("/").boot()["deployment"], 1);
    (first, second)
}

/// Publishes `directory` in the version of a round.
fn publish(gateway: &Gateway, round: usize) -> Value {
    let version = format!("2.{round}.0");
    gateway
        .publish(&Release::section("directory", &version, &["/", "/state/:state", "/signup"]).slot("join"));
    json!({ "directory": version })
}

/// Has a gateway look at the store just before, so that it must not be content with that look.
fn ask_for_nonsense(gateway: &Gateway) {
    assert_eq!(gateway.get("/assets/nonsense/1.0.0/main.js").status, 404);
}

/// The files that a document says its page needs.
fn files(document: &Response) -> Vec<String> {
    let section = &document.boot()["page"]["section"];
    let common = section["assets"].as_array().unwrap().iter();
    let mut files: Vec<&Value> = common.map(|asset| &asset["href"]).collect();
    files.push(&section["entry"]);
    files
        .iter()
        .map(|file| file.as_str().unwrap().to_owned())
        .collect()
}

fn preview(gateway: &Gateway, releases: &Value) -> (u64, String) {
    let answer = gateway
        .tell("/api/v1/previews", &json!({ "releases": releases }))
        .json();
    let (_, token) = answer["url"].as_str().unwrap().rsplit_once('/').unwrap();
    (answer["deployment"].as_u64().unwrap(), token.to_owned())
}

fn with_cookie(gateway: &Gateway, token: &str, target: &str) -> Response {
    let cookie = format!("colonnade-preview={token}");
    gateway
        .site
        .send(Request::new("GET", target).header("cookie", &cookie))
}

#[test]
fn a_page_of_a_new_deployment_is_known_to_the_other() {
    let (first, second) = two();
    for round in 0..ROUNDS {
        let releases = publish(&first, round);
        ask_for_nonsense(&second);
        let number = first.deploy(&releases);
        let answer = second.get(&format!("/_page/{number}?path=%2F"));
        assert_eq!(answer.status, 200, "round {round}");
        assert_eq!(answer.json(), first.get("/").boot()["page"]);
    }
}

#[test]
fn files_of_a_new_deployment_are_known_to_the_other() {
    let (first, second) = two();
    for round in 0..ROUNDS {
        let releases = publish(&first, round);
        ask_for_nonsense(&second);
        first.deploy(&releases);
        for file in files(&first.get("/")) {
            assert_eq!(second.get(&file).status, 200, "round {round}: {file}");
        }
    }
}

#[test]
fn files_that_were_only_previewed_are_everybodys_at_the_other_too() {
    let (first, second) = two();
    for round in 0..ROUNDS {
        let releases = publish(&first, round);
        let (_, token) = preview(&first, &releases);
        let file = format!("/assets/directory/2.{round}.0/entry.js");
        assert_eq!(with_cookie(&second, &token, &file).status, 200, "round {round}");
        assert_eq!(second.get(&file).status, 404, "round {round}");
        first.deploy(&releases);
        assert_eq!(second.get(&file).status, 200, "round {round}");
    }
}

#[test]
fn a_new_preview_is_known_to_the_other() {
    let (first, second) = two();
    for round in 0..ROUNDS {
        if round % 2 == 0 {
            // The next preview is signed with a key that is new.
            first.operate(Request::new("DELETE", "/api/v1/previews"));
        }
        let releases = publish(&first, round);
        ask_for_nonsense(&second);
        let (_, linked) = preview(&first, &releases);
        assert_eq!(
            second.get(&format!("/_preview/{linked}")).status,
            303,
            "round {round}"
        );

        let (number, token) = preview(&first, &releases);
        let document = with_cookie(&second, &token, "/");
        assert_eq!(document.boot()["deployment"], number, "round {round}");
        assert!(!document.has("set-cookie"));

        let (number, token) = preview(&first, &releases);
        let answer = with_cookie(&second, &token, &format!("/_page/{number}?path=%2F"));
        assert_eq!(answer.status, 200, "round {round}");
    }
}

#[test]
fn many_who_ask_for_nonsense_are_all_answered() {
    let (_first, second) = two();
    std::thread::scope(|scope| {
        for index in 0..50 {
            let second = &second;
            scope.spawn(move || {
                assert_eq!(second.get(&format!("/assets/x/{index}.0.0/x.js")).status, 404);
                assert_eq!(
                    second.get(&format!("/_page/{}?path=%2F", index + 100)).status,
                    410
                );
                assert_eq!(second.get(&format!("/_preview/{index}.x.y")).status, 403);
            });
        }
    });
}
