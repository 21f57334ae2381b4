//! Headers that are for one connection only (RFC 9110, section 7.6.1).

use http::header::{
    CONNECTION, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use http::{HeaderMap, HeaderName, HeaderValue};

static ALWAYS: [HeaderName; 9] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    HeaderName::from_static("proxy-connection"),
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// The names of the headers of one message that are for its connection only.
pub(crate) struct HopByHop {
    /// Those that `Connection` names.
    named: Vec<HeaderName>,
}

impl HopByHop {
    /// Those of a message with these headers.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        // Those that almost every message has name no header but those in the list.
        let is_known = |option: &str| {
            ["keep-alive", "close"]
                .iter()
                .any(|known| option.eq_ignore_ascii_case(known))
        };
        let others = options(headers).filter(|option| !is_known(option));
        Self {
            named: others.filter_map(|option| option.parse().ok()).collect(),
        }
    }

    /// Whether a header is for the connection only.
    pub(crate) fn contains(&self, name: &HeaderName) -> bool {
        ALWAYS.contains(name) || self.named.contains(name)
    }

    /// Removes those that `Connection` names.
    pub(crate) fn remove_named(&self, headers: &mut HeaderMap) {
        for name in &self.named {
            headers.remove(name);
        }
    }
}

/// Returns whether a request asks to switch the protocol of its connection (RFC 9110, section 7.8). Clients that offer
/// `h2c`, HTTP/2 without TLS, also accept a response over HTTP/1.1.
pub(crate) fn asks_for_upgrade(headers: &HeaderMap) -> bool {
    let has_other = |field: &HeaderValue| !field.as_bytes().eq_ignore_ascii_case(b"h2c");
    headers.get_all(UPGRADE).iter().any(has_other)
        && options(headers).any(|option| option.eq_ignore_ascii_case("upgrade"))
}

/// The options in `Connection`.
fn options(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let fields = headers.get_all(CONNECTION).iter();
    let options = fields
        .filter_map(|field| field.to_str().ok())
        .flat_map(|field| field.split(','));
    options.map(str::trim)
}
