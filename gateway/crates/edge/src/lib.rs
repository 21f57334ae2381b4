//! Everything between a socket and the routes: listeners, TLS, connection deadlines and limits,
//! protocol checks, the PROXY protocol, admission control, rate limiting, and the middleware of
//! every request.
//!
//! A [`Listener`] accepts a connection if it gets a permit (see [`colonnade_admission`]).
//! `connection` reads the PROXY header (see `proxy`), performs the TLS handshake, and runs hyper on
//! the stream with the checks of `http1` or `http2`.

mod connection;
#[cfg(any(test, feature = "testing"))]
pub mod fuzzing;
mod http1;
mod http2;
mod io;
mod lingering_close;
mod listener;
pub mod metrics;
pub mod middleware;
mod new_streams;
mod protocol;
mod proxy;
mod service;
mod settings;
mod shutdown;
mod sockets;
mod state;
mod tickets;
mod tls;

pub use colonnade_web::limits::Limits;
pub use listener::Listener;
pub use service::{ConnectionHandle, HttpService};
pub use settings::{AllowedHosts, CurrentSettings, Settings};
pub use sockets::{check_backlog, raise_file_descriptor_limit};
pub use tickets::TicketKeys;
pub use tls::{ChallengeCertificates, NamedCertificate, SharedTls, Tls};
