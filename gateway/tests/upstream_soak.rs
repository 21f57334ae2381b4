//! Load while endpoints of an upstream are killed and restarted at random. `SOAK=1` lasts 60 s, otherwise five of them die. `UPSTREAM_SEED`
//! repeats the random choices of another run.

use std::io::{Read as _, Write as _};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use http::Response;
use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};

use crate::support::{Gateway, Received, Upstream, is_soak, upstream_table, wait_until};

const ENDPOINTS: usize = 5;

/// The endpoints that are up at any time.
const MIN_UP: usize = 2;

const VISITORS: usize = 4;

/// How long a soak run lasts.
const SOAK: Duration = Duration::from_secs(60);

/// The deaths of endpoints in other runs.
const DEATHS: usize = 5;

/// Takes several writes, so that an endpoint can die in the middle of a response.
const BODY: usize = 512 * 1024;

fn answer(_: &Received) -> Response<Vec<u8>> {
    Response::new(vec![b'x'; BODY])
}

/// Requests a URL that no other request has: those for the same URL would wait for each other. Returns whether the response is
/// complete; one that is not must have begun with 200.
fn get(gateway: &Gateway, number: usize) -> bool {
    let mut visitor = gateway.site.connect();
    write!(
        visitor,
        "GET /api/events?{number} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"
    )
    .unwrap();
    let mut received = Vec::new();
    let is_closed = visitor.read_to_end(&mut received).is_ok();
    let text = String::from_utf8_lossy(&received);
    // What was sent before a reset may be lost.
    assert!(
        text.starts_with("HTTP/1.1 200 ") || (text.is_empty() && !is_closed),
        "{text:.1000}"
    );
    text.split_once("\r\n\r\n")
        .is_some_and(|(_, body)| body.len() == BODY)
}

/// Kills and restarts endpoints, one at a time. Each change waits for requests to be served.
fn kill_and_restart(
    endpoints: &mut [(SocketAddr, Option<Upstream>)],
    random: &mut SmallRng,
    gets: &AtomicUsize,
) -> usize {
    let start = Instant::now();
    let mut deaths = 0;
    while if is_soak() {
        start.elapsed() < SOAK
    } else {
        deaths < DEATHS
    } {
        let up = endpoints
            .iter()
            .filter(|(_, upstream)| upstream.is_some())
            .count();
        let (address, upstream) = &mut endpoints[random.random_range(0..ENDPOINTS)];
        match upstream.take() {
            Some(running) if up > MIN_UP => {
                running.stop();
                deaths += 1;
            }
            Some(running) => *upstream = Some(running),
            None => *upstream = Some(Upstream::start_on(*address, answer)),
        }
        let goal = gets.load(Ordering::Relaxed) + random.random_range(1..100);
        wait_until("requests are served", || gets.load(Ordering::Relaxed) >= goal);
    }
    deaths
}

#[test]
fn no_get_fails_while_endpoints_die_at_random() {
    let seed = std::env::var("UPSTREAM_SEED").ok();
    let seed: u64 = seed
        .and_then(|seed| seed.parse().ok())
        .unwrap_or_else(rand::random);
    println!("UPSTREAM_SEED={seed}");
    let mut random = SmallRng::seed_from_u64(seed);
    // Addresses that no outgoing connection has, so that their ports stay free.
    let mut endpoints: Vec<_> = (1..=ENDPOINTS)
        .map(|n| Upstream::start_on(format!("127.0.2.{n}:0").parse().unwrap(), answer))
        .map(|upstream| (upstream.address(), Some(upstream)))
        .collect();
    let urls: Vec<String> = endpoints
        .iter()
        .map(|(address, _)| format!("http://{address}"))
        .collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let keys = "rate_limit_per_client_per_minute = 1000000";
    let gateway = Gateway::start_with(&upstream_table(&urls, keys), &[]);
    let (done, gets, cut) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    let deaths = std::thread::scope(|scope| {
        for _ in 0..VISITORS {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let number = gets.fetch_add(1, Ordering::Relaxed);
                    if !get(&gateway, number) {
                        cut.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        let deaths = kill_and_restart(&mut endpoints, &mut random, &gets);
        done.store(true, Ordering::Relaxed);
        deaths
    });
    let outcome = |outcome: &str| {
        gateway.metric(&format!(
            "colonnade_upstream_requests_total{{upstream=\"events\",outcome=\"{outcome}\"}}"
        ))
    };
    let retries = gateway.metric("colonnade_upstream_retries_total{upstream=\"events\"}");
    let (gets, cut) = (gets.into_inner(), cut.into_inner());
    println!("{gets} GETs, {deaths} deaths, {retries} retries, {cut} responses cut");
    assert!(deaths > 0 && retries > 0);
    // Only responses that had begun when their endpoint died.
    assert_eq!(outcome("broken"), u64::try_from(cut).unwrap());
    assert_eq!(outcome("2xx") + outcome("broken"), u64::try_from(gets).unwrap());
}
