//! Valid configurations.

// A failed `unwrap` fails the test.
#![allow(clippy::unwrap_used)]

mod facts;
mod identity;
mod integrations;
mod policy;
mod problems;
mod reference;
mod site_toml;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use colonnade_config::{Action, Budget, CertificateFiles, Config, Retention, RolloutSettings};
use colonnade_web::limits::Limits;
use tempfile::TempDir;

/// A valid configuration. The tests assert its line numbers.
const VALID: &str = r#"[site]
brand = "Brand"
origin = "https://site.example"
contact = "contact@site.example"
language = "de-AT"

[site.facts]
city = "Vienna"

[[navigation.menu.links]]
label = "Home"
path = "/"

[listen]
site = "127.0.0.1:0"
admin = "127.0.0.1:0"

[store]
folder = "store"

[[admin.tokens]]
name = "all"
hash = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
sections = ["*"]
actions = ["publish", "deploy"]

[[admin.tokens]]
name = "legal"
hash = "sha256:E4B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855"
sections = ["legal"]
actions = ["publish"]
"#;

/// A folder with the files that the configurations refer to.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    // It is a valid secret of a webhook, too.
    write("key", "whsec_thekeythekeythekeythekeythekeyth\n");
    write("short", "whsec_thekey\n");
    let pair = rcgen::generate_simple_self_signed(["site.example".to_owned()]).unwrap();
    write("certificate.pem", &pair.cert.pem());
    write("root.pem", &pair.cert.pem());
    write("dns-hook", "#!/bin/sh\n");
    let mode = Permissions::from_mode(0o700);
    std::fs::set_permissions(folder.path().join("dns-hook"), mode).unwrap();
    write("key.pem", &pair.signing_key.serialize_pem());
    write("clients.pem", &pair.cert.pem());
    write("tokens.toml", "");
    std::fs::create_dir(folder.path().join("files")).unwrap();
    folder
}

#[test]
fn valid_config_is_parsed() {
    let folder = folder();
    let config = Config::parse("site.toml", VALID, folder.path()).unwrap();
    assert_eq!(config.site.origin.as_str(), "https://site.example");
    assert_eq!(config.store.folder, folder.path().join("store"));
    assert_eq!(config.store.retention(), Retention::default());
    assert_eq!(config.rollout, RolloutSettings::default());
    let tokens: Vec<_> = config.admin.tokens().collect();
    assert!(tokens[0].actions.contain(Action::Deploy) && tokens[0].sections.contain("anything"));
    assert!(tokens[1].actions.contain(Action::Publish) && !tokens[1].actions.contain(Action::Deploy));
    assert!(tokens[1].sections.contain("legal") && !tokens[1].sections.contain("shell"));
    assert_eq!(config.site.language.tag(), "de-AT");
    assert_eq!(config.site.facts.get("country"), None);
}

/// The valid configuration with these environment variables.
fn with_variables(variables: &[(&str, &str)]) -> Result<Config, String> {
    let variables = variables.iter();
    let owned = variables.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let config = Config::parse_with("site.toml", VALID, folder().path(), owned);
    config.map_err(|error| error.to_string())
}

#[test]
fn environment_takes_precedence_over_file() {
    let config = with_variables(&[
        ("COLONNADE_SITE__BRAND", "New brand"),
        ("COLONNADE_LISTEN__SITE", "127.0.0.2:80"),
        ("COLONNADE_BUDGET__SECTIONS__LEGAL__PAGE_SCRIPT_KIB", "33"),
        ("COLONNADE_STORE__RETAIN_RELEASES", "7"),
        ("COLONNADE_ADMIN", "http://127.0.0.1:9090"),
        ("COLONNADE_TOKEN", "not a setting"),
        ("PATH", "/bin"),
    ])
    .unwrap();
    assert_eq!(&*config.site.brand, "New brand");
    assert_eq!(config.listen.site.to_string(), "127.0.0.2:80");
    assert_eq!(config.store.retention().releases, 7);
    let keys: Vec<&str> = config.environment.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(
        keys,
        [
            "budget.sections.legal.page_script_kib",
            "listen.site",
            "site.brand",
            "store.retain_releases"
        ]
    );
}

#[test]
fn invalid_environment_setting_names_its_variable() {
    let problems = with_variables(&[
        ("COLONNADE_LISTEN__SIET", "127.0.0.1:80"),
        ("COLONNADE_STORE__RETAIN_RELEASES", "many"),
        ("COLONNADE_STROE__FOLDER", "store"),
        ("COLONNADE_SITE__ORIGIN", "x = 1"),
    ])
    .unwrap_err();
    let problems: Vec<&str> = problems.lines().collect();
    for (problem, expected) in problems.iter().zip([
        "COLONNADE_LISTEN__SIET: listen.siet: unknown key; did you mean `site`?",
        "COLONNADE_SITE__ORIGIN: site.origin: `x = 1` is not a URL",
        "COLONNADE_STORE__RETAIN_RELEASES: store.retain_releases: is of type string; expected ",
        "COLONNADE_STROE__FOLDER: stroe: unknown key; did you mean `store`?",
    ]) {
        assert!(problem.starts_with(expected), "{problem}");
    }
    assert_eq!(problems.len(), 4, "{problems:?}");
}

