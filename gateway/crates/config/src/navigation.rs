//! `[navigation]`: what the site changes of the links that sections contribute, and its own links.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

use crate::site::parse_path;
use crate::value::{as_string, as_strings, convert, string, table, tables, wrong_type};

const PATH: &str = "a path of this site, beginning with one slash; it can have a fragment";
const PATHS: &str = "a list of paths of this site, such as [\"/about\"]; they can have fragments";
const LABELS: &str = "the labels of links by path, such as { \"/about\" = \"About us\" }";

/// The links in header and footer.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct NavigationSettings {
    /// The header menu.
    #[serde(deserialize_with = "table")]
    pub menu: LinkSettings,
    /// The footer.
    #[serde(deserialize_with = "table")]
    pub footer: LinkSettings,
}

/// What the site changes of a list of links. Paths without a link have no effect.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct LinkSettings {
    /// The paths of the links that come first, in this order.
    #[serde(deserialize_with = "paths")]
    pub order: Vec<String>,
    /// The paths of the links that are not shown.
    #[serde(deserialize_with = "paths")]
    pub hide: Vec<String>,
    /// The labels that replace others, by path.
    #[serde(deserialize_with = "labels")]
    pub labels: BTreeMap<String, String>,
    /// The site's own links.
    #[serde(deserialize_with = "tables")]
    pub links: Vec<Link>,
}

/// A link of the site's own.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The text of the link.
    #[serde(deserialize_with = "string")]
    pub label: String,
    /// The target, a path of this site. It can have a fragment.
    #[serde(deserialize_with = "path")]
    pub path: String,
    /// Its place among the links of sections: a lower one comes first.
    #[serde(default, deserialize_with = "order")]
    pub order: i64,
}

fn path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    convert(deserializer, PATH, |value| link_path(as_string(value)?))
}

fn paths<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    convert(deserializer, PATHS, |value| as_strings(value, link_path))
}

fn labels<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
    convert(deserializer, LABELS, |value| {
        let labels = value.as_table().ok_or_else(|| wrong_type(value))?;
        let labels = labels.iter().map(|(path, label)| {
            let label = as_string(label).map_err(|wrong| format!("the label of `{path}` {wrong}"))?;
            Ok((link_path(path)?, label.to_owned()))
        });
        labels.collect()
    })
}

fn order<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    convert(deserializer, "a whole number", |value| {
        value.as_integer().ok_or_else(|| wrong_type(value))
    })
}

fn link_path(text: &str) -> Result<String, String> {
    let path = text.split_once('#').map_or(text, |(path, _)| path);
    parse_path(path).map(|_| text.to_owned())
}
