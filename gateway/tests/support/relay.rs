//! A TCP proxy that can be cut.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;

/// Forwards connections to a server. While it is cut, it drops what it receives, as a network does.
pub(crate) struct Relay {
    address: SocketAddr,
    open: Arc<Mutex<Open>>,
}

#[derive(Default)]
struct Open {
    is_cut: bool,
    streams: Vec<TcpStream>,
}

impl Relay {
    /// Starts a relay to this address. It ends with the test process.
    pub(crate) fn start(target: SocketAddr) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let open = Arc::new(Mutex::new(Open::default()));
        let shared = Arc::clone(&open);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let mut open = shared.lock();
                if open.is_cut {
                    open.streams.push(stream);
                    continue;
                }
                // A server that has ended refuses connections, and so does its relay.
                let Ok(server) = TcpStream::connect(target) else {
                    continue;
                };
                for (from, to) in [(&stream, &server), (&server, &stream)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let shared = Arc::clone(&shared);
                    thread::spawn(move || forward(from, to, &shared));
                }
                open.streams.extend([stream, server]);
            }
        });
        Self { address, open }
    }

    /// The URL of the relay.
    pub(crate) fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Cuts it, or forwards new connections again and ends the others.
    pub(crate) fn set_cut(&self, is_cut: bool) {
        let mut open = self.open.lock();
        open.is_cut = is_cut;
        if !is_cut {
            for stream in open.streams.drain(..) {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
    }
}

/// Forwards one direction of a connection until its end.
fn forward(mut from: TcpStream, mut to: TcpStream, open: &Mutex<Open>) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        // Not while it writes: a server that reads slowly would delay a cut.
        let is_cut = open.lock().is_cut;
        if !is_cut && to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}
