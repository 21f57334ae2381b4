//! Headers that are for one connection only (RFC 9110, section 7.6.1).

use http::header::{
    CONNECTION, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use http::{HeaderMap, HeaderName};

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
        let named = options(headers).filter_map(|option| option.parse().ok());
        Self {
            named: named.collect(),
        }
    }

    /// Whether a header is for the connection only.
    pub(crate) fn contains(&self, name: &HeaderName) -> bool {
        ALWAYS.contains(name) || self.named.contains(name)
    }

    /// Removes them.
    pub(crate) fn remove_from(&self, headers: &mut HeaderMap) {
        for name in ALWAYS.iter().chain(&self.named) {
            headers.remove(name);
        }
    }
}

/// Returns whether a request asks to switch the protocol of its connection (RFC 9110, section 7.8).
pub(crate) fn asks_for_upgrade(headers: &HeaderMap) -> bool {
    headers.contains_key(UPGRADE) && options(headers).any(|option| option.eq_ignore_ascii_case("upgrade"))
}

/// The options in `Connection`.
fn options(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let fields = headers.get_all(CONNECTION).iter();
    let options = fields
        .filter_map(|field| field.to_str().ok())
        .flat_map(|field| field.split(','));
    options.map(str::trim)
}
