//! ID tokens of OIDC: who they are accepted from, and what their holders may do.

use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::console_events::{EVENTS, EventStream, FREQUENT};
use crate::support::{
    Certificate, FaultyMachine, Gateway, IdentityProvider, Release, Request, Response, Setup, SigningKey,
    TOKEN, Tls, authorized, authorized_by, configuration, now, token, wait_until,
};

const AUDIENCE: &str = "https://gateway.example";

/// The claims of a job of a CI, in the shape of GitHub's.
fn claims(issuer: &str, changes: &Value) -> Value {
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
fn provider_table(issuer: &str, keys: &str) -> String {
    format!(
        "[[admin.identity_providers]]\nname = \"ci\"\nissuer = \"{issuer}\"\naudience = \"{AUDIENCE}\"\n{keys}\n"
    )
}

fn grant(claims: &str, sections: &[&str], actions: &[&str]) -> String {
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

fn list(gateway: &Gateway, token: &str) -> Response {
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
    for _ in 0..10 {
        let response = list();
        assert_eq!((response.status, response.header("retry-after")), (503, "5"));
        assert!(
            response
                .text()
                .contains("the identity provider `ci` cannot be reached")
        );
    }
    assert_eq!(list().status, 429);
    gateway.admin_get("/api/v1/history");
    gateway.wait_for_event(|line| line["event"] == "identity_provider_failed" && line["provider"] == "ci");
    let metrics = gateway.admin.get("/metrics").text();
    let sample = "colonnade_admin_auth_failures_total{cause=\"provider_unreachable\"} 10\n";
    assert!(metrics.contains(sample), "{metrics}");
}

#[test]
fn unknown_key_is_fetched_but_not_for_each_token() {
    let ci = Ci::start();
    assert_eq!(ci.list(&ci.token(&json!({}))).status, 200);
    let second = SigningKey::new("second");
    ci.provider.rotate(&second);
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

const SIGN_IN: &str = "/api/v1/sign-in";

/// Where the provider `ci` sends the browser back to.
const REDIRECT: &str = "https://gateway.example/console/sign-in/ci";

/// The gateway of people: their groups are grants.
fn people(provider: &IdentityProvider) -> Gateway {
    let keys =
        "client_id = \"console\"\nclient_secret = { env = \"CLIENT_SECRET\" }\nname_claim = \"email\"\n";
    let grants = grant(
        "{ groups = \"release-managers\" }",
        &["*"],
        &["deploy", "rollback"],
    );
    let other = "[[admin.identity_providers]]\nname = \"other\"\nissuer = \"http://127.0.0.1:1\"\nclient_id = \"console\"\n";
    let tables = provider_table(&provider.issuer(), keys) + other + &grants;
    Gateway::start_live(&tables, &[("CLIENT_SECRET", "not: secret")])
}

fn own_page(target: &str, body: &Value) -> Request {
    Request::new("POST", target)
        .header("sec-fetch-site", "same-origin")
        .body(body.to_string())
}

/// Starts to sign in. Returns the parameters of the provider's page, and the cookie.
fn start_sign_in(gateway: &Gateway) -> (Value, String) {
    let body = json!({ "provider": "ci", "redirectUri": REDIRECT });
    let response = gateway.send_admin(own_page(SIGN_IN, &body));
    assert_eq!(response.status, 200, "{}", response.text());
    let url: url::Url = response.json()["url"].as_str().unwrap().parse().unwrap();
    let cookie = response.header("set-cookie");
    assert!(
        cookie.contains("; Max-Age=600; HttpOnly; SameSite=Strict"),
        "{cookie}"
    );
    let (cookie, _) = cookie.split_once(';').unwrap();
    (url.query_pairs().collect(), cookie.to_owned())
}

fn completion(provider: &str, redirect_uri: &str, state: &Value, cookie: &str) -> Request {
    let body =
        json!({ "provider": provider, "redirectUri": redirect_uri, "code": "the-code", "state": state });
    own_page("/api/v1/sign-in/complete", &body).header("cookie", cookie)
}

fn complete(gateway: &Gateway, state: &Value, cookie: &str) -> Response {
    gateway.send_admin_as_new_client(completion("ci", REDIRECT, state, cookie))
}

#[test]
fn person_signs_in_and_has_the_grants_of_their_groups() {
    let key = SigningKey::new("first");
    let provider = IdentityProvider::start(&key);
    let gateway = people(&provider);
    let (parameters, cookie) = start_sign_in(&gateway);
    for (name, value) in [
        ("tenant", "1"),
        ("response_type", "code"),
        ("client_id", "console"),
        ("redirect_uri", REDIRECT),
        ("scope", "openid profile email"),
        ("code_challenge_method", "S256"),
    ] {
        assert_eq!(parameters[name], value);
    }
    let person = json!({
        "aud": "console", "sub": "7", "email": "ada@acme.example", "groups": ["staff", "release-managers"],
        "nonce": parameters["nonce"],
    });
    provider.grant(key.sign(&claims(&provider.issuer(), &person)));
    let response = complete(&gateway, &parameters["state"], &cookie);
    assert_eq!(response.status, 201, "{}", response.text());
    let session = response.json();
    assert_eq!(session["token"], "ci:ada@acme.example");
    let permissions = json!([{ "sections": ["*"], "actions": ["deploy", "rollback"] }]);
    assert_eq!(session["permissions"], permissions);
    let form = &provider.requests("/realm/token")[0];
    assert!(
        form.starts_with("grant_type=authorization_code&code=the-code&redirect_uri=https%3A%2F%2Fgateway")
    );
    assert!(form.contains("&code_verifier="), "{form}");
    let cookies = response.headers.iter().filter(|(name, _)| name == "set-cookie");
    let session = cookies
        .map(|(_, cookie)| cookie)
        .find(|cookie| cookie.contains("session="));
    let (session, _) = session.unwrap().split_once(';').unwrap();
    let read = || {
        let request = Request::new("GET", "/api/v1/session").header("cookie", session);
        gateway.send_admin_as_new_client(request)
    };
    assert_eq!(read().status, 200);
    let without_grant = provider_table(&provider.issuer(), "client_id = \"console\"");
    gateway.reload_and_wait(&configuration(&without_grant));
    assert_eq!(read().status, 403);
}

#[test]
fn sign_in_is_bound_to_its_browser_and_attempt() {
    let key = SigningKey::new("first");
    let provider = IdentityProvider::start(&key);
    let gateway = people(&provider);
    let (parameters, cookie) = start_sign_in(&gateway);
    let (other, other_cookie) = start_sign_in(&gateway);
    let person = |nonce: &Value| {
        let changes = json!({
            "aud": "console", "sub": "7", "email": "a@acme.example", "groups": "release-managers", "nonce": nonce,
        });
        key.sign(&claims(&provider.issuer(), &changes))
    };
    provider.grant(person(&parameters["nonce"]));
    let state = &parameters["state"];
    for cookie in ["", &other_cookie] {
        assert_eq!(complete(&gateway, state, cookie).status, 401);
    }
    assert_eq!(provider.requests("/realm/token").len(), 0);
    // The token is for the other attempt.
    let response = complete(&gateway, &other["state"], &other_cookie);
    assert_eq!(response.status, 401);
    assert!(response.text().contains("`nonce`"), "{}", response.text());
    let body = json!({ "provider": "ci", "redirectUri": REDIRECT });
    let foreign = Request::new("POST", SIGN_IN)
        .header("sec-fetch-site", "cross-site")
        .body(body.to_string());
    assert_eq!(gateway.send_admin(foreign).status, 403);
    assert_eq!(complete(&gateway, state, &cookie).status, 201);
    let listed = gateway.admin.get(SIGN_IN).json();
    assert_eq!(
        (
            &listed["providers"][0]["name"],
            &listed["providers"][0]["console"]
        ),
        (&json!("ci"), &json!(true))
    );
    let unknown = own_page(
        SIGN_IN,
        &json!({ "provider": "other", "redirectUri": "https://gateway.example/" }),
    );
    assert_eq!(gateway.send_admin(unknown).status, 400);
}

/// A provider that sends the browser on to another one does not get the code of that one (RFC 9700, section 4.4).
#[test]
fn sign_in_is_bound_to_its_provider() {
    let provider = IdentityProvider::start(&SigningKey::new("first"));
    let gateway = people(&provider);
    let (parameters, cookie) = start_sign_in(&gateway);
    let other = "https://gateway.example/console/sign-in/other";
    let complete = |provider, redirect_uri| {
        let request = completion(provider, redirect_uri, &parameters["state"], &cookie);
        gateway.send_admin_as_new_client(request)
    };
    // The other provider cannot be reached: it gets no code.
    assert_eq!(complete("other", other).status, 401);
    for redirect_uri in [other, "https://gateway.example/console", "/console/sign-in/ci"] {
        let response = complete("ci", redirect_uri);
        assert_eq!(response.status, 400, "{}", response.text());
        assert!(
            response.text().contains("/console/sign-in/ci"),
            "{}",
            response.text()
        );
        let start = own_page(SIGN_IN, &json!({ "provider": "ci", "redirectUri": redirect_uri }));
        assert_eq!(gateway.send_admin(start).status, 400);
    }
    assert_eq!(provider.requests("/realm/token").len(), 0);
}

#[test]
fn sign_in_with_wrong_codes_is_limited() {
    let provider = IdentityProvider::start(&SigningKey::new("first"));
    let gateway = people(&provider);
    let (parameters, cookie) = start_sign_in(&gateway);
    let state = &parameters["state"];
    provider.hold();
    std::thread::scope(|scope| {
        let complete = || complete(&gateway, state, &cookie).status;
        let waiting: Vec<_> = (0..8).map(|_| scope.spawn(complete)).collect();
        wait_until("the provider has eight codes", || {
            provider.requests("/realm/token").len() == 8
        });
        let response = gateway.send_admin(completion("ci", REDIRECT, state, &cookie));
        assert_eq!((response.status, response.header("retry-after")), (503, "5"));
        assert!(response.text().contains("too many people"), "{}", response.text());
        provider.refuse();
        for waiting in waiting {
            assert_eq!(waiting.join().unwrap(), 503);
        }
    });
    let statuses: Vec<u16> = (0..12)
        .map(|_| {
            gateway
                .send_admin(completion("ci", REDIRECT, state, &cookie))
                .status
        })
        .collect();
    assert_eq!(statuses, [&[401; 10][..], &[429; 2]].concat());
    assert_eq!(provider.requests("/realm/token").len(), 18);
    let start = own_page(SIGN_IN, &json!({ "provider": "ci", "redirectUri": REDIRECT }));
    assert_eq!(gateway.send_admin(start).status, 429);
    // A valid token is accepted.
    gateway.admin_get("/api/v1/history");
    let is_refused = |line: &Value| line["event"] == "authorization_code_refused";
    assert_eq!(gateway.wait_for_event(is_refused)["level"], "WARN");
    let output = gateway.output();
    assert_eq!(
        output.matches("authorization_code_refused").count(),
        1,
        "{output}"
    );
    assert_eq!(output.matches("identity_provider_failed").count(), 8, "{output}");
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

/// The tables of a token file.
fn token_file(tokens: &[&str]) -> String {
    let tables = tokens.iter().map(|name| token(name, &["*"], &["deploy"]));
    tables.collect()
}

#[test]
fn token_file_is_read_again_when_it_changes() {
    let folder = Arc::new(TempDir::new().unwrap());
    let path = folder.path().join("tokens.toml");
    let write = |text: &str| {
        let temporary = folder.path().join("new");
        std::fs::write(&temporary, text).unwrap();
        std::fs::rename(&temporary, &path).unwrap();
    };
    let table = "[admin]\ntoken_file = \"tokens.toml\"\n";
    // It is missing.
    let gateway = Gateway::set_up(Setup {
        folder: Some(Arc::clone(&folder)),
        extra: table,
        ..Setup::default()
    });
    let statuses = || ["one", "two", TOKEN].map(|token| list(&gateway, token).status);
    let is_loaded = |value: u64| {
        let sample = "colonnade_token_file_last_reload_successful";
        wait_until("the state of the file is known", || {
            gateway.metric(sample) == value
        });
    };
    is_loaded(0);
    assert_eq!(statuses(), [401, 401, 200]);
    gateway.reload("broken");
    gateway.wait_for_event(|line| line["event"] == "config_reload_failed");
    write(&(token_file(&["one"]) + "expires = \"2999-01-31T00:00:00Z\"\n"));
    gateway.wait_for_event(|line| line["event"] == "token_file_reloaded");
    is_loaded(1);
    assert_eq!(statuses(), [200, 401, 200]);
    // The file says nothing about the rest of the configuration.
    assert_eq!(gateway.metric("colonnade_config_last_reload_successful"), 0);
    gateway.reload_and_wait(&configuration(table));
    assert_eq!(gateway.metric("colonnade_config_last_reload_successful"), 1);
    let expiry = "colonnade_token_expiry_timestamp_seconds{token=\"name of one\"} 32474736000\n";
    let metrics = || gateway.admin.get("/metrics").text();
    assert!(metrics().contains(expiry), "{}", metrics());
    write(&token_file(&["one", "two"]));
    wait_until("both tokens apply", || statuses() == [200; 3]);
    assert!(!metrics().contains("colonnade_token_expiry_timestamp_seconds{"));
    write("[[admin.tokens]]\nname = \"three\"\n");
    let missing = "tokens.toml:1: admin.tokens.hash: missing; expected `sha256:`";
    gateway.wait_for_event(|line| {
        line["event"] == "token_file_reload_failed" && line["error"].as_str().unwrap().contains(missing)
    });
    is_loaded(0);
    // Also a reload of the rest keeps the tokens.
    gateway.reload_and_wait(&configuration(table));
    is_loaded(0);
    assert_eq!(statuses(), [200; 3]);
    let check = gateway.run("check");
    let problems = String::from_utf8(check.stderr).unwrap();
    assert!(
        problems.contains("admin.token_file: tokens.toml:1: admin.tokens.hash"),
        "{problems}"
    );
    let expired = token_file(&["old"]) + "expires = 2020-01-31T00:00:00Z\n";
    write(&expired);
    gateway.wait_for_event(|line| {
        line["event"] == "config_warning" && line.to_string().contains("tokens.toml:6: admin.tokens.expires")
    });
    assert_eq!(statuses(), [401, 401, 200]);
    assert_eq!(gateway.run("check").status.code(), Some(0));
}

#[test]
fn admin_client_needs_a_certificate_of_an_authority() {
    let (server, client) = (Certificate::new(), Certificate::new());
    let start = |certificates: &str| {
        let folder = Arc::new(TempDir::new().unwrap());
        let files = server.write(folder.path());
        let clients = folder.path().join("clients");
        std::fs::create_dir(&clients).unwrap();
        client.write(&clients);
        Gateway::set_up(Setup {
            folder: Some(folder),
            admin: Some("0.0.0.0:0"),
            listen: &format!(
                "admin_client_authorities = \"clients/certificate.pem\"\nadmin_client_certificates = \"{certificates}\""
            ),
            extra: &files.table("admin_tls"),
            ..Setup::default()
        })
    };
    let stranger = Certificate::new();
    let is_served = |gateway: &Gateway, client: Option<&Certificate>| {
        let config = Arc::new(server.client_config_as(client));
        // A second connection could resume the session of the first.
        let exchange = || Tls::connect(&gateway.admin, &config).and_then(|mut tls| tls.exchange());
        exchange().and_then(|()| exchange()).is_ok()
    };
    let clients = [None, Some(&stranger), Some(&client)];
    let required = start("required");
    assert_eq!(
        clients.map(|client| is_served(&required, client)),
        [false, false, true]
    );
    let optional = start("optional");
    assert_eq!(
        clients.map(|client| is_served(&optional, client)),
        [true, false, true]
    );
}

#[test]
fn client_certificate_has_the_grants_of_its_names() {
    let server = Certificate::new();
    let pipeline = Certificate::of_client("spiffe://acme.example/ci/directory");
    let ungranted = Certificate::of_client("spiffe://acme.example/people/ada");
    let folder = Arc::new(TempDir::new().unwrap());
    let trust = |clients: &[&Certificate]| {
        let pem: String = clients.iter().map(|client| client.pem()).collect();
        std::fs::write(folder.path().join("clients.pem"), pem).unwrap();
    };
    trust(&[&pipeline, &ungranted]);
    let grant = |provider: &str| {
        let rest = "claims = { uri = \"spiffe://acme.example/ci/*\" }\nsections = [\"directory\"]\nactions = [\"deploy\"]\n";
        let table = format!("[[admin.grants]]\nprovider = \"{provider}\"\n{rest}");
        std::fs::write(folder.path().join("grants.toml"), table).unwrap();
    };
    grant("nobody");
    let gateway = Gateway::set_up_live(Setup {
        folder: Some(Arc::clone(&folder)),
        admin: Some("0.0.0.0:0"),
        listen: "admin_client_authorities = \"clients.pem\"",
        extra: &(server.write(folder.path()).table("admin_tls") + "[admin]\ntoken_file = \"grants.toml\"\n"),
        ..Setup::default()
    });
    let unknown =
        "grants.toml:2: admin.grants.provider: there is no [[admin.identity_providers]] with this name";
    gateway.wait_for_event(|line| {
        line["event"] == "token_file_reload_failed" && line["error"].as_str().unwrap().contains(unknown)
    });
    grant("client-certificate");
    gateway.wait_for_event(|line| line["event"] == "token_file_reloaded");
    let call = |client: &Certificate, request: Request| {
        let config = Arc::new(server.client_config_as(Some(client)));
        Tls::connect(&gateway.admin, &config)?.send(request)
    };
    let session = || Request::new("GET", "/api/v1/session");
    let name = "client-certificate:spiffe://acme.example/ci/directory";
    let own = call(&pipeline, session()).unwrap().json();
    let permissions = json!([{ "sections": ["directory"], "actions": ["deploy"] }]);
    assert_eq!((&own["token"], &own["permissions"]), (&json!(name), &permissions));
    let deploy = |section: &str| {
        let body = json!({ "releases": { section: "1.0.0" } });
        Request::new("POST", "/api/v1/deployments").body(body.to_string())
    };
    assert_eq!(call(&pipeline, deploy("directory")).unwrap().status, 200);
    let event = gateway.wait_for_event(|line| line["action"] == "deploy");
    let subject = "spiffe://acme.example/ci/directory";
    assert_eq!(
        (&event["token"], &event["subject"]),
        (&json!(name), &json!(subject))
    );
    assert_eq!(call(&pipeline, deploy("shell")).unwrap().status, 403);
    // A browser shows its certificate for pages of other origins, too.
    let foreign = deploy("directory").header("origin", "https://other.example");
    assert_eq!(call(&pipeline, foreign).unwrap().status, 403);
    let refused = call(&ungranted, session()).unwrap();
    assert_eq!(refused.status, 401, "{}", refused.text());
    let reason = "no grant of the configuration applies to the client certificate";
    assert!(refused.text().contains(reason), "{}", refused.text());
    gateway.wait_for_event(|line| {
        line["cause"] == "token_missing" && line["subject"] == "spiffe://acme.example/people/ada"
    });
    assert_eq!(call(&ungranted, authorized(session())).unwrap().status, 200);
    trust(&[&ungranted]);
    gateway.signal("HUP");
    gateway.wait_for_event(|line| line["event"] == "config_reloaded");
    assert!(call(&pipeline, session()).is_err());
    assert_eq!(call(&ungranted, session()).unwrap().status, 401);
}
