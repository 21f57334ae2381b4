//! Error messages for an invalid configuration.

use colonnade_config::Config;

use super::{VALID, folder};

/// The problems of a configuration.
fn problems(text: &str) -> Vec<String> {
    let config = Config::parse("site.toml", text, folder().path());
    let error = config.map_or_else(|error| error.to_string(), |_| String::new());
    error.lines().map(str::to_owned).collect()
}

/// Each case is a text in `valid`, another text in its place, and a part of the problem.
pub(crate) fn check_cases(valid: &str, cases: &str) {
    for case in cases
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let parts: Vec<String> = case.split(" => ").map(|part| part.replace('¶', "\n")).collect();
        let [from, to, expected] = parts.as_slice() else {
            panic!("not a case: {case}");
        };
        assert!(valid.contains(from), "{case}");
        let problems = problems(&valid.replacen(from, to, 1));
        assert!(
            problems.iter().any(|problem| problem.contains(expected)),
            "{case}: found {problems:#?}"
        );
        // Strings in values of the wrong type may be secrets.
        assert!(!problems.concat().contains("thekey"), "{problems:#?}");
    }
}

#[test]
fn each_problem_names_line_key_and_expectation() {
    check_cases(VALID, include_str!("problems.txt"));
}

#[test]
fn invalid_limit_is_no_missing_limit() {
    let criterion = "[[rollout.criteria]]\nname = \"a\"\nquery = \"b\"\nmax_ratio = -1\n";
    let server = "[prometheus]\nurl = \"https://a.example\"\n";
    let problems = problems(&format!("{VALID}{criterion}{server}"));
    assert_eq!(problems.len(), 1, "{problems:#?}");
    assert!(
        problems[0].contains("rollout.criteria.max_ratio: is -1; "),
        "{problems:#?}"
    );
}

#[test]
fn all_problems_are_reported_in_order_of_lines() {
    let text = VALID
        .replace("brand = \"Brand\"", "brand = 1\ncolour = \"red\"")
        .replace("site = \"127.0.0.1:0\"", "site = 1")
        .replace("name = \"all\"", "name = \"gateway\"")
        .replace("name = \"legal\"\n", "")
        .replace("label = \"Home\"\n", "");
    let problems = problems(&text);
    let keys: Vec<&str> = problems
        .iter()
        .filter_map(|problem| problem.split(": ").nth(1))
        .collect();
    let expected = [
        "site.brand",
        "site.colour",
        "navigation.menu.links.label",
        "listen.site",
        "admin.tokens.name",
        "admin.tokens.name",
    ];
    assert_eq!(keys, expected);
}

#[test]
fn dependent_settings_are_reported_together() {
    let text = VALID
        .replace(
            "admin = \"127.0.0.1:0\"",
            "admin = \"0.0.0.0:0\"\nproxy_protocol = true",
        )
        .replace("city =", "\"ci-ty\" =")
        .replace("name = \"legal\"", "name = \"all\"");
    assert_eq!(problems(&text).len(), 4);
}

#[test]
fn missing_tables_are_reported_with_other_problems() {
    let problems = problems("[site]\nbrand = 1\n[navigation]\nfooter = 1\n");
    let expected = [
        "site.toml:1: listen: missing; expected a table",
        "site.toml:1: store: missing; expected a table",
        "site.toml:1: site.origin: missing; expected scheme://host",
        "site.toml:1: site.contact: missing; expected an e-mail address",
        "site.toml:2: site.brand: is of type integer; expected a non-empty string",
        "site.toml:4: navigation.footer: is of type integer; expected a table",
    ];
    assert_eq!(problems.len(), expected.len(), "{problems:#?}");
    for (problem, expected) in problems.iter().zip(expected) {
        assert!(problem.starts_with(expected), "{problem}");
    }
}

#[test]
fn missing_table_hides_no_problem_of_others() {
    let text = VALID
        .replace(
            "[store]\nfolder = \"store\"\n",
            "[policy]\nimages = [\"*\"]\n[sections.Hello]\n",
        )
        .replace("admin = \"127.0.0.1:0\"", "admin = \"0.0.0.0:0\"");
    let problems = problems(&text);
    let expected = [
        "store: missing",
        "listen.admin: 0.0.0.0 is not a loopback address",
        "policy.images: `*` is not a host",
        "sections.Hello: `Hello` is not a section name",
    ];
    assert_eq!(problems.len(), expected.len(), "{problems:#?}");
    for (problem, expected) in problems.iter().zip(expected) {
        assert!(problem.contains(expected), "{problem}");
    }
}
