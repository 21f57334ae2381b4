//! Work that one gateway on a store does at a time: an object says when it last began, or was
//! renewed.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::error::{StoreError, if_intact};
use crate::objects::{Objects, Version, When};

/// The turn of this gateway.
#[derive(Debug)]
pub(crate) struct Turn {
    version: Version,
    /// Whether it is the first one in the store.
    pub(crate) is_first: bool,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record {
    begun_at: Timestamp,
}

impl Turn {
    /// Begins the work of an object; `None` if a gateway began or renewed it within this time.
    pub(crate) async fn begin(
        objects: &dyn Objects,
        key: &str,
        interval: SignedDuration,
    ) -> Result<Option<Self>, StoreError> {
        let now = colonnade_clock::now();
        let object = objects.read_bytes(key).await?;
        if let Some(object) = &object {
            let last: Option<Record> = if_intact(objects.parse(key, &object.bytes).map(Some))?;
            // A time that is far in the future is that of a wrong clock.
            if last.is_some_and(|last| now.duration_since(last.begun_at).abs() < interval) {
                return Ok(None);
            }
        }
        let when = object
            .as_ref()
            .map_or(When::Absent, |object| When::Is(&object.version));
        let written = objects.write(key, &Record { begun_at: now }, when).await?;
        let is_first = object.is_none();
        Ok(written.map(|version| Self { version, is_first }))
    }

    /// Says that the work goes on; false if another gateway has begun it.
    pub(crate) async fn renew(&mut self, objects: &dyn Objects, key: &str) -> Result<bool, StoreError> {
        let begun_at = colonnade_clock::now();
        let when = When::Is(&self.version);
        let Some(version) = objects.write(key, &Record { begun_at }, when).await? else {
            return Ok(false);
        };
        self.version = version;
        Ok(true)
    }

    /// Ends the work, so that another gateway can begin it at once.
    pub(crate) async fn end(self, objects: &dyn Objects, key: &str) -> Result<(), StoreError> {
        let begun_at = Timestamp::UNIX_EPOCH;
        // Otherwise the turn took too long, and is that of another gateway.
        let when = When::Is(&self.version);
        objects.write(key, &Record { begun_at }, when).await.map(drop)
    }
}
