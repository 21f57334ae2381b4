//! Reports from browsers: client errors and violations of the Content Security Policy. Anyone can
//! send them.

mod client_errors;
mod csp;
pub(crate) mod error;

pub(crate) use client_errors::ClientErrorReports;
pub(crate) use csp::CspReports;
