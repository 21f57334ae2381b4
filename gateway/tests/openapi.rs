//! The description of the admin API. That requests and answers are as it says, every test of that API checks.

use serde_json::{Value, json};

use crate::support::{Gateway, Request};

#[test]
fn it_is_served_without_a_token() {
    let gateway = Gateway::start();
    let answer = gateway.ask_admin(Request::new("GET", "/api/v1/openapi.json"));
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, "application/json")
    );
    assert_eq!(answer.text(), include_str!("../src/admin/openapi.json"));
    assert_eq!(answer.json()["openapi"], "3.1.0");
}

#[test]
fn members_that_are_not_described_are_refused() {
    let gateway = Gateway::start_live("", &[]);
    let description: Value = gateway.ask("/api/v1/openapi.json");
    let mut count = 0;
    for (path, item) in description["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let content = &operation["requestBody"]["content"]["application/json"];
            let Some(name) = content["schema"]["$ref"].as_str() else {
                continue;
            };
            let schema = description.pointer(name.strip_prefix('#').unwrap()).unwrap();
            assert_eq!(schema["additionalProperties"], false, "{name}");
            let target = path.replace("{number}", "1");
            let body = json!({ "releases": {}, "unheardOf": 1 });
            let answer =
                gateway.operate(Request::new(&method.to_uppercase(), &target).body(body.to_string()));
            assert_eq!(answer.status, 400, "{method} {target}");
            count += 1;
        }
    }
    assert_eq!(count, 6);
}
