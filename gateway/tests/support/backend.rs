//! A sign-up backend on a real socket with scripted replies, valid or faulty.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use serde_json::Value;

use super::client::TIMEOUT;

/// What a backend does with a request.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// Responds with this status, content type and body.
    Response(u16, &'static str, String),
    /// Sends exactly these bytes and closes.
    Raw(String),
    /// Closes the connection without a response.
    Close,
    /// Sends nothing until the gateway closes the connection.
    Stall,
    /// Responds with this JSON after [`Backend::release_held`].
    Hold(String),
    /// Sends the response header, then the body byte by byte until the gateway closes the connection.
    Drip,
    /// Closes the connection in the middle of the body.
    Truncated,
    /// Sends an endless body.
    Endless,
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
    reply: Reply,
    connections: usize,
    closed: usize,
    received: Vec<Vec<u8>>,
    released: bool,
}

impl Reply {
    /// A JSON response.
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::Response(status, "application/json", body.to_string())
    }
}

impl Backend {
    /// Starts a backend that replies like this to every request.
    pub(crate) fn start(reply: Reply) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = State {
            reply,
            connections: 0,
            closed: 0,
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
        // The thread ends with the test process; connections are few.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || {
                    shared.state.lock().connections += 1;
                    serve(stream, &shared);
                    shared.state.lock().closed += 1;
                    shared.changed.notify_all();
                });
            }
        });
        backend
    }

    /// Changes the reply for later requests.
    pub(crate) fn set_reply(&self, reply: Reply) {
        self.shared.state.lock().reply = reply;
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The configuration of a gateway that uses it. The variable `KEY` is its key.
    pub(crate) fn signup_table(&self) -> String {
        let origin = self.origin();
        format!(
            "[signup]\nbackend = \"{origin}\"\nbackend_api_key = {{ env = \"KEY\" }}\naffiliate_subid = \"tag\"\n"
        )
    }

    /// The number of connections so far.
    pub(crate) fn connections(&self) -> usize {
        self.shared.state.lock().connections
    }

    /// All requests so far.
    pub(crate) fn received(&self) -> Vec<String> {
        let received = self.received_bytes();
        let texts = received
            .iter()
            .map(|request| String::from_utf8_lossy(request).into_owned());
        texts.collect()
    }

    /// All requests so far, as bytes.
    pub(crate) fn received_bytes(&self) -> Vec<Vec<u8>> {
        self.shared.state.lock().received.clone()
    }

    /// Waits for a request.
    pub(crate) fn wait_for_request(&self) {
        self.wait_for_requests(1);
    }

    /// Waits for this many requests.
    pub(crate) fn wait_for_requests(&self, count: usize) {
        self.wait_until(&format!("{count} requests arrive"), |state| {
            state.received.len() >= count
        });
    }

    /// Waits until this many connections have closed.
    pub(crate) fn wait_for_closed_connections(&self, count: usize) {
        self.wait_until(&format!("{count} connections close"), |state| {
            state.closed >= count
        });
    }

    fn wait_until(&self, what: &str, condition: impl Fn(&State) -> bool) {
        let mut state = self.shared.state.lock();
        let waited = self
            .shared
            .changed
            .wait_while_for(&mut state, |state| !condition(state), TIMEOUT);
        assert!(!waited.timed_out(), "timed out: {what}");
    }

    /// Responds to the requests that [`Reply::Hold`] holds.
    pub(crate) fn release_held(&self) {
        self.shared.state.lock().released = true;
        self.shared.changed.notify_all();
    }
}

/// An origin on which nothing listens: the system never assigns port 1.
pub(crate) const CLOSED_ORIGIN: &str = "http://127.0.0.1:1";

/// The configuration of a gateway whose sign-up backend refuses connections. Any variable is its key.
pub(crate) const CLOSED_SIGNUP: &str = "[signup]\nbackend = \"http://127.0.0.1:1\"\nbackend_api_key = { env = \"PATH\" }\naffiliate_subid = \"tag\"\n";

/// Serves a connection until a reply closes it or the gateway does.
fn serve(mut stream: TcpStream, shared: &Shared) {
    while let Some(request) = read(&mut stream) {
        let reply = receive(request, shared);
        let is_keep_alive = matches!(reply, Reply::Response(..));
        // Writing fails once the gateway has timed out; the test checks that from the gateway's side.
        if send(&mut stream, reply).is_err() || !is_keep_alive {
            return;
        }
    }
}

/// Records a request and returns the reply. A held reply blocks until the test releases it.
fn receive(request: Vec<u8>, shared: &Shared) -> Reply {
    let mut state = shared.state.lock();
    state.received.push(request);
    shared.changed.notify_all();
    match state.reply.clone() {
        Reply::Hold(body) => {
            shared.changed.wait_while(&mut state, |state| !state.released);
            Reply::Response(200, "application/json", body)
        }
        reply => reply,
    }
}

fn send(stream: &mut TcpStream, reply: Reply) -> std::io::Result<()> {
    let start = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
    match reply {
        Reply::Response(status, content_type, body) => {
            let length = body.len();
            write!(
                stream,
                "HTTP/1.1 {status} Status\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\n\r\n{body}"
            )
        }
        Reply::Raw(text) => stream.write_all(text.as_bytes()),
        Reply::Close => Ok(()),
        Reply::Stall | Reply::Hold(_) => {
            let _ = stream.read(&mut [0]);
            Ok(())
        }
        Reply::Truncated => write!(stream, "{start}content-length: 100\r\n\r\n{{\"redirectUrl\":"),
        Reply::Drip => {
            write!(stream, "{start}content-length: 1000\r\n\r\n")?;
            // The read timeout also sets the pace.
            stream.set_read_timeout(Some(Duration::from_millis(20)))?;
            loop {
                stream.write_all(b" ")?;
                if matches!(stream.read(&mut [0]), Ok(0)) {
                    return Ok(());
                }
            }
        }
        Reply::Endless => {
            write!(stream, "{start}\r\n")?;
            loop {
                stream.write_all(&[b' '; 4096])?;
            }
        }
    }
}

/// Reads one request with a Content-Length body.
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
