//! Memory does not grow with what was asked: a million requests with `SOAK=1`, a tenth of them otherwise.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};

use crate::support::{Gateway, least_growth_kib, soak};

const REQUESTS: usize = 1_000_000;

/// Requests that are sent at once, each with something of its own.
const BATCH: usize = 250;

/// Clients that ask at a time.
const CLIENTS: usize = 4;

/// What a fifth of the requests may be found to have grown: some of them have a document made for them, which is kept.
const SLACK_KIB: u64 = 1024;

/// Asks for so many things, no two of them the same.
fn ask(gateway: &Gateway, from: usize, count: usize) {
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let share = count / CLIENTS;
            scope.spawn(move || ask_alone(gateway, from + client * share, share));
        }
    });
}

fn ask_alone(gateway: &Gateway, from: usize, count: usize) {
    for start in (from..from + count).step_by(BATCH) {
        let mut requests = String::new();
        for number in start..start + BATCH {
            let (target, headers) = match number % 5 {
                // One in a thousand has a document made for it.
                0 if number % 1000 == 0 => (format!("/nowhere/{number}"), String::new()),
                0 => (format!("/?visit={number}"), String::new()),
                1 => (
                    format!("/state/{}", number % 50),
                    "accept-encoding: br\r\n".to_owned(),
                ),
                2 => (format!("/_csp?{number}"), String::new()),
                3 => (
                    format!("/assets/shell/1.0.0/main.js?{number}"),
                    format!("if-none-match: \"{number}\"\r\n"),
                ),
                _ => (
                    format!("/_page/1?path=/state/{number}"),
                    format!("x-visitor: {number}\r\n"),
                ),
            };
            let end = if number == start + BATCH - 1 {
                "connection: close\r\n"
            } else {
                ""
            };
            write!(
                requests,
                "GET {target} HTTP/1.1\r\nhost: site.example\r\n{headers}{end}\r\n"
            )
            .unwrap();
        }
        let mut stream = gateway.site.connect();
        let mut writer = stream.try_clone().unwrap();
        let writing = std::thread::spawn(move || writer.write_all(requests.as_bytes()));
        let mut answers = Vec::new();
        stream.read_to_end(&mut answers).unwrap();
        writing.join().unwrap().unwrap();
        // Far quicker than looking for it byte by byte, without optimisation.
        let answered = String::from_utf8_lossy(&answers).matches("HTTP/1.1 ").count();
        assert_eq!(answered, BATCH);
    }
}

#[test]
fn memory_stays_flat_over_many_requests() {
    let gateway = Gateway::start_live("", &[]);
    let count = soak(REQUESTS);
    // Whatever is kept is kept after the first of them.
    let share = count / 5;
    ask(&gateway, 0, share);
    let grown = least_growth_kib(gateway.pid(), |number| ask(&gateway, (number + 1) * share, share));
    assert!(grown <= SLACK_KIB, "{grown} KiB");
}
