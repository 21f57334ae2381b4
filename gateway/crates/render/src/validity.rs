//! How long a rendered page may be used, and by whom.

use std::sync::Arc;

use tokio::time::Instant;

use colonnade_web::client::ClientKey;
use colonnade_web::query::Revision;

/// How long a page, or the document made of it, may be used, and by whom.
#[derive(Debug, Clone, Default)]
pub struct Validity {
    /// How long.
    pub lifetime: Lifetime,
    /// The results it was rendered with; `None` for a page without queries.
    pub(crate) results: Option<ResultsDigest>,
    /// The revisions of those results that can be revoked.
    pub(crate) revisions: Arc<[Revision]>,
    /// The only client that may use it: a limit of this client rejected a query or the render.
    /// Another client may get the whole page.
    pub client: Option<ClientKey>,
}

/// How long a rendered page may be used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Lifetime {
    /// As long as its releases and its date: it has no queries.
    #[default]
    Unlimited,
    /// As long as the results of its queries.
    Until {
        /// The end of the shortest freshness.
        fresh_until: Instant,
        /// Until then it may be used while it is refreshed.
        stale_until: Instant,
    },
    /// Only once: the render or a query failed, or a result does not fit the schema of the page.
    Once,
}

/// The SHA-256 digest of the results of a page.
pub(crate) type ResultsDigest = [u8; 32];

impl Validity {
    /// Whether it may be used more than once.
    pub fn may_cache(&self) -> bool {
        self.lifetime != Lifetime::Once
    }

    /// Whether it may be used as it is.
    pub fn is_fresh(&self) -> bool {
        match self.lifetime {
            Lifetime::Unlimited => true,
            Lifetime::Until { fresh_until, .. } => Instant::now() < fresh_until,
            Lifetime::Once => false,
        }
    }

    /// Whether it may be used while it is refreshed, if it is not fresh.
    pub fn allows_stale(&self) -> bool {
        match self.lifetime {
            Lifetime::Unlimited => true,
            Lifetime::Until { stale_until, .. } => Instant::now() < stale_until,
            Lifetime::Once => false,
        }
    }

    /// Whether both have queries, and the same results. Pages of the same releases, path and date
    /// with the same results are equal.
    pub fn has_results_of(&self, other: &Self) -> bool {
        self.results.is_some() && self.results == other.results
    }
}
