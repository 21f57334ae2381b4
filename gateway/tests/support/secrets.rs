//! Secrets with unique values, and a search for them in every common encoding.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::{Gateway, Release, Request, Response, TOKEN_ACTIONS, token};

pub(crate) const EMAIL: &str = "leakemail7x+tag@visitor.example";
pub(crate) const PASSWORD: &str = "leakpassword7x\"mark\\pass/ wörd<&";
pub(crate) const BACKEND_KEY: &str = "leakkey7x-0123456789";
pub(crate) const OPERATOR_TOKEN: &str = "leaktoken7x-9876543210";
pub(crate) const SECRETS: [&str; 4] = [EMAIL, PASSWORD, BACKEND_KEY, OPERATOR_TOKEN];

/// Environment variables that ask for the most verbose log.
pub(crate) const VARIABLES: [(&str, &str); 4] = [
    ("KEY", BACKEND_KEY),
    ("RUST_LOG", "trace"),
    ("RUST_BACKTRACE", "full"),
    ("HYPER_LOG", "trace"),
];

/// The configuration of sign-up and of the operator token.
pub(crate) fn configuration(backend: &str, keys: &str) -> String {
    let token = token(OPERATOR_TOKEN, &["*"], TOKEN_ACTIONS)
        .replace(&format!("name of {OPERATOR_TOKEN}"), "operator");
    format!(
        "[signup]\nbackend = \"{backend}\"\nbackend_api_key = {{ env = \"KEY\" }}\naffiliate_subid = \"tag\"\n{keys}\n{token}"
    )
}

/// A string in all common encodings.
fn encodings(text: &str) -> Vec<String> {
    // Most encodings preserve the leading letters and digits.
    let stem = text
        .split(|character: char| !character.is_ascii_alphanumeric())
        .next();
    let mut encodings = vec![text.to_owned(), stem.unwrap_or_default().to_owned()];
    let encoded = utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    encodings.extend([encoded.replace("%20", "+"), encoded.to_ascii_lowercase(), encoded]);
    let json = json!(text).to_string();
    encodings.push(json.trim_matches('"').to_owned());
    encodings.push(json!(json).to_string().trim_matches(['"', '\\']).to_owned());
    let escaped: Vec<String> = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
    encodings.push(escaped.concat());
    encodings.push(text.escape_debug().to_string());
    encodings.push(
        text.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('"', "&quot;"),
    );
    // Some encoders escape control characters only.
    encodings.push(utf8_percent_encode(text, percent_encoding::CONTROLS).to_string());
    encodings.extend((0..3).flat_map(|offset| in_base64(text, offset)));
    let hex = text
        .bytes()
        .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    encodings.push(hex);
    encodings
}

/// The part of the text's Base64 encoding that is the same in any context, at this offset modulo three.
fn in_base64(text: &str, offset: usize) -> [String; 2] {
    let mut bytes = vec![0; offset];
    bytes.extend(text.as_bytes());
    // Only whole groups of three bytes encode independently of their context.
    let start = offset.div_ceil(3) * 4;
    let end = bytes.len() / 3 * 4;
    [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)].map(|text| text[start..end].to_owned())
}

/// Panics if the bytes contain a secret in any encoding.
pub(crate) fn assert_no_secrets(place: &str, bytes: &[u8], secrets: &[&str]) {
    let text = String::from_utf8_lossy(bytes);
    for secret in secrets {
        for encoding in encodings(secret) {
            let found = text.lines().find(|line| line.contains(&encoding));
            assert!(found.is_none(), "{place} contains {encoding}: {found:?}");
        }
    }
}

/// Panics if a response contains a secret.
pub(crate) fn assert_no_secrets_in_response(response: &Response, secrets: &[&str]) {
    let headers = format!("{:?}", response.headers);
    assert_no_secrets("a header", headers.as_bytes(), secrets);
    assert_no_secrets("a body", &response.decoded(), secrets);
}

/// Panics if a file below a folder, or its name, contains a secret.
pub(crate) fn assert_no_secrets_in_folder(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        assert_no_secrets("a file name", path.display().to_string().as_bytes(), &SECRETS);
        if path.is_dir() {
            assert_no_secrets_in_folder(&path);
        } else if path.is_file() {
            assert_no_secrets(
                &path.display().to_string(),
                &std::fs::read(&path).unwrap(),
                &SECRETS,
            );
        }
    }
}

/// Sign-up requests with the secrets, as JSON and as a form.
pub(crate) fn signup_requests() -> [Request; 2] {
    let request = |content_type: &str| {
        Request::new("POST", "/functions/v1/signup")
            .header("sec-fetch-site", "same-origin")
            .header("content-type", content_type)
    };
    let json = json!({ "email": EMAIL, "password": PASSWORD, "age": 30 });
    let encode = |text| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let form = format!("email={}&password={}&age=30", encode(EMAIL), encode(PASSWORD));
    [
        request("application/json").body(json.to_string()),
        request("application/x-www-form-urlencoded").body(form),
    ]
}

/// Uses the whole admin API with the operator token, also in requests that are rejected.
pub(crate) fn use_admin_api(gateway: &Gateway) {
    let release = Release::section("other", "1.0.0", &["/other"]);
    let send = |request: Request| {
        let response = gateway.admin_request_as(OPERATOR_TOKEN, request);
        assert_no_secrets_in_response(&response, &SECRETS);
        response.status
    };
    let put = Request::new("PUT", "/api/v1/sections/other/releases/1.0.0").body(release.archive());
    assert_eq!(send(put), 201);
    let post = |target: &str, body: &Value| Request::new("POST", target).body(body.to_string());
    assert_eq!(
        send(post(
            "/api/v1/deployments",
            &json!({ "releases": { "other": "1.0.0" } })
        )),
        201
    );
    assert_eq!(send(post("/api/v1/previews", &json!({ "deployment": 1 }))), 201);
    assert_eq!(
        send(post("/api/v1/rollback", &json!({ "section": "unknown" }))),
        409
    );
    assert_eq!(send(post("/api/v1/deployments", &json!({ "releases": 5 }))), 400);
    for target in ["/api/v1/sections", "/api/v1/deployments", "/api/v1/history"] {
        assert_eq!(send(Request::new("GET", target)), 200);
    }
    let wrong =
        Request::new("GET", "/api/v1/history").header("authorization", &format!("Basic {OPERATOR_TOKEN}"));
    assert_no_secrets_in_response(&gateway.admin.send(wrong), &SECRETS);
}
