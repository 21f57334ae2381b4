//! An upstream that records the bytes that it receives, and takes them apart into requests.

use std::io::{Read as _, Write as _};
use std::sync::Arc;

use parking_lot::Mutex;

use super::RawUpstream;

impl RawUpstream {
    /// Responds to every complete request with 200, and records all bytes.
    pub(crate) fn record(self) -> Recording {
        let recording = Recording::default();
        let connections = Arc::clone(&recording.0);
        std::thread::spawn(move || {
            for index in 0.. {
                let (mut stream, connections) = (self.accept(), Arc::clone(&connections));
                connections.lock().push(Vec::new());
                std::thread::spawn(move || {
                    let (mut buffer, mut answered) = ([0; 4096], 0);
                    while let Ok(count @ 1..) = stream.read(&mut buffer) {
                        let mut connections = connections.lock();
                        let received = &mut connections[index];
                        received.extend(&buffer[..count]);
                        let complete = complete_requests(received).0.len();
                        drop(connections);
                        for _ in answered..complete {
                            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
                        }
                        answered = complete;
                    }
                });
            }
        });
        recording
    }
}

/// The bytes of each connection to an upstream.
#[derive(Default)]
pub(crate) struct Recording(Arc<Mutex<Vec<Vec<u8>>>>);

impl Recording {
    /// All bytes, as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().concat()).into_owned()
    }

    /// The request line and the body of each complete request, in no particular order.
    pub(crate) fn requests(&self) -> Vec<(String, String)> {
        let connections = self.0.lock();
        connections
            .iter()
            .flat_map(|received| complete_requests(received).0)
            .collect()
    }

    /// What follows the complete requests, for each connection.
    pub(crate) fn incomplete(&self) -> Vec<String> {
        let connections = self.0.lock();
        connections
            .iter()
            .map(|received| complete_requests(received).1)
            .collect()
    }
}

/// The request line and the body of each complete request in these bytes, and the rest. Strict: a request has either a
/// Content-Length, or chunks, or no body.
fn complete_requests(received: &[u8]) -> (Vec<(String, String)>, String) {
    let text = String::from_utf8_lossy(received).into_owned();
    let (mut rest, mut found) = (&*text, Vec::new());
    while let Some((head, body)) = rest.split_once("\r\n\r\n") {
        let (line, fields) = head.split_once("\r\n").unwrap_or((head, ""));
        let field = |name: &str| {
            let values: Vec<&str> = fields
                .split("\r\n")
                .filter_map(|field| field.strip_prefix(name)?.strip_prefix(": "))
                .collect();
            assert!(values.len() <= 1, "{head:?}");
            values.first().copied()
        };
        let end = match (field("content-length"), field("transfer-encoding")) {
            (Some(length), None) => {
                let length: usize = length.parse().unwrap();
                body.get(..length).map(|content| (content.to_owned(), length))
            }
            (None, Some("chunked")) => dechunk(body),
            (None, None) => Some((String::new(), 0)),
            framing => panic!("ambiguous: {framing:?} in {head:?}"),
        };
        let Some((content, length)) = end else {
            break;
        };
        found.push((line.to_owned(), content));
        rest = &body[length..];
    }
    (found, rest.to_owned())
}

/// The content of a chunked body and its length with the framing; `None` if it is incomplete.
fn dechunk(body: &str) -> Option<(String, usize)> {
    let (mut rest, mut content) = (body, String::new());
    loop {
        let (size, after) = rest.split_once("\r\n")?;
        let size = usize::from_str_radix(size, 16).unwrap();
        content += after.get(..size)?;
        rest = after[size..].strip_prefix("\r\n")?;
        if size == 0 {
            return Some((content, body.len() - rest.len()));
        }
    }
}
