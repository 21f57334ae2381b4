//! Documents: the HTML page around every page of every section.
//!
//! A document holds no byte of the request that asked for it, so it is composed once for each deployment, path and
//! day, compressed once, and costs what a file costs from then on.

mod boot;

mod html;
mod plain;
mod policy;
mod style;
#[cfg(test)]
mod tests;

pub(crate) use boot::{Form, SiteFacts};
pub(crate) use plain::plain_page;

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, ETAG, VARY};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use jiff::civil::Date;
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;

use crate::cache::Cache;
use crate::clock;
use crate::config::Config;
use crate::deployment::{PageAnswer, Set};
use crate::flight::Flights;
use crate::metrics::DocumentMetrics;
use crate::negotiate::{Coding, coding};
use crate::net::Client;
use crate::pattern::RequestPath;
use crate::publish::{Effort, encode};
use crate::render::{Body, Renderer, Wanted};
use crate::reply::{HTML, NO_CACHE, NO_STORE, Reply, Representation, reply, represent};
use crate::store::Store;
use crate::visit::Visit;
use boot::{Boot, Reports};
use policy::Policy;

/// The most bytes kept of composed documents.
const CACHE_BYTES: usize = 32 * 1024 * 1024;

const REPORTING_ENDPOINTS: HeaderName = HeaderName::from_static("reporting-endpoints");

/// Composes documents and keeps them.
pub(crate) struct Documents {
    facts: SiteFacts,
    reports: Reports,
    renderer: Arc<Renderer>,
    policy: Policy,
    cache: Cache<Key, Composed>,
    flights: Flights<Key, Arc<Composed>>,
    /// One for each document that may be compressed at a time: it takes megabytes, and all of a processor.
    compressing: Semaphore,
    metrics: DocumentMetrics,
}

/// Who may keep a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeper {
    Everybody,
    /// The browser that asked: others may see another deployment.
    Visitor,
    Nobody,
}

/// What a composed document depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    deployment: u64,
    /// The canonical path; `None` is every path that no page matches.
    path: Option<String>,
    /// The day the boot payload names.
    day: Date,
}

impl Key {
    /// The bytes it takes: the cache has it twice. Paths are as long as whoever asks makes them.
    fn weight(&self) -> usize {
        2 * (size_of::<Self>() + self.path.as_ref().map_or(0, String::len))
    }
}

/// A document in all its codings.
#[derive(Debug)]
struct Composed {
    status: StatusCode,
    /// Whether it is as good as it gets; one whose render failed may be better the next time, so nobody keeps it.
    is_whole: bool,
    /// The client that was refused a render of its page.
    refused: Option<Client>,
    policy: HeaderValue,
    identity: Representation,
    compressed: Vec<Representation>,
}

/// A document that is asked for.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) store: &'a dyn Store,
    pub(crate) visit: &'a Visit<'a>,
    /// `None` where no page matches.
    pub(crate) page: Option<&'a Arc<PageAnswer>>,
    /// The path it is asked for at.
    pub(crate) path: Option<&'a RequestPath>,
    /// Who asks; the gateway itself where nobody does.
    pub(crate) client: Option<Client>,
}

impl Documents {
    /// Documents of the site this configuration describes.
    pub(crate) fn new(config: &Config, renderer: Arc<Renderer>, metrics: DocumentMetrics) -> Self {
        Self {
            facts: SiteFacts::new(config),
            reports: Reports {
                sample_percent: config.rollout.sample_percent,
            },
            renderer,
            policy: Policy::new(config),
            cache: Cache::new(CACHE_BYTES),
            flights: Flights::default(),
            compressing: Semaphore::new(std::thread::available_parallelism().map_or(2, usize::from)),
            metrics,
        }
    }

    /// What renders their pages.
    pub(crate) fn renderer(&self) -> &Renderer {
        &self.renderer
    }

    /// Makes the documents of what a set's pages name, one after the other, unless that is switched off.
    pub(crate) async fn warm(&self, store: &dyn Store, set: &Arc<Set>) {
        if !self.renderer.warms() {
            return;
        }
        let visit = Visit::live(set);
        for (_, path) in set.paths() {
            let Ok(path) = RequestPath::parse(path) else {
                continue;
            };
            let asked = Asked {
                store,
                visit: &visit,
                page: set.page(&path),
                path: Some(&path),
                client: None,
            };
            self.composed(asked, clock::today()).await;
        }
    }

