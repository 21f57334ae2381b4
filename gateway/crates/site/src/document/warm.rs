//! Composes the documents of a deployment before they are requested.

use std::sync::Arc;

use colonnade_model::pattern::RequestPath;
use colonnade_platform::deployment::{Warm, Warming};
use colonnade_store::loaded::LoadedDeployment;

use super::Documents;
use crate::deployment_selection::DeploymentSelection;

impl Warm for Documents {
    fn warm(self: Arc<Self>, deployment: Arc<LoadedDeployment>) -> Warming {
        Box::pin(async move {
            if !self.renderer.warms_cache() {
                return;
            }
            let selection = DeploymentSelection::live(Arc::clone(&deployment));
            let pages = deployment
                .named_paths()
                .filter(|(page, _)| deployment.changes_page(page));
            for (_, path) in pages {
                let Ok(path) = RequestPath::parse(path) else {
                    continue;
                };
                let request = self.request(&selection, deployment.page(&path), Some(&path), None);
                // The results of queries may be outdated before a visitor requests the page.
                let has_queries = self.renderer.render_ahead(&self.store, request.render_request());
                if !has_queries.await {
                    self.get(&request).await;
                }
            }
        })
    }
}
