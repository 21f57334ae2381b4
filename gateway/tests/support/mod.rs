//! What the tests are made with: the gateway as a process, a client, a backend, and releases.

mod backend;
mod client;
mod connection;
mod gateway;
mod release;

pub(crate) use backend::{Act, Backend, CLOSED};
pub(crate) use client::{Client, Request, Response};
pub(crate) use connection::Connection;
pub(crate) use gateway::{Gateway, TOKEN, authorized, configuration, run};
pub(crate) use release::{Archive, Release, SCRIPT, STYLE, integrity};

/// How often something is done that is done `times` times where the whole of it is asked for, with `SOAK=1`: a tenth
/// of that otherwise.
pub(crate) fn soak(times: usize) -> usize {
    if std::env::var_os("SOAK").is_some_and(|value| value == "1") {
        times
    } else {
        times / 10
    }
}
