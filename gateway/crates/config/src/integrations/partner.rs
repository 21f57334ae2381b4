//! `[partners.<id>]`: the targets of affiliate links.

use colonnade_model::release::is_name;
use serde::{Deserialize, Deserializer};
use toml::Value;
use url::Url;

use crate::config_file::ConfigFile;
use crate::url::secure_url;
use crate::value::{as_string, convert, string, wrong_type};

/// One partner.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Partner {
    /// The name shown on the site.
    #[serde(deserialize_with = "string")]
    pub name: String,
    /// The redirect target, with the configured query parameters.
    #[serde(deserialize_with = "secure_url")]
    pub url: Url,
    #[serde(default, deserialize_with = "parameters")]
    parameters: Vec<(String, String)>,
}

impl Partner {
    /// Adds the query parameters to the URL, and checks the id, which is part of a URL of this
    /// site.
    pub(crate) fn resolve(&mut self, id: &str, file: &mut ConfigFile<'_>) {
        if !self.parameters.is_empty() {
            self.url.query_pairs_mut().extend_pairs(&self.parameters);
        }
        if !is_name(id) {
            let wrong = format!("`{id}` is not valid in /go/{id}");
            file.problem(
                &["partners", id],
                &wrong,
                "an id that matches [a-z][a-z0-9-]{0,31}",
            );
        }
    }
}

fn parameters<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, String)>, D::Error> {
    let expected = "a table of strings, such as { subid = \"colonnade\" }";
    convert(deserializer, expected, |value| {
        let Value::Table(entries) = value else {
            return Err(wrong_type(value));
        };
        let entry = |(key, value): (&String, &Value)| {
            let text = as_string(value).map_err(|wrong| format!("`{key}` {wrong}"))?;
            Ok((key.clone(), text.to_owned()))
        };
        entries.iter().map(entry).collect()
    })
}
