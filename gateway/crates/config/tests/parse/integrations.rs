//! The tables of integrations.

use std::time::Duration;

use colonnade_config::Config;
use secrecy::ExposeSecret as _;

use super::problems::check_cases;
use super::{VALID, folder};

/// The tables, below those of a site without integrations. The tests assert the line numbers.
const TABLES: &str = r#"
[signup]
backend = "http://127.0.0.1:9100"
backend_api_key = { file = "key" }
affiliate_subid = "tag"
allowed_redirect_hosts = ["members.example.com"]
total_timeout_ms = 500
fallback_partner = "example"

[partners.example]
name = "Example"
url = "https://partner.example/join?x=1"
parameters = { subid = "a&b" }
"#;

#[test]
fn valid_integrations_are_parsed() {
    let folder = folder();
    let text = format!("{VALID}{TABLES}");
    let config = Config::parse("site.toml", &text, folder.path()).unwrap();
    let signup = config.integrations.signup.as_ref().unwrap();
    assert_eq!(
        signup.backend_api_key.expose_secret(),
        "whsec_thekeythekeythekeythekeythekeyth"
    );
    assert_eq!(signup.connect_timeout, Duration::from_secs(3));
    assert_eq!(signup.total_timeout, Duration::from_millis(500));
    assert_eq!(
        (signup.form_path.as_str(), signup.success_path.as_str()),
        ("/signup", "/success")
    );
    let (id, partner) = config.integrations.fallback_partner().unwrap();
    assert_eq!(id, "example");
    assert_eq!(
        partner.url.as_str(),
        "https://partner.example/join?x=1&subid=a%26b"
    );
    assert!(!format!("{config:?}").contains("thekey"));
    let config = Config::parse("site.toml", VALID, folder.path()).unwrap();
    let integrations = &config.integrations;
    assert!(integrations.signup.is_none() && integrations.partners.is_empty());
}

#[test]
fn each_problem_of_an_integration_is_described() {
    check_cases(&format!("{VALID}{TABLES}"), include_str!("integrations.txt"));
}
