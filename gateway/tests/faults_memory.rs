//! Memory does not grow with what was asked: a million requests with `SOAK=1`, a tenth of them otherwise.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::Ipv4Addr;

use serde_json::json;

use crate::support::frames::{self, END_HEADERS, END_STREAM, HEADERS, RST_STREAM, SETTINGS, WINDOW_UPDATE};
use crate::support::{
    Act, Backend, Client, Connection, Gateway, Heap, Release, Request, SOUND, Setup, rendered_section,
    rendering_shell, renders, resident_kib, soak, until,
};

const REQUESTS: usize = 1_000_000;

/// Requests of one connection, each with something of its own. A fifth of the connections speak HTTP/2, and a fifth post.
const BATCH: usize = 250;

/// Those that are under way at a time over HTTP/2.
const STREAMS: usize = 50;

/// Clients that ask at a time.
const CLIENTS: usize = 4;

/// The requests come in so many rounds. The first few fill whatever keeps things.
const ROUNDS: usize = 10;
const FILLING: usize = 3;

/// How much more of its heap a gateway may use in the end: which documents are kept changes a little. A table with an entry
/// for each visitor takes more, and so do 30 bytes that each request leaves.
const HEAP_SLACK_KIB: u64 = 320;

/// How much more it may have in memory in the end. This is loose, since the gaps in the heap grow and shrink; it is for what
/// the heap's own count does not see.
const RESIDENT_SLACK_KIB: u64 = 4096;

/// How much longer a path is whose document is made, so that as many documents as are kept are soon reached.
const LONG: usize = 7000;

/// The proxy in front, which names the visitor of each request. Half of the connections are made by visitors themselves.
const PROXY: &str = "127.0.0.1";

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
        let batch = start / BATCH;
        let site = if batch.is_multiple_of(2) {
            gateway.site
        } else {
            gateway.site.coming_from(address(127, batch))
        };
        match batch % 5 {
            0 => get_over_http2(&site, start),
            1 => post(&gateway.site, start),
            _ => get(&site, start),
        }
    }
}

/// An address of its own.
fn address(network: u8, number: usize) -> Ipv4Addr {
    let [_, a, b, c] = u32::try_from(number).unwrap().to_be_bytes();
    Ipv4Addr::new(network, 64 + a, b, c)
}

/// Whom the proxy asks for.
fn visitor(number: usize) -> String {
    address(10, number).to_string()
}

