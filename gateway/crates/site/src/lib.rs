//! The routes of the site listener: documents, assets, sign-up, partner links, previews, and
//! reports from browsers.

mod asset;
mod call;
mod content_security_policy;
mod deployment_selection;
pub mod document;
mod error;
#[cfg(any(test, feature = "testing"))]
pub mod fuzzing;
pub mod metrics;
mod page_manifest;
mod partner;
mod preview;
mod remotes;
mod reports;
mod routes;
mod set_manifest;
mod signup;
mod site;
mod unknown_names;
mod wellknown;

pub use error::SiteError;
pub use signup::BackendError;
pub use site::{Site, SiteParts};
