//! Visitors that send requests without a pause, each of which must succeed.

use std::time::Duration;

use tokio::time::Instant;

use super::frames::{self, END_STREAM, GOAWAY, HEADERS, WINDOW_UPDATE, frame};
use super::{Client, Connection, Request};

/// Reports whether to stop sending requests.
pub(crate) type ShouldStop<'a> = &'a dyn Fn() -> bool;

/// Sends requests until told to stop, and returns the number of responses.
pub(crate) type Visitor<'a> = &'a (dyn Fn(&Client, ShouldStop<'_>) -> usize + Sync);

/// Sends each request over a new connection.
pub(crate) fn visit_with_new_connections(site: &Client, should_stop: ShouldStop<'_>) -> usize {
    let mut responses = 0;
    while !should_stop() {
        assert_eq!(site.get("/").status, 200);
        responses += 1;
    }
    responses
}

/// Reuses an HTTP/1 connection until a response announces its close.
pub(crate) fn visit_over_http1(site: &Client, should_stop: ShouldStop<'_>) -> usize {
    let mut responses = 0;
    while !should_stop() {
        let mut connection = Connection::open(site).unwrap();
        let mut last_response = Instant::now();
        loop {
            let idle = last_response.elapsed();
            let response = match connection.exchange(Request::new("GET", "/")) {
                Ok(response) => response,
                // A connection that is idle for half a second at shutdown closes without notice.
                Err(_) if idle > Duration::from_millis(500) => break,
                Err(error) => panic!("{error}"),
            };
            last_response = Instant::now();
            assert_eq!(response.status, 200);
            responses += 1;
            if response.has("connection") || should_stop() {
                break;
            }
        }
    }
    responses
}

/// Reuses an HTTP/2 connection until the gateway sends GOAWAY.
pub(crate) fn visit_over_http2(site: &Client, should_stop: ShouldStop<'_>) -> usize {
    let mut responses = 0;
    while !should_stop() {
        // Windows that are large enough for the whole test.
        let mut raw = frames::open(site, &[(4, 0x7fff_ffff)]);
        assert!(raw.send(frame(WINDOW_UPDATE, 0, 0, &[0x7f, 0, 0, 0])));
        let mut is_draining = false;
        for stream in (1..).step_by(2) {
            if is_draining || should_stop() {
                break;
            }
            let request = frames::request(stream, "/");
            assert!(raw.send(request));
            loop {
                let (kind, flags, of, payload) = frames::read(&mut raw);
                is_draining |= kind == GOAWAY;
                if kind == HEADERS {
                    assert_eq!(frames::status(&payload), "200");
                }
                if of == stream && flags & END_STREAM != 0 {
                    responses += 1;
                    break;
                }
            }
        }
    }
    responses
}
