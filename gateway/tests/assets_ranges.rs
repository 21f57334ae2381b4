//! Parts of assets (RFC 9110, 14).

use crate::support::{Gateway, Release, Request, Response, attack};

const TARGET: &str = "/assets/shell/1.0.0/main.js";

fn main_script() -> Vec<u8> {
    Release::shell("1.0.0").contents("client/main.js").to_vec()
}

fn part(gateway: &Gateway, range: &str, more: &[(&str, &str)]) -> Response {
    let request = Request::new("GET", TARGET).header("range", range);
    let request = more
        .iter()
        .fold(request, |request, (name, value)| request.header(name, value));
    gateway.site.send(request)
}

#[test]
fn a_part_is_sent_as_asked() {
    let gateway = Gateway::start_live("", &[]);
    let whole = gateway.get(TARGET);
    assert_eq!(whole.header("accept-ranges"), "bytes");
    let bytes = main_script();
    let length = bytes.len();
    for (range, wanted) in [
        ("bytes=0-9", 0..10),
        ("bytes=5-5", 5..6),
        ("bytes=100-", 100..length),
        ("bytes=-7", length - 7..length),
        ("bytes=10-999999", 10..length),
        ("bytes=-999999", 0..length),
    ] {
        let answer = part(&gateway, range, &[]);
        assert_eq!(answer.status, 206, "{range}");
        assert_eq!(answer.body, bytes[wanted.clone()], "{range}");
        assert_eq!(
            answer.header("content-range"),
            format!("bytes {}-{}/{length}", wanted.start, wanted.end - 1)
        );
        assert_eq!(answer.header("content-length"), wanted.len().to_string());
        for name in [
            "content-type",
            "etag",
            "last-modified",
            "cache-control",
            "vary",
            "accept-ranges",
        ] {
            assert_eq!(answer.header(name), whole.header(name), "{name}");
        }
    }
}

#[test]
fn several_parts_are_one_multipart_answer() {
    let gateway = Gateway::start_live("", &[]);
    let bytes = main_script();
    let length = bytes.len();
    let answer = part(&gateway, "bytes=0-3, 50-60, -5", &[]);
    assert_eq!(answer.status, 206);
    assert!(!answer.has("content-range"));
    let content_type = answer.header("content-type").to_owned();
    let boundary = content_type
        .strip_prefix("multipart/byteranges; boundary=")
        .unwrap();
    let text = answer.text();
    let delimiter = format!("--{boundary}");
    let mut pieces = text.split(&delimiter);
    assert_eq!(pieces.next(), Some("\r\n"));
    for wanted in [0..4, 50..61, length - 5..length] {
        let expected = format!(
            "\r\nContent-Type: text/javascript; charset=utf-8\r\nContent-Range: bytes {}-{}/{length}\r\n\r\n{}\r\n",
            wanted.start,
            wanted.end - 1,
            std::str::from_utf8(&bytes[wanted.clone()]).unwrap()
        );
        assert_eq!(pieces.next(), Some(&*expected));
    }
    assert_eq!((pieces.next(), pieces.next()), (Some("--\r\n"), None));
    let again = part(&gateway, "bytes=0-3, 50-60, -5", &[]);
    assert_ne!(again.header("content-type"), content_type);
}

#[test]
fn of_several_parts_only_one_may_be_there() {
    let gateway = Gateway::start_live("", &[]);
    let answer = part(&gateway, "bytes=0-3,999999-", &[]);
    assert_eq!((answer.status, &answer.body[..]), (206, &main_script()[..4]));
    assert!(answer.header("content-range").starts_with("bytes 0-3/"));
}

#[test]
fn a_part_that_is_not_there_is_refused_with_the_length() {
    let gateway = Gateway::start_live("", &[]);
    let length = main_script().len();
    for range in [
        &format!("bytes={length}-"),
        "bytes=999999-",
        "bytes=-0",
        "bytes=999999-,-0",
    ] {
        let answer = part(&gateway, range, &[]);
        assert_eq!(answer.status, 416, "{range}");
        assert_eq!(answer.header("content-range"), format!("bytes */{length}"));
        assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
        assert_eq!(answer.header("cache-control"), "no-store");
        assert_eq!(answer.header("vary"), "Accept-Encoding");
        assert!(!answer.has("etag") && !answer.has("content-encoding"));
    }
}

