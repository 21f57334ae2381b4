//! Cookies (RFC 6265): the few the gateway sets, all of them functional.

use http::HeaderMap;
use http::HeaderValue;
use http::header::{COOKIE, SET_COOKIE};

/// The value of a cookie that a request carries.
pub(crate) fn get<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    // HTTP/2 clients may send each cookie in a field of its own (RFC 9113, 8.2.3).
    let fields = headers.get_all(COOKIE).iter();
    let pairs = fields
        .filter_map(|field| field.to_str().ok())
        .flat_map(|field| field.split(';'));
    pairs
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(key, value)| (key == name).then_some(value))
}

/// Has the browser keep a cookie for so many seconds, away from scripts and other sites; 0 has it forget.
///
/// `value` must have no character that may not stand in a cookie; one that cannot stand in a header is not set.
pub(crate) fn set(headers: &mut HeaderMap, name: &str, value: &str, seconds: i64, secure: bool) {
    let secure = if secure { "; Secure" } else { "" };
    let cookie = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        headers.append(SET_COOKIE, cookie);
    }
}

#[cfg(any(test, feature = "fuzzing"))]
/// What must hold of cookies, whatever others a browser sends: what is set is read back, unless the same name stands
/// before it.
pub(crate) fn fuzz(sent: &HeaderMap) {
    const NAME: &str = "colonnade-fuzz";
    let before = get(sent, NAME).map(str::to_owned);
    if let Some(value) = &before {
        assert!(!value.contains(';'), "{value:?}");
    }
    let mut reply = HeaderMap::new();
    set(&mut reply, NAME, "a.b-c_9", 60, true);
    let mut request = sent.clone();
    request.append(COOKIE, returned(&reply));
    assert_eq!(get(&request, NAME), before.as_deref().or(Some("a.b-c_9")));
}

/// What a browser sends of the cookie that a reply sets.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn returned(reply: &HeaderMap) -> HeaderValue {
    let set = reply.get(SET_COOKIE).and_then(|cookie| cookie.to_str().ok());
    let pair = set
        .and_then(|cookie| cookie.split(';').next())
        .expect("a cookie is set");
    HeaderValue::from_str(pair).expect("part of a field may be a field")
}

#[cfg(test)]
mod tests {
    use http::header::COOKIE;
    use http::{HeaderMap, HeaderValue};
    use proptest::collection::vec;
    use proptest::prelude::proptest;

    use super::{fuzz, get, returned, set};
    use crate::testing::cases;

    #[test]
    fn a_cookie_is_found_among_others() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, "a=1; b=2;c=x=y".parse().expect("a header"));
        headers.append(COOKIE, " d = 4".parse().expect("a header"));
        assert_eq!(get(&headers, "a"), Some("1"));
        assert_eq!(get(&headers, "b"), Some("2"));
        assert_eq!(get(&headers, "c"), Some("x=y"));
        assert_eq!(get(&headers, "x"), None);
        assert_eq!(get(&HeaderMap::new(), "a"), None);
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn a_value_that_is_set_is_read_back(value in "[!#-+\\--:<-\\[\\]-~]{0,40}") {
            let mut reply = HeaderMap::new();
            set(&mut reply, "name", &value, 60, true);
            let request = HeaderMap::from_iter([(COOKIE, returned(&reply))]);
            assert_eq!(get(&request, "name"), Some(value.as_str()));
        }

        #[test]
        fn what_others_send_is_in_nobodys_way(
            fields in vec("((colonnade-fuzz|[a-z]{0,3})[ =]{0,2}[\\x20-\\x7e]{0,9};? ?){0,4}", 0..3),
        ) {
            let mut sent = HeaderMap::new();
            for field in fields {
                sent.append(COOKIE, HeaderValue::from_str(&field).expect("a field"));
            }
            fuzz(&sent);
        }
    }
}
