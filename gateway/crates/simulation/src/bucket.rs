//! The object store: a map with the conditions of S3, where each request takes effect at one
//! moment.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use bytes::Bytes;
use jiff::Timestamp;

/// The objects by key.
#[derive(Debug, Default)]
pub(crate) struct Bucket {
    pub(crate) objects: BTreeMap<String, StoredObject>,
    /// The numbers of the newest writes that have arrived in a replica, by key.
    arrived: BTreeMap<String, u64>,
    /// The number of writes so far.
    writes: u64,
}

#[derive(Debug, Clone)]
pub(crate) struct StoredObject {
    pub(crate) bytes: Bytes,
    pub(crate) etag: String,
    pub(crate) written_at: Timestamp,
}

#[derive(Debug, Clone)]
pub(crate) enum Request {
    Get {
        key: String,
        unless: Option<String>,
    },
    Put {
        key: String,
        bytes: Bytes,
        condition: Condition,
    },
    Delete {
        key: String,
    },
    List {
        prefix: String,
    },
}

/// When a write takes effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Condition {
    Always,
    IfAbsent,
    IfVersion(String),
}

#[derive(Debug, Clone)]
pub(crate) enum Reply {
    Object(StoredObject),
    Missing,
    NotModified,
    Written { etag: String },
    AlreadyExists,
    PreconditionFailed,
    Deleted,
    Listed(Vec<(String, StoredObject)>),
}

impl Bucket {
    /// Makes the write with this number arrive in a replica, unless a newer one of the same key
    /// has.
    pub(crate) fn replicate(&mut self, key: &str, number: u64, object: Option<StoredObject>) {
        let newest = self.arrived.entry(key.to_owned()).or_default();
        if *newest < number {
            *newest = number;
            match object {
                Some(object) => drop(self.objects.insert(key.to_owned(), object)),
                None => drop(self.objects.remove(key)),
            }
        }
    }

    /// The number of writes and deletions so far.
    pub(crate) fn writes(&self) -> u64 {
        self.writes
    }

    pub(crate) fn apply(&mut self, request: &Request, now: Timestamp) -> Reply {
        match request {
            Request::Get { key, unless } => match self.objects.get(key) {
                None => Reply::Missing,
                Some(object) if unless.as_ref() == Some(&object.etag) => Reply::NotModified,
                Some(object) => Reply::Object(object.clone()),
            },
            Request::Put {
                key,
                bytes,
                condition,
            } => {
                let existing = self.objects.get(key).map(|object| &object.etag);
                match (condition, existing) {
                    (Condition::IfAbsent, Some(_)) => return Reply::AlreadyExists,
                    (Condition::IfVersion(version), existing) if existing != Some(version) => {
                        return Reply::PreconditionFailed;
                    }
                    _ => {}
                }
                self.writes += 1;
                let etag = entity_tag(bytes);
                let object = StoredObject {
                    bytes: bytes.clone(),
                    etag: etag.clone(),
                    written_at: now,
                };
                self.objects.insert(key.clone(), object);
                Reply::Written { etag }
            }
            Request::Delete { key } => {
                self.writes += 1;
                self.objects.remove(key);
                Reply::Deleted
            }
            Request::List { prefix } => {
                let below = self.objects.range(prefix.clone()..);
                let listed = below.take_while(|(key, _)| key.starts_with(prefix.as_str()));
                Reply::Listed(
                    listed
                        .map(|(key, object)| (key.clone(), object.clone()))
                        .collect(),
                )
            }
        }
    }
}

/// The digest of an object's bytes, as in S3: equal objects have equal tags.
fn entity_tag(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}

impl Request {
    pub(crate) fn key(&self) -> &str {
        match self {
            Self::Get { key, .. } | Self::Put { key, .. } | Self::Delete { key } => key,
            Self::List { prefix } => prefix,
        }
    }

    pub(crate) fn is_write(&self) -> bool {
        matches!(self, Self::Put { .. } | Self::Delete { .. })
    }

    /// Whether the client of the object store sends it again if no response arrives.
    pub(crate) fn is_idempotent(&self) -> bool {
        !matches!(self, Self::Put { condition, .. } if *condition != Condition::Always)
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = match self {
            Self::Get { .. } => "get",
            Self::Put { .. } => "put",
            Self::Delete { .. } => "delete",
            Self::List { .. } => "list",
        };
        write!(f, "{verb} {}", self.key())?;
        match self {
            Self::Put {
                condition: Condition::IfAbsent,
                ..
            } => f.write_str(" if absent"),
            Self::Put {
                condition: Condition::IfVersion(version),
                ..
            } => write!(f, " if {version}"),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(object) => write!(f, "version {}", object.etag),
            Self::Missing => f.write_str("missing"),
            Self::NotModified => f.write_str("not modified"),
            Self::Written { etag } => write!(f, "written as {etag}"),
            Self::AlreadyExists => f.write_str("exists already"),
            Self::PreconditionFailed => f.write_str("another version"),
            Self::Deleted => f.write_str("deleted"),
            Self::Listed(listed) => write!(f, "{} objects", listed.len()),
        }
    }
}
