//! The fuzz target of range requests.

use http::HeaderMap;

use crate::asset::range::{Selection, select};

/// Selects parts of files of several lengths. A part must be inside the file and not empty.
pub(crate) fn range(request: &HeaderMap) {
    for length in [0, 1, 2, 100, 1_000_000, usize::MAX] {
        if let Selection::Part(part) = select(request, length) {
            assert!(
                part.start < part.end && part.end <= length,
                "{part:?} of {length}"
            );
        }
    }
}
