//! A sign-up backend that does as it is told, good or bad, on a real socket.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use serde_json::Value;

use super::client::PATIENCE;

/// What a backend does with a request it has read.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// Answers with this status, type and body.
    Answer(u16, &'static str, String),
    /// Sends exactly these bytes and closes.
    Raw(String),
    /// Closes without a word.
    Close,
    /// Says nothing until the gateway gives up.
    Stall,
    /// Answers with this JSON once the test says so.
    Hold(String),
    /// Sends the beginning of an answer, then one byte every so often until the gateway gives up.
    Drip,
    /// Promises more than it sends, and closes.
    Half,
    /// Sends a body without end.
    Flood,
}

/// A running backend.
pub(crate) struct Backend {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    act: Act,
    connections: usize,
    /// How many of them have ended.
    ended: usize,
    received: Vec<Vec<u8>>,
    released: bool,
}

impl Act {
    /// An answer in JSON.
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::Answer(status, "application/json", body.to_string())
    }
}

impl Backend {
    /// Starts a backend that does this with every request.
    pub(crate) fn start(act: Act) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = State {
            act,
            connections: 0,
            ended: 0,
            received: Vec::new(),
            released: false,
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            changed: Condvar::new(),
        });
        let backend = Self {
            address,
            shared: Arc::clone(&shared),
        };
        // The thread ends with the test's process; connections are few.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || {
                    shared.state.lock().connections += 1;
                    serve(stream, &shared);
                    shared.state.lock().ended += 1;
                    shared.changed.notify_all();
                });
            }
        });
        backend
    }

    /// Does something else from now on.
    pub(crate) fn now(&self, act: Act) {
        self.shared.state.lock().act = act;
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How many connections were made so far.
    pub(crate) fn connections(&self) -> usize {
        self.shared.state.lock().connections
    }

    /// Every request so far, whole.
    pub(crate) fn received(&self) -> Vec<String> {
        let received = self.received_bytes();
        let texts = received
            .iter()
            .map(|request| String::from_utf8_lossy(request).into_owned());
        texts.collect()
    }

    /// The same, as they came.
    pub(crate) fn received_bytes(&self) -> Vec<Vec<u8>> {
        self.shared.state.lock().received.clone()
    }

    /// Waits until a request has arrived.
    pub(crate) fn wait_for_request(&self) {
        self.wait_for_requests(1);
    }

    /// Waits until so many requests have arrived.
    pub(crate) fn wait_for_requests(&self, count: usize) {
        self.wait_until(&format!("{count} requests arrive"), |state| {
            state.received.len() >= count
        });
    }

    /// Waits until so many connections have ended.
    pub(crate) fn wait_for_ends(&self, count: usize) {
        self.wait_until(&format!("{count} connections end"), |state| state.ended >= count);
    }

    fn wait_until(&self, what: &str, is_so: impl Fn(&State) -> bool) {
        let mut state = self.shared.state.lock();
        let waited = self
            .shared
            .changed
            .wait_while_for(&mut state, |state| !is_so(state), PATIENCE);
        assert!(!waited.timed_out(), "never: {what}");
    }

    /// Lets held requests be answered.
    pub(crate) fn release(&self) {
        self.shared.state.lock().released = true;
        self.shared.changed.notify_all();
    }
}

/// An address at which nothing listens: the port is one that the system gives to nobody who asks for any.
pub(crate) const CLOSED: &str = "http://127.0.0.1:1";

/// Answers what comes on a connection until one of the answers ends it, or the gateway hangs up.
fn serve(mut stream: TcpStream, shared: &Shared) {
    while let Some(request) = read(&mut stream) {
        let act = receive(request, shared);
        let goes_on = matches!(act, Act::Answer(..));
        // The gateway may have given up: then writing fails, and that is what the test looks at from the other side.
        if answer(&mut stream, act).is_err() || !goes_on {
            return;
        }
    }
}

/// Notes a request. Returns what is to be done with it, once the test says so.
fn receive(request: Vec<u8>, shared: &Shared) -> Act {
    let mut state = shared.state.lock();
    state.received.push(request);
    shared.changed.notify_all();
    match state.act.clone() {
        Act::Hold(body) => {
            shared.changed.wait_while(&mut state, |state| !state.released);
            Act::Answer(200, "application/json", body)
        }
        act => act,
    }
}

fn answer(stream: &mut TcpStream, act: Act) -> std::io::Result<()> {
    let start = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
    match act {
        Act::Answer(status, content_type, body) => {
            let length = body.len();
            write!(
                stream,
                "HTTP/1.1 {status} Status\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\n\r\n{body}"
            )
        }
        Act::Raw(text) => stream.write_all(text.as_bytes()),
        Act::Close => Ok(()),
        Act::Stall | Act::Hold(_) => {
            let _ = stream.read(&mut [0]);
            Ok(())
        }
        Act::Half => write!(stream, "{start}content-length: 100\r\n\r\n{{\"redirectUrl\":"),
        Act::Drip => {
            write!(stream, "{start}content-length: 1000\r\n\r\n")?;
            // Waiting for the gateway to hang up is also what paces the drops.
            stream.set_read_timeout(Some(Duration::from_millis(20)))?;
            loop {
                stream.write_all(b" ")?;
                if matches!(stream.read(&mut [0]), Ok(0)) {
                    return Ok(());
                }
            }
        }
        Act::Flood => {
            write!(stream, "{start}\r\n")?;
            loop {
                stream.write_all(&[b' '; 4096])?;
            }
        }
    }
}

/// Reads one request, as far as its Content-Length says.
fn read(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let count = stream.read(&mut buffer).ok()?;
        if count == 0 {
            return None;
        }
        request.extend_from_slice(&buffer[..count]);
        if let Some(end) = request.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
            if request.len() >= end + 4 + length.unwrap_or(0) {
                return Some(request);
            }
        }
    }
}