    /// The document of a page, or of no page, in the form this request wants.
    pub(crate) async fn answer(&self, request: &HeaderMap, asked: Asked<'_>) -> Reply {
        let visit = asked.visit;
        let day = clock::today();
        if visit.is_preview() {
            let path = asked.path();
            let body = Box::pin(self.renderer.body(asked.store, asked.wanted(&path, day))).await;
            return Box::pin(self.once(asked, None, &body, None, day)).await;
        }
        let composed = self.composed(asked, day).await;
        let representation = composed.best(request);
        let keeper = if composed.is_whole {
            visit.keeper()
        } else {
            Keeper::Nobody
        };
        let headers = self.headers(composed.policy.clone(), keeper);
        if composed.status == StatusCode::OK && keeper != Keeper::Nobody {
            return represent(request, &HTML, headers, representation);
        }
        // A 404 has no validator: If-None-Match is about what a 200 would have been.
        let mut reply = represent(&HeaderMap::new(), &HTML, headers, representation);
        *reply.status_mut() = composed.status;
        reply.headers_mut().remove(ETAG);
        reply
    }

    /// The document of a page with a form that was refused: for this one visitor, kept by nobody.
    pub(crate) async fn refused(&self, asked: Asked<'_>, status: StatusCode, form: &Form) -> Reply {
        let answer = serde_json::to_value(form).unwrap_or_default();
        let day = clock::today();
        let body = match asked.page {
            // Another site's post is not worth a render.
            Some(_) if status != StatusCode::FORBIDDEN => {
                let wanted = asked.wanted(&form.page, day);
                Box::pin(self.renderer.once(asked.store, wanted, &answer)).await
            }
            _ => Body::Browser,
        };
        self.once(asked, Some(status), &body, Some(form), day).await
    }

    /// A document from what is kept, or made now.
    async fn composed(&self, asked: Asked<'_>, day: Date) -> Arc<Composed> {
        let key = Key {
            deployment: asked.visit.set.number(),
            path: asked.page.map(|_| asked.path()),
            day,
        };
        if let Some(composed) = self.cache.get(&key) {
            return composed;
        }
        loop {
            // On the heap: it is much larger than what a document that is kept takes.
            let composed = Box::pin(self.flights.run(&key, self.make(&key, asked))).await;
            // Somebody else asked for it first, whose refusal is nobody else's.
            if composed.refused.is_none_or(|client| asked.client == Some(client)) {
                return composed;
            }
        }
    }

    async fn make(&self, key: &Key, asked: Asked<'_>) -> Arc<Composed> {
        // Whoever was here just before may have left it.
        if let Some(composed) = self.cache.get(key) {
            return composed;
        }
        let body = self
            .renderer
            .body(asked.store, asked.wanted(&asked.path(), key.day))
            .await;
        let (html, policy) = self.compose(asked, &body, None, key.day).await;
        let is_whole = !matches!(body, Body::Failed | Body::Refused(_));
        // Nobody closes it; were it closed, compressing would go on unbounded.
        let permit = self.compressing.acquire().await.ok();
        let mut composed = Composed::new(asked.status(&body), policy, html.into(), is_whole).await;
        drop(permit);
        composed.refused = body.refused();
        let composed = Arc::new(composed);
        self.metrics.composed();
        if is_whole {
            let weight = composed.weight() + key.weight();
            self.cache.put(key.clone(), Arc::clone(&composed), weight);
        }
        composed
    }

    async fn once(
        &self,
        asked: Asked<'_>,
        status: Option<StatusCode>,
        body: &Body,
        form: Option<&Form>,
        day: Date,
    ) -> Reply {
        let (html, policy) = self.compose(asked, body, form, day).await;
        let mut reply = reply(status.unwrap_or(asked.status(body)), HTML, html);
        reply.headers_mut().extend(self.headers(policy, Keeper::Nobody));
        reply
    }

    async fn compose(
        &self,
        asked: Asked<'_>,
        body: &Body,
        form: Option<&Form>,
        day: Date,
    ) -> (String, HeaderValue) {
        let set = asked.visit.set;
        let rendered = match body {
            Body::Rendered(rendered) => Some(&**rendered),
            Body::Browser | Body::Failed | Body::Refused(_) => None,
        };
        let boot = Boot {
            deployment: set.number(),
            site: self.facts.on(&day.to_string()),
            page: asked.page.map(AsRef::as_ref),
            slots: &set.slots,
            reports: &self.reports,
            social_image: set.frame.social_image.as_ref(),
            view: rendered.map(|rendered| &*rendered.view),
            form,
        };
        // Without the page there is nothing to be seen that they could be late for.
        let styles = match rendered {
            Some(_) => style::inline(asked.store, set, asked.page).await,
            None => Vec::new(),
        };
        let document = html::Document {
            brand: &self.facts.brand,
            origin: &self.facts.origin,
            frame: &set.frame,
            boot: &boot,
            rendered,
            styles: &styles,
            is_preview: asked.visit.is_preview(),
            is_listed: asked.is_listed(),
        };
        (document.compose(), self.policy.with(&styles))
    }

