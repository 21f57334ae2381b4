//! Queries of pages, which the upstreams answer.

use std::pin::Pin;
use std::sync::Arc;

use colonnade_model::release::ReleaseId;
use colonnade_render::QuerySource;
use colonnade_upstream::Upstreams;
use colonnade_web::client::ClientKey;
use colonnade_web::query::{QueryResult, Revision, UnusableResult};

/// The upstreams as the source of queries.
pub(super) struct UpstreamQueries(pub(super) Arc<Upstreams>);

impl QuerySource for UpstreamQueries {
    fn fetch<'a>(
        &'a self,
        path: &'a str,
        client: Option<ClientKey>,
    ) -> Pin<Box<dyn Future<Output = QueryResult> + Send + 'a>> {
        Box::pin(self.0.query(path, client))
    }

    fn cached<'a>(&'a self, path: &'a str) -> Pin<Box<dyn Future<Output = Option<QueryResult>> + Send + 'a>> {
        Box::pin(self.0.cached_query(path))
    }

    fn is_current(&self, revision: Revision) -> bool {
        self.0.is_current(revision)
    }

    fn record_unusable(&self, path: &str, release: &ReleaseId, reason: UnusableResult) {
        self.0.record_unusable(path, release, reason);
    }
}
