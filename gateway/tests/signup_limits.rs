//! How much of sign-up there may be: of one client, in all, at a time, and of a backend that is gone.

use std::cell::Cell;
use std::net::Ipv4Addr;

use serde_json::json;

use crate::support::{
    Act, Backend, CLOSED, Client, Gateway, Raw, Request, Response, Setup, attack, listening, until,
};

const PROXY: Ipv4Addr = Ipv4Addr::new(127, 0, 1, 1);

/// No limit that any test here reaches.
const MANY: &str = "attempts = 1000000\nattempts_per_client = 1000000\n";

/// The proxies that are believed.
const PROXIES: &str = "proxies = [\"127.0.1.0/24\"]";

fn table(backend: &str, keys: &str) -> String {
    format!("[signup]\nbackend = \"{backend}\"\nkey = {{ env = \"KEY\" }}\naffiliate_subid = \"tag\"\n{keys}")
}

fn gateway(backend: &str, keys: &str) -> Gateway {
    Gateway::set_up_live(Setup {
        listen: PROXIES,
        extra: &table(backend, keys),
        variables: &[("KEY", "the-key")],
        ..Setup::default()
    })
}

fn accepting() -> Backend {
    Backend::start(Act::json(200, &json!({})))
}

fn request(content_type: &str) -> Request {
    Request::new("POST", "/functions/v1/signup")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", content_type)
}

fn script() -> Request {
    let body = json!({ "email": "visitor@example.com", "password": "123456", "age": 30 });
    request("application/json").body(body.to_string())
}

fn form(client: &Client) -> Response {
    let body = "email=visitor%40example.com&password=123456&age=30";
    client.send(request("application/x-www-form-urlencoded").body(body))
}

fn sign_up(gateway: &Gateway) -> Response {
    gateway.site.send(script())
}

/// An error that stays in the dialog: it does not say that sign-up is out of reach.
fn assert_stays(answer: &Response, status: u16) {
    assert_eq!(answer.status, status, "{}", answer.text());
    assert_eq!(answer.header("cache-control"), "no-store");
    let error = answer.json();
    let words = error["error"].as_str().unwrap();
    assert!(
        words.ends_with("try again.") || words.ends_with("moment."),
        "{words}"
    );
    assert_eq!(error.as_object().unwrap().len(), 1, "{error}");
    assert!(answer.header("retry-after").parse::<u64>().unwrap() >= 1);
}

fn outcomes(gateway: &Gateway, outcome: &str) -> u64 {
    gateway.count(&format!("colonnade_signups_total{{outcome=\"{outcome}\"}}"))
}

fn is_breaker(gateway: &Gateway, state: &str) -> bool {
    gateway.count(&format!("colonnade_signup_breaker{{state=\"{state}\"}}")) == 1
}

#[test]
fn who_signs_up_too_often_is_told_to_wait_and_nobody_else_is() {
    let backend = accepting();
    let gateway = gateway(&backend.origin(), "attempts_per_client = 3\n");
    for _ in 0..3 {
        assert_eq!(sign_up(&gateway).status, 200);
    }
    attack(&gateway, || {
        for _ in 0..20 {
            let answer = sign_up(&gateway);
            assert_stays(&answer, 429);
            assert!(answer.header("retry-after").parse::<u64>().unwrap() <= 20);
        }
    });
    let other = gateway.site.coming_from(Ipv4Addr::new(127, 0, 4, 1));
    assert_eq!(other.send(script()).status, 200);
    assert_eq!(backend.received().len(), 4);
    assert_eq!(
        (outcomes(&gateway, "accepted"), outcomes(&gateway, "too_often")),
        (4, 20)
    );
}

