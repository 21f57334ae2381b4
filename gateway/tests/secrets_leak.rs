//! Visitors' input, the backend's key and operator tokens leak nowhere.
//!
//! The tests send sign-ups with unique secrets through every outcome. Then they search everything that the gateway wrote or
//! sent for the secrets in every common encoding.

use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;
use tempfile::TempDir;

use crate::support::secrets::{
    BACKEND_KEY, EMAIL, OPERATOR_TOKEN, PASSWORD, SECRETS, VARIABLES, assert_no_secrets,
    assert_no_secrets_in_folder, assert_no_secrets_in_response, configuration, signup_requests,
    use_admin_api,
};
use crate::support::{Backend, CLOSED_ORIGIN, FaultyMachine, Gateway, Raw, Reply, Setup};

/// A gateway with a short backend timeout.
fn gateway(backend: &str, keys: &str) -> Gateway {
    let keys = format!("total_timeout_ms = 200\n{keys}");
    Gateway::start_live(&configuration(backend, &keys), &VARIABLES)
}

/// Signs up with JSON and with a form. Only the form page shows the e-mail again, and nothing else.
fn sign_up(gateway: &Gateway) {
    let [json, form] = signup_requests();
    assert_no_secrets_in_response(&gateway.site.send(json), &SECRETS);
    assert_no_secrets_in_response(&gateway.site.send(form), &[PASSWORD, BACKEND_KEY, OPERATOR_TOKEN]);
}

/// Searches all responses, logs and files of the gateway for secrets.
fn assert_no_secrets_anywhere(mut gateway: Gateway) {
    for target in [
        "/",
        "/signup",
        "/state/Ohio",
        "/nowhere",
        "/robots.txt",
        "/_page/1?path=%2Fsignup",
    ] {
        assert_no_secrets_in_response(&gateway.get(target), &SECRETS);
    }
    let metrics = gateway.admin.get("/metrics");
    assert!(
        metrics.text().contains("colonnade_signups_total"),
        "no metrics to search"
    );
    assert_no_secrets_in_response(&metrics, &SECRETS);
    gateway.signal("TERM");
    assert_eq!(gateway.wait_for_exit().code(), Some(0));
    let output = gateway.output();
    assert!(
        output.contains("\"route\":\"/functions/v1/signup\""),
        "no log to search"
    );
    // Low-level library events are not logged, even with RUST_LOG=trace.
    assert!(!output.contains("\"TRACE\"") && !output.contains("\"DEBUG\""));
    assert_no_secrets("the log", output.as_bytes(), &SECRETS);
    assert_no_secrets_in_folder(&gateway.store());
}

#[test]
fn signup_leaks_no_secrets_for_any_backend_reply() {
    let backend = Backend::start(Reply::json(200, &json!({})));
    let gateway = gateway(
        &backend.origin(),
        "rate_limit_per_client_per_minute = 1000\nbreaker_failure_threshold = 1000\nallowed_redirect_hosts = [\"members.example\"]",
    );
    use_admin_api(&gateway);
    let replies = [
        Reply::json(200, &json!({})),
        Reply::json(200, &json!({ "redirectUrl": "https://members.example/in" })),
        Reply::json(409, &json!({ "error": "That address is taken." })),
        Reply::json(500, &json!({})),
        Reply::Stall,
        Reply::Drip,
        Reply::Truncated,
        Reply::Endless,
        Reply::Close,
        Reply::Raw("HTTP/1.1 200 OK\r\ncontent-".to_owned()),
        Reply::Raw("rubbish\r\n\r\n".to_owned()),
        // A backend that echoes secrets, which the gateway must not forward.
        Reply::json(
            200,
            &json!({ "email": EMAIL, "password": PASSWORD, "redirectUrl": format!("https://evil.example/{EMAIL}") }),
        ),
        Reply::Response(500, "text/html", format!("<p>{EMAIL} {PASSWORD} {BACKEND_KEY}")),
        Reply::Raw(format!(
            "HTTP/1.1 302 Found\r\nlocation: http://evil.example/{EMAIL}?{BACKEND_KEY}\r\ncontent-length: 0\r\n\r\n"
        )),
        Reply::Raw(format!("{EMAIL} {BACKEND_KEY}\r\n\r\n")),
    ];
    for reply in replies {
        backend.set_reply(reply);
        sign_up(&gateway);
    }
    let received = backend.received();
    assert!(!received.is_empty(), "the backend received no request");
    assert!(
        received.iter().all(|request| request.contains(BACKEND_KEY)),
        "a request without the key"
    );
    assert_no_secrets_anywhere(gateway);
}

#[test]
fn signup_leaks_no_secrets_when_limited_or_unreachable() {
    let limited = gateway(
        CLOSED_ORIGIN,
        "rate_limit_per_client_per_minute = 3\nbreaker_failure_threshold = 2",
    );
    for _ in 0..6 {
        sign_up(&limited);
    }
    assert_no_secrets_anywhere(limited);
}

