//! Limits per client of an upstream: what one visitor can take from others.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::support::{
    Client, Gateway, QueryUpstream, RawUpstream, Request, Response, Setup, Upstream, deploy_with_queries,
    is_rendered, read_head, render_count, rendered_section, upstream_table, wait_until,
};

/// Far more than sockets and the gateway buffer.
const LARGE: usize = 64 * 1024 * 1024;

/// The head of an upload that is just large enough to be streamed.
const UPLOAD: &str = "POST /api/events HTTP/1.1\r\nhost: site.example\r\nsec-fetch-site: same-origin\r\n\
                      connection: close\r\ncontent-length: 65537\r\n";

/// A page whose queries have the paths `/api/x/<name>`; the names are in the path of the page.
const PAGE: &str = r#"
export default {
  queries: (key) => Object.fromEntries(key.split("-").map((name) => [name, `/api/x/${name}`])),
  data: (key, results) => results,
};
"#;

/// The requests for the upstream with this outcome.
fn requests(gateway: &Gateway, upstream: &str, outcome: &str) -> u64 {
    gateway.metric(&format!(
        "colonnade_upstream_requests_total{{upstream=\"{upstream}\",outcome=\"{outcome}\"}}"
    ))
}

/// The site as a visitor with this address sees it.
fn visitor(gateway: &Gateway, last: u8) -> Client {
    gateway
        .site
        .clone()
        .with_source_ip(Ipv4Addr::new(127, 0, 2, last))
}

#[test]
fn slow_visitor_leaves_permits_for_others() {
    let upstream = RawUpstream::start();
    let keys = "methods = [\"GET\", \"POST\"]\nmax_response_kib = 102400\nmax_concurrent = 4\nmax_concurrent_per_client = 2\n";
    // The connections are those of a proxy, which is no visitor.
    let gateway = Gateway::set_up(Setup {
        listen: "trusted_proxies = [\"127.0.0.1\"]",
        extra: &upstream_table(&[&upstream.origin()], keys),
        ..Setup::default()
    });
    let get = |visitor: &str, path: &str| {
        let request = Request::new("GET", path).header("x-forwarded-for", visitor);
        gateway.site.send(request)
    };
    let served = |visitor: &str, path: &str| {
        std::thread::scope(|scope| {
            let response = scope.spawn(|| get(visitor, path).status);
            let (mut backend, _) = upstream.accept_request();
            write!(backend, "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n").unwrap();
            response.join().unwrap()
        })
    };
    // One request whose body never ends, and one response that is not read, of the same /64.
    let mut upload = gateway.site.connect();
    write!(upload, "{UPLOAD}x-forwarded-for: 2001:db8:0:1::1\r\n\r\na").unwrap();
    let mut receiver = upstream.accept();
    assert!(
        read_head(&mut receiver)
            .unwrap()
            .starts_with("POST / HTTP/1.1\r\n")
    );
    let mut download = gateway.site.connect();
    write!(
        download,
        "GET /api/events/large HTTP/1.1\r\nhost: site.example\r\nx-forwarded-for: 2001:db8:0:1::2\r\n\r\n"
    )
    .unwrap();
    let (mut sender, _) = upstream.accept_request();
    write!(sender, "HTTP/1.1 200 OK\r\ncontent-length: {LARGE}\r\n\r\n").unwrap();
    let sender = std::thread::spawn(move || sender.write_all(&vec![b'x'; LARGE]));
    assert!(read_head(&mut download).unwrap().starts_with("HTTP/1.1 200 "));
    let rejected = get("2001:db8:0:1::3", "/api/events/3");
    assert_eq!((rejected.status, rejected.header("retry-after")), (429, "1"));
    let error = "There are too many requests from your connection at the same time. Please wait a moment, then try again.";
    assert_eq!(rejected.json(), json!({ "error": error }));
    assert_eq!(requests(&gateway, "events", "client_concurrency_limited"), 1);
    for visitor in ["192.0.2.1", "192.0.2.2", "2001:db8:1::1"] {
        assert_eq!(served(visitor, "/api/events/3"), 204, "{visitor}");
    }
    // Each permit is released when its response ends.
    receiver.read_exact(&mut [0]).unwrap();
    write!(receiver, "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n").unwrap();
    assert!(read_head(&mut upload).unwrap().starts_with("HTTP/1.1 204 "));
    wait_until("the call has ended", || requests(&gateway, "events", "2xx") == 4);
    assert_eq!(served("2001:db8:0:1::3", "/api/events/3"), 204);
    drop(download);
    assert!(sender.join().unwrap().is_err(), "the visitor has left");
}

