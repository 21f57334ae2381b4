//! Upstreams: backends that the gateway forwards requests to.

pub mod cache;
