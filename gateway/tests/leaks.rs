//! What a visitor types, the backend's key and operators' tokens stand nowhere but where they belong.
//!
//! Sign-ups with marked fields go through everything that can become of one. Then whatever the gateway wrote or told
//! anybody is searched for the marks, as they are and in each of the ways in which text is usually written down.

use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;
use tempfile::TempDir;

use crate::support::marks::{
    EMAIL, KEY, OPERATOR, PASSWORD, SECRETS, VARIABLES, assert_answer_is_clean, assert_clean,
    assert_folder_is_clean, configuration, operate, sign_ups,
};
use crate::support::{Act, Backend, CLOSED, Gateway, Machine, Raw, Setup};

/// A gateway that soon gives up on its backend.
fn gateway(backend: &str, keys: &str) -> Gateway {
    let keys = format!("total_timeout_ms = 200\n{keys}");
    Gateway::start_live(&configuration(backend, &keys), &VARIABLES)
}

/// Signs up by a script and by a form. A page shows the e-mail again to whoever typed it, and nothing else is shown.
fn sign_up(gateway: &Gateway) {
    let [script, form] = sign_ups();
    assert_answer_is_clean(&gateway.site.send(script), &SECRETS);
    assert_answer_is_clean(&gateway.site.send(form), &[PASSWORD, KEY, OPERATOR]);
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
fn nothing_leaks_where_a_sign_up_panics_while_it_is_sent() {
    let backend = Backend::start(Act::json(200, &json!({})));
    let machine = Machine::new();
    let gateway = machine
        .start_with(&configuration(&backend.origin(), "concurrent = 1"), &VARIABLES)
        .made_live();
    machine.stop_time();
    for request in sign_ups() {
        let answer = gateway.site.send(request);
        assert_eq!(answer.status, 500, "{}", answer.text());
        assert_answer_is_clean(&answer, &SECRETS);
        gateway.event_of(&answer);
    }
    assert!(backend.received().is_empty(), "it is before anything is sent");
    assert_eq!(gateway.output().matches("\"event\":\"panic\"").count(), 2);
    machine.start_time();
    // Nothing is held by those who are gone.
    sign_up(&gateway);
    assert_eq!(backend.received().len(), 2);
    search(gateway);
}

/// Kills a gateway in the middle of sign-ups, allowed to leave all of its memory behind, and searches what it did leave.
fn nothing_is_left_by(signal: &str) {
    let backend = Backend::start(Act::Stall);
    let folder = Arc::new(TempDir::new().unwrap());
    let mut gateway = Gateway::set_up_live(Setup {
        extra: &configuration(&backend.origin(), "total_timeout_ms = 60000"),
        variables: &VARIABLES,
        // A core file is written where the process works.
        before: &format!(
            "cd '{}' && ulimit -S -c $(ulimit -H -c);",
            folder.path().display()
        ),
        folder: Some(folder),
        ..Setup::default()
    });
    lift_limit(&gateway);
    let waiting = sign_ups().map(|request| {
        let mut raw = Raw::open(&gateway.site);
        assert!(raw.say(request.message(gateway.site.address())));
        raw
    });
    let mut half = Raw::open(&gateway.site);
    let [request, _] = sign_ups();
    let message = request.message(gateway.site.address());
    assert!(half.say(&message[..message.len() - 1]));
    backend.wait_for_requests(waiting.len());
    // The half one has been read, too, by the time another is answered.
    assert_eq!(gateway.get("/").status, 200);
    gateway.signal(signal);
    assert!(gateway.end().signal().is_some(), "it is killed by SIG{signal}");
    drop(waiting);
    let output = gateway.output();
    assert!(output.contains("\"listening\""), "there is a log to be searched");
    assert_clean("the log", output.as_bytes(), &SECRETS);
    let names = std::fs::read_dir(gateway.folder()).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert!(
        !names
            .iter()
            .any(|name| name.to_string_lossy().starts_with("core")),
        "{names:?}"
    );
    assert_folder_is_clean(gateway.folder());
}

/// Takes back, where these tests run as the administrator, the limit on core dumps that the gateway has set itself: it
/// does not hang on that alone.
fn lift_limit(gateway: &Gateway) {
    let pid = gateway.pid().to_string();
    let lifted = Command::new("prlimit")
        .args(["--core=unlimited", "--pid", &pid])
        .output();
    drop(lifted);
}

#[test]
fn a_gateway_that_is_killed_in_the_middle_of_a_sign_up_leaves_nothing_of_it() {
    nothing_is_left_by("KILL");
}

#[test]
fn a_gateway_that_crashes_in_the_middle_of_a_sign_up_leaves_nothing_of_it() {
    for signal in ["ABRT", "QUIT"] {
        nothing_is_left_by(signal);
    }
}

#[test]
fn the_gateway_gives_up_core_dumps_by_itself() {
    let gateway = Gateway::set_up(Setup {
        before: "ulimit -S -c $(ulimit -H -c);",
        ..Setup::default()
    });
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", gateway.pid())).unwrap();
    let limit = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max core file size"));
    let words: Vec<&str> = limit.unwrap().split_whitespace().collect();
    assert_eq!(words, ["0", "0", "bytes"]);
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
