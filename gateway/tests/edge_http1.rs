//! HTTP/1 requests that are too much, or that two readers would read in two ways.

use serde_json::json;

use crate::support::{Act, Backend, Gateway, Raw, attack, only, until};

/// A request for this path that must never be answered: it stands where a second request would be smuggled in.
const SMUGGLED: &str = "GET /smuggled HTTP/1.1\r\nhost: site.example\r\n\r\n";

#[test]
fn what_could_be_read_in_two_ways_is_refused_and_nothing_behind_it_is_answered() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        for fields in [
            // CL.TE and TE.CL
            "content-length: 4\r\ntransfer-encoding: chunked\r\n",
            "transfer-encoding: chunked\r\ncontent-length: 4\r\n",
            // TE.TE
            "transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n",
            "transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n",
            "transfer-encoding: identity, chunked\r\n",
            "transfer-encoding: xchunked\r\n",
            "transfer-encoding : chunked\r\n",
            "transfer-encoding:\x0bchunked\r\n",
            "x: y\r\n transfer-encoding: chunked\r\n",
            "transfer-encoding\r\n: chunked\r\n",
            // Two lengths, or none
            "content-length: 4\r\ncontent-length: 5\r\n",
            "content-length: 4\r\ncontent-length: 4\r\n",
            "content-length: 4, 4\r\n",
            "content-length: +4\r\n",
            "content-length: 0x4\r\n",
            "content-length: -4\r\n",
            "content-length: 18446744073709551620\r\n",
            // Lines that end in their own way
            "x: y\n",
            "x: y\ncontent-length: 4\r\n",
            "x: y\rcontent-length: 4\r\n",
            "x: y\0z\r\n",
            "\x0b: y\r\n",
            ": y\r\n",
        ] {
            let mut raw = Raw::open(&gateway.site);
            raw.say(format!(
                "POST /functions/v1/signup HTTP/1.1\r\nhost: site.example\r\n{fields}\r\n0\r\n\r\n{SMUGGLED}"
            ));
            refused_once(raw, fields);
        }
        for head in [
            "GET / HTTP/1.1\nhost: site.example\n\n",
            "GET / HTTP/1.1\r\nhost: site.example\r\n\n",
            "\nGET / HTTP/1.1\r\nhost: site.example\r\n\r\n",
            "POST / HTTP/1.0\r\nhost: site.example\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        ] {
            let mut raw = Raw::open(&gateway.site);
            raw.say(format!("{head}{SMUGGLED}"));
            refused_once(raw, head);
        }
    });
    assert!(!gateway.output().contains("panic"));
}

/// There is one answer, 400, and the connection ends.
fn refused_once(raw: Raw, what: &str) {
    let said = String::from_utf8(raw.until_closed()).unwrap();
    assert!(said.starts_with("HTTP/1.1 400 "), "{what:?}: {said:?}");
    assert_eq!(said.matches("HTTP/1.1 ").count(), 1, "{what:?}: {said:?}");
}

#[test]
fn a_head_is_refused_in_pieces_as_it_is_whole() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        let raw = Raw::open(&gateway.site);
        let said = raw.drip_until_closed(*b"GET / HTTP/1.1\r\nhost: site.example\nx: y\r\n\r\n");
        assert!(said.starts_with(b"HTTP/1.1 400 "), "{said:?}");
    });
}

#[test]
fn chunks_that_are_none_end_the_connection() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        for body in [
            "x\r\n",
            "1\na\r\n0\r\n\r\n",
            "1\r\nab\r\n0\r\n\r\n",
            "0\r\n\n",
            "fffffffffffffffff\r\n",
            "-1\r\n",
            // A size of which some read only the beginning.
            &format!("{}2\r\nab\r\n0\r\n\r\n", "0".repeat(300)),
        ] {
            let mut raw = Raw::open(&gateway.site);
            raw.say(format!(
                "POST /functions/v1/signup HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
                 content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n{body}{SMUGGLED}"
            ));
            let said = String::from_utf8(raw.until_closed()).unwrap();
            assert!(
                said.matches("HTTP/1.1 ").count() <= 1 && !said.contains("200 OK"),
                "{body:?}: {said:?}"
            );
        }
    });
}

