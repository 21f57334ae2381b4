//! Client certificates: who may connect to the admin listener, and what their holders may do.

use std::sync::Arc;

use serde_json::json;
use tempfile::TempDir;

use crate::support::{Certificate, Gateway, Request, Setup, Tls, authorized};

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
