//! Secrets in requests to an upstream reach only the upstream: not the log, not a metric, and no response.

use http::Response;

use crate::support::secrets::{SECRETS, assert_no_secrets, assert_no_secrets_in_response};
use crate::support::{Gateway, Raw, RawUpstream, Request, Upstream, upstream_table};

#[test]
fn secrets_reach_only_the_upstream() {
    let [email, password, key, token] = SECRETS;
    let upstream = Upstream::start(|request| {
        let status = if request.target.contains("fail") { 500 } else { 200 };
        Response::builder().status(status).body(b"{}".to_vec()).unwrap()
    });
    let (rubbish, cut) = (RawUpstream::start(), RawUpstream::start());
    let urls = [rubbish.origin(), cut.origin()];
    rubbish.respond_always("this is no response");
    cut.respond_always("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\npart");
    let common = "methods = [\"GET\", \"POST\"]\nforward_cookies = true\nforward_authorization = true\n\
                  request_headers = { x-key = { env = \"KEY\" } }\n";
    let mut tables = vec![upstream_table(&[&upstream.origin()], common)];
    for (name, url) in ["rubbish", "cut", "closed"]
        .iter()
        .zip(urls.iter().map(String::as_str).chain(["http://127.0.0.1:1"]))
    {
        tables.push(format!(
            "[upstreams.{name}]\npath = \"/api/{name}\"\nurls = [\"{url}\"]\n{common}"
        ));
    }
    let variables = [("KEY", key), ("RUST_LOG", "trace"), ("RUST_BACKTRACE", "full")];
    let mut gateway = Gateway::start_with(&tables.concat(), &variables);
    for path in ["events/ok", "events/fail", "rubbish", "cut", "closed", "unknown"] {
        let query = percent_encoding::utf8_percent_encode(email, percent_encoding::NON_ALPHANUMERIC);
        let request = Request::new("POST", &format!("/api/{path}?email={query}"))
            .header("sec-fetch-site", "same-origin")
            .header("cookie", &format!("session={token}"))
            .header("authorization", &format!("Bearer {token}"))
            .body(password);
        // That of `cut` may be lost.
        let mut raw = Raw::open(&gateway.site);
        raw.send(
            request
                .header("connection", "close")
                .into_bytes(gateway.site.address()),
        );
        assert_no_secrets("a response", &raw.read_until_closed(), &SECRETS);
    }
    let received = upstream.received();
    assert_eq!(received.len(), 2);
    assert_eq!(
        (received[0].values("x-key"), &*received[0].body),
        (vec![key], password.as_bytes())
    );
    let metrics = gateway.admin.get("/metrics");
    assert!(
        metrics
            .text()
            .contains("colonnade_upstream_requests_total{upstream=\"closed\"")
    );
    assert_no_secrets_in_response(&metrics, &SECRETS);
    gateway.signal("TERM");
    assert_eq!(gateway.wait_for_exit().code(), Some(0));
    let output = gateway.output();
    assert_eq!(
        output.matches("\"event\":\"upstream_failed\"").count(),
        3,
        "{output}"
    );
    assert_no_secrets("the log", output.as_bytes(), &SECRETS);
}