    /// The headers of every document.
    fn headers(&self, policy: HeaderValue, keeper: Keeper) -> HeaderMap {
        let (cache_control, vary) = match keeper {
            Keeper::Everybody => (NO_CACHE, "Accept-Encoding"),
            Keeper::Visitor => (
                HeaderValue::from_static("private, no-cache"),
                "Accept-Encoding, Cookie",
            ),
            Keeper::Nobody => (NO_STORE, "Accept-Encoding, Cookie"),
        };
        let mut headers = HeaderMap::from_iter([
            (CONTENT_SECURITY_POLICY, policy),
            (CACHE_CONTROL, cache_control),
            (VARY, HeaderValue::from_static(vary)),
        ]);
        headers.extend(
            self.policy
                .endpoints()
                .map(|endpoints| (REPORTING_ENDPOINTS, endpoints)),
        );
        headers
    }
}

impl<'a> Asked<'a> {
    /// The canonical path that is rendered.
    fn path(&self) -> String {
        // The shell's not-found page is the same wherever it stands.
        let path = self.path.filter(|_| self.page.is_some());
        path.map_or("/".to_owned(), RequestPath::canonical)
    }

    fn wanted(&self, path: &'a str, day: Date) -> Wanted<'a> {
        Wanted {
            set: self.visit.set,
            page: self.page.map(|page| &**page),
            path,
            day,
            client: self.client,
        }
    }

    /// Whether search engines are told of the path.
    fn is_listed(&self) -> bool {
        let path = self.path();
        self.page.is_some() && self.visit.set.indexable().any(|listed| listed == path)
    }

    fn status(&self, body: &Body) -> StatusCode {
        let not_found = match body {
            Body::Rendered(rendered) => rendered.status == 404,
            Body::Browser | Body::Failed | Body::Refused(_) => self.page.is_none(),
        };
        if not_found {
            StatusCode::NOT_FOUND
        } else {
            StatusCode::OK
        }
    }
}

impl Composed {
    /// A document in all its codings, made where it holds up nobody who only waits for bytes.
    async fn new(status: StatusCode, policy: HeaderValue, html: Bytes, is_whole: bool) -> Self {
        let plain = html.clone();
        let made = tokio::task::spawn_blocking(move || forms(&html, is_whole)).await;
        // Compressing does not panic; were it to, the document would go out as it is.
        let (identity, compressed) = made.unwrap_or_else(|_| forms(&plain, false));
        Self {
            status,
            is_whole,
            refused: None,
            policy,
            identity,
            compressed,
        }
    }

    fn best(&self, request: &HeaderMap) -> Representation {
        let available: Vec<Coding> = self.compressed.iter().map(|form| form.coding).collect();
        let wanted = coding(request, &available);
        let form = self.compressed.iter().find(|form| form.coding == wanted);
        form.unwrap_or(&self.identity).clone()
    }

    fn weight(&self) -> usize {
        let forms = self.compressed.iter().chain([&self.identity]);
        forms.map(|form| form.bytes.len()).sum()
    }
}

/// The forms a document is sent in: as it is, and compressed if that is worth it.
fn forms(html: &Bytes, is_whole: bool) -> (Representation, Vec<Representation>) {
    let tag = URL_SAFE_NO_PAD.encode(&Sha256::digest(html)[..18]);
    let representation = |coding, bytes| {
        let etag = match coding {
            Coding::Identity => format!("\"{tag}\""),
            _ => format!("\"{tag}-{coding}\""),
        };
        Representation {
            coding,
            etag: HeaderValue::try_from(etag).expect("base64 may stand in a header"),
            bytes,
        }
    };
    // What is made anew for every request is not worth compressing.
    let codings = [Coding::Gzip, Coding::Br].into_iter().filter(|_| is_whole);
    // Encoding into memory does not fail; were it to, that one form of the document would not be there.
    let compressed = codings.filter_map(|coding| {
        let bytes = encode(html, coding, Effort::Quick).ok()?;
        Some(representation(coding, bytes.into()))
    });
    (
        representation(Coding::Identity, html.clone()),
        compressed.collect(),
    )
}
