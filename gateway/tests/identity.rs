//! ID tokens of OIDC: who they are accepted from, and what their holders may do.

use serde_json::{Value, json};

use crate::console_events::{EVENTS, EventStream, FREQUENT};
use crate::support::{
    FaultyMachine, Gateway, IdentityProvider, Release, Request, Response, SigningKey, TOKEN, authorized_by,
    now, token, wait_until,
};

const AUDIENCE: &str = "https://gateway.example";

/// The claims of a job of a CI, in the shape of GitHub's.
pub(crate) fn claims(issuer: &str, changes: &Value) -> Value {
    let now = now().as_second();
    let mut claims = json!({
        "iss": issuer,
        "aud": AUDIENCE,
        "sub": "repo:acme/legal:ref:refs/heads/main",
        "repository": "acme/legal",
        "ref": "refs/heads/main",
        "iat": now,
        "nbf": now,
        "exp": now + 300,
    });
    for (name, value) in changes.as_object().unwrap() {
        claims[name] = value.clone();
    }
    claims
}

/// The tables of a provider with these further keys.
pub(crate) fn provider_table(issuer: &str, keys: &str) -> String {
    format!(
        "[[admin.identity_providers]]\nname = \"ci\"\nissuer = \"{issuer}\"\naudience = \"{AUDIENCE}\"\n{keys}\n"
    )
}

pub(crate) fn grant(claims: &str, sections: &[&str], actions: &[&str]) -> String {
    format!(
        "[[admin.grants]]\nprovider = \"ci\"\nclaims = {claims}\nsections = {sections:?}\nactions = {actions:?}\n"
    )
}

/// The grants of a team's pipeline: publishing from any branch, deploying from one.
fn grants() -> String {
    grant("{ repository = \"acme/legal\" }", &["legal"], &["publish"])
        + &grant(
            "{ repository = \"acme/*\", ref = [\"refs/heads/main\", \"refs/tags/v*\"] }",
            &["legal"],
            &["deploy"],
        )
}

struct Ci {
    key: SigningKey,
    provider: IdentityProvider,
    gateway: Gateway,
}

impl Ci {
    fn start() -> Self {
        let key = SigningKey::new("first");
        let provider = IdentityProvider::start(&key);
        let tables = provider_table(&provider.issuer(), "") + &grants();
        // No call of a provider uses the proxy that the environment names.
        let gateway = Gateway::start_live(&tables, &[("http_proxy", "http://127.0.0.1:1")]);
        Self {
            key,
            provider,
            gateway,
        }
    }

    /// A valid token with these claims changed.
    fn token(&self, changes: &Value) -> String {
        self.key.sign(&claims(&self.provider.issuer(), changes))
    }

    fn list(&self, token: &str) -> Response {
        list(&self.gateway, token)
    }
}

pub(crate) fn list(gateway: &Gateway, token: &str) -> Response {
    let request = Request::new("GET", "/api/v1/history").header("authorization", &format!("Bearer {token}"));
    gateway.send_admin_as_new_client(request)
}

fn deploy(section: &str) -> Request {
    let body = json!({ "releases": { section: "2.0.0" } });
    Request::new("POST", "/api/v1/deployments").body(body.to_string())
}

