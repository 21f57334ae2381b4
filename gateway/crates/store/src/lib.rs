//! The store of releases, deployments, the live state and its history:
//!
//! ```text
//! store.json                         the ID of the store
//! releases/<name>/<version>.json     a release: release.json, its record, and the names of its files; or that it was deleted
//! files/<digest>.<random>            the files of releases
//! uploads/<id>.json                  the files that an upload shares with published releases
//! tombstones/<name>/<version>.json   the digest of a deleted release, which reserves its version for the same bytes
//! deployments/<number>.json          a deployment; for at least a day that it was deleted
//! live.json                          the live deployment, the running rollouts, and the newest change
//! history/<revision>.json            the changes, including the newest
//! audit/<n>.json                     other calls of the admin API
//! webhooks/<name>.json               how far each webhook has got
//! acme/                              secret: account, certificate and challenges
//! canary/<gateway>.json              what a gateway has counted about the running rollouts
//! gateways/<gateway>.json            the state of a gateway, as it was within the last minute
//! collection.json                    when garbage was last collected
//! preview-keys.json                  secret
//! ticket-keys.json                   secret
//! copy.json                          that the store is the target of an incomplete copy
//! ```
//!
//! A folder also has `lock` and `scratch/`. Everything above [`objects`](mod@objects) is
//! the same for a folder and a bucket: see `docs/decisions/0009-folder-or-bucket.md`. A release
//! becomes visible with one object, created only if it does not exist; `live.json` and the keys are
//! replaced only if their version is unchanged.
//!
//! **Releases.** The object of a release stays when the release is deleted. So a request that
//! arrives late fails, or repeats what is true anyway: see [`unused`](mod@unused).
//!
//! **Shared files.** A file with the same bytes as one of a published release of the same name is
//! not stored again. The upload first names the shared files in `uploads/`, and then checks that
//! the releases with them are still published. Garbage collection first deletes a release, and then
//! reads which files others use, `uploads/` before `releases/`. Whichever is first, the other one
//! sees it.

mod acme;
mod audit;
mod audit_tail;
mod bucket;
mod bucket_error;
#[cfg(test)]
mod bucket_tests;
mod cached;
mod canary;
mod collection;
mod connect;
mod copy;
mod durable;
mod error;
mod fleet;
mod folder;
mod history;
mod inner;
mod inspect;
mod json;
mod keys;
mod live;
pub mod loaded;
pub mod metrics;
mod objects;
mod orphans;
mod place;
mod published;
mod read;
mod recover;
mod releases;
mod scratch;
mod store;
#[cfg(test)]
mod suite;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod turn;
mod types;
mod unused;
mod upload;
mod verify;
mod webhook;

pub use acme::{AcmeFile, AcmeFiles, AcmeOrder};
pub use bucket::{AccessKey, BucketSettings};
pub use bucket_error::BucketError;
pub use cached::CacheSettings;
pub use copy::{Copied, Timeline, copy};
pub use error::{StoreError, cause_without_path};
pub use fleet::KnownGateway;
pub use inspect::{InspectError, list, show, tree};
pub use place::Place;
pub use store::Store;
pub use types::{
    GatewayId, ListedFile, PutOutcome, ReleaseRecord, StagedRelease, StoredRelease, UnusedMark, variant_path,
};
pub use verify::{Health, Problem, Report, Serves, VisibleRelease, verify};
pub use webhook::{StoredProgress, WebhookProgress};
