//! Fuzz targets: each parses arbitrary bytes and panics if an invariant of the parser is broken.

use http::header::{ACCEPT_ENCODING, HOST};
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::{content_negotiation, host};

/// `Accept-Encoding` headers, one per line.
pub fn accept_encoding(bytes: &[u8]) {
    content_negotiation::fuzz(&header_lines(&ACCEPT_ENCODING, bytes));
}

/// `Host` headers, one per line.
pub fn host(bytes: &[u8]) {
    for value in header_lines(&HOST, bytes).values() {
        if let Ok(text) = value.to_str() {
            host::fuzz(text);
        }
    }
}

/// Parses each line as a value of the header. Invalid values are skipped.
pub fn header_lines(name: &HeaderName, bytes: &[u8]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    // hyper accepts no more than 100 headers.
    for line in bytes.split(|&byte| byte == b'\n').take(100) {
        if let Ok(value) = HeaderValue::from_bytes(line) {
            headers.append(name, value);
        }
    }
    headers
}

#[cfg(test)]
mod tests {
    use colonnade_testing::replay_corpus;

    #[test]
    fn accept_encoding_corpus_passes() {
        replay_corpus("accept_encoding", super::accept_encoding);
    }

    #[test]
    fn host_corpus_passes() {
        replay_corpus("host", super::host);
    }
}
