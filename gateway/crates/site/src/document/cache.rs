//! The cache of documents, and how a stale one is refreshed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::OwnedMutexGuard;

use colonnade_render::Rendered;
use colonnade_web::request_scope;

use crate::document::types::{Document, DocumentKey};
use crate::document::{DocumentRequest, Documents};

impl Documents {
    /// A document from the cache; otherwise composes it, once for concurrent requests. A stale one
    /// is refreshed in the background.
    pub(super) async fn get(self: &Arc<Self>, request: &DocumentRequest) -> Arc<Document> {
        if let Some(document) = self.cached(&request.key) {
            if document.validity.is_fresh() {
                return document;
            }
            if document.validity.allows_stale() {
                if let Some(refresh) = document.start_refresh() {
                    self.refresh(request.clone(), refresh);
                }
                return document;
            }
        }
        let mut has_waited = false;
        loop {
            let is_own = AtomicBool::new(false);
            let composition = async {
                is_own.store(true, Ordering::Relaxed);
                self.compose_and_cache(request).await
            };
            // Boxed, because it is much larger than the state of a cache hit.
            let document = Box::pin(self.compositions.run(&request.key, composition)).await;
            // The document of another client was shared, whose query or render was rejected: retry
            // for this client.
            if request.is_excluded_by(&document.validity) {
                continue;
            }
            // The shared composition may have started before a purge that this request must see.
            // Retry once: the next one starts after it.
            if is_own.into_inner() || has_waited || self.renderer.is_current(&document.validity) {
                return document;
            }
            has_waited = true;
        }
    }

    /// A document from the cache whose results are neither purged nor invalidated.
    fn cached(&self, key: &DocumentKey) -> Option<Arc<Document>> {
        let document = self.cache(key).get(key)?;
        self.renderer.is_current(&document.validity).then_some(document)
    }

    /// Composes a stale document again, in the background. If that fails, it stays stale, and the
    /// next request tries again.
    fn refresh(self: &Arc<Self>, request: DocumentRequest, refresh: OwnedMutexGuard<()>) {
        let documents = Arc::clone(self);
        request_scope::spawn(async move {
            let _refresh = refresh;
            let composition = documents.compose_and_cache(&request);
            Box::pin(documents.compositions.run(&request.key, composition)).await;
        });
    }

    async fn compose_and_cache(&self, request: &DocumentRequest) -> Arc<Document> {
        let cached = self.cache(&request.key).get(&request.key);
        // Another task may have cached it since the request looked.
        if let Some(document) = &cached
            && document.validity.is_fresh()
            && self.renderer.is_current(&document.validity)
        {
            return Arc::clone(document);
        }
        let rendered = self.renderer.render(&self.store, request.render_request()).await;
        let requests = cached.as_ref().map(|cached| Arc::clone(&cached.requests));
        let mut document = match cached {
            // The same results give the same document.
            Some(cached) if rendered.validity.has_results_of(&cached.validity) => {
                let Rendered {
                    validity, outcomes, ..
                } = rendered;
                let mut document = Document::new(cached.status, cached.content.clone(), validity);
                document.extensions = outcomes;
                document
            }
            _ => {
                self.metrics.record_cache_miss();
                self.common.compose(&self.store, request, rendered, None).await
            }
        };
        document.requests = requests.unwrap_or_default();
        let document = Arc::new(document);
        if document.validity.may_cache() {
            let weight = document.weight() + request.key.weight();
            let cache = self.cache(&request.key);
            cache.put(request.key.clone(), Arc::clone(&document), weight);
        }
        document
    }
}