#[test]
fn what_is_refused_anyway_counts_and_what_comes_from_elsewhere_does_not() {
    let backend = accepting();
    let gateway = gateway(&backend.origin(), "attempts_per_client = 3\n");
    attack(&gateway, || {
        for _ in 0..10 {
            let elsewhere =
                Request::new("POST", "/functions/v1/signup").header("sec-fetch-site", "cross-site");
            assert_eq!(gateway.site.send(elsewhere).status, 403);
        }
        for _ in 0..3 {
            assert_eq!(
                gateway.site.send(request("application/json").body("{}")).status,
                400
            );
        }
        assert_stays(&sign_up(&gateway), 429);
        assert_eq!(outcomes(&gateway, "cross_origin"), 10);
        assert!(backend.received().is_empty());
    });
}

#[test]
fn a_form_sent_too_often_comes_back_with_its_error_and_the_email_and_in_the_end_without() {
    let backend = accepting();
    let gateway = gateway(&backend.origin(), "attempts_per_client = 2\n");
    for _ in 0..2 {
        assert_eq!(form(&gateway.site).status, 303);
    }
    let answer = form(&gateway.site);
    assert_eq!(answer.status, 429);
    assert_eq!(answer.header("cache-control"), "no-store");
    assert!(answer.header("retry-after").parse::<u64>().unwrap() >= 1);
    let boot = answer.boot();
    assert_eq!(boot["page"]["pattern"], "/signup");
    assert_eq!(boot["form"]["email"], "visitor@example.com");
    assert_ne!(boot["form"]["unreachable"], true);
    let words = boot["form"]["error"].as_str().unwrap().to_owned();
    assert!(words.contains("Please wait"), "{words}");
    // Who goes on is not worth a page that may have to be rendered.
    attack(&gateway, || {
        for _ in 0..9 {
            form(&gateway.site);
        }
    });
    let plain = form(&gateway.site);
    assert_eq!((plain.status, plain.header("cache-control")), (429, "no-store"));
    assert!(plain.has("retry-after"));
    let text = plain.text();
    assert!(text.contains(&words) && !text.contains("id=\"boot\""), "{text}");
    assert!(!text.contains("visitor@example.com"));
}

#[test]
fn visitors_behind_a_known_proxy_are_told_apart_and_a_network_of_ipv6_is_one() {
    let backend = accepting();
    let gateway = gateway(&backend.origin(), "attempts_per_client = 1\n");
    attack(&gateway, || {
        let proxy = gateway.site.coming_from(PROXY);
        let ask = |visitor: &str| proxy.send(script().header("x-forwarded-for", visitor)).status;
        assert_eq!(
            (ask("192.0.2.1"), ask("192.0.2.1"), ask("192.0.2.2")),
            (200, 429, 200)
        );
        assert_eq!((ask("2001:db8::1"), ask("2001:db8::ffff:0:0:2")), (200, 429));
        assert_eq!(ask("2001:db8:0:1::1"), 200);
        // A stranger's word counts for nothing.
        let stranger = |visitor: &str| {
            gateway
                .site
                .send(script().header("x-forwarded-for", visitor))
                .status
        };
        assert_eq!((stranger("198.51.100.1"), stranger("198.51.100.2")), (200, 429));
    });
}

#[test]
fn all_together_sign_up_only_so_often() {
    let backend = accepting();
    let gateway = gateway(&backend.origin(), "attempts = 3\n");
    let from = |last| gateway.site.coming_from(Ipv4Addr::new(127, 0, 5, last));
    for last in 0..3 {
        assert_eq!(from(last).send(script()).status, 200);
    }
    attack(&gateway, || {
        assert_stays(&from(3).send(script()), 503);
        let page = form(&from(4));
        assert_eq!(
            (page.status, &page.boot()["form"]["email"]),
            (503, &json!("visitor@example.com"))
        );
    });
    assert_eq!(backend.received().len(), 3);
    assert_eq!(outcomes(&gateway, "crowded"), 2);
}

#[test]
fn only_so_many_wait_for_the_backend_at_a_time() {
    let backend = Backend::start(Act::Hold("{}".to_owned()));
    let gateway = gateway(&backend.origin(), "concurrent = 2\n");
    std::thread::scope(|scope| {
        let waiting: Vec<_> = (0..2).map(|_| scope.spawn(|| sign_up(&gateway).status)).collect();
        backend.wait_for_requests(2);
        attack(&gateway, || {
            for _ in 0..5 {
                assert_stays(&sign_up(&gateway), 503);
            }
        });
        backend.release();
        let answers = waiting.into_iter().map(|waiting| waiting.join().unwrap());
        assert!(answers.eq([200, 200]));
    });
    assert_eq!(sign_up(&gateway).status, 200);
    assert_eq!((backend.received().len(), outcomes(&gateway, "busy")), (3, 5));
}