#[test]
fn stalled_upload_releases_its_permit() {
    let upstream = RawUpstream::start();
    // The time of a visitor does not count as that of the upstream: the minimum data rate of visitors ends the upload.
    let keys = "methods = [\"GET\", \"POST\"]\nmax_concurrent = 1\ntotal_timeout_ms = 86400000\n[limits]\nmin_rate_window_ms = 500\n";
    let gateway = Gateway::start_with(&upstream_table(&[&upstream.origin()], keys), &[]);
    let mut upload = gateway.site.connect();
    write!(upload, "{UPLOAD}\r\na").unwrap();
    let mut receiver = upstream.accept();
    assert!(
        read_head(&mut receiver)
            .unwrap()
            .starts_with("POST / HTTP/1.1\r\n")
    );
    assert_eq!(gateway.get("/api/events").status, 429, "the same client");
    assert_eq!(receiver.read(&mut [0; 2]).unwrap(), 1);
    assert_eq!(receiver.read(&mut [0]).unwrap(), 0, "the connection is closed");
    wait_until("the call has ended", || {
        requests(&gateway, "events", "client_closed") == 1
    });
    upstream.respond_always("HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n");
    assert_eq!(visitor(&gateway, 1).get("/api/events").status, 204);
}

#[test]
fn small_upload_takes_a_permit_once_it_is_complete() {
    let upstream = Upstream::json("{}");
    let keys = "methods = [\"GET\", \"POST\"]\nmax_concurrent = 1\n";
    let gateway = Gateway::start_with(&upstream_table(&[&upstream.origin()], keys), &[]);
    let mut upload = gateway.site.connect();
    let head = UPLOAD.replace("65537", "65536");
    write!(upload, "{head}expect: 100-continue\r\n\r\n").unwrap();
    // The gateway waits for the body.
    assert_eq!(read_head(&mut upload).unwrap(), "HTTP/1.1 100 Continue\r\n\r\n");
    for _ in 0..3 {
        assert_eq!(visitor(&gateway, 1).get("/api/events").status, 200);
    }
    upload.write_all(&[b'x'; 65536]).unwrap();
    assert!(read_head(&mut upload).unwrap().starts_with("HTTP/1.1 200 "));
    assert_eq!(upstream.received().pop().unwrap().body.len(), 65536);
}

/// Sends large responses to GET requests, and 204 after complete POST requests and to HEAD.
fn respond_slowly(mut stream: TcpStream) {
    let head = read_head(&mut stream).unwrap_or_default();
    let response = match head.split(' ').next() {
        Some("GET") => format!("200 OK\r\ncontent-length: {LARGE}\r\ncache-control: no-store"),
        _ => "204 No Content\r\nconnection: close".to_owned(),
    };
    if head.starts_with("POST") && stream.read_exact(&mut [0; 65537]).is_err() {
        return;
    }
    // The visitor may have left.
    let _ = write!(stream, "HTTP/1.1 {response}\r\n\r\n");
    if head.starts_with("GET") {
        let _ = stream.write_all(&vec![b'x'; LARGE]);
    }
}

