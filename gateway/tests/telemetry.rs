//! What operators are told: numbers, ids, and addresses where they ask for them.

use std::net::Ipv4Addr;

use serde_json::json;

use crate::support::{Act, Backend, Gateway, Raw, Request, Response, Setup, VISITOR, attack, only, until};

const PROXY: Ipv4Addr = Ipv4Addr::new(127, 0, 1, 1);

fn behind_a_proxy(extra: &str) -> Gateway {
    Gateway::set_up_live(Setup {
        listen: "proxies = [\"127.0.1.0/24\"]",
        extra,
        variables: &[("KEY", "the-key")],
        ..Setup::default()
    })
}

fn requests(gateway: &Gateway, route: &str, status: &str) -> u64 {
    gateway.count(&format!(
        "colonnade_requests_total{{listener=\"site\",route=\"{route}\",status=\"{status}\"}}"
    ))
}

fn metrics(gateway: &Gateway) -> String {
    gateway.admin.get("/metrics").text()
}

#[test]
fn requests_are_counted_by_route_and_class_and_timed() {
    let gateway = Gateway::start_live("", &[]);
    let cases = [
        ("/state/Ohio", "/state/:state", "2xx"),
        ("/state/Texas?from=mail", "/state/:state", "2xx"),
        ("/state/Texas/", "unmatched", "3xx"),
        ("/nowhere", "unmatched", "4xx"),
        ("/assets/shell/1.0.0/main.js", "/assets", "2xx"),
        ("/state/%F0%28", "refused", "4xx"),
    ];
    for (target, route, status) in cases {
        let before = requests(&gateway, route, status);
        let answer = gateway.get(target);
        gateway.event_of(&answer);
        assert_eq!(requests(&gateway, route, status), before + 1, "{target}");
    }
    let timed = "colonnade_request_duration_seconds_count{listener=\"site\",route=\"/state/:state\"}";
    assert_eq!(gateway.count(timed), 2);
    assert!(
        metrics(&gateway)
            .contains("colonnade_requests_total{listener=\"admin\",route=\"/metrics\",status=\"2xx\"}")
    );
}

#[test]
fn strangers_make_no_labels() {
    let gateway = Gateway::start_live("", &[]);
    let ask = |number: u32| {
        // What an ordinary visitor asks for has its labels from the beginning.
        for target in ["/", "/assets/shell/1.0.0/main.js"] {
            gateway.event_of(&gateway.get(target));
        }
        gateway
            .site
            .send(Request::new(&format!("MARKED{number}"), "/marked"));
        gateway
            .site
            .send(Request::new("GET", "/marked").header("host", "marked"));
        for target in ["/marked", "/state/marked", "/go/marked", "/_preview/marked"] {
            let answer = gateway.get(&format!("{target}-{number}?marked={number}"));
            gateway.event_of(&answer);
        }
        metrics(&gateway)
    };
    attack(&gateway, || {
        ask(0);
        let before = ask(1).lines().count();
        for number in 2..30 {
            ask(number);
        }
        let after = ask(30);
        assert!(!after.contains("marked") && !after.contains("MARKED"), "{after}");
        assert!(
            !after.contains("127.0.0.1") && !after.contains(&VISITOR.to_string()),
            "{after}"
        );
        assert_eq!(after.lines().count(), before, "{after}");
    });
}

#[test]
fn connections_are_counted_while_they_are_open_and_by_why_they_were_refused() {
    let limits = only("connections_per_client = 3\nfirst_byte_ms = 1000\nhead_ms = 1000");
    let gateway = Gateway::start_live(&limits, &[]);
    let open = "colonnade_connections_open{listener=\"site\"}";
    let refused = |cause: &str| {
        gateway.count(&format!(
            "colonnade_connections_refused_total{{listener=\"site\",cause=\"{cause}\"}}"
        ))
    };
    let client = gateway.site.coming_from(Ipv4Addr::new(127, 0, 3, 1));
    let held: Vec<Raw> = (0..3)
        .map(|_| {
            let mut raw = Raw::open(&client);
            raw.say("GET /healthz HTTP/1.1\r\nhost: site.example\r\n\r\n");
            raw.hear(12);
            raw
        })
        .collect();
    until("all are open", || gateway.count(open) == 3);
    assert_eq!(Raw::open(&client).answer().status, 503);
    assert_eq!(refused("client"), 1);
    drop(held);
    until("all are closed", || gateway.count(open) == 0);
    Raw::open(&client).until_closed();
    until("silence is refused", || refused("greeting") == 1);
    let mut slow = Raw::open(&client);
    slow.say("GET / HT");
    slow.until_closed();
    until("a half-sent head is given up", || gateway.ended("slow_head") == 1);
}

#[test]
fn an_id_is_taken_over_from_a_known_proxy_and_passed_on() {
    let backend = Backend::start(Act::json(200, &json!({})));
    let gateway = behind_a_proxy(&format!(
        "[signup]\nbackend = \"{}\"\nkey = {{ env = \"KEY\" }}\naffiliate_subid = \"tag\"\n",
        backend.origin()
    ));
    attack(&gateway, || {
        let id = "4bf92f35-77b3.4da6_A3CE";
        let id_of = |answer: &Response| answer.header("x-request-id").to_owned();
        let proxy = gateway.site.coming_from(PROXY);
        let answer = proxy.send(Request::new("GET", "/").header("x-request-id", id));
        assert_eq!(
            (id_of(&answer).as_str(), &gateway.event_of(&answer)["route"]),
            (id, &json!("/"))
        );
        let stranger = gateway.get("/").header("x-request-id").to_owned();
        assert!(
            stranger.len() == 32 && stranger.bytes().all(|b| b.is_ascii_hexdigit()),
            "{stranger}"
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

        let body = json!({ "email": "visitor@example.com", "password": "123456", "age": 30 });
        let request = Request::new("POST", "/functions/v1/signup")
            .header("sec-fetch-site", "same-origin")
            .header("content-type", "application/json")
            .header("x-request-id", id);
        assert_eq!(proxy.send(request.body(body.to_string())).status, 200);
        assert!(backend.received()[0].contains(&format!("\r\nx-request-id: {id}\r\n")));
    });
}

#[test]
fn addresses_are_logged_only_where_that_is_configured() {
    let ask = |extra: &str| {
        let gateway = behind_a_proxy(extra);
        let request = Request::new("GET", "/").header("x-forwarded-for", "192.0.2.7");
        let answer = gateway.site.coming_from(PROXY).send(request);
        gateway.event_of(&answer)["address"].clone()
    };
    assert_eq!(ask(""), json!(null));
    assert_eq!(ask("[telemetry]\naddresses = true\n"), json!("192.0.2.7"));
}

#[test]
fn a_gateway_is_ready_only_with_a_live_deployment() {
    let gateway = Gateway::start();
    for client in [gateway.site, gateway.admin] {
        let answer = client.get("/readyz");
        assert_eq!(
            (answer.status, answer.text().as_str()),
            (503, "no live deployment\n")
        );
        assert_eq!(client.get("/healthz").status, 200);
    }
    let gateway = Gateway::start_live("", &[]);
    for client in [gateway.site, gateway.admin] {
        assert_eq!(client.get("/readyz").status, 200);
    }
}
