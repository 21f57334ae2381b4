//! What a visitor types, the backend's key and operators' tokens stand nowhere but where they belong.
//!
//! Sign-ups with marked fields go through everything that can become of one. Then whatever the gateway wrote or told
//! anybody is searched for the marks, as they are and in each of the ways in which text is usually written down. What a
//! panic says cannot be tested from outside, for no request makes one; `telemetry` and `stack` test it inside.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::support::{Act, Backend, CLOSED, Gateway, Release, Request, Response, token};

const EMAIL: &str = "leakemail7x+tag@visitor.example";
const PASSWORD: &str = "leakpassword7x\"mark\\pass/ wörd<&";
const KEY: &str = "leakkey7x-0123456789";
const OPERATOR: &str = "leaktoken7x-9876543210";
const SECRETS: [&str; 4] = [EMAIL, PASSWORD, KEY, OPERATOR];

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

fn assert_clean(place: &str, bytes: &[u8], secrets: &[&str]) {
    let text = String::from_utf8_lossy(bytes);
    for secret in secrets {
        for form in forms(secret) {
            let found = text.lines().find(|line| line.contains(&form));
            assert!(found.is_none(), "{place} has {form}: {found:?}");
        }
    }
}

fn assert_answer_is_clean(answer: &Response, secrets: &[&str]) {
    let headers = format!("{:?}", answer.headers);
    assert_clean("a header", headers.as_bytes(), secrets);
    assert_clean("an answer", &answer.decoded(), secrets);
}

fn assert_folder_is_clean(folder: &Path) {
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

/// A gateway whose log is as verbose as the environment can ask for.
fn gateway(backend: &str, keys: &str) -> Gateway {
    let extra = format!(
        "[signup]\nbackend = \"{backend}\"\nkey = {{ env = \"KEY\" }}\naffiliate_subid = \"tag\"\n\
         total_timeout_ms = 200\n{keys}\n{}",
        token(
            OPERATOR,
            &["*"],
            &["publish", "deploy", "rollback", "preview", "collect"]
        )
        .replace(&format!("name of {OPERATOR}"), "operator")
    );
    let variables = [
        ("KEY", KEY),
        ("RUST_LOG", "trace"),
        ("RUST_BACKTRACE", "full"),
        ("HYPER_LOG", "trace"),
    ];
    Gateway::start_live(&extra, &variables)
}

/// Signs up by a script and by a form. A page shows the e-mail again to whoever typed it, and nothing else is shown.
fn sign_up(gateway: &Gateway) {
    let request = |content_type: &str| {
        Request::new("POST", "/functions/v1/signup")
            .header("sec-fetch-site", "same-origin")
            .header("content-type", content_type)
    };
    let fields = json!({ "email": EMAIL, "password": PASSWORD, "age": 30 });
    let script = request("application/json").body(fields.to_string());
    assert_answer_is_clean(&gateway.site.send(script), &SECRETS);
    let encode = |text| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let fields = format!("email={}&password={}&age=30", encode(EMAIL), encode(PASSWORD));
    let form = request("application/x-www-form-urlencoded").body(fields);
    assert_answer_is_clean(&gateway.site.send(form), &[PASSWORD, KEY, OPERATOR]);
}

/// Everything an operator does, with the marked token, and with it where it is of no use.
fn operate(gateway: &Gateway) {
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

/// Searches everything that the gateway can be asked, that it has logged, and that it has written.
fn search(mut gateway: Gateway) {
    for target in [
        "/",
        "/signup",
        "/state/Ohio",
        "/nowhere",
        "/robots.txt",
        "/_page/1?path=%2Fsignup",
    ] {
        assert_answer_is_clean(&gateway.get(target), &SECRETS);
    }
    let metrics = gateway.admin.get("/metrics");
    assert!(
        metrics.text().contains("colonnade_signups_total"),
        "there are metrics to be searched"
    );
    assert_answer_is_clean(&metrics, &SECRETS);
    gateway.signal("TERM");
    assert_eq!(gateway.end().code(), Some(0));
    let output = gateway.output();
    assert!(
        output.contains("\"route\":\"/functions/v1/signup\""),
        "there is a log to be searched"
    );
    // What the libraries would say at a lower level is not logged, whoever asks for it.
    assert!(!output.contains("\"TRACE\"") && !output.contains("\"DEBUG\""));
    assert_clean("the log", output.as_bytes(), &SECRETS);
    assert_folder_is_clean(&gateway.store());
}

#[test]
fn nothing_leaks_whatever_becomes_of_a_sign_up() {
    let backend = Backend::start(Act::json(200, &json!({})));
    let gateway = gateway(
        &backend.origin(),
        "attempts_per_client = 1000\nfailures = 1000\nredirect_hosts = [\"members.example\"]",
    );
    operate(&gateway);
    let acts = [
        Act::json(200, &json!({})),
        Act::json(200, &json!({ "redirectUrl": "https://members.example/in" })),
        Act::json(409, &json!({ "error": "That address is taken." })),
        Act::json(500, &json!({})),
        Act::Stall,
        Act::Drip,
        Act::Half,
        Act::Flood,
        Act::Close,
        Act::Raw("HTTP/1.1 200 OK\r\ncontent-".to_owned()),
        Act::Raw("rubbish\r\n\r\n".to_owned()),
        // A backend that tells more than it should, where nobody is to pass it on.
        Act::json(
            200,
            &json!({ "email": EMAIL, "password": PASSWORD, "redirectUrl": format!("https://evil.example/{EMAIL}") }),
        ),
        Act::Answer(500, "text/html", format!("<p>{EMAIL} {PASSWORD} {KEY}")),
        Act::Raw(format!(
            "HTTP/1.1 302 Found\r\nlocation: http://evil.example/{EMAIL}?{KEY}\r\ncontent-length: 0\r\n\r\n"
        )),
        Act::Raw(format!("{EMAIL} {KEY}\r\n\r\n")),
    ];
    for act in acts {
        backend.now(act);
        sign_up(&gateway);
    }
    assert!(
        backend.received().iter().all(|sent| sent.contains(KEY)),
        "the marks were sent"
    );
    search(gateway);
}

#[test]
fn nothing_leaks_where_sign_ups_are_limited_or_the_backend_is_gone() {
    let limited = gateway(CLOSED, "attempts_per_client = 3\nfailures = 2");
    for _ in 0..6 {
        sign_up(&limited);
    }
    search(limited);
}

#[test]
fn the_search_finds_what_is_there() {
    let places = [
        EMAIL.to_owned(),
        utf8_percent_encode(PASSWORD, NON_ALPHANUMERIC).to_string(),
        json!({ "password": PASSWORD }).to_string(),
        json!({ "body": json!({ "password": PASSWORD }).to_string() }).to_string(),
        format!(
            "authorization: Basic {}",
            STANDARD_NO_PAD.encode(format!("x:{KEY}"))
        ),
        URL_SAFE_NO_PAD.encode(format!("..{OPERATOR}..")),
        EMAIL
            .bytes()
            .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}")),
    ];
    for place in places {
        let found = std::panic::catch_unwind(|| assert_clean("a test", place.as_bytes(), &SECRETS));
        assert!(found.is_err(), "{place}");
    }
}
