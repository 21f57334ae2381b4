//! Raw connections, and a visitor whose requests must succeed during an attack.

use std::cell::Cell;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::client::is_timeout;
use super::{Certificate, Client, Gateway, Request, Response, is_rendered};
use crate::edge_guide::requires_visitor;

/// The client address of the ordinary visitor during an attack.
pub(crate) const VISITOR: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 99);

/// An asset of every test shell: see [`super::Release::shell`].
const ASSET: &str = "/assets/shell/1.0.0/main.js";

/// The pause between two pieces of a slow transfer.
const SLOW_INTERVAL: Duration = Duration::from_millis(20);

/// The pause between two visits. Without it the visitor competes for the CPU with the attack and with parallel tests.
const VISIT_INTERVAL: Duration = Duration::from_millis(40);

/// The request timeout of the ordinary visitor. The gateway responds in milliseconds; the rest allows for a busy machine.
const VISITOR_TIMEOUT: Duration = Duration::from_secs(10);

thread_local! {
    /// Whether a visitor has read the site during the current test. Every test runs in its own thread.
    static HAS_VISITOR: Cell<bool> = const { Cell::new(false) };
}

/// The body of a valid sign-up.
pub(crate) const SIGN_UP: &str = r#"{"email":"visitor@example.com","password":"123456","age":30}"#;

/// A TCP connection that sends arbitrary bytes.
pub(crate) struct Raw(TcpStream);

impl Raw {
    pub(crate) fn open(client: &Client) -> Self {
        let stream = client.connect();
        stream.set_nodelay(true).unwrap();
        Self(stream)
    }

    /// A connection that has sent a sign-up.
    pub(crate) fn sign_up(client: &Client) -> Self {
        let mut raw = Self::open(client);
        assert!(raw.send(format!(
            "POST /functions/v1/signup HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{SIGN_UP}",
            SIGN_UP.len()
        )));
        raw
    }

    /// Sends bytes; `false` once the gateway has closed the connection.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.0.write_all(bytes.as_ref()).is_ok()
    }

    /// Sends the same bytes repeatedly until the gateway closes the connection.
    pub(crate) fn send_until_closed(&mut self, bytes: impl AsRef<[u8]>) {
        for _ in 0..50_000_000 {
            if !self.send(bytes.as_ref()) {
                return;
            }
        }
        panic!("the gateway never closes the connection");
    }

    /// Sends byte by byte, slowly, until the gateway closes the connection. Returns the received bytes.
    pub(crate) fn drip_until_closed(self, bytes: impl IntoIterator<Item = u8>) -> Vec<u8> {
        self.drip_until(bytes, |_| false)
    }

    /// Same as [`Raw::drip_until_closed`], but stops once the received bytes are sufficient.
    pub(crate) fn drip_until(
        mut self,
        bytes: impl IntoIterator<Item = u8>,
        is_enough: impl Fn(&[u8]) -> bool,
    ) -> Vec<u8> {
        // The read timeout also sets the pace.
        self.0.set_read_timeout(Some(SLOW_INTERVAL)).unwrap();
        let mut received = Vec::new();
        for byte in bytes.into_iter().take(1500) {
            if is_enough(&received) {
                return received;
            }
            let mut buffer = [0; 1024];
            match self.0.read(&mut buffer) {
                Ok(0) => return received,
                Ok(count) => received.extend(&buffer[..count]),
                Err(error) if is_timeout(error.kind()) => {}
                Err(_) => return received,
            }
            if !self.send([byte]) {
                return received;
            }
        }
        panic!("the gateway accepts every byte");
    }

    /// Sends the pieces slowly. The gateway must accept all of them.
    pub(crate) fn send_slowly(&mut self, pieces: impl IntoIterator<Item = Vec<u8>>) {
        for piece in pieces {
            std::thread::park_timeout(SLOW_INTERVAL);
            assert!(self.send(piece), "the gateway has closed the connection");
        }
    }

    /// Reads this many bytes slowly, in pieces of this length.
    pub(crate) fn read_slowly(&mut self, bytes: usize, piece: usize) {
        let mut left = bytes;
        while left > 0 {
            std::thread::park_timeout(SLOW_INTERVAL);
            left -= self.read_exact(piece.min(left)).len();
        }
    }

    /// Reads until the gateway resets the connection.
    pub(crate) fn read_until_reset(mut self) -> Vec<u8> {
        let mut received = Vec::new();
        let outcome = self.0.read_to_end(&mut received).map_err(|error| error.kind());
        assert_eq!(outcome, Err(ErrorKind::ConnectionReset), "after {received:?}");
        received
    }

    /// Reads until the gateway closes the connection.
    pub(crate) fn read_until_closed(mut self) -> Vec<u8> {
        let mut received = Vec::new();
        match self.0.read_to_end(&mut received) {
            Err(error) if is_timeout(error.kind()) => panic!("the connection stays open after {received:?}"),
            // A reset counts: the gateway may close before it has read everything.
            _ => received,
        }
    }

    /// Same as [`Raw::read_until_closed`], but requires a lingering close: the gateway must keep reading. Otherwise it sends
    /// a reset, and many systems then discard the unread part of the last response.
    pub(crate) fn read_until_lingering_close(mut self) -> Vec<u8> {
        let mut received = Vec::new();
        let outcome = self.0.read_to_end(&mut received);
        for _ in 0..10 {
            assert!(self.send([b'a'; 100]), "{outcome:?} after {received:?}");
        }
        received
    }

    /// The one response the gateway sends before it closes the connection.
    pub(crate) fn read_response(self) -> Response {
        Response::parse(&self.read_until_closed())
    }

    /// Reads exactly this many bytes.
    pub(crate) fn read_exact(&mut self, bytes: usize) -> Vec<u8> {
        let mut received = vec![0; bytes];
        self.0.read_exact(&mut received).unwrap();
        received
    }
}

