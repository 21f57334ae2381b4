//! The OpenAPI description of the admin API. Every test of that API checks its requests and responses against it.

use serde_json::{Value, json};

use crate::support::{Gateway, Request, openapi};

#[test]
fn openapi_is_served_without_token_as_in_its_file() {
    let gateway = Gateway::start();
    let response = gateway.send_admin(Request::new("GET", "/api/v1/openapi.json"));
    assert_eq!(
        (response.status, response.header("content-type")),
        (200, "application/json")
    );
    let text = format!("{:#}\n", response.json());
    if std::env::var_os("UPDATE_OPENAPI").is_some() {
        std::fs::write(openapi::FILE, &text).unwrap();
    }
    let is_up_to_date = std::fs::read_to_string(openapi::FILE).unwrap() == text;
    assert!(is_up_to_date, "console/openapi.json is old; run `make openapi`");
}

#[test]
fn undocumented_request_fields_are_rejected() {
    let gateway = Gateway::start_live("", &[]);
    let description: Value = gateway.admin_get("/api/v1/openapi.json");
    let mut count = 0;
    for (path, item) in description["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let content = &operation["requestBody"]["content"]["application/json"];
            let Some(name) = content["schema"]["$ref"].as_str() else {
                continue;
            };
            let schema = description.pointer(name.strip_prefix('#').unwrap()).unwrap();
            assert_eq!(schema["additionalProperties"], false, "{name}");
            let target = path.replace("{number}", "1").replace("{name}", "directory");
            let body = json!({ "releases": {}, "unknownField": 1 });
            let response =
                gateway.admin_request(Request::new(&method.to_uppercase(), &target).body(body.to_string()));
            assert_eq!(response.status, 400, "{method} {target}");
            count += 1;
        }
    }
    assert_eq!(count, 19);
}