/// Something to get, and a header field that goes with it.
fn wanted(number: usize) -> (String, (&'static str, String)) {
    let nothing = ("x-visitor", number.to_string());
    match number % 14 {
        0 | 7 => (format!("/?visit={number}"), nothing),
        1 | 8 => (
            format!("/state/{}", number % 50),
            ("accept-encoding", "br".to_owned()),
        ),
        2 | 9 => (format!("/_csp?{number}"), nothing),
        3 | 10 => (
            format!("/assets/shell/1.0.0/main.js?{number}"),
            ("if-none-match", format!("\"{number}\"")),
        ),
        4 | 11 => (format!("/_page/1?path=/state/{number}"), nothing),
        5 | 12 => (format!("/nowhere/{number}"), nothing),
        6 => (format!("/robots.txt?{number}"), nothing),
        // Pages that were never asked for: their documents are made, and kept for a while; one in eight is rendered.
        _ if (number / 14).is_multiple_of(8) => (format!("/sound/{number}-{}", "x".repeat(LONG)), nothing),
        _ => (format!("/state/{number}-{}", "x".repeat(LONG)), nothing),
    }
}

fn get(site: &Client, start: usize) {
    let mut requests = String::new();
    for number in start..start + BATCH {
        let (target, (name, value)) = wanted(number);
        let visitor = visitor(number);
        let end = if number == start + BATCH - 1 {
            "connection: close\r\n"
        } else {
            ""
        };
        write!(
            requests,
            "GET {target} HTTP/1.1\r\nhost: site.example\r\nx-forwarded-for: {visitor}\r\n{name}: {value}\r\n{end}\r\n"
        )
        .unwrap();
    }
    let mut stream = site.connect();
    let mut writer = stream.try_clone().unwrap();
    let writing = std::thread::spawn(move || writer.write_all(requests.as_bytes()));
    let mut answers = Vec::new();
    stream.read_to_end(&mut answers).unwrap();
    writing.join().unwrap().unwrap();
    // Far quicker than looking for it byte by byte, without optimisation.
    let answers = String::from_utf8_lossy(&answers);
    let expected = ["200", "304", "404", "405"];
    let answered = expected.map(|status| answers.matches(&format!("HTTP/1.1 {status} ")).count());
    assert_eq!(answered.iter().sum::<usize>(), BATCH, "{answered:?}");
}

fn get_over_http2(site: &Client, start: usize) {
    let largest = 0x7fff_ffff_u32;
    let mut raw = frames::open(site, &[(4, largest)]);
    let more = largest - 65_535;
    assert!(raw.say(frames::frame(WINDOW_UPDATE, 0, 0, &more.to_be_bytes())));
    let mut stream = 1;
    for first in (start..start + BATCH).step_by(STREAMS) {
        let mut requests = Vec::new();
        for number in first..first + STREAMS {
            let (target, (name, value)) = wanted(number);
            let mut block = frames::get(&target);
            block.extend(frames::block(&[
                (name, &value),
                ("x-forwarded-for", &visitor(number)),
            ]));
            requests.extend(frames::frame(HEADERS, END_STREAM | END_HEADERS, stream, &block));
            stream += 2;
        }
        assert!(raw.say(requests));
        let mut answered = 0;
        while answered < STREAMS {
            let (kind, flags, id, _) = frames::read(&mut raw);
            assert!(
                kind != RST_STREAM && (id > 0 || kind == SETTINGS || kind == WINDOW_UPDATE),
                "{kind}"
            );
            answered += usize::from(id > 0 && flags & END_STREAM != 0);
        }
    }
}

/// Sign-ups that are forwarded, refused or too many, by scripts and by forms, and reports of every kind.
fn post(site: &Client, start: usize) {
    let mut connection = Connection::open(site).unwrap();
    for number in start..start + BATCH {
        // Who is old enough is forwarded, within what is let through in a minute.
        let age = if number.is_multiple_of(8) { 30 } else { 17 };
        let wish = json!({ "email": format!("{number}@visitor.example"), "password": "123456", "age": age });
        let failure = json!({
            "deployment": 1, "release": "directory@1.0.0", "phase": "load", "error": format!("Error{number}"),
        });
        let violation = json!({ "csp-report": { "effective-directive": format!("directive-{number}") } });
        let (target, content_type, body) = match number % 4 {
            0 => ("/functions/v1/signup", "application/json", wish.to_string()),
            1 => (
                "/functions/v1/signup",
                "application/x-www-form-urlencoded",
                format!("email={number}%40visitor.example&password=1"),
            ),
            2 => ("/_report", "application/json", failure.to_string()),
            _ => ("/_csp", "application/csp-report", violation.to_string()),
        };
        let request = Request::new("POST", target)
            .header("sec-fetch-site", "same-origin")
            .header("x-forwarded-for", &visitor(number))
            .header("content-type", content_type)
            .body(body);
        let answer = connection.exchange(request).unwrap();
        assert!(answer.status < 500 || answer.status == 503, "{}", answer.status);
        if answer.all("connection").contains(&"close") {
            connection = Connection::open(site).unwrap();
        }
    }
}

/// A gateway whose pages at `/sound/:x` are rendered, and of which few are kept.
fn gateway(backend: &Backend, heap: &Heap) -> Gateway {
    let [preload, count] = heap.variables();
    let gateway = Gateway::set_up(Setup {
        listen: &format!("proxies = [\"{PROXY}\"]"),
        extra: &format!(
            "[assets]\ncache_mib = 64\n\
             [render]\ncache_mib = 1\ncpu_ms = 5000\ndeadline_ms = 20000\nfailures = 1000\n\
             [signup]\nbackend = \"{}\"\nkey = {{ env = \"KEY\" }}\naffiliate_subid = \"tag\"\n",
            backend.origin()
        ),
        variables: &[
            ("KEY", "the-key"),
            // With one heap for each thread, what lies between the pieces that are given back grows for a long time.
            ("MALLOC_ARENA_MAX", "1"),
            (preload.0, &preload.1),
            (count.0, &count.1),
        ],
        ..Setup::default()
    });
    gateway.publish(&rendering_shell("1.0.0"));
    gateway.publish(&Release::section(
        "directory",
        "1.0.0",
        &["/", "/state/:state", "/signup"],
    ));
    gateway.publish(&rendered_section("sound", "1.0.0", "/sound/:x", SOUND));
    gateway.deploy(&json!({ "shell": "1.0.0", "directory": "1.0.0", "sound": "1.0.0" }));
    gateway
}

/// How much there is in memory, in KiB.
#[derive(Debug)]
struct Memory {
    heap: u64,
    resident: u64,
}

impl Memory {
    /// Once nobody is connected to the site any more.
    fn of(gateway: &Gateway, heap: &Heap) -> Self {
        until("all have left", || {
            gateway.count("colonnade_connections_open{listener=\"site\"}") == 0
        });
        Self {
            heap: heap.kib(),
            resident: resident_kib(gateway.pid()),
        }
    }
}

#[test]
fn memory_stays_flat_over_many_requests() {
    let backend = Backend::start(Act::json(200, &json!({})));
    let heap = Heap::new();
    let gateway = gateway(&backend, &heap);
    let share = soak(REQUESTS) / ROUNDS;
    let mut rendered = Vec::new();
    let memory: Vec<Memory> = (0..ROUNDS)
        .map(|round| {
            ask(&gateway, round * share, share);
            rendered.push(renders(&gateway, "sound", "rendered"));
            Memory::of(&gateway, &heap)
        })
        .collect();
    assert!(!backend.received().is_empty());
    assert!(rendered[FILLING] < rendered[ROUNDS - 1], "{rendered:?}");
    // What is above all that there was before has grown, if it stays: the system takes back memory as it pleases, and what
    // is given back a moment later counts for nothing.
    let grown = |of: fn(&Memory) -> u64| {
        let before = memory[FILLING..FILLING + 2].iter().map(of).max();
        let after = memory[ROUNDS - 3..].iter().map(of).min();
        after.unwrap().saturating_sub(before.unwrap())
    };
    let (in_use, resident) = (grown(|memory| memory.heap), grown(|memory| memory.resident));
    assert!(in_use <= HEAP_SLACK_KIB, "{in_use} KiB in use: {memory:?}");
    assert!(resident <= RESIDENT_SLACK_KIB, "{resident} KiB: {memory:?}");
}
