//! The JSON files of the store, and the version of their format.
//!
//! A file has the number of its schema. A gateway refuses a file with a higher number than its own.
//! Within a number, newer gateways only add fields: an older one ignores them, and keeps them in
//! the files that it changes.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::StoreError;

/// The schema that this gateway writes, and the highest that it reads.
const SCHEMA: u32 = 1;

/// The content of a file with its schema.
#[derive(Serialize, Deserialize)]
struct Versioned<T> {
    #[serde(default = "first_schema")]
    schema: u32,
    #[serde(flatten)]
    content: T,
}

/// Only the schema of a file: the content of a higher one may not parse.
#[derive(Deserialize)]
#[serde(expecting = "a JSON object")]
struct SchemaOnly {
    #[serde(default = "first_schema")]
    schema: u32,
}

/// The schema of files without a number.
fn first_schema() -> u32 {
    1
}

/// Parses the content of a file.
pub(crate) fn parse<T: DeserializeOwned>(path: &Path, text: &[u8]) -> Result<T, StoreError> {
    let corrupt = |source| StoreError::Corrupt {
        path: path.to_owned(),
        source,
    };
    let parsed = serde_json::from_slice::<Versioned<T>>(text);
    let schema = match &parsed {
        Ok(versioned) => versioned.schema,
        Err(_) => {
            serde_json::from_slice::<SchemaOnly>(text)
                .map_err(corrupt)?
                .schema
        }
    };
    if schema > SCHEMA {
        return Err(StoreError::NewerSchema {
            path: path.to_owned(),
            schema,
            supported: SCHEMA,
        });
    }
    Ok(parsed.map_err(corrupt)?.content)
}

/// The text of a file.
pub(crate) fn text(path: &Path, content: &impl Serialize) -> Result<Vec<u8>, StoreError> {
    let versioned = Versioned {
        schema: SCHEMA,
        content,
    };
    let text = serde_json::to_vec_pretty(&versioned);
    let mut text = text.map_err(|source| StoreError::Corrupt {
        path: path.to_owned(),
        source,
    })?;
    text.push(b'\n');
    Ok(text)
}
