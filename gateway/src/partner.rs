//! `/go/{partner}`: affiliate links. Only configured targets, and nothing of the visitor but the click itself.

use http::header::REFERRER_POLICY;
use http::{HeaderValue, StatusCode};

use crate::config::Config;
use crate::reply::{Reply, redirect};

/// The redirect to a partner, if there is one of this id.
pub(crate) fn answer(config: &Config, id: &str) -> Option<Reply> {
    let partner = config.partners.get(id)?;
    let mut reply = redirect(StatusCode::FOUND, partner.url.as_str())?;
    let headers = reply.headers_mut();
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    Some(reply)
}