fn visitor(gateway: &Gateway) -> Client {
    gateway.site.with_source_ip(VISITOR).with_timeout(VISITOR_TIMEOUT)
}

/// Runs an attack while an ordinary visitor reads the site. All requests of the visitor must succeed.
pub(crate) fn attack<T>(gateway: &Gateway, hostile: impl FnOnce() -> T) -> T {
    let visitor = visitor(gateway);
    let outcome = with_visitor(|target| visitor.get(target), "/", "/state/", hostile);
    assert!(
        !gateway.output().contains(r#""event":"panic""#),
        "{}",
        gateway.output()
    );
    outcome
}

/// Same as [`attack`], on a site with TLS.
pub(crate) fn attack_encrypted<T>(
    gateway: &Gateway,
    certificate: &Certificate,
    hostile: impl FnOnce() -> T,
) -> T {
    let visitor = visitor(gateway);
    let get = |target: &str| certificate.send(&visitor, Request::new("GET", target)).unwrap();
    with_visitor(get, "/", "/state/", hostile)
}

/// Same as [`attack`], on a [`super::rendering_gateway`]: every page must be server-rendered.
pub(crate) fn attack_rendering<T>(gateway: &Gateway, hostile: impl FnOnce() -> T) -> T {
    let visitor = visitor(gateway);
    let get = |target: &str| {
        let response = visitor.get(target);
        assert!(
            target == ASSET || is_rendered(&response),
            "{target}: {response:?}"
        );
        response
    };
    with_visitor(get, "/healthy/home", "/healthy/", hostile)
}

/// Runs an attack while a visitor reads a cached page, uncached pages below `uncached`, and an asset.
fn with_visitor<T>(
    get: impl Fn(&str) -> Response + Sync,
    cached: &str,
    uncached: &str,
    hostile: impl FnOnce() -> T,
) -> T {
    let [page, asset] = [cached, ASSET].map(|target| {
        let response = get(target);
        assert_eq!(response.status, 200, "{target}");
        response.body
    });
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let visits = scope.spawn(|| {
            for number in 0.. {
                // Visit once more after the attack.
                let was_done = done.load(Ordering::Relaxed);
                let response = get(cached);
                assert!(response.status == 200 && response.body == page, "{response:?}");
                let response = get(&format!("{uncached}visit-{number}"));
                assert!(
                    response.status == 200 && response.boot()["page"].is_object(),
                    "{response:?}"
                );
                let response = get(ASSET);
                assert!(response.status == 200 && response.body == asset, "{response:?}");
                if was_done {
                    return;
                }
                std::thread::park_timeout(VISIT_INTERVAL);
            }
        });
        // Stops the visitor even if the attack panics.
        let stop = SetOnDrop(&done);
        let outcome = hostile();
        drop(stop);
        visits.join().unwrap();
        HAS_VISITOR.set(true);
        outcome
    })
}

/// Panics if docs/edge.md says that a visitor reads the site during the current test, and none has.
pub(super) fn check_visitor() {
    let thread = std::thread::current();
    let missing = !HAS_VISITOR.get() && thread.name().is_some_and(requires_visitor);
    assert!(
        !missing,
        "docs/edge.md: no visitor reads the site during this attack"
    );
}

/// Sets a flag when dropped, also during a panic.
pub(crate) struct SetOnDrop<'a>(pub(crate) &'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
