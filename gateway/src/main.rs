//! The `gateway` program: parses the command line, starts the parts, and reloads the settings. The
//! parts are the crates in `gateway/crates`:
//!
//! - `model`: releases, path patterns, deployments and rollouts as data and rules, without I/O.
//! - `web`: HTTP building blocks, such as responses, error responses, routing and middleware.
//! - `admission`: permits for connections, requests, renders and calls, shared fairly between
//!   networks.
//! - `edge`: listeners, TLS, and the limits of connections and requests.
//! - `store`: the store of releases and deployments.
//! - `render`: server-side rendering in sandboxed worker processes.
//! - `javascript`: compiled server modules, and a check of their allocations.
//! - `diagnostics`: recent errors, the log and the traffic of each section, in memory.
//! - `platform`: publishing, deploying, rolling out and back, previews and garbage collection.
//! - `upstream`: proxying to upstreams, with balancing, health checks, retries and circuit
//!   breakers.
//! - `site`: the routes for visitors.
//! - `admin`: the routes for operators.
//! - `identity`: ID tokens of OIDC, and names of client certificates.
//! - `telemetry`: the log, request metrics and traces.
//! - `config`: the settings in `site.toml`.
//! - `clock`: the wall clock, and tokio's clock read once in each poll.
//! - `random`: random numbers for IDs and secrets.
//! - `memory`: the use of memory, and returning what is free to the operating system.
//! - `brotli`: compression, optimized in development builds, too.
//!
//! Three crates are for tests only:
//!
//! - `simulation`: many gateways on one simulated bucket, with faults.
//! - `testing`: helpers for the unit tests of the other crates.
//! - `testing-s3`: an S3 server with faults.

mod acme;
mod cli;
mod console;
mod core_dumps;
mod exit;
mod metrics;
mod operate;
mod redirect;
mod run;
mod stack;
mod store_command;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
