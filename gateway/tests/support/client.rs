//! An HTTP/1.1 client that sends requests unmodified.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use flate2::read::GzDecoder;
use serde_json::Value;
use tokio::net::TcpSocket;

/// Far longer than any wait in a test; a test reaches it only when something hangs.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// Sends requests to one address, each over a new connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Client {
    address: SocketAddr,
    source: Option<Ipv4Addr>,
    timeout: Duration,
}

/// A request as sent on the wire.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    head: String,
    body: Vec<u8>,
}

/// A response.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// A request with this method and target, sent unmodified.
    pub(crate) fn new(method: &str, target: &str) -> Self {
        Self {
            head: format!("{method} {target} HTTP/1.1\r\n"),
            body: Vec::new(),
        }
    }

    /// A valid sign-up of a script on the site.
    pub(crate) fn sign_up() -> Self {
        Self::new("POST", "/functions/v1/signup")
            .header("sec-fetch-site", "same-origin")
            .header("content-type", "application/json")
            .body(super::SIGN_UP)
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.head.push_str(&[name, ": ", value, "\r\n"].concat());
        self
    }

    /// Adds a body and its Content-Length.
    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        let length = self.body.len().to_string();
        self.header("content-length", &length)
    }

    /// The method and target.
    pub(crate) fn line(&self) -> (&str, &str) {
        let mut words = self.head.split(' ');
        (words.next().unwrap(), words.next().unwrap())
    }

    /// The body.
    pub(crate) fn sent_body(&self) -> &[u8] {
        &self.body
    }

    /// The bytes of the request. The Host header defaults to this address.
    pub(crate) fn into_bytes(self, address: SocketAddr) -> Vec<u8> {
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
            timeout: TIMEOUT,
        }
    }

    /// Uses this source address. All of 127.0.0.0/8 is local on Linux.
    pub(crate) fn with_source_ip(self, source: Ipv4Addr) -> Self {
        Self {
            source: Some(source),
            ..self
        }
    }

    /// Uses this timeout for connecting and for each read.
    pub(crate) fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// The server's address.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Opens a connection.
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = match self.source {
            None => TcpStream::connect_timeout(&self.address, self.timeout).unwrap(),
            Some(source) => connect_from(source, self.address, self.timeout),
        };
        stream.set_read_timeout(Some(self.timeout)).unwrap();
        stream
    }

    /// Opens a connection, and sends a request.
    pub(crate) fn start(&self, request: Request) -> TcpStream {
        let mut stream = self.connect();
        stream.write_all(&request.into_bytes(self.address)).unwrap();
        stream
    }

    /// Opens a connection with a request in flight that waits for its body.
    pub(crate) fn pending_upload(&self) -> TcpStream {
        let mut stream = self.connect();
        write!(
            stream,
            "POST /_report HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
             content-type: application/json\r\ncontent-length: 500\r\n\r\n{{"
        )
        .unwrap();
        stream
    }

    pub(crate) fn get(&self, target: &str) -> Response {
        self.send(Request::new("GET", target))
    }

    /// Sends a request and reads the response until the connection closes. Panics on a timeout.
    pub(crate) fn send(&self, request: Request) -> Response {
        let mut stream = self.connect();
        let message = request.header("connection", "close").into_bytes(self.address);
        // The gateway may respond and close the connection before it has read a rejected body.
        let _ = stream.write_all(&message);
        let mut bytes = Vec::new();
        if let Err(error) = stream.read_to_end(&mut bytes) {
            assert!(
                !is_timeout(error.kind()),
                "timed out within a response: {bytes:?}"
            );
        }
        Response::parse(&bytes)
    }
}

impl Response {
    /// Parses a complete response.
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("not a response: {:?}", String::from_utf8_lossy(bytes)));
        let head = std::str::from_utf8(&bytes[..end]).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines.map(|line| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_ascii_lowercase(), value.to_owned())
        });
        Self {
            status,
            headers: headers.collect(),
            body: bytes[end + 4..].to_vec(),
        }
    }

    /// The value of a header. Panics unless there is exactly one.
    pub(crate) fn header(&self, name: &str) -> &str {
        let values: Vec<&str> = self.header_values(name);
        assert_eq!(values.len(), 1, "{name} in {:?}", self.headers);
        values[0]
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        !self.header_values(name).is_empty()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("not JSON: {}", self.text()))
    }

    /// The body without its content encoding.
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
            .unwrap_or_else(|| panic!("no boot payload: {text}"));
        let (payload, _) = rest.split_once("</script>").unwrap();
        serde_json::from_str(payload).unwrap()
    }

    /// The name of the set to which a tab with this document is pinned.
    pub(crate) fn set(&self) -> String {
        match self.header_values("server-timing").first() {
            Some(name) => {
                let name = name.strip_prefix("deployment;desc=\"").unwrap();
                name.trim_end_matches('"').to_owned()
            }
            None => self.boot()["deployment"].as_str().unwrap().to_owned(),
        }
    }

    /// All values of a header.
    pub(crate) fn header_values(&self, name: &str) -> Vec<&str> {
        let values = self.headers.iter().filter(|(key, _)| key == name);
        values.map(|(_, value)| value.as_str()).collect()
    }
}

/// Whether a read timed out.
pub(super) fn is_timeout(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// Connects from a source address, which the standard library cannot choose.
fn connect_from(source: Ipv4Addr, address: SocketAddr, timeout: Duration) -> TcpStream {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let stream = runtime.unwrap().block_on(async {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((source, 0).into()).unwrap();
        let connected = tokio::time::timeout(timeout, socket.connect(address)).await;
        connected
            .expect("connecting timed out")
            .unwrap()
            .into_std()
            .unwrap()
    });
    stream.set_nonblocking(false).unwrap();
    stream
}