#[test]
fn slow_uploads_and_downloads_yield_to_visitors() {
    let upstream = RawUpstream::start();
    let keys = "methods = [\"GET\", \"HEAD\", \"POST\"]\nmax_response_kib = 102400\nmax_concurrent = 2\n";
    let gateway = Gateway::start_with(&upstream_table(&[&upstream.origin()], keys), &[]);
    upstream.serve_bytes(respond_slowly);
    let head = || {
        let visitor = visitor(&gateway, 9);
        visitor.send(Request::new("HEAD", "/api/events")).status
    };
    let preempted = || requests(&gateway, "events", "preempted");
    // One upload of each of two clients.
    let mut uploads = [1, 2].map(|last| {
        let mut upload = visitor(&gateway, last).connect();
        write!(upload, "{UPLOAD}expect: 100-continue\r\n\r\n").unwrap();
        // The gateway waits for the body.
        read_head(&mut upload).unwrap();
        upload
    });
    assert_eq!(head(), 204);
    assert_eq!(preempted(), 1);
    let mut response = String::new();
    uploads[0].read_to_string(&mut response).unwrap();
    assert!(
        response.starts_with("HTTP/1.1 503 ") && response.contains("arrived too slowly"),
        "{response}"
    );
    assert!(response.contains("retry-after: 1\r\n"), "{response}");
    uploads[1].write_all(&[b'x'; 65537]).unwrap();
    assert!(read_head(&mut uploads[1]).unwrap().starts_with("HTTP/1.1 204 "));
    wait_until("all calls have ended", || {
        requests(&gateway, "events", "2xx") == 2
    });
    // Two downloads of one client that are not read.
    let downloads = [1, 2].map(|number| {
        let mut download = visitor(&gateway, 1).connect();
        write!(
            download,
            "GET /api/events/{number} HTTP/1.1\r\nhost: site.example\r\n\r\n"
        )
        .unwrap();
        assert!(read_head(&mut download).unwrap().starts_with("HTTP/1.1 200 "));
        download
    });
    wait_until("one yields", || head() == 204);
    assert_eq!(preempted(), 2);
    let is_cut = downloads.map(|download| {
        let mut body = Vec::new();
        // The connection may be reset.
        let _ = download.take(LARGE as u64).read_to_end(&mut body);
        body.len() < LARGE
    });
    assert_eq!(is_cut.iter().filter(|is_cut| **is_cut).count(), 1);
}

/// The data of the page, from the boot payload.
fn data(response: &Response) -> Value {
    assert_eq!(response.status, 200);
    response.boot()["view"]["data"].clone()
}

/// A gateway with this page and these keys of its upstream, whose responses `a` to `d` may be cached.
fn page_with_queries(upstream: &QueryUpstream, page: &str, keys: &str) -> Gateway {
    for name in ["a", "b", "c", "d"] {
        upstream.respond(&format!("/{name}"), "max-age=1000", "1");
    }
    let settings = format!("[render]\nquery_deadline_ms = 60000\n{}{keys}", upstream.table());
    let gateway = Gateway::start_with(&settings, &[]);
    deploy_with_queries(&gateway, page);
    gateway
}

fn failed(status: u16) -> Value {
    json!({ "ok": false, "status": status })
}

#[test]
fn queries_count_against_rate_limit_of_visitor() {
    let upstream = QueryUpstream::start();
    let gateway = page_with_queries(&upstream, PAGE, "rate_limit_per_client_per_minute = 2\n");
    let one = visitor(&gateway, 1);
    let ok = json!({ "ok": true, "value": 1 });
    assert_eq!(data(&one.get("/live/a-b")), json!({ "a": ok, "b": ok }));
    assert_eq!(data(&one.get("/live/b-c")), json!({ "b": ok, "c": failed(429) }));
    assert_eq!(one.get("/api/x/d").status, 429, "the limit is the same");
    // What is cached sends nothing, and other visitors have permits of their own.
    assert_eq!(data(&one.get("/live/b-a")), json!({ "a": ok, "b": ok }));
    let other = visitor(&gateway, 2);
    assert_eq!(data(&other.get("/live/b-c")), json!({ "b": ok, "c": ok }));
    assert_eq!(upstream.received().len(), 3);
    assert_eq!(requests(&gateway, "x", "client_rate_limited"), 2);
}

