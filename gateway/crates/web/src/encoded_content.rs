//! Content that is encoded once and sent often.

use std::panic::catch_unwind;
use std::sync::LazyLock;
use std::thread::available_parallelism;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;

use crate::content_negotiation::{Coding, preferred_coding};
use crate::encode::{Effort, encode};
use crate::request_scope;
use crate::response::Representation;

/// The codings of compressed content. Browsers that accept Zstandard also accept Brotli.
const CODINGS: [Coding; 2] = [Coding::Gzip, Coding::Br];

/// Limits concurrent encoding, which takes megabytes of memory and a whole CPU core for each
/// content.
static PERMITS: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(available_parallelism().map_or(2, usize::from)));

/// Content in each coding that it is sent in.
#[derive(Debug, Clone)]
pub struct EncodedContent {
    identity: Representation,
    compressed: Vec<Representation>,
}

impl EncodedContent {
    /// Does not compress content. Hashes it on the current thread, so it must be short.
    pub fn uncompressed(content: Bytes) -> Self {
        Self::precompressed(content, [])
    }

    /// Does not compress content, and does not hash it either. Its `ETag` must not be sent.
    pub fn without_validator(content: Bytes) -> Self {
        Self {
            identity: representation("", Coding::Identity, content),
            compressed: Vec::new(),
        }
    }

    /// Content with its compressed codings.
    pub fn precompressed(content: Bytes, compressed: impl IntoIterator<Item = (Coding, Bytes)>) -> Self {
        let tag = URL_SAFE_NO_PAD.encode(&Sha256::digest(&content)[..18]);
        let compressed = compressed.into_iter();
        Self {
            compressed: compressed
                .map(|(coding, bytes)| representation(&tag, coding, bytes))
                .collect(),
            identity: representation(&tag, Coding::Identity, content),
        }
    }

    /// Composes and compresses content on a thread for blocking work: even a kilobyte takes longer
    /// than an event loop may be blocked.
    pub async fn compress<C: Into<Bytes>>(compose: impl FnOnce() -> C + Send + 'static) -> Self {
        // The semaphore is never closed.
        let permit = PERMITS.acquire().await.ok();
        let encoding = request_scope::run_blocking(move || {
            let _permit = permit;
            let content = compose().into();
            // Encoding in memory does not fail. If it did, this coding would not be offered.
            let compressed = CODINGS.into_iter().filter_map(|coding| {
                let encoding = catch_unwind(|| encode(&content, coding, Effort::Quick));
                Some((coding, encoding.ok()?.ok()?.into()))
            });
            let compressed: Vec<_> = compressed.collect();
            Self::precompressed(content, compressed)
        });
        encoding.await
    }

    /// Returns the representation that the client of a request prefers.
    pub fn preferred(&self, request: &HeaderMap) -> &Representation {
        if self.compressed.is_empty() {
            return &self.identity;
        }
        let coding = preferred_coding(request, &CODINGS);
        let preferred = self.compressed.iter().find(|each| each.coding == coding);
        preferred.unwrap_or(&self.identity)
    }

    /// Returns the bytes in memory.
    pub fn weight(&self) -> usize {
        let representations = self.compressed.iter().chain([&self.identity]);
        representations.map(|each| each.bytes.len()).sum()
    }
}

fn representation(tag: &str, coding: Coding, bytes: Bytes) -> Representation {
    let etag = match coding {
        Coding::Identity => format!("\"{tag}\""),
        _ => format!("\"{tag}-{coding}\""),
    };
    Representation {
        coding,
        etag: HeaderValue::try_from(etag).expect("base64 is valid in a header"),
        bytes,
    }
}
