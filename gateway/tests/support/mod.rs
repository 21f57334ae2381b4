//! Test support: the gateway process, clients, a sign-up backend, releases and the OpenAPI check.

use std::sync::mpsc;
use std::time::Duration;

use jiff::Timestamp;

mod attack;
mod backend;
mod browser;
mod client;
mod connection;
mod dns;
mod faults;
pub(crate) mod frames;
mod gateway;
mod haproxy;
mod heap;
mod http2;
mod identity_provider;
mod live_site;
mod objects;
pub(crate) mod openapi;
mod pebble;
mod preload;
pub(crate) mod preview;
mod process;
mod prometheus;
mod query_upstream;
mod recording;
mod relay;
mod release;
mod rendering;
pub(crate) mod secrets;
mod successor;
mod tls;
mod upstream;
mod visitors;
pub(crate) mod websocket;
pub(crate) mod workers;

pub(crate) use attack::{Raw, SIGN_UP, SetOnDrop, VISITOR, attack, attack_encrypted, attack_rendering};
pub(crate) use backend::{Backend, CLOSED_ORIGIN, CLOSED_SIGNUP, Reply};
pub(crate) use browser::Browser;
pub(crate) use client::{Client, Request, Response, TIMEOUT};
pub(crate) use connection::Connection;
pub(crate) use dns::Dns;
pub(crate) use faults::{DiskFull, FaultyMachine, SpawnFault};
pub(crate) use gateway::{
    Gateway, Setup, TOKEN, TOKEN_ACTIONS, authorized, authorized_by, configuration,
    configuration_with_listen, only_limits, rollout_cookie, run_gateway, sign, token,
};
pub(crate) use haproxy::HaProxy;
pub(crate) use heap::Heap;
pub(crate) use http2::{Exchange, data_frames};
pub(crate) use identity_provider::{IdentityProvider, SigningKey};
pub(crate) use objects::{edit_json, entries, read_json};
pub(crate) use pebble::{Pebble, free_port};
pub(crate) use process::{min_growth_kib, raise_descriptor_limit, resident_kib, status};
pub(crate) use prometheus::Prometheus;
pub(crate) use query_upstream::QueryUpstream;
pub(crate) use relay::Relay;
pub(crate) use release::{Archive, Release, SCRIPT, STYLE, integrity};
pub(crate) use rendering::{
    HEALTHY_MODULE, deploy_with_queries, extending_section, extensible_shell, is_rendered, query_shell,
    render_count, rendered_section, rendering_gateway, rendering_shell, wait_until_rendered,
    with_rendering_site,
};
pub(crate) use successor::Successor;
pub(crate) use tls::{Certificate, Files, Tls, tls_client};
pub(crate) use upstream::{Protocol, RawUpstream, Received, Upstream, read_head, upstream_table};
pub(crate) use visitors::{Visitor, visit_over_http1, visit_over_http2, visit_with_new_connections};

/// The wall-clock time.
#[expect(
    clippy::disallowed_methods,
    reason = "the gateway's own clock is not accessible from its tests"
)]
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}

/// Polls a condition until it holds. Yields the CPU to the gateway between polls.
pub(crate) fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    for _ in 0..10_000 {
        if condition() {
            return;
        }
        std::thread::park_timeout(Duration::from_millis(5));
    }
    panic!("timed out: {what}");
}

/// Runs a blocking call that has no timeout of its own, and panics when it exceeds the test timeout.
pub(crate) fn with_timeout<T: Send + 'static>(what: &str, call: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, done) = mpsc::channel();
    std::thread::spawn(move || sender.send(call()));
    done.recv_timeout(TIMEOUT)
        .unwrap_or_else(|_| panic!("timed out: {what}"))
}

/// The number of iterations of a soak test: all with `SOAK=1`, a tenth otherwise.
pub(crate) fn soak_iterations(times: usize) -> usize {
    if is_soak() { times } else { times / 10 }
}

/// Whether `SOAK=1` is set.
pub(crate) fn is_soak() -> bool {
    std::env::var_os("SOAK").is_some_and(|value| value == "1")
}
