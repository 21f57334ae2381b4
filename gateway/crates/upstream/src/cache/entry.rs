//! A stored response.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use colonnade_clock::poll;
use http::header::{
    AGE, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, DATE, ETAG, IF_MODIFIED_SINCE,
    IF_NONE_MATCH, LAST_MODIFIED, SET_COOKIE, TRANSFER_ENCODING,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, request, response};
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::Instant;

use colonnade_web::query::Freshness;

use crate::cache::budget::Reservation;
use crate::cache::directives::parse_seconds;
use crate::cache::fetch::NotStorable;
use crate::cache::policy::{Policy, SelectingHeader, has_combined_value, selecting_headers};

/// What a header takes in memory in addition to its bytes, in bytes.
const HEADER_OVERHEAD: usize = 96;

/// What an entry takes in memory in addition to its headers and its body, in bytes.
const ENTRY_OVERHEAD: usize = 512;

/// The number of headers that are added to a copy: `Date`, `Age`, `Cache-Status`, and those of
/// middleware. The map then needs no larger index.
const ADDED_HEADERS: usize = 8;

/// The headers that describe the stored body, so that a 304 does not replace them (RFC 9111,
/// section 3.2); and `Set-Cookie`, which is never stored.
const KEPT: [HeaderName; 6] = [
    CONTENT_ENCODING,
    CONTENT_LENGTH,
    CONTENT_RANGE,
    CONTENT_TYPE,
    SET_COOKIE,
    TRANSFER_ENCODING,
];

/// The head of a response, and how long the response may be used.
#[derive(Debug)]
pub(super) struct Head {
    status: StatusCode,
    /// Without `Age`.
    headers: HeaderMap,
    policy: Policy,
    selecting: Vec<SelectingHeader>,
    received: Instant,
    initial_age: Duration,
}

/// A stored response.
#[derive(Debug)]
pub(super) struct Entry {
    head: Head,
    body: Bytes,
    /// Held while it is revalidated.
    revalidation: Arc<Mutex<()>>,
    _reservation: Option<Reservation>,
}

/// What the age of a response allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Usability {
    /// It is fresh.
    Fresh,
    /// It is stale, and may be used while it is revalidated.
    StaleWhileRevalidate,
    /// It must be validated.
    Stale,
}

impl Head {
    /// Copies the head of a response to a request that was sent at `requested`, so that it does not
    /// keep the buffer that it was read from. `None` if it must not be stored.
    pub(super) fn new(
        request: &request::Parts,
        response: &response::Parts,
        requested: Instant,
    ) -> Option<Self> {
        let policy = Policy::new(request, response)?;
        Some(Self::with_policy(request, response, requested, policy))
    }

    fn with_policy(
        request: &request::Parts,
        response: &response::Parts,
        requested: Instant,
        policy: Policy,
    ) -> Self {
        let received = poll::now();
        // RFC 9111, section 4.2.3: the corrected age value. A clock of the upstream that is wrong
        // does not count.
        let age = response.headers.get(AGE).and_then(|age| age.to_str().ok());
        let initial_age = age.map_or(Duration::ZERO, parse_seconds) + (received - requested);
        let mut headers = HeaderMap::with_capacity(response.headers.keys_len() + ADDED_HEADERS);
        for (name, value) in response.headers.iter().filter(|(name, _)| **name != AGE) {
            // Bytes of a value that was valid are valid.
            if let Ok(mut copy) = HeaderValue::from_bytes(value.as_bytes()) {
                copy.set_sensitive(value.is_sensitive());
                headers.append(name, copy);
            }
        }
        // RFC 9110, section 6.6.1.
        headers.entry(DATE).or_insert_with(now);
        Self {
            status: response.status,
            headers,
            policy,
            selecting: selecting_headers(&request.headers, &response.headers).unwrap_or_default(),
            received,
            initial_age,
        }
    }

    /// The bytes that it takes in memory.
    pub(super) fn weight(&self) -> usize {
        let headers = self.headers.iter();
        let headers = headers.map(|(name, value)| name.as_str().len() + value.len() + HEADER_OVERHEAD);
        let selecting = self.selecting.iter();
        let selecting = selecting
            .map(|(name, value)| name.as_str().len() + value.as_ref().map_or(0, Vec::len) + HEADER_OVERHEAD);
        ENTRY_OVERHEAD + headers.chain(selecting).sum::<usize>()
    }

    /// The remaining freshness in seconds; negative if the response is stale.
    pub(super) fn ttl(&self, now: Instant) -> i64 {
        let seconds = |duration: Duration| i64::try_from(duration.as_secs()).unwrap_or(i64::MAX);
        seconds(self.policy.lifetime) - seconds(self.age(now))
    }

    fn age(&self, now: Instant) -> Duration {
        self.initial_age + now.saturating_duration_since(self.received)
    }

    /// How long the response may still be used.
    pub(super) fn freshness(&self, now: Instant) -> Freshness {
        let age = self.age(now);
        let staleness = age.saturating_sub(self.policy.lifetime);
        Freshness {
            fresh_for: self.policy.lifetime.saturating_sub(age),
            stale_while_revalidate: self.policy.stale_while_revalidate.saturating_sub(staleness),
        }
    }
}

