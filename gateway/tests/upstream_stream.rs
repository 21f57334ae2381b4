//! Bodies stream in both directions, with backpressure, within limits.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::support::{
    Gateway, Raw, RawUpstream, Request, TIMEOUT, Upstream, read_head, upstream_table, wait_until,
};

/// Far more than sockets and the gateway buffer.
const LARGE: usize = 64 * 1024 * 1024;

/// How long a socket accepts nothing before it counts as blocked.
const BLOCKED: Duration = Duration::from_millis(300);

/// The beginning of a request with a body.
const POST: &str = "POST /api/events HTTP/1.1\r\nhost: a\r\nsec-fetch-site: same-origin\r\n";

fn gateway(upstream: &RawUpstream, keys: &str) -> Gateway {
    let methods =
        "methods = [\"GET\", \"HEAD\", \"POST\"]\nmax_request_kib = 102400\nmax_response_kib = 102400\n";
    Gateway::start_with(
        &upstream_table(&[&upstream.origin()], &format!("{methods}{keys}")),
        &[],
    )
}

/// Reads exactly this many bytes as text.
fn read(stream: &mut TcpStream, count: usize) -> String {
    let mut bytes = vec![0; count];
    stream.read_exact(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// Asserts that a response without a body arrives.
fn assert_no_content(visitor: &mut TcpStream) {
    let head = read_head(visitor).unwrap();
    assert!(head.starts_with("HTTP/1.1 204 No Content\r\n"), "{head}");
}

/// Reads `LARGE` bytes.
fn read_large(stream: &mut TcpStream) {
    let mut bytes = Vec::new();
    stream.take(LARGE as u64).read_to_end(&mut bytes).unwrap();
    assert_eq!(bytes.len(), LARGE);
}

/// Writes until the socket accepts nothing more. Returns the number of bytes.
fn write_until_blocked(stream: &mut TcpStream) -> usize {
    stream.set_write_timeout(Some(BLOCKED)).unwrap();
    let mut written = 0;
    while written < LARGE {
        match stream.write(&[b'x'; 16384]) {
            Ok(count) => written += count,
            Err(error) if [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&error.kind()) => break,
            Err(error) => panic!("{error}"),
        }
    }
    stream.set_write_timeout(Some(TIMEOUT)).unwrap();
    written
}

/// Writes the rest of `LARGE` bytes in a thread.
fn write_rest(mut stream: TcpStream, written: usize) -> std::thread::JoinHandle<()> {
    std::thread::spawn(move || {
        let rest = vec![b'x'; LARGE - written];
        stream.write_all(&rest).unwrap();
    })
}

#[test]
fn first_byte_of_body_arrives_before_last_is_sent() {
    let upstream = RawUpstream::start();
    let gateway = gateway(&upstream, "");
    let mut visitor = gateway.site.connect();
    write!(
        visitor,
        "{POST}expect: 100-continue\r\ncontent-length: {LARGE}\r\n\r\n"
    )
    .unwrap();
    let mut backend = upstream.accept();
    assert_eq!(read_head(&mut visitor).unwrap(), "HTTP/1.1 100 Continue\r\n\r\n");
    write!(visitor, "one").unwrap();
    let request = read_head(&mut backend).unwrap();
    assert!(
        request.contains(&format!("content-length: {LARGE}\r\n")) && !request.contains("expect"),
        "{request}"
    );
    assert_eq!(read(&mut backend, 3), "one");
    write!(visitor, "two").unwrap();
    assert_eq!(read(&mut backend, 3), "two");
    write!(backend, "HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\none").unwrap();
    let head = read_head(&mut visitor).unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert_eq!(read(&mut visitor, 3), "one");
    write!(backend, "two").unwrap();
    assert_eq!(read(&mut visitor, 3), "two");
}

#[test]
fn unread_response_stops_upstream_and_arrives_completely() {
    let upstream = RawUpstream::start();
    // Waiting for the visitor does not count as the upstream's time.
    let gateway = gateway(&upstream, "total_timeout_ms = 800\n");
    let mut visitor = gateway.site.connect();
    write!(visitor, "GET /api/events HTTP/1.0\r\nhost: a\r\n\r\n").unwrap();
    let (mut backend, _) = upstream.accept_request();
    write!(backend, "HTTP/1.1 200 OK\r\n\r\n").unwrap();
    let written = write_until_blocked(&mut backend);
    assert!(written < LARGE / 2, "the gateway buffers {written} bytes");
    // The rest is in sockets, so that the gateway does not wait for this test.
    drop(backend);
    read_head(&mut visitor).unwrap();
    let mut body = Vec::new();
    visitor.read_to_end(&mut body).unwrap();
    assert_eq!(body.len(), written);
}

#[test]
fn unread_request_stops_visitor_and_arrives_completely() {
    let upstream = RawUpstream::start();
    let gateway = gateway(&upstream, "total_timeout_ms = 86400000\n");
    let mut visitor = gateway.site.connect();
    write!(visitor, "{POST}content-length: {LARGE}\r\n\r\n").unwrap();
    let mut backend = upstream.accept();
    let written = write_until_blocked(&mut visitor);
    assert!(written < LARGE / 2, "the gateway buffers {written} bytes");
    let writer = write_rest(visitor.try_clone().unwrap(), written);
    read_head(&mut backend).unwrap();
    read_large(&mut backend);
    writer.join().unwrap();
    write!(backend, "HTTP/1.1 204 No Content\r\n\r\n").unwrap();
    assert_no_content(&mut visitor);
}

#[test]
fn upload_goes_on_while_response_is_unread() {
    let upstream = RawUpstream::start();
    let gateway = gateway(&upstream, "total_timeout_ms = 86400000\n");
    let mut visitor = gateway.site.connect();
    write!(visitor, "{POST}content-length: {LARGE}\r\n\r\n").unwrap();
    let mut backend = upstream.accept();
    read_head(&mut backend).unwrap();
    write!(backend, "HTTP/1.1 200 OK\r\ncontent-length: {LARGE}\r\n\r\n").unwrap();
    let written = write_until_blocked(&mut backend);
    assert!(written < LARGE / 2, "the gateway buffers {written} bytes");
    let download = write_rest(backend.try_clone().unwrap(), written);
    let upload = write_rest(visitor.try_clone().unwrap(), 0);
    read_large(&mut backend);
    upload.join().unwrap();
    read_head(&mut visitor).unwrap();
    read_large(&mut visitor);
    download.join().unwrap();
}

#[test]
fn rest_of_upload_is_sent_after_response() {
    let upstream = RawUpstream::start();
    let gateway = gateway(&upstream, "");
    let mut visitor = gateway.site.connect();
    write!(visitor, "{POST}transfer-encoding: chunked\r\n\r\n3\r\none\r\n").unwrap();
    let mut backend = upstream.accept();
    read_head(&mut backend).unwrap();
    assert_eq!(read(&mut backend, 8), "3\r\none\r\n");
    write!(backend, "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\ntwo").unwrap();
    read_head(&mut visitor).unwrap();
    assert_eq!(read(&mut visitor, 3), "two");
    let sample = "colonnade_upstream_requests_total{upstream=\"events\",outcome=\"2xx\"}";
    wait_until("the call has ended", || gateway.metric(sample) == 1);
    write!(visitor, "3\r\nrst\r\n0\r\n\r\n").unwrap();
    assert_eq!(read(&mut backend, 13), "3\r\nrst\r\n0\r\n\r\n");
    // A connection that had its response early is not used again.
    assert_eq!(backend.read(&mut [0]).unwrap(), 0);
}

#[test]
fn upload_that_fails_in_response_is_not_upstreams_fault() {
    let upstream = RawUpstream::start();
    let keys = "methods = [\"POST\"]\nmax_request_kib = 1\n";
    let gateway = Gateway::start_with(&upstream_table(&[&upstream.origin()], keys), &[]);
    let mut visitor = gateway.site.connect();
    let chunk = "x".repeat(1024);
    write!(
        visitor,
        "{POST}transfer-encoding: chunked\r\n\r\n400\r\n{chunk}\r\n"
    )
    .unwrap();
    let mut backend = upstream.accept();
    read_head(&mut backend).unwrap();
    write!(backend, "HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\none").unwrap();
    read_head(&mut visitor).unwrap();
    assert_eq!(read(&mut visitor, 3), "one");
    write!(visitor, "1\r\nx\r\n").unwrap();
    let sample = "colonnade_upstream_requests_total{upstream=\"events\",outcome=\"request_body_failed\"}";
    wait_until("the call has ended", || gateway.metric(sample) == 1);
    assert!(
        !gateway.output().contains("upstream_failed"),
        "{}",
        gateway.output()
    );
}

#[test]
fn slow_upload_does_not_count_as_failure_of_upstream() {
    for (total_timeout_ms, early_head) in [(200, ""), (1000, "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n")]
    {
        let upstream = RawUpstream::start();
        let gateway = gateway(&upstream, &format!("total_timeout_ms = {total_timeout_ms}\n"));
        let mut visitor = gateway.site.connect();
        write!(visitor, "{POST}content-length: {LARGE}\r\n\r\n").unwrap();
        let mut backend = upstream.accept();
        read_head(&mut backend).unwrap();
        write!(backend, "{early_head}").unwrap();
        if !early_head.is_empty() {
            read_head(&mut visitor).unwrap();
        }
        for byte in ["a", "b", "c"] {
            // Together longer than the timeout.
            std::thread::park_timeout(Duration::from_millis(total_timeout_ms / 2));
            write!(visitor, "{byte}").unwrap();
            assert_eq!(read(&mut backend, 1), byte, "{early_head:?}");
        }
        if early_head.is_empty() {
            write!(backend, "HTTP/1.1 204 No Content\r\n\r\n").unwrap();
            assert_no_content(&mut visitor);
        } else {
            write!(backend, "done").unwrap();
            assert_eq!(read(&mut visitor, 4), "done");
        }
    }
}

#[test]
fn body_over_limit_gets_413() {
    let upstream = Upstream::json("{}");
    let keys = "methods = [\"POST\"]\nmax_request_kib = 1\n";
    let gateway = Gateway::start_with(&upstream_table(&[&upstream.origin()], keys), &[]);
    let post = Request::new("POST", "/api/events").header("sec-fetch-site", "same-origin");
    assert_eq!(gateway.site.send(post.clone().body([b'x'; 1025])).status, 413);
    assert_eq!(gateway.site.send(post.clone().body([b'x'; 1024])).status, 200);
    // Without a length the limit is found in the middle of the body.
    let mut raw = Raw::open(&gateway.site);
    let chunks = format!("400\r\n{}\r\n1\r\nx\r\n0\r\n\r\n", "x".repeat(1024));
    raw.send(format!(
        "{POST}connection: close\r\ntransfer-encoding: chunked\r\n\r\n{chunks}"
    ));
    assert_eq!(raw.read_response().status, 413);
    assert_eq!(upstream.received().len(), 1, "an incomplete request is not one");
    let sample = "colonnade_upstream_requests_total{upstream=\"events\",outcome=\"request_body_failed\"}";
    assert_eq!(gateway.metric(sample), 2);
}

#[test]
fn visitor_that_leaves_ends_call_and_releases_its_permit() {
    let upstream = RawUpstream::start();
    let gateway = gateway(&upstream, "max_concurrent = 1\ntotal_timeout_ms = 86400000\n");
    let mut visitor = gateway.site.connect();
    write!(visitor, "GET /api/events HTTP/1.1\r\nhost: a\r\n\r\n").unwrap();
    let (mut backend, _) = upstream.accept_request();
    // Another URL: a request for the same one would wait for the same response.
    let busy = gateway.get("/api/events?other");
    assert!(
        busy.status == 429 && busy.header("retry-after") == "1",
        "{busy:?}"
    );
    write!(backend, "HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\none").unwrap();
    read_head(&mut visitor).unwrap();
    drop(visitor);
    assert_eq!(backend.read(&mut [0]).unwrap(), 0, "the connection is closed");
    let sample = "colonnade_upstream_requests_total{upstream=\"events\",outcome=\"client_closed\"}";
    wait_until("the call has ended", || gateway.metric(sample) == 1);
    let mut visitor = gateway.site.connect();
    write!(
        visitor,
        "HEAD /api/events HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"
    )
    .unwrap();
    let (mut backend, request) = upstream.accept_request();
    assert!(request.starts_with("HEAD / HTTP/1.1\r\n"), "{request}");
    write!(backend, "HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n").unwrap();
    let response = read_head(&mut visitor).unwrap();
    assert!(response.contains("content-length: 6\r\n"), "{response}");
}

/// The start of a form with a file, as a browser without JavaScript posts it.
const FORM: &str = "POST /api/events HTTP/1.1\r\nhost: a\r\nsec-fetch-site: same-origin\r\naccept: text/html,*/*;q=0.8\r\n\
                    content-type: multipart/form-data; boundary=x\r\n";

#[test]
fn form_with_file_streams_and_follows_redirect() {
    let upstream = RawUpstream::start();
    let gateway = gateway(&upstream, "");
    let start = "--x\r\ncontent-disposition: form-data; name=\"photo\"; filename=\"a.jpg\"\r\n\r\n";
    let end = "\r\n--x--\r\n";
    let length = start.len() + LARGE + end.len();
    let mut visitor = gateway.site.connect();
    write!(visitor, "{FORM}content-length: {length}\r\n\r\n{start}").unwrap();
    let mut backend = upstream.accept();
    let head = read_head(&mut backend).unwrap();
    assert!(
        head.contains("\r\ncontent-type: multipart/form-data; boundary=x\r\n"),
        "{head}"
    );
    // The rest is not sent yet.
    assert_eq!(read(&mut backend, start.len()), start);
    let writer = write_rest(visitor.try_clone().unwrap(), 0);
    read_large(&mut backend);
    writer.join().unwrap();
    write!(visitor, "{end}").unwrap();
    assert_eq!(read(&mut backend, end.len()), end);
    write!(
        backend,
        "HTTP/1.1 303 See Other\r\nlocation: /thanks\r\ncontent-length: 0\r\n\r\n"
    )
    .unwrap();
    let head = read_head(&mut visitor).unwrap();
    assert!(head.starts_with("HTTP/1.1 303 See Other\r\n"), "{head}");
    assert!(head.contains("\r\nlocation: /thanks\r\n"), "{head}");
}

#[test]
fn upload_over_limit_gets_413_that_names_it() {
    let upstream = RawUpstream::start();
    let keys = "methods = [\"POST\"]\nmax_request_kib = 1024\n";
    let gateway = Gateway::start_with(&upstream_table(&[&upstream.origin()], keys), &[]);
    let text = "At most 1 MB are accepted.";
    let mut visitor = gateway.site.connect();
    write!(
        visitor,
        "{FORM}connection: close\r\ncontent-length: 1048577\r\n\r\n"
    )
    .unwrap();
    let mut page = String::new();
    visitor.read_to_string(&mut page).unwrap();
    assert!(page.starts_with("HTTP/1.1 413 ") && page.contains(text), "{page}");
    // Without a length, the upstream has got a part of it.
    let mut visitor = gateway.site.connect();
    write!(
        visitor,
        "{POST}connection: close\r\ntransfer-encoding: chunked\r\n\r\n100001\r\n"
    )
    .unwrap();
    let mut backend = upstream.accept();
    visitor.write_all(&vec![b'x'; 1024 * 1024 + 1]).unwrap();
    let mut response = String::new();
    visitor.read_to_string(&mut response).unwrap();
    assert!(
        response.starts_with("HTTP/1.1 413 ") && response.contains(text),
        "{response}"
    );
    let received = backend.read_to_end(&mut Vec::new());
    assert!(received.is_err() || received.unwrap() <= 1024 * 1024 + 1024);
}
