//! The cache of documents, and how a stale one is refreshed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::civil::Date;
use tokio::sync::OwnedMutexGuard;

use colonnade_render::{Lifetime, RenderOutcome, Rendered};
use colonnade_web::request_scope;

use super::composed::{ComposedDocument, DocumentKey};
use super::{DocumentRequest, Documents};

impl Documents {
    /// Returns a document from the cache, or composes it. A stale one is refreshed in the background.
    pub(super) async fn composed(
        self: &Arc<Self>,
        request: DocumentRequest<'_>,
        day: Date,
    ) -> Arc<ComposedDocument> {
        let key = DocumentKey {
            deployment: request.selection.deployment.number(),
            releases: request.selection.deployment.releases.len(),
            path: request.page.map(|_| request.canonical_path()),
            day,
        };
        if let Some(document) = self.cached(&key) {
            if document.lifetime.is_fresh() {
                return document;
            }
            if document.lifetime.allows_stale() {
                if let Some(refresh) = document.begin_refresh() {
                    self.refresh(key, request, refresh);
                }
                return document;
            }
        }
        let mut has_waited = false;
        loop {
            let is_own = AtomicBool::new(false);
            let composition = async {
                is_own.store(true, Ordering::Relaxed);
                self.compose_and_cache(&key, request).await
            };
            // Boxed, because it is much larger than the state of a cache hit.
            let document = Box::pin(self.compositions.run(&key, composition)).await;
            // A shared composition can be that of another client whose render or query was rejected. Then this client tries
            // again.
            if document
                .rejected_client
                .is_some_and(|client| request.client != Some(client))
            {
                continue;
            }
            // It can also have begun before a purge that came before this request. The next one begins after it.
            if is_own.into_inner() || has_waited || self.is_current(&document) {
                return document;
            }
            has_waited = true;
        }
    }

    /// Returns a document from the cache whose results are neither purged nor invalidated.
    fn cached(&self, key: &DocumentKey) -> Option<Arc<ComposedDocument>> {
        self.cache.get(key).filter(|document| self.is_current(document))
    }

    fn is_current(&self, document: &ComposedDocument) -> bool {
        let mut results = document.results.iter();
        results.all(|results| self.renderer.are_current(results))
    }

    /// Composes a stale document again, in the background. If that fails, it stays stale, and the next request tries again.
    fn refresh(
        self: &Arc<Self>,
        key: DocumentKey,
        request: DocumentRequest<'_>,
        refresh: OwnedMutexGuard<()>,
    ) {
        let (documents, request) = (Arc::clone(self), request.for_refresh());
        request_scope::spawn(async move {
            let _refresh = refresh;
            let selection = request.selection();
            let composition = documents.compose_and_cache(&key, request.request(&selection));
            Box::pin(documents.compositions.run(&key, composition)).await;
        });
    }

    async fn compose_and_cache(
        &self,
        key: &DocumentKey,
        request: DocumentRequest<'_>,
    ) -> Arc<ComposedDocument> {
        let cached = self.cache.get(key);
        // A composition that ended just before this one may have cached the document.
        if let Some(document) = &cached
            && document.lifetime.is_fresh()
            && self.is_current(document)
        {
            return Arc::clone(document);
        }
        let path = request.canonical_path();
        let render = self
            .renderer
            .render(&self.store, request.render_request(&path, key.day))
            .await;
        let document = match cached {
            // The results are those of before, so the document is, too.
            Some(cached) if let Some(rendered) = same_results(&render, &cached) => ComposedDocument::new(
                cached.content.clone(),
                rendered.lifetime,
                rendered.results.clone(),
            ),
            _ => self.compose(request, render, key.day).await,
        };
        let document = Arc::new(document);
        if document.lifetime != Lifetime::Once {
            let weight = document.weight() + key.weight();
            self.cache.put(key.clone(), Arc::clone(&document), weight);
        }
        document
    }
}

/// The outcome of a render, if it succeeded with the same results of queries as those of a document.
fn same_results<'a>(render: &'a RenderOutcome, document: &ComposedDocument) -> Option<&'a Rendered> {
    let rendered = render.as_ref().ok()?;
    let (new, old) = (rendered.results.as_ref()?, document.results.as_ref()?);
    new.has_content_of(old).then_some(rendered)
}
