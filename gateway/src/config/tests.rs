use std::path::Path;
use std::time::Duration;

use secrecy::ExposeSecret as _;
use tempfile::TempDir;

use super::{Action, Config};

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

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("key"), "the-key\n").unwrap();
    folder
}

/// The problems of the sound configuration after one text in it is replaced.
fn problems(from: &str, to: &str) -> Vec<String> {
    assert!(SOUND.contains(from), "{from}");
    let folder = folder();
    let error = Config::parse("site.toml", &SOUND.replacen(from, to, 1), folder.path());
    error.map_or_else(|error| error.0, |_| Vec::new())
}

#[test]
fn a_sound_configuration_is_read() {
    let folder = folder();
    let config = Config::parse("site.toml", SOUND, folder.path()).unwrap();
    assert_eq!(config.site.origin.as_str(), "https://site.example");
    assert_eq!(config.store, folder.path().join("store"));
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
fn the_committed_configuration_is_sound() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../site.toml");
    let config = Config::load(&path).unwrap();
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
    let text = text.replace("{ env = \"SIGNUP_BACKEND_KEY\" }", "{ file = \"key\" }");
    let config = Config::parse("site.toml", &text, folder().path()).unwrap();
    assert!(config.signup_partner().is_some() && config.tokens.len() == 1);
}