#[test]
fn what_is_no_range_or_a_bomb_gets_the_whole() {
    let gateway = Gateway::start_live("", &[]);
    let bytes = main_script();
    let many = format!(
        "bytes={}",
        (0..1000)
            .map(|at| format!("{at}-{at}"))
            .collect::<Vec<_>>()
            .join(",")
    );
    for range in [
        "bytes=5-1",
        "bytes=a-b",
        "bytes=",
        "lines=0-1",
        "bytes=0-100,50-150",
        "bytes=0-,0-,0-,0-",
        "bytes=0-0,2-2,4-4,6-6,8-8,10-10,12-12,14-14,16-16",
        &many,
    ] {
        let answer = part(&gateway, range, &[]);
        assert_eq!((answer.status, answer.body == bytes), (200, true), "{range}");
    }
    let two = part(&gateway, "bytes=0-1", &[("range", "bytes=2-3")]);
    assert_eq!((two.status, two.body), (200, bytes));
}

#[test]
fn ranges_without_end_are_answered_and_no_visitor_notices() {
    let gateway = Gateway::start_live("", &[]);
    let bytes = main_script();
    let bomb = format!("bytes={}", vec!["0-"; 1000].join(","));
    let parts: Vec<_> = (0..8).map(|at| format!("{at}-{at}")).collect();
    let parts = format!("bytes={}", parts.join(","));
    attack(&gateway, || {
        for _ in 0..100 {
            let answer = part(&gateway, &bomb, &[]);
            assert_eq!((answer.status, answer.body == bytes), (200, true));
            assert_eq!(part(&gateway, &parts, &[]).status, 206);
        }
    });
}

#[test]
fn a_part_of_a_compressed_answer_is_one_of_its_bytes() {
    let gateway = Gateway::start_live("", &[]);
    for coding in ["br", "zstd", "gzip"] {
        let accept = ("accept-encoding", coding);
        let whole = gateway
            .site
            .send(Request::new("GET", TARGET).header(accept.0, accept.1));
        let middle = whole.body.len() / 2;
        let tag = ("if-range", whole.header("etag"));
        let first = part(&gateway, &format!("bytes=0-{}", middle - 1), &[accept]);
        let rest = part(&gateway, &format!("bytes={middle}-"), &[accept, tag]);
        assert_eq!((first.status, rest.status), (206, 206));
        assert_eq!(rest.header("content-encoding"), coding);
        assert_eq!([first.body, rest.body].concat(), whole.body, "{coding}");
        // The rest of another form would not fit.
        let other = part(&gateway, &format!("bytes={middle}-"), &[tag]);
        assert_eq!((other.status, other.body), (200, main_script()));
    }
}

#[test]
fn a_part_is_sent_only_of_what_the_client_has_the_beginning_of() {
    let gateway = Gateway::start_live("", &[]);
    let whole = gateway.get(TARGET);
    let (tag, date) = (whole.header("etag"), whole.header("last-modified"));
    for (known, status) in [
        (tag, 206),
        (date, 206),
        (&*format!("W/{tag}"), 200),
        ("\"other\"", 200),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 200),
        ("*", 200),
    ] {
        let answer = part(&gateway, "bytes=1-2", &[("if-range", known)]);
        assert_eq!(answer.status, status, "{known}");
    }
    // Past the end of something else is no error.
    assert_eq!(
        part(&gateway, "bytes=999999-", &[("if-range", "\"other\"")]).status,
        200
    );
    let known = part(&gateway, "bytes=1-2", &[("if-none-match", tag)]);
    assert_eq!(
        (known.status, known.body.len()),
        (304, 0),
        "conditions come first"
    );
}

#[test]
fn only_get_has_parts() {
    let gateway = Gateway::start_live("", &[]);
    for range in ["bytes=0-1", "bytes=999999-"] {
        let answer = gateway
            .site
            .send(Request::new("HEAD", TARGET).header("range", range));
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-length"), main_script().len().to_string());
        assert!(!answer.has("content-range"));
    }
    let document = gateway
        .site
        .send(Request::new("GET", "/").header("range", "bytes=0-1"));
    assert_eq!(document.status, 200, "documents have none");
}

#[test]
fn an_empty_file_has_no_parts_and_is_sent() {
    let gateway = Gateway::start();
    gateway.publish(&Release::shell("1.0.0").bytes("client/empty.txt", "text/plain", ""));
    gateway.deploy(&serde_json::json!({ "shell": "1.0.0" }));
    let request = Request::new("GET", "/assets/shell/1.0.0/empty.txt").header("range", "bytes=0-");
    let answer = gateway.site.send(request);
    assert_eq!((answer.status, answer.body.len()), (200, 0));
}