#[test]
fn requests_in_a_row_are_each_answered_also_behind_bodies() {
    let gateway = Gateway::start_live("", &[]);
    let mut raw = Raw::open(&gateway.site);
    let post = "POST /nowhere HTTP/1.1\r\nhost: site.example\r\n";
    assert!(raw.say(format!(
        "{post}content-length: 4\r\n\r\na\nb\n{post}transfer-encoding: chunked\r\n\r\n2\r\n\n\n\r\n0\r\nx: y\r\n\r\n\
         GET /healthz HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\n\r\n"
    )));
    let said = String::from_utf8(raw.until_closed()).unwrap();
    assert_eq!(said.matches("HTTP/1.1 405 ").count(), 2, "{said}");
    assert!(said.ends_with("ok\n"), "{said}");
}

/// What no request can follow, in a head or in a body.
const BROKEN: [&str; 4] = [
    "what is this\r\n\r\n",
    "GET / HTTP/1.1\r\nhost: site.example\nx: y\r\n\r\n",
    "POST /nowhere HTTP/1.1\r\nhost: site.example\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
    "POST /functions/v1/signup HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
     content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nx\r\n",
];

/// Fails unless there are these answers, at most one refusal behind them, and none to [`SMUGGLED`].
fn answered(said: Vec<u8>, expected: &[&str], what: &str) {
    let said = String::from_utf8(said).unwrap();
    let statuses: Vec<&str> = said
        .split("HTTP/1.1 ")
        .skip(1)
        .map(|answer| &answer[..3])
        .collect();
    assert!(statuses.starts_with(expected), "{what:?}: {said:?}");
    let behind = &statuses[expected.len()..];
    assert!(matches!(behind, [] | ["400" | "405"]), "{what:?}: {said:?}");
}

#[test]
fn what_was_asked_before_a_broken_request_is_answered() {
    let gateway = Gateway::start_live("", &[]);
    let sound = "GET /healthz HTTP/1.1\r\nhost: site.example\r\n\r\n\
                 POST /nowhere HTTP/1.1\r\nhost: site.example\r\ntransfer-encoding: chunked\r\n\r\n\
                 2\r\nab\r\n0\r\n\r\n\
                 GET /state/Ohio HTTP/1.1\r\nhost: site.example\r\n\r\n";
    attack(&gateway, || {
        for broken in BROKEN {
            let mut raw = Raw::open(&gateway.site);
            assert!(raw.say(format!("{sound}{broken}{SMUGGLED}")));
            answered(raw.until_closed(), &["200", "405", "200"], broken);
        }
    });
}

#[test]
fn what_is_being_answered_when_a_broken_request_comes_is_answered() {
    let backend = Backend::start(Act::Hold("{}".to_owned()));
    let signup = format!(
        "[signup]\nbackend = \"{}\"\nkey = {{ env = \"KEY\" }}\naffiliate_subid = \"tag\"\n",
        backend.origin()
    );
    let gateway = Gateway::start_live(&signup, &[("KEY", "the-key")]);
    let wish = json!({ "email": "visitor@example.com", "password": "123456", "age": 30 }).to_string();
    attack(&gateway, || {
        let asked: Vec<_> = BROKEN
            .iter()
            .enumerate()
            .map(|(number, broken)| {
                let mut raw = Raw::open(&gateway.site);
                assert!(raw.say(format!(
                    "POST /functions/v1/signup HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
                     content-type: application/json\r\ncontent-length: {}\r\n\r\n{wish}",
                    wish.len()
                )));
                backend.wait_for_requests(number + 1);
                assert!(raw.say(format!("{broken}{SMUGGLED}")));
                (raw, broken)
            })
            .collect();
        // By the time somebody else is answered the gateway has, as a rule, seen what came before.
        gateway.get("/healthz");
        backend.release();
        for (raw, broken) in asked {
            answered(raw.until_closed(), &["200"], broken);
        }
    });
}