impl Entry {
    /// An entry with this body. The reservation is for the head, if the body has none for it.
    pub(super) fn new(head: Head, body: Bytes, reservation: Option<Reservation>) -> Self {
        Self {
            head,
            body,
            revalidation: Arc::default(),
            _reservation: reservation,
        }
    }

    pub(super) fn head(&self) -> &Head {
        &self.head
    }

    pub(super) fn status(&self) -> StatusCode {
        self.head.status
    }

    pub(super) fn body(&self) -> Bytes {
        self.body.clone()
    }

    pub(super) fn selecting(&self) -> &[SelectingHeader] {
        &self.head.selecting
    }

    /// Whether requests with credentials may get it.
    pub(super) fn is_public(&self) -> bool {
        self.head.policy.is_public
    }

    /// Whether it is ever fresh. If it is not, it is validated for each request.
    pub(super) fn has_lifetime(&self) -> bool {
        self.head.policy.lifetime > Duration::ZERO
    }

    /// The bytes that it takes in memory.
    pub(super) fn weight(&self) -> usize {
        self.head.weight() + self.body.len()
    }

    /// Whether it is a response to this request (RFC 9111, section 4.1).
    pub(super) fn matches(&self, request: &HeaderMap) -> bool {
        let mut selecting = self.head.selecting.iter();
        selecting.all(|(name, value)| has_combined_value(request, name, value.as_deref()))
    }

    pub(super) fn usability(&self, now: Instant) -> Usability {
        let freshness = self.head.freshness(now);
        if freshness.fresh_for > Duration::ZERO {
            Usability::Fresh
        } else if freshness.stale_while_revalidate > Duration::ZERO {
            Usability::StaleWhileRevalidate
        } else {
            Usability::Stale
        }
    }

    /// Whether it may be used in place of an error (RFC 5861, section 4).
    pub(super) fn is_usable_on_error(&self, now: Instant) -> bool {
        let policy = &self.head.policy;
        self.head.age(now) < policy.lifetime + policy.stale_if_error
    }

    /// The headers with the current age.
    pub(super) fn headers(&self, now: Instant) -> HeaderMap {
        let mut headers = self.head.headers.clone();
        headers.insert(AGE, self.head.age(now).as_secs().into());
        headers
    }

    /// Makes a request conditional, so that the upstream can confirm the response (RFC 9111,
    /// section 4.3.1).
    pub(super) fn add_validators(&self, request: &mut HeaderMap) {
        for (name, validator) in [(IF_NONE_MATCH, ETAG), (IF_MODIFIED_SINCE, LAST_MODIFIED)] {
            if let Some(value) = self.head.headers.get(validator) {
                request.insert(name, value.clone());
            }
        }
    }

    /// The head that a 304 updates (RFC 9111, sections 3.2 and 4.3.4), and whether it may be
    /// stored. `None` if the 304 is about another representation: its validator differs. The
    /// request had the validators of this response only, so that a 304 without one is about it,
    /// too.
    pub(super) fn updated(
        &self,
        request: &request::Parts,
        not_modified: &response::Parts,
        requested: Instant,
    ) -> Option<(Head, bool)> {
        let validator = if not_modified.headers.contains_key(ETAG) {
            ETAG
        } else {
            LAST_MODIFIED
        };
        let of = |headers: &HeaderMap| {
            headers
                .get(&validator)
                .map(|value| opaque_tag(value.as_bytes()).to_vec())
        };
        let confirmed = of(&not_modified.headers);
        if confirmed.is_some() && confirmed != of(&self.head.headers) {
            return None;
        }
        let mut merged = http::Response::new(()).into_parts().0;
        merged.status = self.head.status;
        merged.headers = self.head.headers.clone();
        if let Some(mark) = not_modified.extensions.get::<NotStorable>() {
            merged.extensions.insert(*mark);
        }
        for name in not_modified.headers.keys().filter(|name| !KEPT.contains(name)) {
            merged.headers.remove(name);
            for value in not_modified.headers.get_all(name) {
                merged.headers.append(name, value.clone());
            }
        }
        let policy = Policy::new(request, &merged);
        let head = Head::with_policy(request, &merged, requested, policy.unwrap_or(Policy::UNUSABLE));
        Some((head, policy.is_some()))
    }

    /// Returns what the caller holds while it revalidates the response; `None` while another
    /// request revalidates it.
    pub(super) fn begin_revalidation(&self) -> Option<OwnedMutexGuard<()>> {
        Arc::clone(&self.revalidation).try_lock_owned().ok()
    }
}

/// An entity tag without the mark of a weak one, for the weak comparison (RFC 9110, section
/// 8.8.3.2).
pub(super) fn opaque_tag(tag: &[u8]) -> &[u8] {
    tag.strip_prefix(b"W/").unwrap_or(tag)
}

fn now() -> HeaderValue {
    let now = httpdate::fmt_http_date(colonnade_clock::now().into());
    // A date is ASCII.
    HeaderValue::try_from(now).unwrap_or(HeaderValue::from_static(""))
}
