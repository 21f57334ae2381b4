//! The last object of the log of calls.

use colonnade_model::event::AuditEntry;
use serde::{Deserialize, Serialize};

use crate::objects::Version;

/// The entries of an object. The number of each entry tells its object.
pub(crate) const CHUNK: usize = 250;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Chunk {
    /// How many entries before the others were deleted, because they are old. The others keep their
    /// numbers.
    #[serde(default)]
    pub(crate) deleted: usize,
    pub(crate) entries: Vec<AuditEntry>,
}

/// The last object, as it was read.
#[derive(Debug, Default)]
pub(crate) struct AuditTail {
    /// `None`: it is not known yet.
    pub(crate) number: Option<u64>,
    /// `None`: the object does not exist.
    pub(crate) version: Option<Version>,
    pub(crate) chunk: Chunk,
}

impl Chunk {
    pub(crate) fn len(&self) -> usize {
        self.deleted + self.entries.len()
    }
}

impl AuditTail {
    /// The number of the last entry.
    pub(crate) fn end(&self) -> u64 {
        self.number.unwrap_or(0) * CHUNK as u64 + self.chunk.len() as u64
    }

    pub(crate) fn start(&mut self, number: u64) {
        *self = Self {
            number: Some(number),
            ..Self::default()
        };
    }
}
