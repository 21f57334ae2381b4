//! A sign-up backend that does as it is told, good or bad, on a real socket.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

/// What a backend does with a request it has read.
#[derive(Debug, Clone)]
pub enum Act {
    /// Answers with this status, type and body.
    Answer(u16, &'static str, String),
    /// Sends exactly these bytes and closes.
    Raw(String),
    /// Closes without a word.
    Close,
    /// Says nothing until the gateway gives up.
    Stall,
    /// Sends the beginning of an answer, then one byte every so often until the gateway gives up.
    Drip,
    /// Promises more than it sends, and closes.
    Half,
    /// Sends a body without end.
    Flood,
}

/// A running backend.
pub struct Backend {
    address: SocketAddr,
    act: Arc<Mutex<Act>>,
    received: Arc<Mutex<Vec<String>>>,
}

impl Act {
    /// An answer in JSON.
    pub fn json(status: u16, body: &Value) -> Self {
        Self::Answer(status, "application/json", body.to_string())
    }
}

impl Backend {
    /// Starts a backend that does this with every request.
    pub fn start(act: Act) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let backend = Self {
            address: listener.local_addr().unwrap(),
            act: Arc::new(Mutex::new(act)),
            received: Arc::default(),
        };
        let (act, received) = (Arc::clone(&backend.act), Arc::clone(&backend.received));
        // The thread ends with the test's process; connections are few.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (act, received) = (Arc::clone(&act), Arc::clone(&received));
                std::thread::spawn(move || serve(stream, &act, &received));
            }
        });
        backend
    }

    /// Does something else from now on.
    pub fn now(&self, act: Act) {
        *self.act.lock().unwrap() = act;
    }

    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request so far, whole.
    pub fn received(&self) -> Vec<String> {
        self.received.lock().unwrap().clone()
    }
}

/// A port on which nothing listens.
pub fn closed_port() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}

fn serve(mut stream: TcpStream, act: &Mutex<Act>, received: &Mutex<Vec<String>>) {
    let Some(request) = read(&mut stream) else {
        return;
    };
    received.lock().unwrap().push(request);
    let act = act.lock().unwrap().clone();
    // The gateway may have given up: then writing fails, and that is what the test looks at from the other side.
    let _ = answer(&mut stream, act);
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
        Act::Stall => {
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
fn read(stream: &mut TcpStream) -> Option<String> {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let count = stream.read(&mut buffer).ok()?;
        if count == 0 {
            return None;
        }
        request.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&request).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.to_ascii_lowercase();
            let length = length.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
            if body.len() >= length.unwrap_or(0) {
                return Some(text);
            }
        }
    }
}
