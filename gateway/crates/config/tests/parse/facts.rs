//! Facts of the site, and the configuration of sections.

use colonnade_config::Config;
use serde_json::json;

use super::problems::check_cases;
use super::{VALID, folder};

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
fn facts_and_config_have_a_limit_of_size() {
    let text = format!("{VALID}{TABLES}");
    // The JSON has the name, four quotes, a colon and two braces around the text.
    let text_of = |name: &str, size: usize| "x".repeat(size - name.len() - 7);
    let with = |size: usize| {
        let text = text.replace("Vienna", &text_of("city", size));
        let text = text.replace("EUR", &text_of("currency", size));
        let config = Config::parse("site.toml", &text, folder().path());
        config.map_or_else(|error| error.to_string(), |_| String::new())
    };
    assert_eq!(with(65_536), "");
    assert_eq!(
        with(65_537),
        "site.toml:7: site.facts: is 65537 bytes of JSON; expected at most 65536 bytes\n\
         site.toml:33: sections.hello.config: is 65537 bytes of JSON; expected at most 65536 bytes"
    );
}

#[test]
fn variable_sets_fact_of_any_case() {
    let text = format!("{VALID}{TABLES}").replace("city =", "rooms = 3\nopenSundays = true\nzipCode =");
    let with = |variables: &[(&str, &str)]| {
        let variables = variables.iter();
        let owned = variables.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let config = Config::parse_with("site.toml", &text, folder().path(), owned);
        config.map_err(|error| error.to_string())
    };
    let config = with(&[
        ("COLONNADE_SITE__FACTS__OPENSUNDAYS", "false"),
        ("COLONNADE_SITE__FACTS__ROOMS", "5"),
        ("COLONNADE_SITE__FACTS__ZIPCODE", "1010"),
        ("COLONNADE_SECTIONS__HELLO__CONFIG__CURRENCY", "[\"CHF\"]"),
    ])
    .unwrap();
    // Text of a number stays text where the file has one.
    let facts = json!({ "openSundays": false, "rooms": 5, "zipCode": "1010" });
    assert_eq!(json!(config.site.facts), facts);
    assert_eq!(
        json!(config.sections["hello"].config),
        json!({ "currency": ["CHF"] })
    );
    let keys = config.environment.iter().map(|(key, _)| key.as_str());
    assert_eq!(
        keys.collect::<Vec<_>>(),
        [
            "sections.hello.config.currency",
            "site.facts.openSundays",
            "site.facts.rooms",
            "site.facts.zipCode"
        ]
    );
    let config = with(&[("COLONNADE_SITE__FACTS", "{ deliveryDays = 3 }")]).unwrap();
    assert_eq!(json!(config.site.facts), json!({ "deliveryDays": 3 }));
    let problem = with(&[
        ("COLONNADE_SITE__FACTS__DELIVERYDAYS", "3"),
        ("COLONNADE_SECTIONS__OTHER__CONFIG__LIMIT", "5"),
    ])
    .unwrap_err();
    let problems = ["SECTIONS__OTHER__CONFIG: sections.other.config.limit", "SITE__FACTS: site.facts.deliverydays"]
        .map(|place| {
            let (table, key) = place.split_once(": ").unwrap();
            let variable = key.rsplit_once('.').unwrap().1.to_uppercase();
            format!(
                "COLONNADE_{table}__{variable}: {key}: is not in the file, and a variable cannot add it, because its name \
                 does not tell upper from lower case; expected a key of the file, or the whole table in COLONNADE_{table}"
            )
        });
    assert_eq!(problem, problems.join("\n"));
}
