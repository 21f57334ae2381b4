//! Composes the documents of a deployment before they are requested.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use http::StatusCode;

use colonnade_model::pattern::RequestPath;
use colonnade_model::search::split_search;
use colonnade_platform::deployment::{Warm, Warming};
use colonnade_store::loaded::LoadedDeployment;

use crate::deployment_selection::DeploymentSelection;
use crate::document::{Documents, RequestedPage};

/// The requests of a path, since its document was cached, from which on a deploy tries it. One visitor
/// can request any path once.
const MIN_REQUESTS: u64 = 3;

impl Warm for Documents {
    fn requested_paths(&self) -> Vec<String> {
        let mut counts: HashMap<String, u64> = HashMap::new();
        // Documents of earlier deployments count, too.
        for cache in [&self.cache, &self.searches] {
            cache.for_each(|key, document| {
                let requests = document.requests.load(Ordering::Relaxed);
                if let Some(path) = &key.path
                    && document.status != StatusCode::NOT_FOUND
                {
                    *counts.entry(path.clone()).or_default() += requests;
                }
            });
        }
        counts.retain(|_, requests| *requests >= MIN_REQUESTS);
        let mut paths: Vec<_> = counts.into_iter().collect();
        paths.sort_by(|(path, requests), (other_path, other)| (other, path).cmp(&(requests, other_path)));
        paths.into_iter().map(|(path, _)| path).collect()
    }

    fn warm(self: Arc<Self>, deployment: Arc<LoadedDeployment>) -> Warming {
        Box::pin(async move {
            if !self.renderer.warms_cache() {
                return;
            }
            self.renderer.try_unknown(&self.store, &deployment).await;
            let selection = DeploymentSelection::live(Arc::clone(&deployment));
            let pages = deployment
                .named_paths()
                .filter(|(page, _)| deployment.changes_page(page));
            for (_, named) in pages {
                let (path, search) = split_search(named);
                let Ok(path) = RequestPath::parse(path) else {
                    continue;
                };
                let requested = deployment.page(&path).map(|page| RequestedPage {
                    page,
                    path: &path,
                    search: search.to_owned(),
                });
                let request = self.request(&selection, requested, None);
                // The results of queries may be outdated before a visitor requests the page.
                let has_queries = self.renderer.render_ahead(&self.store, request.render_request());
                if !has_queries.await {
                    self.get(&request).await;
                }
            }
        })
    }
}
