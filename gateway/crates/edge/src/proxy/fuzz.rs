//! The fuzz target of the PROXY header parser.

use crate::proxy::protocol::{Header, MAX_LENGTH, parse};

/// Parses every prefix of the bytes.
///
/// # Panics
///
/// - The outcome changes after it was final.
/// - A header is not complete with its last byte.
/// - The outcome is still open after `MAX_LENGTH` bytes.
pub fn proxy_header(bytes: &[u8]) {
    let mut outcome = None;
    for end in 0..=bytes.len().min(MAX_LENGTH + 1) {
        let now = parse(&bytes[..end]);
        if let Some(outcome) = &outcome {
            assert_eq!(&now, outcome, "with {end} bytes");
            continue;
        }
        match now {
            Header::Incomplete => assert!(end < MAX_LENGTH, "still open after {end} bytes"),
            Header::Complete { length, .. } => {
                assert_eq!(length, end, "a header ends with its last byte");
                outcome = Some(now);
            }
            Header::Invalid => outcome = Some(now),
        }
    }
}
