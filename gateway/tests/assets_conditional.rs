//! Requests for assets that depend on what the client has (RFC 9110, 13).

use crate::support::{Gateway, Request, Response};

const TARGET: &str = "/assets/shell/1.0.0/main.js";
const LONG_AGO: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
const IN_TIME: &str = "Fri, 31 Dec 9999 23:59:59 GMT";

fn ask(gateway: &Gateway, method: &str, headers: &[(&str, &str)]) -> Response {
    let request = headers
        .iter()
        .fold(Request::new(method, TARGET), |request, (name, value)| {
            request.header(name, value)
        });
    gateway.site.send(request)
}

#[test]
fn tags_are_compared_weakly_and_in_lists() {
    let gateway = Gateway::start_live("", &[]);
    let tag = ask(&gateway, "GET", &[]).header("etag").to_owned();
    for (known, status) in [
        (tag.clone(), 304),
        (format!("W/{tag}"), 304),
        (format!("\"other\", W/\"a,b\" ,{tag}"), 304),
        ("*".to_owned(), 304),
        ("\"other\"".to_owned(), 200),
        (tag.trim_matches('"').to_owned(), 200),
    ] {
        for method in ["GET", "HEAD"] {
            let answer = ask(&gateway, method, &[("if-none-match", &known)]);
            assert_eq!(answer.status, status, "{method} {known}");
            assert_eq!(answer.has("content-length"), status == 200, "{method} {known}");
        }
    }
    let two = [("if-none-match", "\"other\""), ("if-none-match", &*tag)];
    assert_eq!(ask(&gateway, "GET", &two).status, 304);
}

#[test]
fn the_date_is_that_of_the_release() {
    let gateway = Gateway::start_live("", &[]);
    let whole = ask(&gateway, "GET", &[]);
    let date = whole.header("last-modified").to_owned();
    let beside = gateway.beside();
    assert_eq!(
        ask(&beside, "GET", &[]).header("last-modified"),
        date,
        "whichever gateway is asked"
    );
    for (since, status) in [
        (&*date, 304),
        (IN_TIME, 304),
        (LONG_AGO, 200),
        ("not a date", 200),
    ] {
        let answer = ask(&gateway, "GET", &[("if-modified-since", since)]);
        assert_eq!(answer.status, status, "{since}");
    }
}

#[test]
fn a_date_says_nothing_beside_a_tag() {
    let gateway = Gateway::start_live("", &[]);
    let headers = [("if-none-match", "\"other\""), ("if-modified-since", IN_TIME)];
    assert_eq!(ask(&gateway, "GET", &headers).status, 200);
}

#[test]
fn what_is_known_is_answered_with_what_caches_need() {
    let gateway = Gateway::start_live("", &[]);
    for coding in ["identity", "gzip", "zstd", "br"] {
        let accept = ("accept-encoding", coding);
        let whole = ask(&gateway, "GET", &[accept]);
        let known = ask(
            &gateway,
            "GET",
            &[accept, ("if-none-match", whole.header("etag"))],
        );
        assert_eq!((known.status, known.body.len()), (304, 0));
        for name in ["etag", "vary", "cache-control"] {
            assert_eq!(known.header(name), whole.header(name), "{name}");
        }
        for name in [
            "content-type",
            "content-encoding",
            "last-modified",
            "content-range",
        ] {
            assert!(!known.has(name), "{name}");
        }
        // The tag of one form is not that of another.
        let other = ask(&gateway, "GET", &[("if-none-match", whole.header("etag"))]);
        assert_eq!(
            other.status,
            if coding == "identity" { 304 } else { 200 },
            "{coding}"
        );
    }
}

#[test]
fn what_another_state_was_wanted_of_is_not_sent() {
    let gateway = Gateway::start_live("", &[]);
    let tag = ask(&gateway, "GET", &[]).header("etag").to_owned();
    for (name, value, status) in [
        ("if-match", &*tag, 200),
        ("if-match", "*", 200),
        ("if-match", "\"other\"", 412),
        ("if-match", &format!("W/{tag}"), 412),
        ("if-unmodified-since", IN_TIME, 200),
        ("if-unmodified-since", LONG_AGO, 412),
    ] {
        let answer = ask(&gateway, "GET", &[(name, value)]);
        assert_eq!(answer.status, status, "{name}: {value}");
        if status == 412 {
            assert_eq!(answer.header("cache-control"), "no-store");
            assert!(!answer.has("etag"));
        }
    }
}
