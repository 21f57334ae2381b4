//! Black-box tests: they run the built binary and drive it over sockets. Each file covers one feature.

// A failed `unwrap` fails the test.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::all,
    clippy::pedantic,
    unused_imports,
    dead_code
)]

mod support;

mod acme;
mod admin_access;
mod assets;
mod assets_cache;
mod assets_conditional;
mod assets_negotiation;
mod assets_ranges;
mod audit;
mod config;
mod config_check;
mod console_events;
mod console_files;
mod console_sessions;
mod console_traffic;
mod crash;
mod csp_reports;
mod deploy;
mod deploy_under_load;
mod documents;
mod edge_admission;
mod edge_backlog;
mod edge_close_causes;
mod edge_flow_control;
mod edge_guide;
mod edge_http1;
mod edge_http2;
mod edge_limits;
mod edge_proxy;
mod edge_redirect;
mod edge_restart;
mod edge_timeouts;
mod edge_tls;
mod edge_tls_certificates;
mod edge_tls_resumption;
mod edge_validation;
mod error_reports;
mod faults_clock;
mod faults_memory;
mod faults_store;
mod garbage_collection;
mod history;
mod http2;
mod logs;
mod logs_requests;
mod metrics;
mod object_storage;
mod object_storage_identity;
mod observability;
mod openapi;
mod packaging;
mod page_endpoint;
mod partner_links;
mod paths;
mod prerender;
mod previews;
mod previews_access;
mod previews_forged;
mod previews_revocation;
mod publish;
mod publish_budget;
mod publish_malicious_archives;
mod publish_warnings;
mod queries;
mod queries_freshness;
mod queries_invalid;
mod queries_purge;
mod queries_rejected;
mod regions;
mod render_isolation;
mod render_unavailable;
mod render_workers;
mod rendering;
mod rollback;
mod rollout;
mod rollout_analysis;
mod rollout_steps;
mod rollouts_concurrent;
mod secrets_leak;
mod section_claims;
mod section_errors;
mod section_logs;
mod security_headers;
mod service_manager;
mod several_gateways;
mod shared_store;
mod shutdown;
mod signup_backend;
mod signup_form;
mod signup_json;
mod signup_limits;
mod store_backup;
mod store_damage;
mod store_lock;
mod store_recover;
mod store_restore;
mod store_schema;
mod store_symlinks;
mod store_verify;
mod telemetry;
mod traces;
mod upgrade;
mod upstream_attacks;
mod upstream_balance;
mod upstream_cache;
mod upstream_dns;
mod upstream_errors;
mod upstream_faults;
mod upstream_forward;
mod upstream_limits;
mod upstream_secrets;
mod upstream_smuggling;
mod upstream_soak;
mod upstream_stream;
mod upstream_tls;
mod wasm;
mod wellknown;
