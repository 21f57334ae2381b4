//! Release manifests, versions, path patterns, deployments, rollouts and preview keys.
//!
//! This crate contains data and rules only: no I/O and no clock.

pub mod bucket_url;
pub mod canary;
pub mod deployment;
pub mod event;
pub mod extension_rules;
pub mod fleet;
#[cfg(any(test, feature = "testing"))]
pub mod fuzzing;
pub mod language;
pub mod pattern;
pub mod policy;
pub mod release;
pub mod rotating_keys;
pub mod schema;
pub mod search;
pub mod secret;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod unknown_fields;
