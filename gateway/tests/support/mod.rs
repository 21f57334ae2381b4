//! What the tests are made with: the gateway as a process, clients, a backend, releases, and the API's description.

use std::sync::mpsc;
use std::time::Duration;

use jiff::Timestamp;

mod attack;
mod backend;
mod browser;
mod client;
mod connection;
pub(crate) mod description;
mod faults;
pub(crate) mod frames;
mod gateway;
mod heap;
mod http2;
pub(crate) mod marks;
mod preload;
pub(crate) mod preview;
mod process;
mod release;
mod rendering;
mod tls;

pub(crate) use attack::{End, Raw, VISITOR, attack, attack_encrypted, attack_rendering};
pub(crate) use backend::{Act, Backend, CLOSED};
pub(crate) use browser::Browser;
pub(crate) use client::{Client, Request, Response};
pub(crate) use connection::Connection;
pub(crate) use faults::{Full, Machine};
pub(crate) use gateway::{
    Gateway, Setup, TOKEN, authorized, configuration, inheriting, listening, only, run, token,
};
pub(crate) use heap::Heap;
pub(crate) use http2::Exchange;
pub(crate) use process::{descriptors, least_growth_kib, resident_kib, status};
pub(crate) use release::{Archive, Release, SCRIPT, STYLE, integrity};
pub(crate) use rendering::{
    SOUND, is_rendered, rendered_section, rendering_gateway, rendering_shell, renders, until_rendered,
};
pub(crate) use tls::{Certificate, Tls};

/// The time of day.
#[expect(
    clippy::disallowed_methods,
    reason = "the gateway's own clock is out of reach from here"
)]
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}

/// Asks until it is so; each question is answered, so nothing is waited for blindly. Between two questions the processor
/// is left to whoever is asked.
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..10_000 {
        if is_so() {
            return;
        }
        std::thread::park_timeout(Duration::from_millis(5));
    }
    panic!("never: {what}");
}

/// Does what cannot be told how long to wait, and fails where that takes longer than any test waits for anything.
pub(crate) fn patiently<T: Send + 'static>(what: &str, act: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, done) = mpsc::channel();
    std::thread::spawn(move || sender.send(act()));
    done.recv_timeout(client::PATIENCE)
        .unwrap_or_else(|_| panic!("never: {what}"))
}

/// How often something is done that is done `times` times where the whole of it is asked for, with `SOAK=1`: a tenth
/// of that otherwise.
pub(crate) fn soak(times: usize) -> usize {
    if std::env::var_os("SOAK").is_some_and(|value| value == "1") {
        times
    } else {
        times / 10
    }
}
