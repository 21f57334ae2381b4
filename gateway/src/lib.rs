//! The Colonnade gateway: one binary in front of a shell and many sections.
//!
//! It keeps releases in a store, puts one set of them live as a numbered deployment, and serves that: documents,
//! assets, sign-up forwarding and affiliate links. Each module has one job and says which at its top.

mod admin;
mod allowance;
mod asset;
mod cache;
mod cli;
mod clock;
mod conditional;
mod config;
mod content;
mod cookie;
mod deployment;
mod document;
mod dumps;
mod flight;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzzing;
mod health;
mod host;
mod metrics;
mod negotiate;
mod net;
mod origin;
mod partner;
mod pattern;
mod preview;
mod publish;
mod release;
mod render;
mod reply;
mod rescue;
mod rollout;
mod run;
mod signup;
mod site;
mod stack;
mod store;
mod telemetry;
#[cfg(test)]
mod testing;
mod violation;
mod visit;
mod wellknown;

/// Runs the program with the arguments of the process.
pub fn run() -> std::process::ExitCode {
    cli::main()
}