#[test]
fn a_place_is_held_to_the_last_byte_of_the_backends_answer() {
    // The head of its answer comes at once, and the rest by the byte.
    let backend = Backend::start(Act::Drip);
    let keys = format!("concurrent = 1\ntotal_timeout_ms = 60000\n{MANY}");
    let gateway = gateway(&backend.origin(), &keys);
    let mut first = Raw::open(&gateway.site);
    let body = json!({ "email": "visitor@example.com", "password": "123456", "age": 30 }).to_string();
    assert!(first.say(format!(
        "POST /functions/v1/signup HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )));
    backend.wait_for_request();
    attack(&gateway, || {
        for _ in 0..50 {
            assert_stays(&sign_up(&gateway), 503);
        }
    });
    assert_eq!(backend.received().len(), 1);
}

#[test]
fn a_backend_that_fails_and_fails_is_left_alone() {
    let backend = Backend::start(Act::Close);
    let gateway = gateway(
        &backend.origin(),
        &format!("failures = 2\nrest_seconds = 3600\n{MANY}"),
    );
    assert!(is_breaker(&gateway, "closed"));
    for _ in 0..2 {
        assert_eq!(sign_up(&gateway).status, 502);
    }
    for _ in 0..20 {
        let answer = sign_up(&gateway);
        let expected = json!({ "error": "Signup failed. Please try again.", "unreachable": true });
        assert_eq!((answer.status, answer.json()), (503, expected));
        assert!(answer.header("retry-after").parse::<u64>().unwrap() > 3500);
    }
    assert_eq!(form(&gateway.site).boot()["form"]["unreachable"], true);
    // Somebody under age is still told so, and not that sign-up is out of reach.
    let young = json!({ "email": "visitor@example.com", "password": "123456", "age": 17 });
    assert_eq!(
        gateway
            .site
            .send(request("application/json").body(young.to_string()))
            .status,
        422
    );
    assert_eq!(backend.received().len(), 2);
    assert!(is_breaker(&gateway, "open") && outcomes(&gateway, "resting") == 21);
}

#[test]
fn a_refusal_in_other_words_is_an_answer_and_a_failure_in_other_words_is_none() {
    let page = |status| Act::Answer(status, "text/html", "<h1>No</h1>".to_owned());
    let backend = Backend::start(page(403));
    let keys = format!("failures = 2\nrest_seconds = 3600\n{MANY}");
    let gateway = gateway(&backend.origin(), &keys);
    for _ in 0..5 {
        assert_eq!(sign_up(&gateway).status, 502);
    }
    assert!(is_breaker(&gateway, "closed"));
    assert_eq!(backend.received().len(), 5);
    backend.now(page(500));
    for _ in 0..2 {
        assert_eq!(sign_up(&gateway).status, 502);
    }
    assert_eq!(sign_up(&gateway).status, 503);
    assert!(is_breaker(&gateway, "open"));
    assert_eq!(backend.received().len(), 7);
}

#[test]
fn an_answer_that_says_no_is_an_answer() {
    let backend = Backend::start(Act::json(500, &json!({ "error": "Not today." })));
    let gateway = gateway(&backend.origin(), &format!("failures = 2\n{MANY}"));
    for _ in 0..5 {
        assert_eq!(sign_up(&gateway).status, 500);
    }
    assert_eq!(backend.received().len(), 5);
}

#[test]
fn exactly_one_finds_out_whether_the_backend_is_back() {
    let backend = Backend::start(Act::Close);
    let keys = format!("failures = 1\nrest_seconds = 1\ntotal_timeout_ms = 30000\n{MANY}");
    let gateway = gateway(&backend.origin(), &keys);
    assert_eq!(sign_up(&gateway).status, 502);
    backend.now(Act::Hold("{}".to_owned()));
    std::thread::scope(|scope| {
        let probe = scope.spawn(|| until("the backend is back", || sign_up(&gateway).status == 200));
        backend.wait_for_requests(2);
        assert!(is_breaker(&gateway, "half_open"));
        for _ in 0..50 {
            assert_eq!(sign_up(&gateway).status, 503);
        }
        assert_eq!(backend.received().len(), 2);
        backend.release();
        probe.join().unwrap();
    });
    assert!(is_breaker(&gateway, "closed"));
    assert_eq!(sign_up(&gateway).status, 200);
}

#[test]
fn a_visitor_who_leaves_while_probing_leaves_that_to_the_next() {
    let backend = Backend::start(Act::Close);
    let keys = format!("failures = 1\nrest_seconds = 1\ntotal_timeout_ms = 600000\n{MANY}");
    let gateway = gateway(&backend.origin(), &keys);
    attack(&gateway, || {
        assert_eq!(sign_up(&gateway).status, 502);
        backend.now(Act::Stall);
        // Each leaves when the next one comes, until the rest is over and one of them is asking the backend.
        let mut probe = None;
        until("somebody asks the backend", || {
            probe = Some(probing(&gateway));
            gateway.get("/healthz");
            is_breaker(&gateway, "half_open")
        });
        backend.now(Act::json(200, &json!({})));
        drop(probe);
        until("the next one asks it", || sign_up(&gateway).status == 200);
    });
}

/// A sign-up whose answer nobody reads.
fn probing(gateway: &Gateway) -> Raw {
    let mut raw = Raw::open(&gateway.site);
    let body = json!({ "email": "visitor@example.com", "password": "123456", "age": 30 }).to_string();
    raw.say(format!(
        "POST /functions/v1/signup HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    ));
    raw
}

#[test]
fn a_backend_that_was_never_there_is_left_alone_too() {
    let gateway = gateway(CLOSED, &format!("failures = 3\nrest_seconds = 3600\n{MANY}"));
    let statuses: Vec<u16> = (0..6).map(|_| sign_up(&gateway).status).collect();
    assert_eq!(statuses, [502, 502, 502, 503, 503, 503]);
}

#[test]
fn limits_are_read_again_and_what_was_used_up_stays_so() {
    let backend = accepting();
    let gateway = gateway(&backend.origin(), "attempts_per_client = 2\n");
    let reload = |keys: &str| {
        let earlier = gateway.output().matches("\"reloaded\"").count();
        gateway.reload(&listening(PROXIES, &table(&backend.origin(), keys)));
        let seen = Cell::new(0);
        gateway.wait_for(|line| {
            seen.set(seen.get() + usize::from(line["event"] == "reloaded"));
            seen.get() > earlier
        });
    };
    assert_eq!(sign_up(&gateway).status, 200);
    assert_eq!(sign_up(&gateway).status, 200);
    assert_stays(&sign_up(&gateway), 429);
    // A whole minute's worth is used up, of whatever there is in a minute: one comes back each millisecond.
    reload("attempts_per_client = 60000\nconcurrent = 1\n");
    until("it is let through", || sign_up(&gateway).status == 200);
    backend.now(Act::Hold(json!({}).to_string()));
    let sent = backend.received().len();
    let mut held = Raw::open(&gateway.site);
    assert!(
        held.say(
            script()
                .header("connection", "close")
                .message(gateway.site.address())
        )
    );
    backend.wait_for_requests(sent + 1);
    until("nobody waits beside it", || {
        let answer = sign_up(&gateway);
        assert!(matches!(answer.status, 429 | 503), "{}", answer.status);
        answer.status == 503
    });
    backend.release();
    assert_eq!(held.answer().status, 200);
    backend.now(Act::Close);
    reload(&format!("{MANY}failures = 1\n"));
    assert_eq!(sign_up(&gateway).status, 502);
    assert_eq!(sign_up(&gateway).status, 503);
}
