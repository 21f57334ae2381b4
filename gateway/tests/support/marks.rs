//! What people type, the backend's key and an operator's token, marked so that they are found wherever they stand.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::{Gateway, Release, Request, Response, token};

pub(crate) const EMAIL: &str = "leakemail7x+tag@visitor.example";
pub(crate) const PASSWORD: &str = "leakpassword7x\"mark\\pass/ wörd<&";
pub(crate) const KEY: &str = "leakkey7x-0123456789";
pub(crate) const OPERATOR: &str = "leaktoken7x-9876543210";
pub(crate) const SECRETS: [&str; 4] = [EMAIL, PASSWORD, KEY, OPERATOR];

/// What a gateway is started with whose log is as verbose as the environment can ask for.
pub(crate) const VARIABLES: [(&str, &str); 4] = [
    ("KEY", KEY),
    ("RUST_LOG", "trace"),
    ("RUST_BACKTRACE", "full"),
    ("HYPER_LOG", "trace"),
];

/// The configuration of sign-up and of the marked token.
pub(crate) fn configuration(backend: &str, keys: &str) -> String {
    let actions = ["publish", "deploy", "rollback", "preview", "collect"];
    let token = token(OPERATOR, &["*"], &actions).replace(&format!("name of {OPERATOR}"), "operator");
    format!(
        "[signup]\nbackend = \"{backend}\"\nkey = {{ env = \"KEY\" }}\naffiliate_subid = \"tag\"\n{keys}\n{token}"
    )
}

/// The ways in which a text may be written down.
fn forms(text: &str) -> Vec<String> {
    // Each begins with letters and digits alone, which stay what they are in most of them.
    let stem = text
        .split(|character: char| !character.is_ascii_alphanumeric())
        .next();
    let mut forms = vec![text.to_owned(), stem.unwrap_or_default().to_owned()];
    let encoded = utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    forms.extend([encoded.replace("%20", "+"), encoded.to_ascii_lowercase(), encoded]);
    let json = json!(text).to_string();
    forms.push(json.trim_matches('"').to_owned());
    forms.push(json!(json).to_string().trim_matches(['"', '\\']).to_owned());
    let escaped: Vec<String> = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
    forms.push(escaped.concat());
    forms.push(text.escape_debug().to_string());
    forms.push(
        text.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('"', "&quot;"),
    );
    // Some encoders leave what HTML's forms do.
    forms.push(utf8_percent_encode(text, percent_encoding::CONTROLS).to_string());
    forms.extend((0..3).flat_map(|offset| in_base64(text, offset)));
    let hex = text
        .bytes()
        .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    forms.push(hex);
    forms
}

/// What stands in Base64 wherever this text does, so many bytes behind a multiple of three.
fn in_base64(text: &str, offset: usize) -> [String; 2] {
    let mut bytes = vec![0; offset];
    bytes.extend(text.as_bytes());
    // Only whole groups of three are written the same whatever stands around them.
    let start = offset.div_ceil(3) * 4;
    let end = bytes.len() / 3 * 4;
    [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)].map(|text| text[start..end].to_owned())
}

/// Panics where one of the secrets stands in what was found at a place, in any form.
pub(crate) fn assert_clean(place: &str, bytes: &[u8], secrets: &[&str]) {
    let text = String::from_utf8_lossy(bytes);
    for secret in secrets {
        for form in forms(secret) {
            let found = text.lines().find(|line| line.contains(&form));
            assert!(found.is_none(), "{place} has {form}: {found:?}");
        }
    }
}

/// The same for all of an answer.
pub(crate) fn assert_answer_is_clean(answer: &Response, secrets: &[&str]) {
    let headers = format!("{:?}", answer.headers);
    assert_clean("a header", headers.as_bytes(), secrets);
    assert_clean("an answer", &answer.decoded(), secrets);
}

/// The same for every file below a folder, and its name.
pub(crate) fn assert_folder_is_clean(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        assert_clean("a file's name", path.display().to_string().as_bytes(), &SECRETS);
        if path.is_dir() {
            assert_folder_is_clean(&path);
        } else {
            assert_clean(
                &path.display().to_string(),
                &std::fs::read(&path).unwrap(),
                &SECRETS,
            );
        }
    }
}

/// Sign-ups with the marks, as a script and as a form send them.
pub(crate) fn sign_ups() -> [Request; 2] {
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

/// Everything an operator does, with the marked token, and with it where it is of no use.
pub(crate) fn operate(gateway: &Gateway) {
    let release = Release::section("other", "1.0.0", &["/other"]);
    let ask = |request: Request| {
        let answer = gateway.operate_as(OPERATOR, request);
        assert_answer_is_clean(&answer, &SECRETS);
        answer.status
    };
    let put = Request::new("PUT", "/api/v1/sections/other/releases/1.0.0").body(release.archive());
    assert_eq!(ask(put), 201);
    let post = |target: &str, body: &Value| Request::new("POST", target).body(body.to_string());
    assert_eq!(
        ask(post(
            "/api/v1/deployments",
            &json!({ "releases": { "other": "1.0.0" } })
        )),
        201
    );
    assert_eq!(ask(post("/api/v1/previews", &json!({ "deployment": 1 }))), 201);
    assert_eq!(
        ask(post("/api/v1/rollback", &json!({ "section": "nobody" }))),
        409
    );
    assert_eq!(ask(post("/api/v1/deployments", &json!({ "releases": 5 }))), 400);
    for target in ["/api/v1/sections", "/api/v1/deployments", "/api/v1/history"] {
        assert_eq!(ask(Request::new("GET", target)), 200);
    }
    let wrong = Request::new("GET", "/api/v1/history").header("authorization", &format!("Basic {OPERATOR}"));
    assert_answer_is_clean(&gateway.admin.send(wrong), &SECRETS);
}
