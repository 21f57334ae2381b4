//! Stopping.

use std::fs::OpenOptions;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;

use serde_json::json;

use crate::support::{Act, Backend, Gateway, Request, Response, only, patiently};

fn ends_cleanly(mut gateway: Gateway) {
    assert_eq!(gateway.end().code(), Some(0));
    assert!(gateway.output().contains("\"event\":\"stopped\""));
}

#[test]
fn a_signal_to_stop_ends_an_idle_gateway() {
    for signal in ["TERM", "INT"] {
        let gateway = Gateway::start_live("", &[]);
        // Connections that say nothing, or have said all they had to, do not hold it up.
        let silent = gateway.site.connect();
        let mut idle = gateway.site.connect();
        write!(idle, "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
        let mut start = [0; 12];
        idle.read_exact(&mut start).unwrap();
        assert_eq!(&start, b"HTTP/1.1 200");
        gateway.signal(signal);
        ends_cleanly(gateway);
        drop(silent);
    }
}

#[test]
fn what_is_under_way_is_finished_and_nothing_new_is_taken() {
    let backend = Backend::start(Act::Hold(json!({ "redirectUrl": "/welcome" }).to_string()));
    let extra = format!(
        "[signup]\nbackend = \"{}\"\nkey = {{ env = \"KEY\" }}\naffiliate_subid = \"a\"\n",
        backend.origin()
    );
    let gateway = Gateway::start_live(&extra, &[("KEY", "k")]);
    let site = gateway.site;
    let signup = std::thread::spawn(move || {
        let body = json!({ "email": "a@b.co", "password": "123456", "age": 30 });
        let request = Request::new("POST", "/functions/v1/signup")
            .header("content-type", "application/json")
            .header("sec-fetch-site", "same-origin");
        site.send(request.body(body.to_string()))
    });
    backend.wait_for_request();
    gateway.signal("TERM");
    gateway.wait_for(|line| line["event"] == "stopping");
    wait_until_refused(&gateway);
    backend.release();
    let answer: Response = signup.join().unwrap();
    assert_eq!(
        (answer.status, answer.json()),
        (200, json!({ "redirectUrl": "/welcome" }))
    );
    ends_cleanly(gateway);
}

#[test]
fn a_store_that_hangs_does_not_hold_up_the_end() {
    let gateway = Gateway::start_live(&only("drain_ms = 400"), &[]);
    let file = gateway.store().join("releases/shell/1.0.0/client/main.js");
    std::fs::remove_file(&file).unwrap();
    assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
    let mut asking = gateway.site.connect();
    write!(
        asking,
        "GET /assets/shell/1.0.0/main.js HTTP/1.1\r\nhost: site.example\r\n\r\n"
    )
    .unwrap();
    // A pipe can be opened once somebody reads from it, which the gateway does until it is closed.
    let pipe = patiently("the gateway reads the file", move || {
        OpenOptions::new().write(true).open(file).unwrap()
    });
    gateway.signal("TERM");
    ends_cleanly(gateway);
    drop(pipe);
}

/// Connects until the listener is gone; each attempt is answered at once, one way or the other.
fn wait_until_refused(gateway: &Gateway) {
    while TcpStream::connect(gateway.site.address()).is_ok() {}
}

#[test]
fn what_is_live_is_live_again_after_a_restart() {
    let mut gateway = Gateway::start_live("", &[]);
    let before = gateway.get("/");
    gateway.signal("TERM");
    assert_eq!(gateway.end().code(), Some(0));
    let after = gateway.beside().get("/");
    assert_eq!(after.body, before.body);
    assert_eq!(after.header("etag"), before.header("etag"));
}

#[test]
fn what_is_live_survives_being_killed() {
    let mut gateway = Gateway::start_live("", &[]);
    gateway.signal("KILL");
    assert_eq!(gateway.end().code(), None);
    assert_eq!(gateway.beside().get("/").status, 200);
}