#[test]
fn queries_count_against_concurrency_of_visitor() {
    let upstream = QueryUpstream::start();
    let gateway = page_with_queries(&upstream, PAGE, "max_concurrent_per_client = 1\n");
    upstream.hold();
    std::thread::scope(|scope| {
        let get = |last, path| {
            let visitor = visitor(&gateway, last);
            scope.spawn(move || data(&visitor.get(path)))
        };
        let one = get(1, "/live/a-b");
        upstream.wait_for_requests(1);
        // This visitor may wait for the document of the other one, of which one query is rejected.
        let same = get(2, "/live/a-b");
        let other = get(3, "/live/c");
        upstream.wait_for_requests(2);
        assert_eq!(gateway.get("/healthz").status, 200);
        upstream.release();
        let results = one.join().unwrap();
        let statuses = ["a", "b"].map(|name| results[name]["status"].as_u64().unwrap_or(200));
        assert!([[200, 429], [429, 200]].contains(&statuses), "{results}");
        let ok = json!({ "ok": true, "value": 1 });
        assert_eq!(other.join().unwrap(), json!({ "c": ok }));
        assert_eq!(same.join().unwrap(), json!({ "a": ok, "b": ok }));
    });
}

/// A page that cannot be rendered with a result of status 429.
const STRICT: &str = r#"
export default {
  queries: (key) => Object.fromEntries(key.split("-").map((name) => [name, `/api/x/${name}`])),
  data: (key, results) => {
    if (Object.values(results).some(({ status }) => status === 429)) throw new Error("rejected");
    return results;
  },
};
"#;

#[test]
fn limits_of_one_visitor_change_no_page_of_others() {
    let upstream = QueryUpstream::start();
    upstream.respond("/a", "no-store", "1");
    let keys = "rate_limit_per_client_per_minute = 1\n[render]\nbreaker_failure_threshold = 1\n";
    let gateway = Gateway::start_with(&format!("{}{keys}", upstream.table()), &[]);
    deploy_with_queries(&gateway, PAGE);
    let (limited, allowed) = (
        json!({ "a": failed(429) }),
        json!({ "a": { "ok": true, "value": 1 } }),
    );
    for (number, last) in [1, 2].into_iter().enumerate() {
        let visitor = visitor(&gateway, last);
        assert_eq!(data(&visitor.get("/live/a")), allowed);
        assert_eq!(data(&visitor.get("/live/a")), limited);
        // The second visitor gets the first page of the other one, but not the second.
        assert_eq!(render_count(&gateway, "live", "rendered"), 2 + number as u64);
    }
    let strict = rendered_section("live", "2.0.0", "/live/:key", STRICT).with_paths(&["/live/a"]);
    gateway.publish(&strict);
    gateway.deploy(&json!({ "live": "2.0.0" }));
    let one = visitor(&gateway, 3);
    assert!(is_rendered(&one.get("/live/a")));
    let rejected = one.get("/live/a");
    assert!(!is_rendered(&rejected));
    assert_eq!(
        (rejected.status, rejected.header("cache-control")),
        (200, "no-store, no-transform")
    );
    assert_eq!(render_count(&gateway, "live", "exception"), 1);
    // The circuit breaker of the page is closed, and the page with this result is not rendered yet.
    upstream.respond("/a", "no-store", "2");
    assert!(is_rendered(&visitor(&gateway, 4).get("/live/a")));
}

#[test]
fn failed_render_of_limited_visitor_is_not_shared() {
    let upstream = QueryUpstream::start();
    let gateway = page_with_queries(&upstream, STRICT, "max_concurrent_per_client = 1\n");
    let open = "colonnade_connections_open{listener=\"site\"}";
    let before = gateway.metric(open);
    upstream.hold();
    std::thread::scope(|scope| {
        let get = |last| {
            let visitor = visitor(&gateway, last);
            scope.spawn(move || is_rendered(&visitor.get("/live/a-b")))
        };
        let one = get(1);
        upstream.wait_for_requests(1);
        let other = get(2);
        wait_until("the other visitor waits", || gateway.metric(open) == before + 2);
        upstream.release();
        assert!(!one.join().unwrap());
        assert!(other.join().unwrap());
    });
}