#[test]
fn a_hundred_fields_are_taken_unless_an_operator_says_otherwise() {
    let gateway = Gateway::start_live("", &[]);
    for (others, status) in [(98, "200"), (99, "431")] {
        let mut raw = Raw::open(&gateway.site);
        let others = "x: y\r\n".repeat(others);
        raw.say(format!(
            "GET / HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\n{others}\r\n"
        ));
        answered(raw.until_closed(), &[status], "fields");
    }
}

#[test]
fn heads_that_are_too_much_are_refused() {
    let gateway = Gateway::start_live("[limits]\nhead_kib = 8\nheaders = 20\n", &[]);
    let start = "GET / HTTP/1.1\r\nhost: site.example\r\n";
    attack(&gateway, || {
        for fields in [
            format!("x: {}\r\n", "a".repeat(9000)),
            format!("{}: x\r\n", "a".repeat(9000)),
            "x: y\r\n".repeat(20),
            "x: y\r\n".repeat(100_000),
        ] {
            let mut raw = Raw::open(&gateway.site);
            assert!(raw.say(format!("{start}{fields}\r\n")), "it is read to its end");
            answered(raw.until_closed(), &["431"], &fields[..10]);
        }
        // One that never ends.
        let mut raw = Raw::open(&gateway.site);
        raw.say(start);
        raw.say_until_closed("x: y\r\n".repeat(1000));
        // As much as may be is answered.
        let mut raw = Raw::open(&gateway.site);
        raw.say(format!(
            "{start}connection: close\r\n{}x: {}\r\n\r\n",
            "x: y\r\n".repeat(17),
            "a".repeat(7000)
        ));
        assert_eq!(raw.answer().status, 200);
    });
}

/// What is not answered for what it is, with the answer that it has.
const REFUSED: [(&str, &str); 4] = [
    (
        "POST /_report HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
         content-type: application/json\r\ncontent-length: 1000000\r\n\r\n",
        "413",
    ),
    ("GET / HTTP/1.1\r\nhost: site.example\r\nx: ", "431"),
    ("what is this\r\n\r\n", "400"),
    ("\nGET / HTTP/1.1\r\nhost: site.example\r\n\r\n", "400"),
];

#[test]
fn an_answer_arrives_whole_although_its_client_goes_on_to_send() {
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        for (start, status) in REFUSED {
            let mut raw = Raw::open(&gateway.site);
            assert!(
                raw.say([start, &"a".repeat(1_000_000)].concat()),
                "it is read to its end"
            );
            answered(raw.until_heard_out(), &[status], start);
        }
        // So does the last one that was asked for, whatever is asked for behind it.
        let mut raw = Raw::open(&gateway.site);
        let last = "GET /healthz HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\n\r\n";
        assert!(raw.say([last, &SMUGGLED.repeat(20_000)].concat()));
        answered(raw.until_heard_out(), &["200"], "requests behind the last one");
    });
}

#[test]
fn who_sends_without_end_behind_an_answer_is_listened_to_no_more() {
    let gateway = Gateway::start_live(&only(""), &[]);
    let open = "colonnade_connections_open{listener=\"site\"}";
    attack(&gateway, || {
        let all = REFUSED.map(|(start, _)| {
            let mut raw = Raw::open(&gateway.site);
            assert!(raw.say(start));
            raw
        });
        for mut raw in all {
            until("it is listened to no more", || !raw.say([b'a'; 1000]));
        }
        // However much comes.
        let mut raw = Raw::open(&gateway.site);
        assert!(raw.say(REFUSED[0].0));
        raw.say_until_closed([b'a'; 10_000]);
        // None has a place besides the visitor.
        until("there is room again", || gateway.count(open) <= 1);
    });
}
