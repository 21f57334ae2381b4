//! Fields of stored values that a newer gateway added.

use serde_json::{Map, Value};

/// The unknown fields of a value that gateways read, change and write. They are kept, so that a
/// gateway can be rolled back to the previous version and forward again.
pub type UnknownFields = Map<String, Value>;
