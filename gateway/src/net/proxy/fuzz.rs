//! What must hold of PROXY headers, whatever a connection begins with.

use super::header::{Header, LONGEST, parse};

/// However the bytes come, the outcome is the same: once it is known it changes no more, and a header is known with its
/// last byte. After the longest header there may be, nothing is open.
pub(crate) fn proxy_header(bytes: &[u8]) {
    let mut settled = None;
    for end in 0..=bytes.len().min(LONGEST + 1) {
        let now = parse(&bytes[..end]);
        if let Some(settled) = &settled {
            assert_eq!(&now, settled, "with {end} bytes");
            continue;
        }
        match now {
            Header::Part => assert!(end < LONGEST, "still open after {end} bytes"),
            Header::Whole { length, .. } => {
                assert_eq!(length, end, "a header ends with its last byte");
                settled = Some(now);
            }
            Header::None => settled = Some(now),
        }
    }
}
