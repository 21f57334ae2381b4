mod problems;

use std::path::Path;
use std::time::Duration;

use secrecy::ExposeSecret as _;
use tempfile::TempDir;

use super::{Action, Budget, Config, Keep, Limits, Rollout, SignupLimits};

/// A whole configuration; the line numbers in these tests are its.
const SOUND: &str = r#"[site]
brand = "Brand"
origin = "https://site.example"
contact = "contact@site.example"
legal_entity = "Entity"
processing_country = "the United States"
retention = "30 days"
governing_law = "the law of the place"

[[navigation.menu]]
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
hash = "sha256:E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855"
sections = ["legal"]
actions = ["publish"]

[signup]
backend = "http://127.0.0.1:9100"
key = { file = "key" }
affiliate_subid = "tag"
redirect_hosts = ["members.example.com"]
total_timeout_ms = 500
partner = "example"

[partners.example]
name = "Example"
url = "https://partner.example/join?x=1"
parameters = { subid = "a&b" }
"#;

/// A folder with the files that configurations here name.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("key", "the-key\n");
    let pair = rcgen::generate_simple_self_signed(["site.example".to_owned()]).unwrap();
    write("certificate.pem", &pair.cert.pem());
    write("key.pem", &pair.signing_key.serialize_pem());
    folder
}

#[test]
fn a_sound_configuration_is_read() {
    let folder = folder();
    let config = Config::parse("site.toml", SOUND, folder.path()).unwrap();
    assert_eq!(config.site.origin.as_str(), "https://site.example");
    assert_eq!(config.store.folder, folder.path().join("store"));
    assert_eq!(config.store.keep, Keep::default());
    assert_eq!(config.rollout, Rollout::default());
    assert!(config.tokens[0].allows(Action::Deploy, "anything"));
    assert!(config.tokens[1].allows(Action::Publish, "legal"));
    assert!(!config.tokens[1].allows(Action::Deploy, "legal"));
    assert!(!config.tokens[1].allows(Action::Publish, "shell"));
    let signup = config.signup.as_ref().unwrap();
    assert_eq!(signup.key.expose_secret(), "the-key");
    assert_eq!(signup.connect_timeout, Duration::from_secs(3));
    assert_eq!(signup.total_timeout, Duration::from_millis(500));
    assert_eq!(
        (
            config.signup_pages.page.as_str(),
            config.signup_pages.success.as_str()
        ),
        ("/signup", "/success")
    );
    let (id, partner) = config.signup_partner().unwrap();
    assert_eq!(id, "example");
    assert_eq!(
        partner.url.as_str(),
        "https://partner.example/join?x=1&subid=a%26b"
    );
    assert!(!format!("{config:?}").contains("the-key"));
}

#[test]
fn a_budget_limits_what_it_names() {
    let budget = |keys: &str| {
        let text = SOUND.replace("[store]", &format!("{keys}\n[store]"));
        Config::parse("site.toml", &text, folder().path()).unwrap().budget
    };
    assert_eq!(budget(""), Budget::default());
    assert_eq!(budget("[budget]"), Budget::default());
    let some = budget("[budget]\npage_style_kib = 16\nshell_script_kib = 120");
    assert_eq!(
        some,
        Budget {
            page_style: Some(16 * 1024),
            shell_script: Some(120 * 1024),
            ..Budget::default()
        }
    );
}

#[test]
fn what_is_kept_of_assets_is_bounded_as_it_says() {
    let cache = |keys: &str| {
        let text = SOUND.replace("[store]", &format!("{keys}\n[store]"));
        let config = Config::parse("site.toml", &text, folder().path());
        config.map(|config| config.assets.cache)
    };
    assert_eq!(cache("").unwrap(), 64 * 1024 * 1024);
    assert_eq!(cache("[assets]").unwrap(), 64 * 1024 * 1024);
    assert_eq!(cache("[assets]\ncache_mib = 0").unwrap(), 0);
    assert_eq!(cache("[assets]\ncache_mib = 3").unwrap(), 3 * 1024 * 1024);
    for wrong in ["65537", "-1", "1.5", "\"1\""] {
        let problems = cache(&format!("[assets]\ncache_mib = {wrong}")).unwrap_err().0;
        assert_eq!(problems.len(), 1);
        assert!(
            problems[0].contains("assets.cache_mib")
                && problems[0].contains("a whole number from 0 to 65536")
        );
    }
    let problems = cache("[assets]\ncache = 1").unwrap_err().0;
    assert!(problems[0].contains("cache"), "{problems:?}");
}