/// The valid configuration with more keys. Those before the first table belong to `[listen]`.
fn with(keys: &str) -> Config {
    let text = VALID.replace("[store]", &format!("{keys}\n[store]"));
    Config::parse("site.toml", &text, folder().path()).unwrap()
}

#[test]
fn budget_limits_only_named_keys() {
    assert_eq!(with("").budget, Budget::default());
    assert_eq!(with("[budget]").budget, Budget::default());
    let budget = with("[budget]\npage_style_kib = 16\nshell_script_kib = 120").budget;
    let expected = Budget {
        page_style: Some(16 * 1024),
        shell_script: Some(120 * 1024),
        ..Budget::default()
    };
    assert_eq!(budget, expected);
    let keys = "[budget]\nmax_publishes_per_day = 7\n[budget.sections.hello]\nmax_stored_mib = 3";
    let quota = |section| {
        let quota = with(keys).budget.quota(section);
        (quota.max_stored / 1024 / 1024, quota.max_publishes_per_day)
    };
    assert_eq!([quota("hello"), quota("shell")], [(3, 7), (4096, 7)]);
}

#[test]
fn asset_cache_is_optional() {
    for (keys, mebibytes) in [
        ("", 64),
        ("[assets]", 64),
        ("[assets]\ncache_mib = 0", 0),
        ("[assets]\ncache_mib = 3", 3),
    ] {
        assert_eq!(with(keys).assets.cache_bytes, mebibytes * 1024 * 1024, "{keys}");
    }
}

#[test]
fn committed_config_is_valid() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../site.toml");
    let config = Config::load(&path).unwrap();
    assert!(config.budget.page_script.is_some() && config.budget.shell_style.is_some());
    assert_eq!(config.admin.tokens().count(), 0);
}

#[test]
fn limits_default_unless_set() {
    assert_eq!(with("[limits]").limits, Limits::default());
    let keys = "max_header_kib = 8\nrequest_header_timeout_ms = 1\nshutdown_delay_ms = 0\nmin_rate_bytes = 1";
    let expected = Limits {
        max_header_bytes: 8 * 1024,
        request_header_timeout: Duration::from_millis(1),
        shutdown_delay: Duration::ZERO,
        min_rate_bytes: 1,
        ..Limits::default()
    };
    assert_eq!(with(&format!("[limits]\n{keys}")).limits, expected);
}

#[test]
fn networks_parse_with_and_without_prefix_length() {
    let keys = "trusted_proxies = [\"10.1.2.3/8\", \"192.0.2.1\", \"::1\"]\nproxy_protocol = true";
    let config = with(keys);
    let networks: Vec<String> = config
        .listen
        .trusted_proxies
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(networks, ["10.0.0.0/8", "192.0.2.1/32", "::1/128"]);
    assert!(config.listen.proxy_protocol);
}

#[test]
fn only_optional_tables_may_be_missing() {
    let without = |from: &str, to: &str| {
        let start = VALID.find(from).unwrap();
        let end = VALID[start..].find(to).map_or(VALID.len(), |at| start + at);
        let text = format!("{}{}", &VALID[..start], &VALID[end..]);
        Config::parse("site.toml", &text, folder().path())
    };
    let config = without("[[admin.tokens]]", "none").unwrap();
    assert_eq!(config.admin.tokens().count(), 0);
    for (from, to, key) in [
        ("[site]", "[[nav", "site"),
        ("[listen]", "[store]", "listen"),
        ("[store]", "[[admin", "store"),
    ] {
        let error = without(from, to).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("site.toml:1: {key}: missing; expected a table")
        );
    }
}

#[test]
fn missing_file_is_reported() {
    let error = Config::load(Path::new("/no/such/site.toml")).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("/no/such/site.toml: cannot be read:"),
        "{error}"
    );
}

#[test]
fn certificate_covers_its_wildcard_and_the_hosts_of_it() {
    let folder = folder();
    let [certificate, key] = ["wildcard.pem", "wildcard.key"].map(|name| folder.path().join(name));
    let pair = rcgen::generate_simple_self_signed(["*.site.example".to_owned()]).unwrap();
    std::fs::write(&certificate, pair.cert.pem()).unwrap();
    std::fs::write(&key, pair.signing_key.serialize_pem()).unwrap();
    let loaded = CertificateFiles { certificate, key }.load().unwrap();
    for (host, is_covered) in [
        ("*.site.example", true),
        ("www.site.example", true),
        ("site.example", false),
        ("*.other.example", false),
        ("*.www.site.example", false),
    ] {
        assert_eq!(loaded.covers(host), is_covered, "{host}");
    }
}
