//! Request IDs: taken from a trusted proxy, or random.

use std::array;

use bytes::Bytes;
use http::HeaderValue;

use colonnade_web::request::Head;
use colonnade_web::response::{REQUEST_ID, RequestId};

/// The maximum length of an ID from a proxy.
const MAX_LENGTH: usize = 64;

/// Returns the ID that a trusted proxy sent, or a new one. IDs of other peers are ignored: they
/// could put arbitrary text into the log.
pub(super) fn request_id(head: &Head) -> RequestId {
    let from_proxy = || {
        let mut ids = head.headers.get_all(REQUEST_ID).iter();
        ids.next().filter(|id| ids.next().is_none() && is_valid(id))
    };
    let id = head.client.is_proxied.then(from_proxy).flatten().cloned();
    RequestId(id.unwrap_or_else(random_id))
}

/// Returns 128 random bits in hexadecimal.
fn random_id() -> HeaderValue {
    let bits = rand::random::<u128>().to_ne_bytes();
    // Independent of each other, so the compiler computes 16 digits at a time.
    let id: [u8; 32] = array::from_fn(|index| {
        let nibble = bits[index / 2] >> (4 * (1 - index % 2)) & 15;
        nibble + if nibble < 10 { b'0' } else { b'a' - 10 }
    });
    // An owner, because every other way to create `Bytes` allocates again for the first clone.
    // Digits are valid in a header.
    HeaderValue::from_maybe_shared(Bytes::from_owner(id)).unwrap_or(HeaderValue::from_static("none"))
}

/// Accepts letters, digits, `-`, `_` and `.`, which covers the formats of common proxies.
fn is_valid(id: &HeaderValue) -> bool {
    let id = id.as_bytes();
    let is_allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    (1..=MAX_LENGTH).contains(&id.len()) && id.iter().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use http::Request;

    use colonnade_web::client::Client;
    use colonnade_web::request::Head;
    use colonnade_web::response::RequestId;

    use super::{MAX_LENGTH, request_id};

    /// Whether the ID of a request is one of these header values.
    fn is_accepted(ids: &[&str], from_proxy: bool) -> bool {
        let mut request = Request::get("/");
        for id in ids {
            request = request.header("x-request-id", *id);
        }
        let (parts, ()) = request.body(()).expect("a request").into_parts();
        let client = Client {
            address: Ipv4Addr::LOCALHOST.into(),
            is_proxied: from_proxy,
            certificate: None,
        };
        let RequestId(id) = request_id(&Head { parts, client });
        ids.contains(&id.to_str().expect("a string"))
    }

    #[test]
    fn only_valid_ids_of_trusted_proxies_are_accepted() {
        assert!(is_accepted(&["4bf92f35-77b3.4da6_a3ce"], true));
        assert!(is_accepted(&["a".repeat(MAX_LENGTH).as_str()], true));
        assert!(!is_accepted(&["4bf92f35"], false));
        assert!(!is_accepted(&["4bf92f35", "4bf92f36"], true));
        for id in [
            "",
            "a b",
            "a@b.example",
            "a%40b",
            "a\"b",
            "a".repeat(MAX_LENGTH + 1).as_str(),
        ] {
            assert!(!is_accepted(&[id], true), "{id}");
        }
    }
}
