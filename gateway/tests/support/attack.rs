//! Connections over which anything may be said, and a visitor who must not notice.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::client::is_silence;
use super::{Certificate, Client, Gateway, Request, Response, is_rendered};

/// The address an ordinary visitor comes from while others attack.
pub(crate) const VISITOR: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 99);

/// A file of every shell: see [`super::Release::shell`].
const FILE: &str = "/assets/shell/1.0.0/main.js";

/// What lies between two pieces that come slowly.
const PACE: Duration = Duration::from_millis(20);

/// How long an ordinary visitor looks at what came. One who never looked would take what the machine can do from the
/// attack, and from whatever is tested beside it.
const LOOK: Duration = Duration::from_millis(10);

/// How long an ordinary visitor waits before giving up. What the gateway does takes milliseconds; the rest is for a machine that
/// is busy with other tests.
const GIVES_UP: Duration = Duration::from_secs(10);

/// A connection over which anything may be said.
pub(crate) struct Raw(TcpStream);

impl Raw {
    pub(crate) fn open(client: &Client) -> Self {
        let stream = client.connect();
        stream.set_nodelay(true).unwrap();
        Self(stream)
    }

    /// Says something; `false` if the gateway listens no more.
    pub(crate) fn say(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.0.write_all(bytes.as_ref()).is_ok()
    }

    /// Says the same again and again until the gateway listens no more, however much that takes.
    pub(crate) fn say_until_closed(&mut self, bytes: impl AsRef<[u8]>) {
        for _ in 0..50_000_000 {
            if !self.say(bytes.as_ref()) {
                return;
            }
        }
        panic!("the gateway listens for ever");
    }

    /// Says one byte after the other, each after a while in which nothing comes, until the connection is closed.
    pub(crate) fn drip_until_closed(self, bytes: impl IntoIterator<Item = u8>) -> Vec<u8> {
        self.drip_until(bytes, |_| false)
    }

    /// The same, but no longer than until the gateway has said enough.
    pub(crate) fn drip_until(
        mut self,
        bytes: impl IntoIterator<Item = u8>,
        is_enough: impl Fn(&[u8]) -> bool,
    ) -> Vec<u8> {
        // Waiting for the gateway to hang up is also what paces the drops.
        self.0.set_read_timeout(Some(PACE)).unwrap();
        let mut said = Vec::new();
        for byte in bytes.into_iter().take(1500) {
            if is_enough(&said) {
                return said;
            }
            let mut buffer = [0; 1024];
            match self.0.read(&mut buffer) {
                Ok(0) => return said,
                Ok(count) => said.extend(&buffer[..count]),
                Err(error) if is_silence(error.kind()) => {}
                Err(_) => return said,
            }
            if !self.say([byte]) {
                return said;
            }
        }
        panic!("the gateway listens to every byte");
    }

    /// Says one piece after the other, each after a while. All of them must be listened to.
    pub(crate) fn say_slowly(&mut self, pieces: impl IntoIterator<Item = Vec<u8>>) {
        for piece in pieces {
            std::thread::park_timeout(PACE);
            assert!(self.say(piece), "the gateway listens no more");
        }
    }

    /// Reads so many bytes in pieces of this length, each after a while.
    pub(crate) fn hear_slowly(&mut self, bytes: usize, piece: usize) {
        let mut left = bytes;
        while left > 0 {
            std::thread::park_timeout(PACE);
            left -= self.hear(piece.min(left)).len();
        }
    }

    /// Everything the gateway says until it resets the connection.
    pub(crate) fn until_reset(mut self) -> Vec<u8> {
        let mut said = Vec::new();
        let outcome = self.0.read_to_end(&mut said).map_err(|error| error.kind());
        assert_eq!(outcome, Err(ErrorKind::ConnectionReset), "after {said:?}");
        said
    }