#[test]
fn the_committed_configuration_is_sound() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../site.toml");
    let config = Config::load(&path).unwrap();
    assert!(config.budget.page_script.is_some() && config.budget.shell_style.is_some());
    assert!(config.signup.is_none() && config.partners.is_empty() && config.tokens.is_empty());
}

#[test]
fn what_is_commented_out_in_the_committed_configuration_is_sound_too() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../site.toml");
    let text = std::fs::read_to_string(path).unwrap();
    let is_setting =
        |line: &&str| line.starts_with("# [") || line.trim_start_matches("# ").split(' ').nth(1) == Some("=");
    let lines = text.lines().map(|line| {
        if is_setting(&line) {
            line.trim_start_matches("# ")
        } else {
            line
        }
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    let text = text.replace("<64 hexadecimal digits>", &"0".repeat(64));
    let text = if cfg!(feature = "otlp") {
        text
    } else {
        text.replace("collector = ", "# collector = ")
    };
    let text = text.replace("{ env = \"SIGNUP_BACKEND_KEY\" }", "{ file = \"key\" }");
    let config = Config::parse("site.toml", &text, folder().path()).unwrap();
    assert!(config.signup_partner().is_some() && config.tokens.len() == 1);
    assert!(config.listen.tls.is_some() && config.listen.admin_tls.is_some());
    // What is commented out is what holds without it.
    assert_eq!(config.limits, Limits::default());
    assert_eq!(config.signup.unwrap().limits, SignupLimits::default());
    assert!(!config.telemetry.addresses);
}

#[test]
fn limits_are_those_that_are_named_and_safe_ones_besides() {
    let limits = |keys: &str| {
        let text = SOUND.replace("[store]", &format!("[limits]\n{keys}\n[store]"));
        Config::parse("site.toml", &text, folder().path()).unwrap().limits
    };
    assert_eq!(limits(""), Limits::default());
    let some = limits("head_kib = 8\nhead_ms = 1\nstop_delay_ms = 0\nprogress_bytes = 1");
    let expected = Limits {
        head_bytes: 8 * 1024,
        head: Duration::from_millis(1),
        stop_delay: Duration::ZERO,
        progress_bytes: 1,
        ..Limits::default()
    };
    assert_eq!(some, expected);
}

#[test]
fn networks_are_read_with_and_without_a_length() {
    let keys = "proxies = [\"10.1.2.3/8\", \"192.0.2.1\", \"::1\"]\nproxy_protocol = true\n[store]";
    let config = Config::parse("site.toml", &SOUND.replace("[store]", keys), folder().path()).unwrap();
    let networks: Vec<String> = config.listen.proxies.iter().map(ToString::to_string).collect();
    assert_eq!(networks, ["10.0.0.0/8", "192.0.2.1/32", "::1/128"]);
    assert!(config.listen.proxy_protocol);
}

#[test]
fn a_whole_table_may_be_missing_only_where_it_is_optional() {
    let without = |from: &str, to: &str| {
        let start = SOUND.find(from).unwrap();
        let end = SOUND[start..].find(to).map_or(SOUND.len(), |at| start + at);
        let text = format!("{}{}", &SOUND[..start], &SOUND[end..]);
        Config::parse("site.toml", &text, folder().path())
    };
    assert!(without("[signup]", "[partners").unwrap().signup.is_none());
    assert!(without("[[admin.tokens]]", "[signup]").unwrap().tokens.is_empty());
    for (from, to, key) in [
        ("[site]", "[[nav", "site"),
        ("[listen]", "[store]", "listen"),
        ("[store]", "[[admin", "store"),
    ] {
        let error = without(from, to).unwrap_err();
        assert_eq!(
            error.0,
            [format!("site.toml:1: {key}: missing; expected a table")]
        );
    }
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = Config::load(Path::new("/no/such/site.toml")).unwrap_err();
    assert!(
        error.0[0].starts_with("/no/such/site.toml: cannot be read:"),
        "{error}"
    );
}
