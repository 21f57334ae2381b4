//! Limits on the number of parts of a request's head. The limit on its size does not suffice:
//! thousands of short parts cost a parser many times as much as one long part.

pub use colonnade_model::pattern::MAX_SEGMENTS;
use http::HeaderMap;
use http::header::{COOKIE, REFERER, USER_AGENT};

/// The maximum number of items in all header fields: cookies, and parts between `,` or `;` in other
/// fields, such as members of a list and parameters of a member. Commas in cookies, and text that
/// nothing parses, do not count. Of each field only the items after the first count. Repeated
/// fields count like items, because over HTTP/2 each cookie may have a field of its own (RFC 9113,
/// section 8.2.3).
///
/// Chrome and Firefox keep at most 180 cookies of a site, the other fields of a browser have about
/// 50 items, and `tracestate` has at most 32.
pub const MAX_ITEMS: usize = 300;

/// The maximum number of parameters of a query. The gateway reads at most three, and links of
/// campaigns have about ten.
pub const MAX_PARAMETERS: usize = 100;

/// Returns whether header fields have more than [`MAX_ITEMS`] items.
pub fn has_too_many_items(headers: &HeaderMap) -> bool {
    // Counting in short values costs most, and rarely matters: a value has at most as many
    // separators as bytes.
    count_items(headers, 16) >= MAX_ITEMS && count_items(headers, 0) >= MAX_ITEMS
}

/// Returns the number of items. All bytes of a value of at most `short` bytes count as separators.
fn count_items(headers: &HeaderMap, short: usize) -> usize {
    let repeated = headers.len() - headers.keys_len();
    let separators = headers.iter().map(|(name, value)| match *name {
        _ if value.len() <= short => value.len(),
        COOKIE => count(value.as_bytes(), |byte| byte == b';'),
        REFERER | USER_AGENT => 0,
        _ => count(value.as_bytes(), |byte| byte == b',' || byte == b';'),
    });
    repeated + separators.sum::<usize>()
}

/// Returns whether a path has more than [`MAX_SEGMENTS`] segments.
pub fn has_too_many_segments(path: &str) -> bool {
    path.len() > MAX_SEGMENTS && count(path.as_bytes(), |byte| byte == b'/') > MAX_SEGMENTS
}

/// Returns whether a query has more than [`MAX_PARAMETERS`] parameters.
pub fn has_too_many_parameters(query: &str) -> bool {
    query.len() >= MAX_PARAMETERS && count(query.as_bytes(), |byte| byte == b'&') >= MAX_PARAMETERS
}

fn count(bytes: &[u8], is_separator: impl Fn(u8) -> bool) -> usize {
    // The number fits into a byte, so the compiler can count in 16 bytes at a time.
    let chunks = bytes.chunks(255).map(|chunk| {
        let separators = chunk.iter().map(|&byte| u8::from(is_separator(byte)));
        usize::from(separators.sum::<u8>())
    });
    chunks.sum()
}
