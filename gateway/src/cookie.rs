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

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use http::header::COOKIE;

    use super::get;

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
}
