//! The class of a JavaScript error.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The maximum length in bytes.
const MAX_BYTES: usize = 64;

/// The classes that a browser may report: those of ECMAScript and its engines, the names of a
/// `DOMException` that occur, and webpack's. Anyone can send a report, so any other name is
/// [`OTHER`].
const REPORTED: [&str; 24] = [
    "AbortError",
    "AggregateError",
    "ChunkLoadError",
    "DataCloneError",
    "DOMException",
    "Error",
    "EvalError",
    "HierarchyRequestError",
    "InternalError",
    "InvalidCharacterError",
    "InvalidStateError",
    "NetworkError",
    "NotAllowedError",
    "NotFoundError",
    "NotSupportedError",
    "QuotaExceededError",
    "RangeError",
    "ReferenceError",
    "SecurityError",
    "SuppressedError",
    "SyntaxError",
    "TimeoutError",
    "TypeError",
    "URIError",
];

/// Stands for all other classes in reports.
const OTHER: &str = "Other";

/// The name of an error's class, such as `TypeError`: a JavaScript identifier of ASCII characters,
/// so that it adds no other text to a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(pattern = "^[A-Za-z0-9_$]{1,64}$")]
pub struct ErrorClass(String);

impl ErrorClass {
    /// Returns `None` unless the name is valid.
    pub fn parse(name: &str) -> Option<Self> {
        Self::try_from(name.to_owned()).ok()
    }

    /// The class that a browser reports by this name.
    pub fn reported(name: &str) -> Self {
        let listed = REPORTED.iter().find(|listed| **listed == name);
        Self((*listed.unwrap_or(&OTHER)).to_owned())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ErrorClass {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
        let is_valid = !name.is_empty() && name.len() <= MAX_BYTES && name.chars().all(is_allowed);
        is_valid
            .then_some(Self(name))
            .ok_or("not the name of an error class")
    }
}
