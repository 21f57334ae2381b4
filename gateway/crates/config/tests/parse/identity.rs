//! Which ID tokens a grant applies to.

use colonnade_config::Config;
use serde_json::json;

use super::{VALID, folder};

#[test]
fn grant_applies_to_tokens_with_all_of_its_claims() {
    for (claims, token, applies) in [
        (r#"{ a = "x" }"#, json!({ "a": "x", "b": 1 }), true),
        (r#"{ a = "x" }"#, json!({ "a": "xy" }), false),
        (r#"{ a = "x", b = "y" }"#, json!({ "a": "x" }), false),
        (r#"{ a = ["x", "y"] }"#, json!({ "a": "y" }), true),
        (r#"{ a = "y" }"#, json!({ "a": ["x", "y"] }), true),
        (r#"{ a = "y" }"#, json!({ "a": [["y"]] }), false),
        (r#"{ a = "true", b = "7" }"#, json!({ "a": true, "b": 7 }), true),
        (r#"{ a = "*" }"#, json!({ "a": "" }), true),
        (r#"{ a = "*" }"#, json!({ "a": null }), false),
        (r#"{ a = "*" }"#, json!({ "a": { "*": "*" } }), false),
        (r#"{ a = "acme/*" }"#, json!({ "a": "acme/events" }), true),
        (r#"{ a = "acme/*" }"#, json!({ "a": "acme-evil/events" }), false),
        (r#"{ a = "acme/*" }"#, json!({ "a": "acme/events/fork" }), false),
        (
            r#"{ a = "refs/*/v*.0" }"#,
            json!({ "a": "refs/tags/v1.0.0" }),
            true,
        ),
        (r#"{ a = "é*é" }"#, json!({ "a": "ééé" }), true),
        (r#"{ a = "X" }"#, json!({ "a": "x" }), false),
    ] {
        let tables = "[[admin.identity_providers]]\nname = \"ci\"\nissuer = \"https://ci.example\"\naudience = \"a\"\n";
        let grant = "sections = [\"*\"]\nactions = [\"deploy\"]\n";
        let text = format!("{VALID}{tables}[[admin.grants]]\nprovider = \"ci\"\nclaims = {claims}\n{grant}");
        let config = Config::parse("site.toml", &text, folder().path()).unwrap();
        let token = token.as_object().unwrap();
        let grant = config.admin.grants().next().unwrap();
        assert_eq!(grant.applies("ci", token), applies, "{claims}: {token:?}");
        assert!(!grant.applies("other", token));
    }
}
