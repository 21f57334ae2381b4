//! Two gateways on one store: a change by one becomes visible on the other, which polls the store.

use serde_json::{Value, json};

use crate::support::{Gateway, Release, Request, Response, wait_until};

const ROUNDS: usize = 4;

/// A gateway with `directory` 1.0.0 live, and a second one that serves it, too.
fn two_gateways() -> (Gateway, Gateway) {
    let first = Gateway::start_live("", &[]);
    let second = first.start_another();
    assert_eq!(second.get("/").boot()["deployment"], 1);
    (first, second)
}

/// Publishes the `directory` version of a round.
fn publish(gateway: &Gateway, round: usize) -> Value {
    let version = format!("2.{round}.0");
    gateway
        .publish(&Release::section("directory", &version, &["/", "/state/:state", "/signup"]).slot("join"));
    json!({ "directory": version })
}

/// The assets of a document's page.
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
    let response = gateway
        .admin_post("/api/v1/previews", &json!({ "releases": releases }))
        .json();
    let (_, token) = response["url"].as_str().unwrap().rsplit_once('/').unwrap();
    (response["deployment"].as_u64().unwrap(), token.to_owned())
}

fn with_cookie(gateway: &Gateway, token: &str, target: &str) -> Response {
    let cookie = format!("__Host-colonnade-preview={token}");
    gateway
        .site
        .send(Request::new("GET", target).header("cookie", &cookie))
}

#[test]
fn new_deployment_page_is_served_by_other_gateway() {
    let (first, second) = two_gateways();
    for round in 0..ROUNDS {
        let releases = publish(&first, round);
        let number = first.deploy(&releases);
        let page = format!("/_page/{number}?path=%2F");
        wait_until(&format!("the page of round {round} is served"), || {
            second.get(&page).status == 200
        });
        assert_eq!(second.get(&page).json(), first.get("/").boot()["page"]);
    }
}

#[test]
fn new_deployment_assets_are_served_by_other_gateway() {
    let (first, second) = two_gateways();
    for round in 0..ROUNDS {
        let releases = publish(&first, round);
        first.deploy(&releases);
        for file in files(&first.get("/")) {
            wait_until(&format!("{file} of round {round} is served"), || {
                second.get(&file).status == 200
            });
        }
    }
}

#[test]
fn deployed_preview_is_public_on_other_gateway() {
    let (first, second) = two_gateways();
    for round in 0..ROUNDS {
        let releases = publish(&first, round);
        let (_, token) = preview(&first, &releases);
        let file = format!("/assets/directory/2.{round}.0/entry.js");
        wait_until(&format!("the preview of round {round} is served"), || {
            with_cookie(&second, &token, &file).status == 200
        });
        assert_eq!(second.get(&file).status, 404, "round {round}");
        first.deploy(&releases);
        wait_until(&format!("the release of round {round} is public"), || {
            second.get(&file).status == 200
        });
    }
}

#[test]
fn new_preview_is_served_by_other_gateway() {
    let (first, second) = two_gateways();
    for round in 0..ROUNDS {
        if round % 2 == 0 {
            // The next preview is signed with a new key.
            first.admin_request(Request::new("DELETE", "/api/v1/previews"));
        }
        let releases = publish(&first, round);
        let (_, link_token) = preview(&first, &releases);
        wait_until(&format!("the link of round {round} works"), || {
            second.get(&format!("/_preview/{link_token}")).status == 200
        });

        let (number, token) = preview(&first, &releases);
        wait_until(&format!("the cookie of round {round} works"), || {
            with_cookie(&second, &token, "/").boot()["deployment"] == number
        });
        assert!(!with_cookie(&second, &token, "/").has("set-cookie"));

        let (number, token) = preview(&first, &releases);
        let page = format!("/_page/{number}?path=%2F");
        wait_until(&format!("the previewed page of round {round} is served"), || {
            with_cookie(&second, &token, &page).status == 200
        });
    }
}

#[test]
fn concurrent_unknown_requests_are_all_answered() {
    let (_first, second) = two_gateways();
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
