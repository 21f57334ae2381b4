//! Receives the body of a response in order to store it, while its first reader reads it already.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http_body::Body as _;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::cache::body::{CacheBody, Part};
use crate::cache::budget::Reservation;
use crate::cache::entry::{Entry, Head};
use crate::cache::fetch::Fetch;
use crate::cache::response_cache::ResponseCache;
use crate::cache::shared::{Shared, Target};

/// What a part of a body takes in memory in addition to its bytes, in bytes.
const PART_OVERHEAD: usize = 128;

/// Receives a body that may be stored.
pub(super) struct Recorder<F: Fetch> {
    cache: Arc<ResponseCache<F::Error>>,
    target: Target,
    head: Head,
    /// For the head and what is received of the body.
    reservation: Reservation,
    body: F::Body,
    /// The length that the head promises.
    length: Option<u64>,
    reader: UnboundedSender<Part<F::Body>>,
}

/// The body of an entry, with the entry's share of the budget: clients may read it after the entry
/// is evicted.
struct StoredBytes {
    bytes: Box<[u8]>,
    _reservation: Reservation,
}

impl AsRef<[u8]> for StoredBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl<F: Fetch> Recorder<F> {
    /// Returns the recorder and the body for the reader; only the body if it is too large to be
    /// stored.
    pub(super) fn new(
        cache: &Arc<ResponseCache<F::Error>>,
        target: Target,
        head: Head,
        body: F::Body,
    ) -> (CacheBody<F::Body>, Option<Self>) {
        let length = body.size_hint().exact();
        let fits = body.size_hint().lower() <= cache.max_response as u64;
        let Some(reservation) = cache.budget.reserve(head.weight()).filter(|_| fits) else {
            return (CacheBody::upstream(body), None);
        };
        let (reader, parts) = unbounded_channel();
        let recorder = Self {
            cache: Arc::clone(cache),
            target,
            head,
            reservation,
            body,
            length,
            reader,
        };
        (CacheBody::receiving(parts, length), Some(recorder))
    }

    /// Receives the body to its end, also if its reader leaves, and stores the response.
    pub(super) async fn run(mut self) -> Shared<F::Error> {
        let length = self.length.and_then(|length| usize::try_from(length).ok());
        let mut bytes = Vec::with_capacity(length.unwrap_or(0));
        loop {
            let frame = match poll_fn(|cx| Pin::new(&mut self.body).poll_frame(cx)).await {
                None => break,
                Some(Ok(frame)) => frame,
                Some(Err(error)) => {
                    // A reader that has left needs nothing.
                    let _ = self.reader.send(Part::Failed(error.clone()));
                    return Shared::Failed(error.into());
                }
            };
            // Trailers are not stored (RFC 9111, section 3.1).
            let Ok(data) = frame.into_data() else { continue };
            // Once for the cache, and once for the reader.
            let own = self.cache.budget.reserve(data.len());
            let readers = self.cache.budget.reserve(data.len() + PART_OVERHEAD);
            let (Some(own), Some(readers)) = (own, readers) else {
                return self.stop(data);
            };
            if bytes.len() + data.len() > self.cache.max_response {
                self.target.set_uncacheable(&self.cache.store);
                return self.stop(data);
            }
            self.reservation.merge(own);
            bytes.extend_from_slice(&data);
            // A copy: a few bytes would keep the whole buffer that they were read into.
            let data = Bytes::copy_from_slice(&data);
            let _ = self.reader.send(Part::Data(data, readers));
        }
        let _ = self.reader.send(Part::End);
        // RFC 9111, section 3.3: an incomplete response is not stored.
        if self.length.is_some_and(|length| length != bytes.len() as u64) {
            return Shared::Nothing;
        }
        let body = Bytes::from_owner(StoredBytes {
            bytes: bytes.into_boxed_slice(),
            _reservation: self.reservation,
        });
        let entry = Arc::new(Entry::new(self.head, body, None));
        self.target.store(&self.cache.store, &entry);
        Shared::Response {
            forward_status: entry.status(),
            entry,
        }
    }

    /// Leaves the rest of the body, beginning with `data`, to the reader.
    fn stop(self, data: Bytes) -> Shared<F::Error> {
        let _ = self.reader.send(Part::Rest(data, self.body));
        Shared::Nothing
    }
}
