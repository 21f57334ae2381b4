//! Facts of the site, and the configuration of sections.

use colonnade_config::Config;
use serde_json::json;

use super::problems::check_cases;
use super::{VALID, folder, with_variables};

const TABLES: &str = r#"
[sections.hello.config]
currency = "EUR"
"#;

#[test]
fn facts_have_any_names_and_json_types() {
    let facts = "city = \"Vienna\"\nrooms = 3\nshare = -0.5\nopenSundays = true\ndays = [\"Mon\", 2, false]\nnone = []";
    let text = format!("{VALID}{TABLES}").replace("city = \"Vienna\"", facts);
    let config = Config::parse("site.toml", &text, folder().path()).unwrap();
    let facts = &config.site.facts;
    assert_eq!(
        json!(facts),
        json!({
            "city": "Vienna", "rooms": 3, "share": -0.5, "openSundays": true, "days": ["Mon", 2, false], "none": [],
        })
    );
    assert_eq!(facts.get("openSundays"), Some(&json!(true)));
    assert_eq!(facts.get("opensundays"), None);
    assert_eq!(
        json!(config.sections["hello"].config),
        json!({ "currency": "EUR" })
    );
}

#[test]
fn each_problem_of_a_fact_is_described() {
    check_cases(&format!("{VALID}{TABLES}"), include_str!("facts.txt"));
}

#[test]
fn variable_sets_fact_of_any_case() {
    let config = with_variables(&[
        ("COLONNADE_SITE__FACTS__CITY", "Graz"),
        ("COLONNADE_SITE__FACTS__OTHER", "7"),
        ("COLONNADE_SECTIONS__HELLO__CONFIG__CURRENCY", "CHF"),
    ])
    .unwrap();
    assert_eq!(json!(config.site.facts), json!({ "city": "Graz", "other": 7 }));
    assert_eq!(
        json!(config.sections["hello"].config),
        json!({ "currency": "CHF" })
    );
}
