//! What is said of a configuration that is not sound.

use super::{SOUND, folder};
use crate::config::Config;

/// The problems of the sound configuration after one text in it is replaced.
fn problems(from: &str, to: &str) -> Vec<String> {
    assert!(SOUND.contains(from), "{from}");
    let folder = folder();
    let error = Config::parse("site.toml", &SOUND.replacen(from, to, 1), folder.path());
    error.map_or_else(|error| error.0, |_| Vec::new())
}

/// A text of the sound configuration, what is put in its place, and part of what is then said.
const PROBLEMS: &[(&str, &str, &str)] = &[
    (
        "[store]",
        "[limits]\nhead_ms = 0\n[store]",
        "site.toml:19: limits.head_ms: is 0; expected a number of milliseconds from 1 to 604800000",
    ),
    (
        "[store]",
        "[limits]\nlife_ms = 604800001\n[store]",
        "limits.life_ms: is 604800001; expected a number of milliseconds",
    ),
    (
        "[store]",
        "[limits]\nhead_kib = 7\n[store]",
        "limits.head_kib: is 7; expected a whole number of KiB from 8 to 1024",
    ),
    (
        "[store]",
        "[limits]\nstreams = -1\n[store]",
        "limits.streams: is -1; expected a whole number from 1 to 1000000",
    ),
    (
        "[store]",
        "[limits]\nidle = 1\n[store]",
        "limits.idle: unknown key; expected one of handshake_ms, first_byte_ms, head_ms",
    ),
    (
        "[store]",
        "hosts = [\"site.example/\"]\n[store]",
        "listen.hosts: `site.example/` is no host; expected a list of hosts",
    ),
    (
        "[store]",
        "hosts = []\n[store]",
        "listen.hosts: is empty; expected a list of hosts",
    ),
    (
        "[store]",
        "admin_hosts = []\n[store]",
        "listen.admin_hosts: is empty; expected a list of hosts",
    ),
    (
        "[store]",
        "admin_hosts = [\"a b\"]\n[store]",
        "listen.admin_hosts: `a b` is no host; expected a list of hosts",
    ),
    (
        "[store]",
        "proxies = [\"10.0.0.0/33\"]\n[store]",
        "listen.proxies: `10.0.0.0/33` is no address or network; expected a list of addresses or networks",
    ),
    (
        "[store]",
        "proxy_protocol = true\n[store]",
        "listen.proxy_protocol: nobody is believed; expected `proxies`, too",
    ),
    (
        "[store]",
        "[listen.tls]\ncertificate = \"certificate.pem\"\n[store]",
        "listen.tls.key: missing; expected the path of a PEM file",
    ),
    (
        "[store]",
        "[listen.tls]\ncertificate = \"none.pem\"\nkey = \"key.pem\"\n[store]",
        "none.pem: no certificate can be read: ",
    ),
    (
        "[store]",
        "[listen.tls]\ncertificate = \"key.pem\"\nkey = \"key.pem\"\n[store]",
        "key.pem: there is no certificate in it; expected a certificate and its private key, both PEM",
    ),
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
        "contact@site.example",
        "contact",
        "site.toml:4: site.contact: `contact` is no e-mail address; expected an e-mail address, such as",
    ),
    ("contact@site.example", "@site.example", "`@site.example` is no"),
    ("contact@site.example", "contact@", "`contact@` is no e-mail"),
    ("contact@site.example", "a@b@c", "`a@b@c` is no e-mail address"),
    ("contact@site.example", "a b@c", "`a b@c` is no e-mail address"),
    ("contact@site.example", " a@b", "` a@b` is no e-mail address"),
    (
        "[store]",
        "[shop]\n[store]",
        "site.toml:18: shop: unknown key; expected one of site, navigation, listen",
    ),
    (
        "[store]",
        "[budget]\npage_script_kib = 0\n[store]",
        "site.toml:19: budget.page_script_kib: is 0; expected a whole number of KiB above zero",
    ),
    (
        "[store]",
        "[budget]\nshell_style_kib = 1.5\n[store]",
        "site.toml:19: budget.shell_style_kib: is a number with a fraction; expected a whole number of KiB",
    ),
    (
        "[store]",
        "[budget]\npage_kib = 1\n[store]",
        "budget.page_kib: unknown key; expected one of page_script_kib, page_style_kib, shell_script_kib",
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
        "name = \"all\"",
        "name = \"gateway\"",
        "site.toml:22: admin.tokens.name: `gateway` is what the gateway itself is called in them; \
         expected what the token is called in records",
    ),
    (
        "[\"legal\"]",
        "[\"Legal\"]",
        "site.toml:30: admin.tokens.sections: `Legal` is no section's name",
    ),
    ("[\"legal\"]", "[]", "admin.tokens.sections: is empty"),
    (
        "[\"publish\"]",
        "[\"delete\"]",
        "`delete` is no action; expected a list of `publish`, `deploy`, `rollback`, `preview`, `collect` and `metrics`",
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
    // They stand in a policy, where this would mean any host below it, and that another directive.
    (
        "members.example.com",
        "*.example.com",
        "`*.example.com` is no host name",
    ),
    (
        "members.example.com",
        "a;b.example.com",
        "`a;b.example.com` is no host name",
    ),
    (
        "members.example.com",
        "a,b.example.com",
        "`a,b.example.com` is no host name",
    ),
    ("members.example.com", "'self'", "`'self'` is no host name"),
    (
        "partner = \"example\"",
        "page = \"/go/signup\"",
        "site.toml:39: signup.page: `/go/signup` belongs to the gateway; expected the path of a page",
    ),
    (
        "partner = \"example\"",
        "page = \"/signup?from=form\"",
        "site.toml:39: signup.page: `/signup?from=form` is no path; expected the path of a page",
    ),
    (
        "partner = \"example\"",
        "success = \"/%67o/example\"",
        "site.toml:39: signup.success: `/%67o/example` belongs to the gateway",
    ),
    (
        "partner = \"example\"",
        "success = \"/success?new\"",
        "site.toml:39: signup.success: `/success?new` is no path",
    ),
    (
        "partner = \"example\"",
        "success = \"https://members.example.com/\"",
        "signup.success: `https://members.example.com/` is no path",
    ),
    (
        "500",
        "0",
        "site.toml:38: signup.total_timeout_ms: is 0; expected a whole number of milliseconds",
    ),
    ("500", "-5", "signup.total_timeout_ms: is -5"),
    (
        "total_timeout_ms = 500",
        "keep_ms = -1",
        "site.toml:38: signup.keep_ms: is -1; expected a whole number of milliseconds",
    ),
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
    (
        "total_timeout_ms = 500",
        "attempts = 0",
        "signup.attempts: is 0; expected a whole number from 1 to 1000000",
    ),
    (
        "total_timeout_ms = 500",
        "attempts_per_client = 1000001",
        "signup.attempts_per_client: is 1000001; expected",
    ),
    (
        "total_timeout_ms = 500",
        "concurrent = \"many\"",
        "signup.concurrent: is a text; expected a whole number from 1 to 65536",
    ),
    (
        "total_timeout_ms = 500",
        "rest_seconds = 86401",
        "signup.rest_seconds: is 86401; expected a whole number from 1 to 86400",
    ),
    (
        "[store]",
        "[telemetry]\naddresses = 1\n[store]",
        "telemetry.addresses: is a whole number; expected true or false",
    ),
    (
        "[store]",
        "[telemetry]\ncollector = \"collector\"\n[store]",
        "telemetry.collector:",
    ),
    (
        "[store]",
        "[telemetry]\ntrace_percent = 101\n[store]",
        "telemetry.trace_percent: is 101; expected a whole number from 1 to 100",
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
