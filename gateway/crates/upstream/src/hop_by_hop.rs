//! Headers that are for one connection only (RFC 9110, section 7.6.1).

use http::header::{CONNECTION, UPGRADE};
use http::{HeaderMap, HeaderName, HeaderValue};

/// The names of the headers of one message that are for its connection only.
pub(crate) struct HopByHop {
    /// Those that `Connection` names.
    named: Vec<HeaderName>,
}

impl HopByHop {
    /// Those of a message with these headers.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let fields = headers.get_all(CONNECTION).iter();
        // Those that almost every message has name no header but those in the list.
        let others = fields.filter(|field| {
            let is_known = |known: &&[u8]| field.as_bytes().eq_ignore_ascii_case(known);
            ![&b"keep-alive"[..], b"close"].iter().any(is_known)
        });
        Self {
            named: others
                .flat_map(options_in)
                .filter_map(|option| HeaderName::from_bytes(option).ok())
                .collect(),
        }
    }

    /// Whether a header is for the connection only.
    pub(crate) fn contains(&self, name: &HeaderName) -> bool {
        let is_always = matches!(
            name.as_str(),
            "connection"
                | "http2-settings"
                | "keep-alive"
                | "proxy-authenticate"
                | "proxy-authorization"
                | "proxy-connection"
                | "te"
                | "trailer"
                | "transfer-encoding"
                | "upgrade"
        );
        is_always || self.named.contains(name)
    }
}

/// Returns whether a request asks to switch the protocol of its connection (RFC 9110, section 7.8).
/// Clients that offer `h2c`, HTTP/2 without TLS, also accept a response over HTTP/1.1.
pub(crate) fn asks_for_upgrade(headers: &HeaderMap) -> bool {
    let has_other = |field: &HeaderValue| !field.as_bytes().eq_ignore_ascii_case(b"h2c");
    headers.get_all(UPGRADE).iter().any(has_other)
        && options(headers).any(|option| option.eq_ignore_ascii_case(b"upgrade"))
}

/// The options in `Connection`.
fn options(headers: &HeaderMap) -> impl Iterator<Item = &[u8]> {
    headers.get_all(CONNECTION).iter().flat_map(options_in)
}

/// The options in one field of `Connection`.
fn options_in(field: &HeaderValue) -> impl Iterator<Item = &[u8]> {
    let options = field.as_bytes().split(|byte| *byte == b',');
    options.map(<[u8]>::trim_ascii)
}
