//! The files that are asked for, in memory.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use bytes::Bytes;
use http::HeaderValue;
use parking_lot::Mutex;

use crate::cache::Cache;
use crate::deployment::{Served, ServedFile};
use crate::flight::Flights;
use crate::negotiate::Coding;
use crate::reply::Representation;
use crate::store::{Store, StoreError};

/// What a kept file takes besides its bytes.
const OVERHEAD: usize = 512;

/// A file's address and coding.
type Key = (Arc<str>, Coding);

/// What reading a file came to; `None` where it is not there.
type Outcome = Result<Option<Arc<Representation>>, Arc<StoreError>>;

/// Keeps files in memory, as many bytes of them as it may. Files are immutable, so what is kept is never out of date.
pub(super) struct Hot {
    kept: Cache<Key, Representation>,
    flights: Flights<Key, Outcome>,
    lent: Lent,
}

impl Hot {
    /// For at most so many bytes; with 0 nothing is kept.
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            kept: Cache::new(capacity),
            flights: Flights::default(),
            lent: Lent::default(),
        }
    }

    /// A file in a coding, read only if it is not kept. Whoever asks meanwhile waits for the same read.
    pub(super) async fn get(
        &self,
        store: &dyn Store,
        release: &Served,
        path: &str,
        file: &ServedFile,
        coding: Coding,
    ) -> Outcome {
        let key = (Arc::clone(&file.address), coding);
        if let Some(form) = self.kept.get(&key) {
            return Ok(Some(form));
        }
        let read = async {
            let bytes = match self.lent.find(&key) {
                Some(bytes) => bytes,
                None => match store.file(&release.id, &format!("client/{path}"), coding).await {
                    Ok(Some(bytes)) => self.lent.lend(key.clone(), bytes),
                    Ok(None) => return Ok(None),
                    Err(error) => return Err(Arc::new(error)),
                },
            };
            let form = Arc::new(Representation {
                coding,
                etag: HeaderValue::try_from(file.etag(coding)).expect("base64 may stand in a header"),
                bytes,
            });
            let weight = form.bytes.len() + key.0.len() + OVERHEAD;
            self.kept.put(key.clone(), Arc::clone(&form), weight);
            Ok(Some(form))
        };
        // On the heap: it is much larger than what a file that is kept takes.
        Box::pin(self.flights.run(&key, read)).await
    }
}

/// The bytes that are being sent, kept or not: however many read a large file slowly, it is in memory once.
#[derive(Default)]
struct Lent(Mutex<HashMap<Key, Weak<Bytes>>>);

/// One user of such bytes.
struct Loan(Arc<Bytes>);

impl AsRef<[u8]> for Loan {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Lent {
    /// Bytes that somebody still has.
    fn find(&self, key: &Key) -> Option<Bytes> {
        let lent = self.0.lock();
        let bytes = lent.get(key)?.upgrade()?;
        Some(Bytes::from_owner(Loan(bytes)))
    }

    /// Notes who has them, and forgets what nobody has any more.
    fn lend(&self, key: Key, bytes: Bytes) -> Bytes {
        let bytes = Arc::new(bytes);
        let mut lent = self.0.lock();
        lent.retain(|_, bytes| bytes.strong_count() > 0);
        lent.insert(key, Arc::downgrade(&bytes));
        Bytes::from_owner(Loan(bytes))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;

    use super::{Coding, Lent};

    #[test]
    fn what_somebody_still_has_is_not_read_twice() {
        let lent = Lent::default();
        let key = |name: &str| (Arc::from(name), Coding::Br);
        let first = lent.lend(key("a"), Bytes::from_static(b"bytes"));
        let part = first.slice(1..3);
        drop(first);
        let again = lent.find(&key("a")).expect("a part of it is still held");
        assert_eq!(again, "bytes");
        assert_eq!(again[1..].as_ptr(), part.as_ptr());
        drop((again, part));
        assert!(lent.find(&key("a")).is_none());
        let _other = lent.lend(key("b"), Bytes::from_static(b"other"));
        assert_eq!(lent.0.lock().len(), 1);
    }
}
