//! Metrics, request IDs, client addresses in the log, and readiness.

use std::net::Ipv4Addr;

use serde_json::json;

use crate::support::{
    Backend, Gateway, Raw, Reply, Request, Response, Setup, VISITOR, attack, only_limits, wait_until,
};

const PROXY: Ipv4Addr = Ipv4Addr::new(127, 0, 1, 1);

fn gateway_with_proxy(extra: &str) -> Gateway {
    Gateway::set_up_live(Setup {
        listen: "trusted_proxies = [\"127.0.1.0/24\"]",
        extra,
        variables: &[("KEY", "the-key")],
        ..Setup::default()
    })
}

/// The labels of requests by route.
const BY_ROUTE: &str = "[telemetry]\nmetrics_by_route = true\n";

fn requests(gateway: &Gateway, kind_and_route: (&str, &str), status: &str) -> u64 {
    let (kind, route) = kind_and_route;
    gateway.metric(&format!(
        "colonnade_http_requests_total{{listener=\"site\",kind=\"{kind}\",route=\"{route}\",code_class=\"{status}\"}}"
    ))
}

fn metrics(gateway: &Gateway) -> String {
    gateway.admin.get("/metrics").text()
}

#[test]
fn request_metrics_use_route_and_status_class() {
    let gateway = Gateway::start_live(BY_ROUTE, &[]);
    let cases = [
        ("/state/Ohio", "document", "/state/:state", "2xx"),
        ("/state/Texas?from=mail", "document", "/state/:state", "2xx"),
        ("/state/Texas/", "document", "unmatched", "3xx"),
        ("/nowhere", "document", "unmatched", "4xx"),
        ("/assets/shell/1.0.0/main.js", "asset", "/assets", "2xx"),
        ("/_page/1?path=/", "page_data", "/_page", "2xx"),
        ("/api/nowhere", "upstream", "/api", "4xx"),
        ("/readyz", "health", "/readyz", "2xx"),
        ("/state/%F0%28", "other", "invalid_request", "4xx"),
    ];
    for (target, kind, route, status) in cases {
        let before = requests(&gateway, (kind, route), status);
        let response = gateway.get(target);
        gateway.request_event(&response);
        assert_eq!(requests(&gateway, (kind, route), status), before + 1, "{target}");
    }
    let duration_count = "colonnade_http_request_duration_seconds_count{listener=\"site\",kind=\"document\",route=\"/state/:state\"}";
    assert_eq!(gateway.metric(duration_count), 2);
    let metrics = metrics(&gateway);
    let admin = "colonnade_http_requests_total{listener=\"admin\",kind=\"other\",route=\"/metrics\",code_class=\"2xx\"}";
    assert!(metrics.contains(admin), "{metrics}");
}

#[test]
fn request_input_adds_no_metric_labels() {
    let gateway = Gateway::start_live(BY_ROUTE, &[]);
    let send_requests = |number: u32| {
        // The requests of the concurrent visitor have their labels from the first round on.
        for target in ["/", "/assets/shell/1.0.0/main.js"] {
            gateway.request_event(&gateway.get(target));
        }
        gateway
            .site
            .send(Request::new(&format!("MARKED{number}"), "/marked"));
        gateway
            .site
            .send(Request::new("GET", "/marked").header("host", "marked"));
        for target in ["/marked", "/state/marked", "/go/marked", "/_preview/marked"] {
            let response = gateway.get(&format!("{target}-{number}?marked={number}"));
            gateway.request_event(&response);
        }
        metrics(&gateway)
    };
    attack(&gateway, || {
        send_requests(0);
        let before = send_requests(1).lines().count();
        for number in 2..10 {
            send_requests(number);
        }
        let after = send_requests(10);
        assert!(!after.contains("marked") && !after.contains("MARKED"), "{after}");
        assert!(
            !after.contains("127.0.0.1") && !after.contains(&VISITOR.to_string()),
            "{after}"
        );
        assert_eq!(after.lines().count(), before, "{after}");
    });
}

