//! A client that sends exactly what it is told to.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use flate2::read::GzDecoder;
use serde_json::Value;
use tokio::net::TcpSocket;
use tokio::time::timeout;

/// Longer than anything a test waits for; reached only when something hangs.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// Sends requests to one address, each over a connection of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Client {
    address: SocketAddr,
    source: Option<Ipv4Addr>,
    patience: Duration,
}

/// A request as it goes over the wire.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    head: String,
    body: Vec<u8>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// A request with this method and target, written as they stand.
    pub(crate) fn new(method: &str, target: &str) -> Self {
        Self {
            head: format!("{method} {target} HTTP/1.1\r\n"),
            body: Vec::new(),
        }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.head.push_str(&[name, ": ", value, "\r\n"].concat());
        self
    }

    /// Adds a body, and its length.
    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        let length = self.body.len().to_string();
        self.header("content-length", &length)
    }

    /// Its method and target.
    pub(crate) fn line(&self) -> (&str, &str) {
        let mut words = self.head.split(' ');
        (words.next().unwrap(), words.next().unwrap())
    }

    /// Its body.
    pub(crate) fn sent(&self) -> &[u8] {
        &self.body
    }

    /// The request as it is sent to this address, which is its host unless it names another.
    pub(crate) fn message(self, address: SocketAddr) -> Vec<u8> {
        let has_host = self.head.to_ascii_lowercase().contains("\r\nhost:");
        let Self { head, body } = if has_host {
            self
        } else {
            self.header("host", &address.to_string())
        };
        let mut message = format!("{head}\r\n").into_bytes();
        message.extend(body);
        message
    }
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self {
            address,
            source: None,
            patience: PATIENCE,
        }
    }

    /// The same, coming from another address of this machine: 127.0.0.0/8 is all its own.
    pub(crate) fn coming_from(self, source: Ipv4Addr) -> Self {
        Self {
            source: Some(source),
            ..self
        }
    }

    /// The same, waiting no longer than this for a connection, and for more of an answer.
    pub(crate) fn waiting(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// The address it sends to.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// A connection to do as one likes with.
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = match self.source {
            None => TcpStream::connect_timeout(&self.address, self.patience).unwrap(),
            Some(source) => connect_from(source, self.address, self.patience),
        };
        stream.set_read_timeout(Some(self.patience)).unwrap();
        stream
    }

    pub(crate) fn get(&self, target: &str) -> Response {
        self.send(Request::new("GET", target))
    }

    /// Sends a request and reads the answer to the end of the connection; panics if it does not come in time.
    pub(crate) fn send(&self, request: Request) -> Response {
        let mut stream = self.connect();
        let message = request.header("connection", "close").message(self.address);
        // An answer may come, and the connection end, before all of a refused body is written.
        let _ = stream.write_all(&message);
        let mut answer = Vec::new();
        if let Err(error) = stream.read_to_end(&mut answer) {
            assert!(!is_silence(error.kind()), "no whole answer in time: {answer:?}");
        }
        Response::parse(&answer)
    }
}

impl Response {
    /// Reads a whole answer.
    pub(crate) fn parse(answer: &[u8]) -> Self {
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(answer)));
        let head = std::str::from_utf8(&answer[..end]).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines.map(|line| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_ascii_lowercase(), value.to_owned())
        });
        Self {
            status,
            headers: headers.collect(),
            body: answer[end + 4..].to_vec(),
        }
    }

    /// A header's value; panics if it is not there exactly once.
    pub(crate) fn header(&self, name: &str) -> &str {
        let values: Vec<&str> = self.all(name);
        assert_eq!(values.len(), 1, "{name} in {:?}", self.headers);
        values[0]
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        !self.all(name).is_empty()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.text()))
    }

    /// The body without its coding.
    pub(crate) fn decoded(&self) -> Vec<u8> {
        let body = &self.body[..];
        if !self.has("content-encoding") {
            return body.to_vec();
        }
        let mut bytes = Vec::new();
        match self.header("content-encoding") {
            "gzip" => GzDecoder::new(body).read_to_end(&mut bytes),
            "zstd" => zstd::Decoder::new(body).unwrap().read_to_end(&mut bytes),
            "br" => brotli::Decompressor::new(body, 4096).read_to_end(&mut bytes),
            other => panic!("{other}"),
        }
        .unwrap();
        bytes
    }

    /// The boot payload of a document.
    pub(crate) fn boot(&self) -> Value {
        let text = self.text();
        let (_, rest) = text
            .split_once("id=\"boot\">")
            .unwrap_or_else(|| panic!("no payload: {text}"));
        let (payload, _) = rest.split_once("</script>").unwrap();
        serde_json::from_str(payload).unwrap()
    }

    /// All values of a header.
    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        let values = self.headers.iter().filter(|(key, _)| key == name);
        values.map(|(_, value)| value.as_str()).collect()
    }
}

/// Nothing came for as long as one would wait.
pub(super) fn is_silence(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// The standard library cannot choose the address it connects from.
fn connect_from(source: Ipv4Addr, address: SocketAddr, patience: Duration) -> TcpStream {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let stream = runtime.unwrap().block_on(async {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((source, 0).into()).unwrap();
        let connected = timeout(patience, socket.connect(address)).await;
        connected
            .expect("no connection in time")
            .unwrap()
            .into_std()
            .unwrap()
    });
    stream.set_nonblocking(false).unwrap();
    stream
}
