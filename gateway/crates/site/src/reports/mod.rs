//! Reports of client errors from browsers. Anyone can send them.

mod client_errors;
pub(crate) mod error;

pub(crate) use client_errors::ClientErrorReports;
