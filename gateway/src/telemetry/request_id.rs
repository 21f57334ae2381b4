//! The id under which a request is logged.

use http::{HeaderValue, Request};

use crate::reply::{ByProxy, REQUEST_ID, RequestId};

/// The most characters of an id that is taken over.
const LONGEST: usize = 64;

/// The id a proxy gave a request, where the configuration knows the proxy; another time a new one. A stranger's word is
/// not taken over: it would stand in the log, and could be anything.
pub(super) fn of<B>(request: &Request<B>) -> RequestId {
    let given = || {
        request.extensions().get::<ByProxy>()?;
        let mut ids = request.headers().get_all(REQUEST_ID).iter();
        ids.next().filter(|id| ids.next().is_none() && is_sound(id))
    };
    RequestId(given().cloned().unwrap_or_else(fresh))
}

fn fresh() -> HeaderValue {
    let id = format!("{:032x}", rand::random::<u128>());
    // Digits and letters alone can stand in a header.
    HeaderValue::try_from(id).unwrap_or(HeaderValue::from_static("none"))
}

/// Letters, digits, `-`, `_` and `.`, as every proxy in use makes them.
fn is_sound(id: &HeaderValue) -> bool {
    let id = id.as_bytes();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    (1..=LONGEST).contains(&id.len()) && id.iter().all(is_plain)
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::{LONGEST, of};
    use crate::reply::{ByProxy, RequestId};

    /// Whether a proxy's ids are taken over.
    fn is_taken(ids: &[&str], by_proxy: bool) -> bool {
        let mut request = Request::get("/");
        for id in ids {
            request = request.header("x-request-id", *id);
        }
        let mut request = request.body(()).expect("a request");
        if by_proxy {
            request.extensions_mut().insert(ByProxy);
        }
        let RequestId(id) = of(&request);
        ids.contains(&id.to_str().expect("a text"))
    }

    #[test]
    fn only_a_known_proxys_sound_id_is_taken_over() {
        assert!(is_taken(&["4bf92f35-77b3.4da6_a3ce"], true));
        assert!(is_taken(&["a".repeat(LONGEST).as_str()], true));
        assert!(!is_taken(&["4bf92f35"], false));
        assert!(!is_taken(&["4bf92f35", "4bf92f36"], true));
        for id in [
            "",
            "a b",
            "a@b.example",
            "a%40b",
            "a\"b",
            "a".repeat(LONGEST + 1).as_str(),
        ] {
            assert!(!is_taken(&[id], true), "{id}");
        }
    }
}
