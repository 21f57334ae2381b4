//! The routes of the site listener: documents, assets, previews, reports from browsers, and
//! integrations.

mod asset;
mod call;
mod content_security_policy;
mod deployment_selection;
pub mod document;
mod error;
#[cfg(any(test, feature = "testing"))]
pub mod fuzzing;
mod integrations;
mod listener;
mod manifest_cache;
pub mod metrics;
mod page_manifest;
mod preview;
mod remotes;
mod reports;
mod resolved_page;
mod route_table;
mod routes;
mod set_manifest;
mod site;
mod unknown_names;
mod wellknown;

pub use error::SiteError;
pub use integrations::BackendError;
pub use site::{Site, SiteParts};
