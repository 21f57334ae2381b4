//! What the requests for one response share.

use std::sync::Arc;

use colonnade_web::query::Revision;
use http::StatusCode;

use crate::cache::entry::Entry;
use crate::cache::policy::SelectingHeader;
use crate::cache::store::{Key, Store};

/// What requests have in common that wait for the same response. Requests after a purge do not wait
/// for those before.
pub(super) type RequestKey = (Key, Revision, Vec<SelectingHeader>);

/// What a response is stored for.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) key: Key,
    /// The revision of the URL when the request began.
    pub(super) revision: Revision,
    /// The stale response that is validated.
    pub(super) stale: Option<Arc<Entry>>,
}

/// What the requests get that wait for the same response.
#[derive(Debug, Clone)]
pub(super) enum Shared<E> {
    /// A response. The upstream's own status is 304 if it confirmed a stale one.
    Response {
        entry: Arc<Entry>,
        forward_status: StatusCode,
    },
    /// The upstream answered that it fails.
    ErrorStatus(StatusCode),
    /// There is no response.
    Failed(E),
    /// The response is only for the request that asked.
    Nothing,
    /// The request that asked was not sent, because of its client.
    NotSent,
}

impl Target {
    /// Stores the response, unless there is a newer revision.
    pub(super) fn store(&self, store: &Store, entry: &Arc<Entry>) {
        store.put(&self.key, self.revision, entry);
    }

    /// Records that the response is not storable, unless there is a newer revision.
    pub(super) fn set_uncacheable(&self, store: &Store) {
        store.set_uncacheable(&self.key, self.revision, self.stale.as_ref());
    }
}