    /// Everything the gateway says until it closes the connection.
    pub(crate) fn until_closed(mut self) -> Vec<u8> {
        let mut said = Vec::new();
        match self.0.read_to_end(&mut said) {
            Err(error) if is_silence(error.kind()) => panic!("the connection stays open after {said:?}"),
            // Closed in the middle of what it was being told.
            _ => said,
        }
    }

    /// The same where the gateway must go on to hear what its client says: else that is reset, and many a system throws
    /// away what was not read of the last answer.
    pub(crate) fn until_heard_out(mut self) -> Vec<u8> {
        let mut said = Vec::new();
        let outcome = self.0.read_to_end(&mut said);
        for _ in 0..10 {
            assert!(self.say([b'a'; 100]), "{outcome:?} after {said:?}");
        }
        said
    }

    /// The one answer the gateway gives before it closes the connection.
    pub(crate) fn answer(self) -> Response {
        Response::parse(&self.until_closed())
    }

    /// Reads exactly so many bytes.
    pub(crate) fn hear(&mut self, bytes: usize) -> Vec<u8> {
        let mut said = vec![0; bytes];
        self.0.read_exact(&mut said).unwrap();
        said
    }
}

fn visitor(gateway: &Gateway) -> Client {
    gateway.site.coming_from(VISITOR).waiting(GIVES_UP)
}

/// Does something hostile while an ordinary visitor reads the site, all of whose requests must succeed.
pub(crate) fn attack<T>(gateway: &Gateway, hostile: impl FnOnce() -> T) -> T {
    let visitor = visitor(gateway);
    besides(|target| visitor.get(target), "/", "/state/", hostile)
}

/// The same on a site that speaks TLS.
pub(crate) fn attack_encrypted<T>(
    gateway: &Gateway,
    certificate: &Certificate,
    hostile: impl FnOnce() -> T,
) -> T {
    let visitor = visitor(gateway);
    let get = |target: &str| certificate.send(&visitor, Request::new("GET", target)).unwrap();
    besides(get, "/", "/state/", hostile)
}

/// The same on a site whose pages are rendered, and must be: see [`super::rendering_gateway`].
pub(crate) fn attack_rendering<T>(gateway: &Gateway, hostile: impl FnOnce() -> T) -> T {
    let visitor = visitor(gateway);
    let get = |target: &str| {
        let answer = visitor.get(target);
        assert!(target == FILE || is_rendered(&answer), "{target}: {answer:?}");
        answer
    };
    besides(get, "/sound/home", "/sound/", hostile)
}

/// Does something hostile while somebody reads a page that is kept, one after the other of those that have to be made,
/// whose paths begin with `new`, and a file that is read each time.
fn besides<T>(
    get: impl Fn(&str) -> Response + Sync,
    kept: &str,
    new: &str,
    hostile: impl FnOnce() -> T,
) -> T {
    let [page, file] = [kept, FILE].map(|target| {
        let answer = get(target);
        assert_eq!(answer.status, 200, "{target}");
        answer.body
    });
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let visits = scope.spawn(|| {
            for number in 0.. {
                // Once more when it is over.
                let was_over = over.load(Ordering::Relaxed);
                let answer = get(kept);
                assert!(answer.status == 200 && answer.body == page, "{answer:?}");
                let answer = get(&format!("{new}visit-{number}"));
                assert!(
                    answer.status == 200 && answer.boot()["page"].is_object(),
                    "{answer:?}"
                );
                let answer = get(FILE);
                assert!(answer.status == 200 && answer.body == file, "{answer:?}");
                if was_over {
                    return;
                }
                std::thread::park_timeout(LOOK);
            }
        });
        // The visitor goes home even if the attack finds something wrong.
        let end = End(&over);
        let outcome = hostile();
        drop(end);
        visits.join().unwrap();
        outcome
    })
}

/// Says that it is over when it is dropped, however that comes about.
pub(crate) struct End<'a>(pub(crate) &'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
