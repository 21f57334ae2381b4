//! Results of queries: the JSON responses of upstreams that a page is rendered with.

mod value;

pub use value::parse_value;

use std::sync::Arc;
use std::time::Duration;

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::value::RawValue;

/// The result of one query of a page.
///
/// As JSON: `{ "ok": true, "value": … }` or `{ "ok": false, "status": 503 }`.
#[derive(Debug, Clone)]
pub struct QueryResult {
    /// The JSON value, byte for byte; or the HTTP status that says why there is none.
    pub outcome: Result<Arc<RawValue>, u16>,
    /// How long the result may be used.
    pub freshness: Freshness,
    /// The revision of the result, if it can be revoked before that.
    pub revision: Option<Revision>,
    /// Whether there is none because of a limit of the client that asked. Another client may get
    /// one.
    pub is_client_limited: bool,
}

/// Why a page cannot use the result of a query, although its upstream may be able to serve it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnusableResult {
    /// It does not fit the schema of the page.
    SchemaMismatch,
    /// It did not arrive in time.
    Late,
    /// All results of the page together are too large, and it is the largest.
    TooLargeTogether,
}

/// A revision of the responses of a URL: the count of a counter that rises when they are purged or
/// invalidated (RFC 9111, section 4.4). Several URLs may share a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Revision {
    /// The number of the counter.
    pub counter: u8,
    /// Its count before the response was requested.
    pub count: u64,
}

/// How long a response may be used without asking its origin (RFC 9111, section 4.2).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Freshness {
    /// The time for which it is still fresh.
    pub fresh_for: Duration,
    /// The time after that during which it may be used while it is refreshed (RFC 5861, section 3).
    pub stale_while_revalidate: Duration,
}

impl QueryResult {
    /// A query that failed with an HTTP status. It has no freshness: the next request tries again.
    pub fn failed(status: u16) -> Self {
        Self {
            outcome: Err(status),
            freshness: Freshness::default(),
            revision: None,
            is_client_limited: false,
        }
    }
}

impl Serialize for QueryResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("ok", &self.outcome.is_ok())?;
        match &self.outcome {
            Ok(value) => map.serialize_entry("value", value)?,
            Err(status) => map.serialize_entry("status", status)?,
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::value::RawValue;

    use super::{Freshness, QueryResult};

    #[test]
    fn result_serializes_value_byte_for_byte() {
        let value = RawValue::from_string(r#"{ "z": 1e21, "a": "<\/script>" }"#.to_owned()).unwrap();
        let result = QueryResult {
            outcome: Ok(Arc::from(value)),
            freshness: Freshness::default(),
            revision: None,
            is_client_limited: false,
        };
        let json = serde_json::to_string(&result).unwrap();
        assert_eq!(json, r#"{"ok":true,"value":{ "z": 1e21, "a": "<\/script>" }}"#);
        let failed = serde_json::to_string(&QueryResult::failed(504)).unwrap();
        assert_eq!(failed, r#"{"ok":false,"status":504}"#);
    }
}