#[test]
fn signup_panic_leaks_no_secrets() {
    let backend = Backend::start(Reply::json(200, &json!({})));
    let machine = FaultyMachine::new();
    let gateway = machine
        .start_with(
            &configuration(&backend.origin(), "max_concurrent = 1"),
            &VARIABLES,
        )
        .with_live_site();
    machine.break_monotonic_clock();
    for request in signup_requests() {
        let response = gateway.site.send(request);
        assert_eq!(response.status, 500, "{}", response.text());
        assert_no_secrets_in_response(&response, &SECRETS);
        gateway.request_event(&response);
    }
    assert!(backend.received().is_empty(), "the panic comes before sending");
    assert_eq!(gateway.output().matches("\"event\":\"panic\"").count(), 2);
    machine.fix_monotonic_clock();
    // The permits of the panicked requests are free again.
    sign_up(&gateway);
    assert_eq!(backend.received().len(), 2);
    assert_no_secrets_anywhere(gateway);
}

/// Kills a gateway during sign-ups with core dumps permitted, and searches what it leaves on disk.
fn assert_no_secrets_on_disk_after(signal: &str) {
    let backend = Backend::start(Reply::Stall);
    let folder = Arc::new(TempDir::new().unwrap());
    let mut gateway = Gateway::set_up_live(Setup {
        extra: &configuration(&backend.origin(), "total_timeout_ms = 60000"),
        variables: &VARIABLES,
        // The core file goes to the working directory.
        before: &format!(
            "cd '{}' && ulimit -S -c $(ulimit -H -c);",
            folder.path().display()
        ),
        folder: Some(folder),
        ..Setup::default()
    });
    allow_core_dumps(&gateway);
    let waiting = signup_requests().map(|request| {
        let mut raw = Raw::open(&gateway.site);
        assert!(raw.send(request.into_bytes(gateway.site.address())));
        raw
    });
    let mut partial = Raw::open(&gateway.site);
    let [request, _] = signup_requests();
    let message = request.into_bytes(gateway.site.address());
    assert!(partial.send(&message[..message.len() - 1]));
    backend.wait_for_requests(waiting.len());
    // A later response proves that the gateway has read the partial request.
    assert_eq!(gateway.get("/").status, 200);
    gateway.signal(signal);
    assert!(
        gateway.wait_for_exit().signal().is_some(),
        "expected a death by SIG{signal}"
    );
    drop(waiting);
    let output = gateway.output();
    assert!(output.contains("\"listening\""), "no log to search");
    assert_no_secrets("the log", output.as_bytes(), &SECRETS);
    let names = std::fs::read_dir(gateway.folder()).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert!(
        !names
            .iter()
            .any(|name| name.to_string_lossy().starts_with("core")),
        "{names:?}"
    );
    assert_no_secrets_in_folder(gateway.folder());
}

/// Removes the gateway's own core dump limit if the tests run as root: the limit is not its only protection.
fn allow_core_dumps(gateway: &Gateway) {
    let pid = gateway.pid().to_string();
    let output = Command::new("prlimit")
        .args(["--core=unlimited", "--pid", &pid])
        .output();
    drop(output);
}

#[test]
fn killed_gateway_leaves_no_secrets_on_disk() {
    assert_no_secrets_on_disk_after("KILL");
}

#[test]
fn crashed_gateway_leaves_no_secrets_on_disk() {
    for signal in ["ABRT", "TRAP"] {
        assert_no_secrets_on_disk_after(signal);
    }
}

#[test]
fn gateway_disables_core_dumps() {
    let gateway = Gateway::set_up(Setup {
        before: "ulimit -S -c $(ulimit -H -c);",
        ..Setup::default()
    });
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", gateway.pid())).unwrap();
    let limit = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max core file size"));
    let values: Vec<&str> = limit.unwrap().split_whitespace().collect();
    assert_eq!(values, ["0", "0", "bytes"]);
}

#[test]
fn secret_search_finds_every_encoding() {
    let texts = [
        EMAIL.to_owned(),
        utf8_percent_encode(PASSWORD, NON_ALPHANUMERIC).to_string(),
        json!({ "password": PASSWORD }).to_string(),
        json!({ "body": json!({ "password": PASSWORD }).to_string() }).to_string(),
        format!(
            "authorization: Basic {}",
            STANDARD_NO_PAD.encode(format!("x:{BACKEND_KEY}"))
        ),
        URL_SAFE_NO_PAD.encode(format!("..{OPERATOR_TOKEN}..")),
        EMAIL
            .bytes()
            .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}")),
    ];
    for text in texts {
        let found = std::panic::catch_unwind(|| assert_no_secrets("a test", text.as_bytes(), &SECRETS));
        assert!(found.is_err(), "{text}");
    }
}
