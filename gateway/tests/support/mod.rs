//! What the tests are made with: the gateway as a process, a client, a backend, and releases.

mod backend;
mod client;
mod gateway;
mod release;

pub(crate) use backend::{Act, Backend, CLOSED};
pub(crate) use client::{Client, Request, Response};
pub(crate) use gateway::{Gateway, TOKEN, configuration, run};
pub(crate) use release::{Archive, Release, SCRIPT, STYLE};
