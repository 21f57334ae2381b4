//! Two gateways on one store: the second one serves at once what the first one has deployed, although it polls the store.

use std::fs::{self, File};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Gateway, Release, Request, Response, wait_until};

const ROUNDS: usize = 3;

/// A gateway with `directory` 1.0.0 live, and a second one that serves it, too.
fn two_gateways() -> (Gateway, Gateway) {
    let first = Gateway::start_live("", &[]);
    let second = first.start_another();
    assert_eq!(second.get("/").boot()["deployment"], "1");
    (first, second)
}

/// Publishes the `directory` version of a round.
fn publish(gateway: &Gateway, round: usize) -> Value {
    let version = format!("2.{round}.0");
    gateway.publish(&Release::section(
        "directory",
        &version,
        &["/", "/state/:state", "/signup"],
    ));
    json!({ "directory": version })
}

/// The assets of a document's page.
pub(crate) fn files(document: &Response) -> Vec<String> {
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
fn new_preview_and_deployment_are_served_by_other_gateway() {
    let (first, second) = two_gateways();
    for round in 0..ROUNDS {
        if round % 2 == 0 {
            // The next preview is signed with a new key.
            first.admin_request(Request::new("DELETE", "/api/v1/previews"));
        }
        let releases = publish(&first, round);
        let (_, link_token) = preview(&first, &releases);
        assert_eq!(second.get(&format!("/_preview/{link_token}")).status, 200);
        let (number, token) = preview(&first, &releases);
        let document = with_cookie(&second, &token, "/");
        assert_eq!(document.boot()["deployment"], number.to_string(), "round {round}");
        assert!(!document.has("set-cookie"));
        let (number, token) = preview(&first, &releases);
        let page = format!("/_page/{number}?path=%2F");
        assert_eq!(with_cookie(&second, &token, &page).status, 200, "round {round}");
        let (_, token) = preview(&first, &releases);
        let file = format!("/assets/directory/2.{round}.0/entry.js");
        assert_eq!(with_cookie(&second, &token, &file).status, 200, "round {round}");
        assert_eq!(second.get(&file).status, 404, "round {round}");

        // Each round asks the second gateway for another part of the deployment first.
        let number = first.deploy(&releases);
        match round % 3 {
            0 => assert_eq!(second.get(&file).status, 200, "it is public now"),
            1 => {
                let page = second.get(&format!("/_page/{number}?path=%2F"));
                assert_eq!(page.json(), first.get("/").boot()["page"]);
            }
            _ => assert_eq!(report(&second, number, round).status, 204),
        }
        for file in files(&first.get("/")) {
            assert_eq!(second.get(&file).status, 200, "{file} of round {round}");
        }
    }
}

/// Reports an error of a round's release.
fn report(gateway: &Gateway, deployment: u64, round: usize) -> Response {
    let report = json!({
        "deployment": deployment.to_string(), "release": format!("directory@2.{round}.0"), "phase": "render", "error": "TypeError",
    });
    gateway.site.send(
        Request::new("POST", "/_report")
            .header("sec-fetch-site", "same-origin")
            .header("content-type", "application/json")
            .body(report.to_string()),
    )
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

#[test]
fn gateways_are_listed_until_they_stop() {
    let (first, mut second) = two_gateways();
    let listed = || first.admin_get("/api/v1/gateways").as_array().unwrap().clone();
    wait_until("both are listed", || listed().len() == 2);
    let gateways = listed();
    let others: Vec<&Value> = gateways
        .iter()
        .filter(|gateway| gateway["own"] == false)
        .collect();
    let [other] = others[..] else {
        panic!("{gateways:?}")
    };
    let state = &other["state"];
    assert_eq!(
        (&other["missing"], &state["status"], &state["storeProblem"]),
        (&json!(false), &json!("ready"), &Value::Null)
    );
    assert_eq!(state["workers"]["available"], state["workers"]["configured"]);
    assert_eq!(
        (&state["revision"], &state["certificateExpiresAt"]),
        (&json!(1), &Value::Null)
    );

    // A gateway that was killed, or cannot reach the store.
    let id = other["id"].as_str().unwrap();
    let file = first.store().join(format!("gateways/{id}.json"));
    let written_at = fs::metadata(&file).unwrap().modified().unwrap();
    let opened = File::options().write(true).open(&file).unwrap();
    opened.set_modified(written_at - Duration::from_mins(4)).unwrap();
    assert!(listed().iter().any(|gateway| gateway["missing"] == true));

    second.signal("TERM");
    second.wait_for_exit();
    assert_eq!(listed().len(), 1);
}
