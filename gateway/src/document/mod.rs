//! Documents: the HTML page around every page of every section.
//!
//! A document holds no byte of the request that asked for it, so it is composed once for each deployment, page
//! pattern and day, compressed once, and costs what a file costs from then on.

mod boot;
mod cache;
mod html;
mod plain;
mod policy;
#[cfg(test)]
mod tests;

pub(crate) use boot::Form;
pub(crate) use plain::plain_page;

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, ETAG, REFERRER_POLICY, VARY};
use http::{HeaderMap, HeaderValue, StatusCode};
use sha2::{Digest as _, Sha256};

use crate::clock;
use crate::config::Config;
use crate::deployment::PageAnswer;
use crate::negotiate::{Coding, coding};
use crate::publish::encode;
use crate::reply::{HTML, NO_CACHE, NO_STORE, Reply, Representation, reply, represent};
use crate::visit::Visit;
use boot::{Boot, Reports, SiteFacts};
use cache::Cache;
use policy::policy;

/// The most bytes kept of composed documents.
const CACHE_BYTES: usize = 32 * 1024 * 1024;

/// Composes documents and keeps them.
pub(crate) struct Documents {
    facts: SiteFacts,
    reports: Reports,
    policy: HeaderValue,
    cache: Cache<Key, Composed>,
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
    /// The page's pattern; `None` is the not-found page.
    pattern: Option<String>,
    /// The day the boot payload names.
    today: String,
}

/// A document in all its codings.
#[derive(Debug)]
struct Composed {
    identity: Representation,
    compressed: Vec<Representation>,
}

impl Documents {
    /// Documents of the site this configuration describes.
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            facts: SiteFacts::new(config),
            reports: Reports {
                sample_percent: config.rollout.sample_percent,
            },
            policy: policy(config),
            cache: Cache::new(CACHE_BYTES),
        }
    }

    /// The document of a page, or of no page, in the form this request wants.
    pub(crate) fn answer(
        &self,
        request: &HeaderMap,
        visit: &Visit<'_>,
        page: Option<&Arc<PageAnswer>>,
    ) -> Reply {
        let status = if page.is_some() {
            StatusCode::OK
        } else {
            StatusCode::NOT_FOUND
        };
        if visit.is_preview() {
            return self.once(visit, page, status, None);
        }
        let set = visit.set;
        let key = Key {
            deployment: set.number(),
            pattern: page.map(|page| page.pattern.clone()),
            today: clock::today().to_string(),
        };
        let composed = self.cache.get(&key).unwrap_or_else(|| {
            let html = self.compose(visit, page, &key.today, None);
            let composed = Arc::new(Composed::new(&html.into()));
            self.cache.put(key, Arc::clone(&composed), composed.weight());
            composed
        });
        let representation = composed.best(request);
        let headers = self.headers(visit.keeper());
        if page.is_some() && visit.keeper() != Keeper::Nobody {
            return represent(request, &HTML, headers, representation);
        }
        // A 404 has no validator: If-None-Match is about what a 200 would have been.
        let mut reply = represent(&HeaderMap::new(), &HTML, headers, representation);
        *reply.status_mut() = status;
        reply.headers_mut().remove(ETAG);
        reply
    }

    /// The document of a page with a form that was refused: for this one visitor, kept by nobody.
    pub(crate) fn refused(
        &self,
        visit: &Visit<'_>,
        page: Option<&Arc<PageAnswer>>,
        status: StatusCode,
        form: &Form,
    ) -> Reply {
        self.once(visit, page, status, Some(form))
    }

    fn once(
        &self,
        visit: &Visit<'_>,
        page: Option<&Arc<PageAnswer>>,
        status: StatusCode,
        form: Option<&Form>,
    ) -> Reply {
        let html = self.compose(visit, page, &clock::today().to_string(), form);
        let mut reply = reply(status, HTML, html);
        reply.headers_mut().extend(self.headers(Keeper::Nobody));
        reply
    }

    fn compose(
        &self,
        visit: &Visit<'_>,
        page: Option<&Arc<PageAnswer>>,
        today: &str,
        form: Option<&Form>,
    ) -> String {
        let set = visit.set;
        let boot = Boot {
            deployment: set.number(),
            site: self.facts.on(today),
            page: page.map(AsRef::as_ref),
            slots: &set.slots,
            reports: &self.reports,
            form,
        };
        html::compose(&self.facts.brand, &set.frame, &boot, visit.is_preview())
    }

    /// The headers of every document.
    fn headers(&self, keeper: Keeper) -> HeaderMap {
        let (cache_control, vary) = match keeper {
            Keeper::Everybody => (NO_CACHE, "Accept-Encoding"),
            Keeper::Visitor => (
                HeaderValue::from_static("private, no-cache"),
                "Accept-Encoding, Cookie",
            ),
            Keeper::Nobody => (NO_STORE, "Accept-Encoding, Cookie"),
        };
        HeaderMap::from_iter([
            (CONTENT_SECURITY_POLICY, self.policy.clone()),
            (REFERRER_POLICY, HeaderValue::from_static("same-origin")),
            (CACHE_CONTROL, cache_control),
            (VARY, HeaderValue::from_static(vary)),
        ])
    }
}

impl Composed {
    fn new(html: &Bytes) -> Self {
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
        let codings = [Coding::Gzip, Coding::Br].into_iter();
        // Encoding into memory does not fail; were it to, that one form of the document would not be there.
        let compressed = codings.filter_map(|coding| {
            let bytes = encode(html, coding).ok()?;
            Some(representation(coding, bytes.into()))
        });
        Self {
            compressed: compressed.collect(),
            identity: representation(Coding::Identity, html.clone()),
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
