//! Black-box tests: the built binary, driven over sockets. One feature a file.

// In a test, what does not work out is a failure of the test.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

mod admin_access;
mod assets;
mod assets_conditional;
mod assets_memory;
mod assets_negotiation;
mod assets_ranges;
mod collect;
mod config;
mod crash;
mod deploy;
mod documents;
mod edge_crowd;
mod edge_ended;
mod edge_flow;
mod edge_http1;
mod edge_http2;
mod edge_limits;
mod edge_proxy;
mod edge_restart;
mod edge_slow;
mod edge_strict;
mod edge_tls;
mod faults_clock;
mod faults_memory;
mod faults_store;
mod headers;
mod history;
mod http2;
mod leaks;
mod load;
mod logs;
mod openapi;
mod page_answer;
mod partner;
mod paths;
mod previews;
mod publish;
mod publish_budget;
mod publish_hostile;
mod publish_styles;
mod publish_warnings;
mod render_attacks;
mod render_trials;
mod render_workers;
mod rendering;
mod reports;
mod rollback;
mod rollout;
mod shutdown;
mod signup_backend;
mod signup_form;
mod signup_json;
mod signup_limits;
mod telemetry;
#[cfg(feature = "otlp")]
mod traces;
mod two_gateways;
mod violations;
mod wellknown;
