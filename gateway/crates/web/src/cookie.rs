//! Reading and setting cookies (RFC 6265). The gateway sets functional cookies only.

use http::header::{COOKIE, SET_COOKIE};
use http::{HeaderMap, HeaderValue};

/// The value of a cookie in a request.
pub fn get<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    // HTTP/2 clients may send each cookie in a separate field (RFC 9113, section 8.2.3).
    let fields = headers.get_all(COOKIE).iter();
    let pairs = fields
        .filter_map(|field| field.to_str().ok())
        .flat_map(|field| field.split(';'));
    pairs
        .map(str::trim)
        .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
}

/// Sets a cookie with `HttpOnly` and `SameSite=Lax` that expires after this number of seconds; 0 deletes it.
///
/// `value` must consist of characters that are valid in a cookie. A value that is invalid in a header is ignored.
pub fn set(headers: &mut HeaderMap, name: &str, value: &str, seconds: i64, secure: bool) {
    append(headers, name, value, seconds, "Lax", secure);
}

/// Same as [`set`], with `SameSite=Strict`: for cookies that permit changes.
pub fn set_strict(headers: &mut HeaderMap, name: &str, value: &str, seconds: i64, secure: bool) {
    append(headers, name, value, seconds, "Strict", secure);
}

fn append(headers: &mut HeaderMap, name: &str, value: &str, seconds: i64, same_site: &str, secure: bool) {
    let secure = if secure { "; Secure" } else { "" };
    let cookie = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite={same_site}{secure}");
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        headers.append(SET_COOKIE, cookie);
    }
}

/// Checks that a cookie roundtrips next to any other cookies, unless an earlier one has the same name.
///
/// # Panics
///
/// Panics if an invariant is broken.
#[cfg(any(test, feature = "testing"))]
pub fn fuzz(sent: &HeaderMap) {
    const NAME: &str = "colonnade-fuzz";
    let before = get(sent, NAME).map(str::to_owned);
    if let Some(value) = &before {
        assert!(!value.contains(';'), "{value:?}");
    }
    let mut response = HeaderMap::new();
    set(&mut response, NAME, "a.b-c_9", 60, true);
    let mut request = sent.clone();
    request.append(COOKIE, returned(&response));
    assert_eq!(get(&request, NAME), before.as_deref().or(Some("a.b-c_9")));
}

/// The `Cookie` header that a browser sends for the cookie that a response sets.
///
/// # Panics
///
/// Panics if the response sets no cookie.
#[cfg(any(test, feature = "testing"))]
pub fn returned(response: &HeaderMap) -> HeaderValue {
    let set = response.get(SET_COOKIE).and_then(|cookie| cookie.to_str().ok());
    let pair = set
        .and_then(|cookie| cookie.split(';').next())
        .expect("the response sets a cookie");
    HeaderValue::from_str(pair).expect("part of a header value is a header value")
}

#[cfg(test)]
mod tests {
    use http::header::COOKIE;
    use http::{HeaderMap, HeaderValue};
    use proptest::collection::vec;
    use proptest::prelude::proptest;

    use colonnade_testing::cases;

    use super::{fuzz, get, returned, set};

    #[test]
    fn get_finds_cookie_among_others() {
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
        fn cookie_value_roundtrips(value in "[!#-+\\--:<-\\[\\]-~]{0,40}") {
            let mut response = HeaderMap::new();
            set(&mut response, "name", &value, 60, true);
            let request = HeaderMap::from_iter([(COOKIE, returned(&response))]);
            assert_eq!(get(&request, "name"), Some(value.as_str()));
        }

        #[test]
        fn cookie_roundtrips_next_to_arbitrary_cookies(
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
