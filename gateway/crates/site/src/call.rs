//! A request as handlers get it.

use colonnade_model::pattern::RequestPath;
use colonnade_platform::deployment::Snapshot;
use colonnade_web::body::RequestBody;
use colonnade_web::cookie::Cookies;
use colonnade_web::request::Head;

/// A request for a handler.
pub(crate) struct Call<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) path: &'a RequestPath,
    /// The decoded parameter in the path, or an empty string if the route has none.
    pub(crate) parameter: &'a str,
    pub(crate) head: &'a Head,
    pub(crate) cookies: Cookies<'a>,
    pub(crate) body: RequestBody,
}
