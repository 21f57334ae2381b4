//! A few clients that together take all there is: who holds least is still served.

use std::io::Write as _;
use std::net::{Ipv4Addr, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::park_timeout;
use std::time::Duration;

use crate::support::frames::{self, DATA, END_HEADERS, END_STREAM, HEADERS, WINDOW_UPDATE, frame};
use crate::support::{Act, Backend, Client, Gateway, Raw, Release, attack};

/// `SETTINGS_INITIAL_WINDOW_SIZE`
const WINDOW: u16 = 4;

const LENGTH: u32 = 200_000;
const TARGET: &str = "/assets/large/1.0.0/large.bin";

/// Four clients can hold all the requests that there may be.
const LIMITS: &str = "[limits]\nrequests = 16\nrequests_per_client = 4\n";

fn gateway() -> Gateway {
    gateway_with(LIMITS)
}

fn gateway_with(extra: &str) -> Gateway {
    let gateway = Gateway::start_live(extra, &[("KEY", "the-key")]);
    let release = Release::section("large", "1.0.0", &["/large"]);
    let bytes = vec![0; LENGTH as usize];
    gateway.publish(&release.bytes("client/large.bin", "application/octet-stream", bytes));
    gateway.deploy(&serde_json::json!({ "large": "1.0.0" }));
    gateway
}

fn from(last: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 0, last)
}

/// A connection that asks so many times for a file, of which it lets a byte come.
fn asking(client: &Client, times: u32) -> Raw {
    let mut raw = frames::open(client, &[(WINDOW, 1)]);
    for number in 0..times {
        raw.say(frame(
            HEADERS,
            END_STREAM | END_HEADERS,
            2 * number + 1,
            &frames::get(TARGET),
        ));
    }
    raw
}

/// The same, once a byte of each answer has come.
fn begun(client: &Client, times: u32) -> Raw {
    let mut raw = asking(client, times);
    for _ in 0..times {
        let (_, flags, _, payload) = frames::read_until(&mut raw, DATA);
        assert_eq!((flags & END_STREAM, payload.len()), (0, 1));
    }
    raw
}

/// Holds as much as a client may until it is over, and takes it again whenever it is lost, and now and then besides: what was
/// refused while the seats of before were on their way back holds nothing.
fn hold(client: Client, over: &AtomicBool) {
    while !over.load(Ordering::Relaxed) {
        let mut raw = asking(&client, 4);
        // By the byte, as if the client were only slow.
        for _ in 0..40 {
            if over.load(Ordering::Relaxed) || !raw.say(frame(WINDOW_UPDATE, 0, 1, &[0, 0, 0, 1])) {
                break;
            }
            park_timeout(Duration::from_millis(5));
        }
    }
}

/// Has four clients hold all they can while another one asks again and again, until some of what they held was taken away.
fn crowded(gateway: &Gateway) {
    let other = gateway.site.coming_from(from(15));
    let over = AtomicBool::new(false);
    let times = std::thread::scope(|scope| {
        for last in 11..=14 {
            let client = gateway.site.coming_from(from(last));
            let over = &over;
            scope.spawn(move || hold(client, over));
        }
        // The others go home even if something is wrong.
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            (0..10_000).find(|times| {
                assert_eq!(other.get("/").status, 200);
                times % 20 == 19 && *times >= 79 && gateway.ended("displaced") >= 5
            })
        }));
        over.store(true, Ordering::Relaxed);
        outcome
    });
    let times = times.unwrap_or_else(|panic| resume_unwind(panic));
    assert!(times.is_some(), "nobody is displaced");
}

#[test]
fn a_few_clients_that_take_all_seats_by_the_byte_keep_nobody_out() {
    let gateway = gateway();
    attack(&gateway, || crowded(&gateway));
}

#[test]
fn who_holds_no_more_than_a_fair_share_loses_nothing() {
    let gateway = gateway();
    let innocent = begun(&gateway.site.coming_from(from(20)), 2);
    attack(&gateway, || crowded(&gateway));
    assert_whole(innocent);
}

/// Fails unless the rest of two answers that have [`begun`] comes as soon as it is taken.
fn assert_whole(mut two: Raw) {
    let window = LENGTH.to_be_bytes();
    for stream in [0, 1, 0, 3] {
        assert!(two.say(frame(WINDOW_UPDATE, 0, stream, &window)));
    }
    let mut left = 2 * (LENGTH as usize - 1);
    while left > 0 {
        left -= frames::read_until(&mut two, DATA).3.len();
    }
}

#[test]
fn who_holds_no_more_than_a_fair_share_loses_nothing_where_others_cannot_give_way() {
    let backend = Backend::start(Act::Hold("{}".to_owned()));
    let gateway = gateway_with(&format!(
        "[limits]\nrequests = 6\n[signup]\nbackend = \"{}\"\nkey = {{ env = \"KEY\" }}\naffiliate_subid = \"tag\"\n",
        backend.origin()
    ));
    let innocent = begun(&gateway.site.coming_from(from(20)), 2);
    // These wait for the backend, not for their client.
    let body = "email=visitor%40example.com&password=123456&age=30";
    let _others = [(); 4].map(|()| {
        let mut raw = Raw::open(&gateway.site.coming_from(from(21)));
        assert!(raw.say(format!(
            "POST /functions/v1/signup HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
             content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )));
        raw
    });
    backend.wait_for_requests(4);
    assert_eq!(gateway.get("/").status, 503);
    backend.release();
    assert_whole(innocent);
    assert_eq!(gateway.ended("displaced"), 0);
}

/// A request that is under way until its body comes.
fn sending(client: &Client) -> TcpStream {
    let mut stream = client.connect();
    write!(
        stream,
        "POST /_report HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
         content-type: application/json\r\ncontent-length: 500\r\n\r\n{{"
    )
    .unwrap();
    stream
}

/// The same in frames, on a connection that has sent so many.
fn send_framed(raw: &mut Raw, number: u32) {
    let head = frames::post_report();
    raw.say(frame(HEADERS, END_HEADERS, 2 * number + 1, &head));
}

#[test]
fn bodies_that_come_by_the_byte_keep_nobody_out_either() {
    for in_frames in [false, true] {
        let gateway = gateway();
        attack(&gateway, || {
            let mut clients = [11, 12, 13, 14].map(|last| {
                let client = gateway.site.coming_from(from(last));
                (client, in_frames.then(|| frames::open(&client, &[])))
            });
            let mut bodies = Vec::new();
            // More than they may have: a visitor may have a seat that one of them was to take.
            for number in 0.. {
                for (client, framed) in &mut clients {
                    match framed {
                        Some(raw) => send_framed(raw, number),
                        None => bodies.push(sending(client)),
                    }
                }
                if gateway.ended("displaced") > 0 {
                    return;
                }
                assert!(number < 100_000, "nobody is displaced");
            }
        });
    }
}
