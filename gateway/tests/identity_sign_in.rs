//! People sign in at an identity provider, with a browser.

use serde_json::{Value, json};

use crate::identity::{claims, grant, provider_table};
use crate::support::{Gateway, IdentityProvider, Request, Response, SigningKey, configuration, wait_until};

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
