//! `Cache-Status` (RFC 9211), and the outcome for metrics.

use std::fmt::Write as _;

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use strum::{IntoStaticStr, VariantArray};

/// `Cache-Status`
const CACHE_STATUS: HeaderName = HeaderName::from_static("cache-status");

/// The bytes that a value has at most, unless its numbers are huge.
const TYPICAL_LENGTH: usize = 80;

/// How the cache answered a request, for metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum CacheOutcome {
    /// A fresh response from the cache.
    Hit,
    /// A stale response from the cache: while it is revalidated, or because the upstream fails.
    Stale,
    /// A stale response that the upstream confirmed with 304.
    Revalidated,
    /// The upstream's response.
    Miss,
    /// The upstream's response to a request that the cache is not for.
    Bypass,
    /// The upstream's response to another request that was waiting for it.
    Collapsed,
}

impl CacheOutcome {
    /// The name in metrics.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Why a request was forwarded (RFC 9211, section 2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Forward {
    /// The cache is not for requests like this one.
    Bypass,
    /// The cache is not for the method.
    Method,
    /// No response is stored for the URL.
    UriMiss,
    /// The stored responses are for other request headers.
    VaryMiss,
    /// The stored response is stale.
    Stale,
    /// The request does not accept what is stored.
    Request,
}

impl Forward {
    fn name(self) -> &'static str {
        self.into()
    }
}

/// What the cache did with one request.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CacheStatus {
    /// Why the request was forwarded; `None` for a hit.
    pub(super) forward: Option<Forward>,
    /// The status of the upstream's response, if it differs from that of this response or the
    /// response is not the upstream's.
    pub(super) forward_status: Option<StatusCode>,
    pub(super) is_stored: bool,
    pub(super) is_collapsed: bool,
    /// The remaining freshness in seconds; negative if the response is stale.
    pub(super) ttl: Option<i64>,
}

impl CacheStatus {
    /// The status of a forwarded request.
    pub(super) fn forwarded(forward: Forward) -> Self {
        Self {
            forward: Some(forward),
            ..Self::default()
        }
    }

    /// Adds the status to a response, after those of the caches nearer to the origin.
    pub(super) fn append(self, headers: &mut HeaderMap) {
        let mut text = String::with_capacity(TYPICAL_LENGTH);
        text.push_str("colonnade");
        match self.forward {
            None => text.push_str("; hit"),
            Some(forward) => {
                text.push_str("; fwd=");
                text.push_str(forward.name());
            }
        }
        if let Some(status) = self.forward_status {
            text.push_str("; fwd-status=");
            text.push_str(status.as_str());
        }
        if self.is_stored {
            text.push_str("; stored");
        }
        if self.is_collapsed {
            text.push_str("; collapsed");
        }
        if let Some(ttl) = self.ttl {
            // Writing to a string cannot fail.
            let _ = write!(text, "; ttl={ttl}");
        }
        if let Ok(value) = HeaderValue::from_str(&text) {
            headers.append(CACHE_STATUS, value);
        }
    }
}