/// A text of the sound configuration, what is put in its place, and part of what is then said.
const PROBLEMS: &[(&str, &str, &str)] = &[
    (
        "brand = \"Brand\"\n",
        "",
        "site.toml:1: site.brand: missing; expected the site's name",
    ),
    (
        "brand = \"Brand\"",
        "brand = 7",
        "site.toml:2: site.brand: is a whole number; expected the site's name",
    ),
    (
        "brand = \"Brand\"",
        "brand = \" \"",
        "site.toml:2: site.brand: is empty; expected the site's name",
    ),
    (
        "brand = \"Brand\"",
        "brand = \"a\\nb\"",
        "site.toml:2: site.brand: has a line break",
    ),
    (
        "contact =",
        "contcat =",
        "site.toml:4: site.contcat: unknown key; expected one of brand, origin, contact, legal_entity",
    ),
    (
        "[store]",
        "[shop]\n[store]",
        "site.toml:18: shop: unknown key; expected one of site, navigation, listen",
    ),
    (
        "https://site.example",
        "site.example",
        "site.toml:3: site.origin: `site.example` is no address",
    ),
    (
        "https://site.example",
        "http://site.example",
        "site.toml:3: site.origin: `http://site.example` would send",
    ),
    (
        "https://site.example",
        "https://site.example/",
        "site.toml:3: site.origin: `https://site.example/` is more",
    ),
    (
        "https://site.example",
        "https://site.example/a",
        "is more than an origin; expected scheme://host",
    ),
    (
        "https://site.example",
        "https://site.example?a",
        "is more than an origin",
    ),
    ("https://site.example", "ftp://site.example", "has the scheme ftp"),
    (
        "https://site.example",
        "https://me@site.example",
        "has a user name or password in it",
    ),
    (
        "path = \"/\"",
        "path = \"about\"",
        "site.toml:12: navigation.menu.path: `about` is no path",
    ),
    ("path = \"/\"", "path = \"//evil\"", "`//evil` is no path"),
    (
        "path = \"/\"",
        "path = \"https://evil\"",
        "`https://evil` is no path",
    ),
    (
        "site = \"127.0.0.1:0\"",
        "site = \"8080\"",
        "site.toml:15: listen.site: `8080` is no such address",
    ),
    (
        "admin = \"127.0.0.1:0\"",
        "admin = \"0.0.0.0:1\"",
        "site.toml:16: listen.admin: 0.0.0.0 can be reached",
    ),
    (
        "sha256:e3b0",
        "sha256:e3b",
        "site.toml:23: admin.tokens.hash: is no such hash; expected `sha256:`",
    ),
    ("sha256:e3b0", "e3b0", "is no such hash"),
    ("sha256:e3b0", "sha256:g3b0", "is no such hash"),
    (
        "[\"legal\"]",
        "[\"Legal\"]",
        "site.toml:30: admin.tokens.sections: `Legal` is no section's name",
    ),
    ("[\"legal\"]", "[]", "admin.tokens.sections: is empty"),
    (
        "[\"publish\"]",
        "[\"delete\"]",
        "`delete` is no action; expected a list of `publish` and `deploy`",
    ),
    (
        "http://127.0.0.1:9100",
        "http://backend.example",
        "site.toml:34: signup.backend: `http://backend.example`",
    ),
    (
        "http://127.0.0.1:9100",
        "https://backend.example/path",
        "is more than an origin",
    ),
    (
        "{ file = \"key\" }",
        "\"the-key\"",
        "site.toml:35: signup.key: is a text; expected { env = \"VARIABLE\" }",
    ),
    (
        "{ file = \"key\" }",
        "{ file = \"gone\" }",
        "signup.key: the file gone is not set or cannot be read",
    ),
    (
        "{ file = \"key\" }",
        "{ env = \"NO_SUCH_VARIABLE\" }",
        "site.toml:35: signup.key: the environment variable NO_SUCH_VARIABLE is not set",
    ),
    (
        "{ file = \"key\" }",
        "{ value = \"the-key\" }",
        "has the unknown key `value`",
    ),
    ("{ file = \"key\" }", "{ }", "does not name exactly one place"),
    (
        "members.example.com",
        "https://members.example.com",
        "`https://members.example.com` is no host name",
    ),
    (
        "members.example.com",
        "Members.example.com",
        "`Members.example.com` is no host name",
    ),
    (
        "500",
        "0",
        "site.toml:38: signup.total_timeout_ms: is 0; expected a whole number of milliseconds",
    ),
    ("500", "-5", "signup.total_timeout_ms: is -5"),
    ("500", "1.5", "is a number with a fraction"),
    (
        "partner = \"example\"",
        "partner = \"other\"",
        "site.toml:39: signup.partner: there is no [partners.other]",
    ),
    (
        "[partners.example]",
        "[partners.Example]",
        "site.toml:41: partners.Example: `Example` cannot stand in",
    ),
    (
        "https://partner.example",
        "http://partner.example",
        "site.toml:43: partners.example.url:",
    ),
    (
        "{ subid = \"a&b\" }",
        "{ subid = 1 }",
        "partners.example.parameters: `subid` is a whole number",
    ),
    (
        "{ subid = \"a&b\" }",
        "\"a\"",
        "partners.example.parameters: is a text; expected a table of texts",
    ),
    ("[listen]", "[listen", "site.toml:14: not valid TOML:"),
    (
        "brand = \"Brand\"",
        "brand = \"Brand\"\nbrand = \"Again\"",
        "site.toml:3: not valid TOML: duplicate key",
    ),
];

#[test]
fn each_problem_names_its_line_and_what_was_expected() {
    for (from, to, expected) in PROBLEMS {
        let problems = problems(from, to);
        assert!(
            problems.iter().any(|problem| problem.contains(expected)),
            "{to}: expected {expected:?}, found {problems:#?}"
        );
    }
}

#[test]
fn all_problems_are_told_at_once_in_the_order_of_their_lines() {
    let text = SOUND
        .replace("brand = \"Brand\"", "brand = 1\ncolour = \"red\"")
        .replace("site = \"127.0.0.1:0\"", "site = 1")
        .replace("affiliate_subid = \"tag\"\n", "");
    let error = Config::parse("site.toml", &text, folder().path()).unwrap_err();
    let lines: Vec<&str> = error
        .0
        .iter()
        .filter_map(|problem| problem.split(": ").nth(1))
        .collect();
    assert_eq!(
        lines,
        [
            "site.brand",
            "site.colour",
            "listen.site",
            "signup.affiliate_subid"
        ]
    );
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