#[test]
fn late_query_goes_on_only_for_the_cache() {
    let upstream = QueryUpstream::start();
    upstream.respond("/private", "no-store", "1");
    upstream.respond("/shared", "max-age=1000", "1");
    let settings = format!("[render]\nquery_deadline_ms = 200\n{}", upstream.table());
    let gateway = Gateway::start_with(&settings, &[]);
    deploy_with_queries(&gateway, PAGE);
    let queries = |outcome: &str| {
        let labels = format!("{{upstream=\"x\",outcome=\"{outcome}\"}}");
        gateway.metric(&format!("colonnade_upstream_queries_total{labels}"))
    };
    wait_until("a query is in time", || {
        data(&gateway.get("/live/private"))["private"]["ok"] == true
    });
    let canceled = requests(&gateway, "x", "client_closed");
    let count = upstream.received().len();
    upstream.hold();
    // The cache knows that nobody else may get this response, so that its request ends with the page.
    assert_eq!(
        data(&gateway.get("/live/private")),
        json!({ "private": failed(504) })
    );
    wait_until("the request is canceled", || {
        requests(&gateway, "x", "client_closed") == canceled + 1
    });
    // Others may get this one: it goes on, and is sent once.
    for _ in 0..2 {
        assert_eq!(
            data(&gateway.get("/live/shared")),
            json!({ "shared": failed(504) })
        );
    }
    assert_eq!(upstream.received().len(), count + 2);
    // A canceled query is counted after the response.
    wait_until("each canceled query is counted", || queries("canceled") >= 3);
    upstream.release();
    wait_until("the result is in time", || {
        data(&gateway.get("/live/shared"))["shared"]["ok"] == true
    });
    assert_eq!(upstream.received().len(), count + 2);
}

/// The configuration of upstreams with these names, keys and base URLs.
fn upstream_tables(upstreams: &[(&str, &str)], origin: &str) -> String {
    let table = |(name, keys): &(&str, &str)| {
        format!("[upstreams.{name}]\npath = \"/api/{name}\"\nurls = [\"{origin}/{name}\"]\n{keys}\n")
    };
    upstreams.iter().map(table).collect()
}

#[test]
fn failures_of_one_client_open_no_circuit_for_others() {
    let upstream = RawUpstream::start();
    // The health checks of the last two fail, although they work: one no longer has the path, one does not answer.
    let gone = "health_path = \"/health\"\nhealth_interval_ms = 100";
    let silent = "health_path = \"/health/silent\"\nhealth_interval_ms = 100\ntotal_timeout_ms = 1000";
    let upstreams = [
        ("limited", ""),
        ("counted", "breaker_statuses = [502, 503, 504]"),
        ("closing", ""),
        ("closing-gone", gone),
        ("closing-silent", silent),
    ];
    let has_passed_check = AtomicBool::new(false);
    let gateway = Gateway::start_with(&upstream_tables(&upstreams, &upstream.origin()), &[]);
    upstream.serve_bytes(move |mut stream| {
        let head = read_head(&mut stream).unwrap_or_default();
        if head.contains("/silent ") {
            // Until the gateway gives up.
            let _ = stream.read(&mut [0]);
            return;
        }
        let status = match head.contains("/greedy ") {
            true if head.starts_with("GET /closing") => return,
            true => "503 Service Unavailable",
            false if head.contains("/health ") && has_passed_check.swap(true, Ordering::Relaxed) => {
                "404 Not Found"
            }
            false => "204 No Content",
        };
        write!(
            stream,
            "HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        )
        .unwrap();
    });
    let (greedy, other) = (visitor(&gateway, 1), visitor(&gateway, 2));
    let endpoints = |name, state| {
        gateway.metric(&format!(
            "colonnade_upstream_endpoints{{upstream=\"{name}\",state=\"{state}\"}}"
        ))
    };
    for (name, keys) in upstreams {
        if keys.contains("health_path") {
            wait_until("the checks fail", || endpoints(name, "unhealthy") == 1);
        }
        if keys == silent {
            assert_eq!(other.get(&format!("/api/{name}/other")).status, 204);
        }
        let mut statuses = Vec::new();
        for _ in 0..6 {
            for _ in 0..10 {
                greedy.get(&format!("/api/{name}/greedy"));
            }
            statuses.extend((0..3).map(|_| other.get(&format!("/api/{name}/other")).status));
        }
        assert_eq!(statuses, [204; 18], "{name}");
        assert_eq!(endpoints(name, "ejected"), 0, "{name}");
    }
}
