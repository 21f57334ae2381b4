//! Composed documents, as the cache keeps them.

use std::sync::Arc;

use http::{HeaderValue, StatusCode};
use jiff::civil::Date;
use tokio::sync::{Mutex, OwnedMutexGuard};

use colonnade_render::{Lifetime, ResultsId};
use colonnade_web::client::ClientKey;
use colonnade_web::encoded_content::EncodedContent;
use colonnade_web::response::RenderFailed;

/// What a composed document depends on, in addition to the results of its page's queries.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct DocumentKey {
    pub(super) deployment: u64,
    /// The number of its releases that are available. It only rises, until it is complete.
    pub(super) releases: usize,
    /// The canonical path; `None` for all paths without a page.
    pub(super) path: Option<String>,
    /// The day in the boot payload.
    pub(super) day: Date,
}

impl DocumentKey {
    /// Returns the bytes that the cache needs for the key. It stores the key twice, and clients choose the path's length.
    pub(super) fn weight(&self) -> usize {
        2 * (size_of::<Self>() + self.path.as_ref().map_or(0, String::len))
    }
}

/// A document in all codings, or a redirect.
#[derive(Debug)]
pub(super) struct ComposedDocument {
    pub(super) content: ComposedContent,
    /// How long it may be used. Only once if its render or a query failed: the next one may succeed, so it is not cached.
    pub(super) lifetime: Lifetime,
    /// The results of its page's queries.
    pub(super) results: Option<ResultsId>,
    /// The client whose render, or a query of its page, was rejected.
    pub(super) rejected_client: Option<ClientKey>,
    pub(super) render_failed: Option<RenderFailed>,
    /// Held while it is refreshed.
    refresh: Arc<Mutex<()>>,
}

/// The content of a composed document.
#[derive(Debug, Clone)]
pub(super) enum ComposedContent {
    /// A document.
    Html {
        status: StatusCode,
        policy: HeaderValue,
        content: EncodedContent,
    },
    /// A redirect to this path of the site.
    Redirect(HeaderValue),
}

impl ComposedDocument {
    pub(super) fn new(content: ComposedContent, lifetime: Lifetime, results: Option<ResultsId>) -> Self {
        Self {
            content,
            lifetime,
            results,
            rejected_client: None,
            render_failed: None,
            refresh: Arc::default(),
        }
    }

    /// Returns what the caller holds while it refreshes the document; `None` while another one does.
    pub(super) fn begin_refresh(&self) -> Option<OwnedMutexGuard<()>> {
        Arc::clone(&self.refresh).try_lock_owned().ok()
    }

    /// Returns the bytes in memory.
    pub(super) fn weight(&self) -> usize {
        match &self.content {
            ComposedContent::Html { content, .. } => content.weight(),
            ComposedContent::Redirect(location) => location.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use http::HeaderValue;

    use colonnade_render::Lifetime;

    use super::{ComposedContent, ComposedDocument};

    #[test]
    fn refresh_that_panics_allows_the_next_one() {
        let content = ComposedContent::Redirect(HeaderValue::from_static("/"));
        let document = ComposedDocument::new(content, Lifetime::Unlimited, None);
        let refresh = document.begin_refresh().expect("no refresh in progress");
        assert!(document.begin_refresh().is_none());
        let panic = catch_unwind(AssertUnwindSafe(|| {
            let _refresh = refresh;
            panic!("while it refreshes");
        }));
        assert!(panic.is_err());
        assert!(document.begin_refresh().is_some());
    }
}
