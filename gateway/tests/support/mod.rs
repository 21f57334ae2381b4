//! What the tests are made with: the gateway as a process, a client, a backend, and releases.

mod backend;
mod client;
mod gateway;
mod release;

pub use backend::{Act, Backend, closed_port};
pub use client::{Client, Request, Response};
pub use gateway::{Gateway, TOKEN, configuration, run};
pub use release::{Archive, Release, SCRIPT, STYLE};
