//! Reading and setting cookies (RFC 6265). The gateway sets functional cookies only.

use http::header::{COOKIE, SET_COOKIE};
use http::{HeaderMap, HeaderValue};

/// Precedes the name of each cookie over HTTPS. Browsers accept such a cookie only with `Secure`,
/// `Path=/` and without `Domain`, so that no other host of the domain, and no page over HTTP, can
/// set or replace it (RFC 6265bis, section 4.1.3.2).
const SECURE_PREFIX: &str = "__Host-";

/// The prefix of the names of cookies.
fn prefix(secure: bool) -> &'static str {
    if secure { SECURE_PREFIX } else { "" }
}

/// The cookies of a request.
#[derive(Debug, Clone, Copy)]
pub struct Cookies<'a> {
    headers: &'a HeaderMap,
    secure: bool,
}

impl<'a> Cookies<'a> {
    /// The cookies in these headers. `secure` says whether the listener's origin uses HTTPS.
    pub fn new(headers: &'a HeaderMap, secure: bool) -> Self {
        Self { headers, secure }
    }

    /// The value of a cookie. `name` is without the prefix.
    pub fn get(self, name: &str) -> Option<&'a str> {
        // HTTP/2 clients may send each cookie in a separate field (RFC 9113, section 8.2.3).
        let fields = self.headers.get_all(COOKIE).iter();
        let pairs = fields
            .filter_map(|field| field.to_str().ok())
            .flat_map(|field| field.split(';'));
        pairs.map(str::trim).find_map(|pair| {
            let named = pair.strip_prefix(prefix(self.secure))?;
            named.strip_prefix(name)?.strip_prefix('=')
        })
    }
}

/// A cookie that a response sets, with `HttpOnly`.
#[derive(Debug, Clone, Copy)]
pub struct Cookie<'a> {
    name: &'a str,
    value: &'a str,
    max_age: i64,
    same_site: &'static str,
}

impl<'a> Cookie<'a> {
    /// A cookie with `SameSite=Lax` that expires after `max_age` seconds; 0 deletes it. `name` is
    /// without the prefix, and `value` must consist of characters that are valid in a cookie.
    pub fn new(name: &'a str, value: &'a str, max_age: i64) -> Self {
        Self {
            name,
            value,
            max_age,
            same_site: "Lax",
        }
    }

    /// The same with `SameSite=Strict`: for cookies that permit changes.
    #[must_use]
    pub fn strict(self) -> Self {
        Self {
            same_site: "Strict",
            ..self
        }
    }

    /// Adds the cookie to the headers of a response. `secure` says whether the listener's origin
    /// uses HTTPS. A value that is invalid in a header is ignored.
    pub fn append(self, headers: &mut HeaderMap, secure: bool) {
        let Self {
            name,
            value,
            max_age,
            same_site,
        } = self;
        let prefix = prefix(secure);
        let secure = if secure { "; Secure" } else { "" };
        let cookie = format!(
            "{prefix}{name}={value}; Path=/; Max-Age={max_age}; HttpOnly; SameSite={same_site}{secure}"
        );
        if let Ok(cookie) = HeaderValue::try_from(cookie) {
            headers.append(SET_COOKIE, cookie);
        }
    }
}

/// Checks that a cookie roundtrips next to any other cookies, unless an earlier one has the same
/// name.
///
/// # Panics
///
/// Panics if an invariant is broken.
#[cfg(any(test, feature = "testing"))]
pub fn fuzz(sent: &HeaderMap) {
    const NAME: &str = "colonnade-fuzz";
    for secure in [true, false] {
        let before = Cookies::new(sent, secure).get(NAME);
        if let Some(value) = before {
            assert!(!value.contains(';'), "{value:?}");
        }
        let mut response = HeaderMap::new();
        Cookie::new(NAME, "a.b-c_9", 60).append(&mut response, secure);
        let mut request = sent.clone();
        request.append(COOKIE, returned(&response));
        let after = Cookies::new(&request, secure).get(NAME);
        assert_eq!(after, before.or(Some("a.b-c_9")));
    }
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

    use super::{Cookie, Cookies, fuzz, returned};

    #[test]
    fn get_finds_cookie_among_others() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, "a=1; b=2;c=x=y".parse().expect("a header"));
        headers.append(COOKIE, " d = 4".parse().expect("a header"));
        headers.append(COOKIE, "__Host-a=5; __Host-e=6".parse().expect("a header"));
        let cookies = Cookies::new(&headers, false);
        assert_eq!(cookies.get("a"), Some("1"));
        assert_eq!(cookies.get("b"), Some("2"));
        assert_eq!(cookies.get("c"), Some("x=y"));
        assert_eq!(cookies.get("x"), None);
        assert_eq!(cookies.get("e"), None);
        assert_eq!(Cookies::new(&HeaderMap::new(), false).get("a"), None);
        let secure = Cookies::new(&headers, true);
        assert_eq!((secure.get("a"), secure.get("b")), (Some("5"), None));
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn cookie_value_roundtrips(value in "[!#-+\\--:<-\\[\\]-~]{0,40}") {
            let mut response = HeaderMap::new();
            Cookie::new("name", &value, 60).append(&mut response, true);
            let request = HeaderMap::from_iter([(COOKIE, returned(&response))]);
            assert_eq!(Cookies::new(&request, true).get("name"), Some(value.as_str()));
        }

        #[test]
        fn cookie_roundtrips_next_to_arbitrary_cookies(
            fields in vec("(((__Host-)?colonnade-fuzz|[a-z]{0,3})[ =]{0,2}[\\x20-\\x7e]{0,9};? ?){0,4}", 0..3),
        ) {
            let mut sent = HeaderMap::new();
            for field in fields {
                sent.append(COOKIE, HeaderValue::from_str(&field).expect("a field"));
            }
            fuzz(&sent);
        }
    }
}
