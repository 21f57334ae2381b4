//! `[policy]`.

use serde_json::json;

use colonnade_config::Config;

use super::problems::check_cases;
use super::{VALID, folder};

const TABLES: &str = "
[policy]
images = [\"all.example\"]

[policy.sections.hello]
fonts = [\"hello.example\"]
";

#[test]
fn policy_of_sections_adds_to_that_of_the_site() {
    let text = format!("{VALID}{TABLES}");
    let config = Config::parse("site.toml", &text, folder().path()).unwrap();
    let of = |sections: &[&str]| json!(config.policy.of(sections.iter().copied()));
    assert_eq!(of(&["other"]), json!({ "images": ["all.example"] }));
    assert_eq!(
        of(&["other", "hello"]),
        json!({ "images": ["all.example"], "fonts": ["hello.example"] })
    );
}

#[test]
fn invalid_policy_is_a_problem_of_its_line() {
    check_cases(&format!("{VALID}{TABLES}"), include_str!("policy.txt"));
}