#[test]
fn connection_metrics_count_open_and_rejected() {
    let limits = only_limits(
        "max_connections_per_client = 3\nfirst_byte_timeout_ms = 1000\nrequest_header_timeout_ms = 1000",
    );
    let gateway = Gateway::start_live(&limits, &[]);
    let open = "colonnade_connections_open{listener=\"site\"}";
    let rejected = |cause: &str| {
        gateway.metric(&format!(
            "colonnade_connections_rejected_total{{listener=\"site\",cause=\"{cause}\"}}"
        ))
    };
    let client = gateway.site.with_source_ip(Ipv4Addr::new(127, 0, 3, 1));
    let held: Vec<Raw> = (0..3)
        .map(|_| {
            let mut raw = Raw::open(&client);
            raw.send("GET /healthz HTTP/1.1\r\nhost: site.example\r\n\r\n");
            raw.read_exact(12);
            raw
        })
        .collect();
    wait_until("all are open", || gateway.metric(open) == 3);
    assert_eq!(Raw::open(&client).read_response().status, 503);
    assert_eq!(rejected("client_limit"), 1);
    drop(held);
    wait_until("all are closed", || gateway.metric(open) == 0);
    Raw::open(&client).read_until_closed();
    wait_until("the silent connection is rejected", || rejected("handshake") == 1);
    let mut slow = Raw::open(&client);
    slow.send("GET / HT");
    slow.read_until_closed();
    wait_until("the partial header times out", || {
        gateway.closed_connections("header_timeout") == 1
    });
}

#[test]
fn request_id_from_trusted_proxy_is_forwarded() {
    let backend = Backend::start(Reply::json(200, &json!({})));
    let gateway = gateway_with_proxy(&backend.signup_table());
    attack(&gateway, || {
        let id = "4bf92f35-77b3.4da6_A3CE";
        let id_of = |response: &Response| response.header("x-request-id").to_owned();
        let proxy = gateway.site.with_source_ip(PROXY);
        let response = proxy.send(Request::new("GET", "/").header("x-request-id", id));
        assert_eq!(
            (
                id_of(&response).as_str(),
                &gateway.request_event(&response)["route"]
            ),
            (id, &json!("/"))
        );
        let generated = gateway.get("/").header("x-request-id").to_owned();
        assert!(
            generated.len() == 32 && generated.bytes().all(|b| b.is_ascii_hexdigit()),
            "{generated}"
        );
        assert_ne!(
            id_of(
                &gateway
                    .site
                    .send(Request::new("GET", "/").header("x-request-id", id))
            ),
            id
        );
        assert_ne!(
            id_of(&proxy.send(Request::new("GET", "/").header("x-request-id", "a b"))),
            "a b"
        );

        let request = Request::sign_up().header("x-request-id", id);
        assert_eq!(proxy.send(request).status, 200);
        assert!(backend.received()[0].contains(&format!("\r\nx-request-id: {id}\r\n")));
    });
}

#[test]
fn client_ip_is_logged_only_if_enabled() {
    let logged_address = |extra: &str| {
        let gateway = gateway_with_proxy(extra);
        let request = Request::new("GET", "/").header("x-forwarded-for", "192.0.2.7");
        let response = gateway.site.with_source_ip(PROXY).send(request);
        gateway.request_event(&response)["client_ip"].clone()
    };
    assert_eq!(logged_address(""), json!(null));
    assert_eq!(
        logged_address("[telemetry]\nlog_client_ip = true\n"),
        json!("192.0.2.7")
    );
    // The audit log has a key of its own.
    let audited_address = |key: &str| {
        let gateway = Gateway::start_with(&format!("[telemetry]\n{key} = true\n"), &[]);
        gateway.admin_get("/api/v1/history");
        let event = gateway.wait_for_event(|line| line["event"] == "admin_request");
        event["client_ip"].clone()
    };
    assert_eq!(audited_address("log_client_ip"), json!(null));
    assert_eq!(audited_address("log_admin_client_ip"), json!("127.0.0.1"));
}

#[test]
fn readyz_requires_live_deployment() {
    let gateway = Gateway::start();
    for client in [gateway.site, gateway.admin] {
        let response = client.get("/readyz");
        assert_eq!(
            (response.status, response.text().as_str()),
            (503, "no live deployment\n")
        );
        assert_eq!(client.get("/healthz").status, 200);
    }
    let gateway = Gateway::start_live("", &[]);
    for client in [gateway.site, gateway.admin] {
        assert_eq!(client.get("/readyz").status, 200);
    }
}
