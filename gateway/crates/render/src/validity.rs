//! How long a rendered page, an extension or a document may be used, and by whom.

use std::iter;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use colonnade_web::client::ClientKey;
use colonnade_web::query::Revision;

use crate::why::Why;

/// How long a page or an extension, or the document made of them, may be used, and by whom.
#[derive(Debug, Clone, Default)]
pub struct Validity {
    /// How long.
    pub lifetime: Lifetime,
    /// The results it was rendered with; `None` without queries.
    pub(crate) results: Option<Digest>,
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
    /// As long as the results of its queries, and as an extension that fails is not rendered again.
    Until {
        /// The end of the shortest of these times.
        fresh_until: Instant,
        /// Until then it may be used while it is refreshed.
        stale_until: Instant,
    },
    /// Only once: the render or a query failed, or a result does not fit its schema.
    Once,
}

impl Lifetime {
    /// The shorter one of each time.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Once, _) | (_, Self::Once) => Self::Once,
            (Self::Unlimited, other) => other,
            (
                Self::Until {
                    fresh_until,
                    stale_until,
                },
                Self::Until {
                    fresh_until: other_fresh,
                    stale_until: other_stale,
                },
            ) => Self::Until {
                fresh_until: fresh_until.min(other_fresh),
                stale_until: stale_until.min(other_stale),
            },
            (own, Self::Unlimited) => own,
        }
    }
}

/// A SHA-256 digest.
pub(crate) type Digest = [u8; 32];

impl Validity {
    /// Of what is not rendered for this reason, and requested by this client.
    pub(crate) fn without_html(why: Why, client: Option<ClientKey>) -> Self {
        Self {
            lifetime: if why.may_cache() {
                Lifetime::Unlimited
            } else {
                Lifetime::Once
            },
            client: client.filter(|_| why.is_of_client()),
            ..Self::default()
        }
    }

    /// Of the document with a page of this validity and its extensions, in order: whether each is
    /// shown, and its validity.
    pub(crate) fn with(self, extensions: &[(bool, Self)]) -> Self {
        let parts = || iter::once(&self).chain(extensions.iter().map(|(_, part)| part));
        let mut digest = Sha256::new();
        for part in parts() {
            digest.update(part.results.unwrap_or_default());
        }
        for (is_shown, _) in extensions {
            digest.update([u8::from(*is_shown)]);
        }
        let has_results = parts().any(|part| part.results.is_some());
        Self {
            lifetime: parts()
                .map(|part| part.lifetime)
                .fold(Lifetime::Unlimited, Lifetime::and),
            results: has_results.then(|| digest.finalize().into()),
            revisions: parts().flat_map(|part| &*part.revisions).copied().collect(),
            client: parts().find_map(|part| part.client),
        }
    }

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