#[test]
fn id_token_permits_what_its_grants_permit() {
    let ci = Ci::start();
    let main = ci.token(&json!({}));
    let branch = ci.token(&json!({ "ref": "refs/heads/feature" }));
    let nested = ci.token(&json!({ "ref": "refs/tags/v/2" }));
    let release = Release::section("legal", "2.0.0", &["/terms"]).archive();
    let publish = Request::new("PUT", "/api/v1/sections/legal/releases/2.0.0").body(release);
    let as_holder = |token: &str, request: Request| ci.gateway.admin_request_as(token, request);
    assert_eq!(as_holder(&branch, publish).status, 201);
    for token in [&branch, &nested] {
        let refused = as_holder(token, deploy("legal"));
        assert_eq!(refused.status, 403, "{}", refused.text());
    }
    assert_eq!(as_holder(&main, deploy("directory")).status, 403);
    wait_until("the audit log has the holder", || {
        let page = ci.gateway.admin_get("/api/v1/audit?limit=500");
        let refused = |event: &Value| event["type"] == "admin.request";
        let mut entries = page["events"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|event| refused(event));
        entries.any(|event| {
            let entry = &event["data"];
            entry["issuer"] == ci.provider.issuer()
                && entry["subject"] == "repo:acme/legal:ref:refs/heads/main"
        })
    });
    assert_eq!(as_holder(&main, deploy("legal")).status, 201);
    let name = "ci:repo:acme/legal:ref:refs/heads/main";
    assert_eq!(ci.gateway.admin_get("/api/v1/history")["entries"][0]["by"], name);
    let event = ci
        .gateway
        .wait_for_event(|line| line["action"] == "deploy" && line["status"] == 201);
    let subject = "repo:acme/legal:ref:refs/heads/main";
    assert_eq!(
        (&event["token"], &event["issuer"], &event["subject"]),
        (&json!(name), &json!(ci.provider.issuer()), &json!(subject))
    );
    let signature = main.rsplit('.').next().unwrap();
    assert!(!ci.gateway.output().contains(signature), "the log has a token");
    // All of it needed one fetch of the keys.
    assert_eq!(ci.provider.requests("/realm/keys").len(), 1);
}

