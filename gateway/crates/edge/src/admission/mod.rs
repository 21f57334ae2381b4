//! Admission control: concurrency limits for connections and requests, in total and per client.
//!
//! A new connection may evict an idle one. A new request may preempt a connection of the client that holds
//! the most request permits.

mod connection_limit;
mod connections;
mod idle_connections;
mod requests;

pub(crate) use connection_limit::ConnectionPermit;
pub(crate) use connections::ConnectionAdmission;
pub(crate) use idle_connections::IdleConnections;
pub(crate) use requests::{AdmissionControl, RequestPermit, RequestSource, Saturated};