#[test]
fn access_lists_tokens_and_grants_of_own_sections() {
    let key = SigningKey::new("first");
    let provider = IdentityProvider::start(&key);
    let expiring = token("expiring", &["articles"], &["deploy"]) + "expires = \"2020-01-31T00:00:00Z\"\n";
    let others = [
        token("of-a-collector", &["*"], &["metrics"]),
        expiring,
        provider_table(&provider.issuer(), ""),
        grants(),
    ];
    let gateway = Gateway::start_live(&others.concat(), &[]);
    let list = |token: &str| {
        let response = gateway.admin_request_as(token, Request::new("GET", "/api/v1/access"));
        assert_eq!(response.status, 200);
        assert!(!response.text().contains("sha256"), "{}", response.text());
        response.json()
    };
    let names = |list: &Value| -> Vec<String> {
        let tokens = list["tokens"].as_array().unwrap().iter();
        tokens
            .map(|token| token["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let of_all = list(TOKEN);
    assert_eq!(names(&of_all).len(), 5);
    let expired = json!({
        "name": "name of expiring", "sections": ["articles"], "actions": ["deploy"], "expiresAt": "2020-01-31T00:00:00Z",
    });
    assert_eq!(of_all["tokens"][4], expired);
    // Tokens for all sections apply to this one.
    let of_legal = list("token-to-deploy-legal");
    assert_eq!(names(&of_legal), names(&of_all)[..4]);
    let grant = json!({
        "provider": "ci", "claims": { "repository": ["acme/legal"] }, "sections": ["legal"], "actions": ["publish"],
    });
    assert_eq!(of_legal["grants"][0], grant);
    assert_eq!(of_legal["grants"].as_array().unwrap().len(), 2);
    // A token that changes no section sees none.
    assert_eq!(list("of-a-collector"), json!({ "tokens": [], "grants": [] }));
}

#[test]
fn id_token_that_is_not_valid_gets_401_with_the_reason() {
    let ci = Ci::start();
    let issuer = ci.provider.issuer();
    let now = now().as_second();
    let with = |changes: Value| claims(&issuer, &changes);
    let key = &ci.key;
    let forged = {
        let valid = ci.token(&json!({}));
        let other = ci.token(&json!({ "sub": "other" }));
        let (head, _) = other.rsplit_once('.').unwrap();
        format!("{head}.{}", valid.rsplit('.').next().unwrap())
    };
    let cases = [
        (
            key.sign(&with(json!({ "exp": now - 90 }))),
            "token_expired",
            "has expired",
        ),
        (
            key.sign(&with(json!({ "nbf": now + 300 }))),
            "token_expired",
            "not yet valid",
        ),
        (
            key.sign(&with(json!({ "exp": null }))),
            "id_token_invalid",
            "claim `exp`",
        ),
        (
            key.sign(&with(json!({ "aud": "other" }))),
            "id_token_audience",
            AUDIENCE,
        ),
        (
            key.sign(&with(json!({ "aud": null }))),
            "id_token_invalid",
            "claim `aud`",
        ),
        (
            key.sign(&with(json!({ "sub": 7 }))),
            "id_token_invalid",
            "claim `sub`",
        ),
        (
            key.sign(&with(json!({ "sub": "a\nb" }))),
            "id_token_invalid",
            "claim `sub`",
        ),
        (
            key.sign(&with(json!({ "sub": "a\u{202e}b" }))),
            "id_token_invalid",
            "claim `sub`",
        ),
        (
            key.sign(&with(json!({ "iat": now + 300 }))),
            "token_expired",
            "not yet valid",
        ),
        (
            key.sign(&with(json!({ "aud": [AUDIENCE, "other"] }))),
            "id_token_invalid",
            "claim `azp`",
        ),
        (
            key.sign(&with(json!({ "aud": [AUDIENCE, "other"], "azp": "other" }))),
            "id_token_invalid",
            "claim `azp`",
        ),
        (
            key.sign_as("at+jwt", &with(json!({}))),
            "id_token_invalid",
            "`typ`",
        ),
        (
            key.sign(&with(json!({ "iss": "https://evil.example" }))),
            "id_token_issuer",
            "the issuer",
        ),
        (
            key.sign_with_nothing(&with(json!({}))),
            "id_token_algorithm",
            "RS256, ES256",
        ),
        (
            key.sign_with_public_key(&with(json!({}))),
            "id_token_algorithm",
            "RS256, ES256",
        ),
        (
            SigningKey::new("first").sign(&with(json!({}))),
            "id_token_signature",
            "signature",
        ),
        (
            SigningKey::new("other").sign(&with(json!({}))),
            "id_token_signature",
            "the key",
        ),
        (forged, "id_token_signature", "signature"),
        ("a.b.c".to_owned(), "id_token_invalid", "parsed"),
        (
            "not-an-id-token".to_owned(),
            "token_unknown",
            "unknown bearer token",
        ),
    ];
    for (token, cause, detail) in cases {
        let response = ci.list(&token);
        assert_eq!(response.status, 401, "{cause}: {}", response.text());
        let text = response.json()["detail"].as_str().unwrap().to_owned();
        assert!(text.contains(detail), "{cause}: {text}");
        let id = response.header("x-request-id").to_owned();
        let is_event = |line: &Value| line["event"] == "admin_request" && line["request_id"] == id.as_str();
        assert_eq!(ci.gateway.wait_for_event(is_event)["cause"], cause, "{text}");
        let metrics = ci.gateway.admin.get("/metrics").text();
        let sample = format!("colonnade_admin_auth_failures_total{{cause=\"{cause}\"}} ");
        let count = metrics.lines().find_map(|line| line.strip_prefix(&*sample));
        assert_ne!(count, Some("0"), "{cause}");
    }
    // The clocks may differ by a minute.
    let late = key.sign(&with(
        json!({ "exp": now - 30, "nbf": now + 30, "iat": now + 30 }),
    ));
    assert_eq!(ci.list(&late).status, 200);
    let several = with(json!({ "aud": [AUDIENCE, "other"], "azp": AUDIENCE }));
    assert_eq!(ci.list(&key.sign_as("JWT", &several)).status, 200);
}

#[test]
fn id_token_without_grant_gets_403() {
    let ci = Ci::start();
    let response = ci.list(&ci.token(&json!({ "repository": "other/legal" })));
    assert_eq!(response.status, 403);
    assert!(response.text().contains("no grant"), "{}", response.text());
    let event = ci.gateway.wait_for_event(|line| line["cause"] == "no_grant");
    assert_eq!(event["subject"], "repo:acme/legal:ref:refs/heads/main");
}

#[test]
fn unreachable_provider_leaves_tokens_valid() {
    let issuer = "http://127.0.0.1:1";
    let tables = provider_table(issuer, "") + &grants();
    let gateway = Gateway::start_live(&tables, &[]);
    let id_token = SigningKey::new("first").sign(&claims(issuer, &json!({})));
    let list = || gateway.admin_request_as(&id_token, Request::new("GET", "/api/v1/history"));
    // More than a client may fail.
    for _ in 0..11 {
        let response = list();
        assert_eq!((response.status, response.header("retry-after")), (503, "5"));
        assert!(
            response
                .text()
                .contains("the identity provider `ci` cannot be reached")
        );
    }
    gateway.admin_get("/api/v1/history");
    gateway.wait_for_event(|line| line["event"] == "identity_provider_failed" && line["provider"] == "ci");
    let metrics = gateway.admin.get("/metrics").text();
    let sample = "colonnade_admin_auth_failures_total{cause=\"provider_unreachable\"} 11\n";
    assert!(metrics.contains(sample), "{metrics}");
}

#[test]
fn unknown_key_is_fetched_but_not_for_each_token() {
    let ci = Ci::start();
    assert_eq!(ci.list(&ci.token(&json!({}))).status, 200);
    let second = SigningKey::new("second");
    ci.provider.rotate(&[&second]);
    let rotated = second.sign(&claims(&ci.provider.issuer(), &json!({})));
    assert_eq!(ci.list(&rotated).status, 200);
    assert_eq!(
        ci.list(&ci.token(&json!({}))).status,
        401,
        "the key was withdrawn"
    );
    for _ in 0..3 {
        let unknown = SigningKey::new("third").sign(&claims(&ci.provider.issuer(), &json!({})));
        assert_eq!(ci.list(&unknown).status, 401);
    }
    assert_eq!(ci.provider.requests("/realm/keys").len(), 2);
}

#[test]
fn key_that_changes_without_another_id_is_fetched() {
    let ci = Ci::start();
    let valid = claims(&ci.provider.issuer(), &json!({}));
    let next = SigningKey::new("first");
    assert_eq!(ci.list(&ci.key.sign(&valid)).status, 200);
    ci.provider.rotate(&[&next]);
    assert_eq!(ci.list(&next.sign(&valid)).status, 200);

    let ci = Ci::start();
    let valid = claims(&ci.provider.issuer(), &json!({}));
    assert_eq!(ci.list(&ci.key.sign_without_id(&valid)).status, 200);
    ci.provider.rotate(&[&next]);
    assert_eq!(ci.list(&next.sign_without_id(&valid)).status, 200);
}

#[test]
fn token_must_name_its_key_if_the_issuer_has_several() {
    let ci = Ci::start();
    ci.provider.rotate(&[&ci.key, &SigningKey::new("second")]);
    let valid = claims(&ci.provider.issuer(), &json!({}));
    let response = ci.list(&ci.key.sign_without_id(&valid));
    assert_eq!(response.status, 401);
    assert!(response.text().contains("names no key"), "{}", response.text());
}

#[test]
fn expired_id_token_ends_its_stream_and_starts_no_session() {
    let key = SigningKey::new("first");
    let provider = IdentityProvider::start(&key);
    let machine = FaultyMachine::new();
    let gateway = machine.start(&(provider_table(&provider.issuer(), "") + &grants() + FREQUENT));
    let id_token = key.sign(&claims(&provider.issuer(), &json!({})));
    let mut stream =
        EventStream::open(&gateway, authorized_by(&id_token, Request::new("GET", EVENTS))).unwrap();
    let start_session = || gateway.admin_request_as(&id_token, Request::new("POST", "/api/v1/session"));
    assert_eq!(start_session().status, 201);
    // The clocks may differ by a minute, but a session would be over.
    machine.set_clock(330);
    assert!(stream.next().is_some());
    let response = start_session();
    assert_eq!(response.status, 401);
    assert!(response.text().contains("has expired"), "{}", response.text());
    machine.set_clock(400);
    stream.expect_end();
}
