//! `[partners.<id>]`: the sites affiliate links lead to.

use std::collections::BTreeMap;

use toml::de::DeValue;
use url::Url;

use super::reader::{Read, Table, is, text};
use super::url::{ADDRESS, address};
use crate::release::is_name;

/// One partner.
#[derive(Debug)]
pub(crate) struct Partner {
    /// How the site names it.
    pub(crate) name: String,
    /// Where its links lead, with the configured parameters and nothing else.
    pub(crate) url: Url,
}

/// Reads `[partners]`: every partner by its id.
pub(super) fn read(table: Table<'_>) -> Option<BTreeMap<String, Partner>> {
    let partners: Vec<_> = table
        .named_tables()
        .into_iter()
        .map(|(id, table)| partner(id, table))
        .collect();
    partners.into_iter().collect()
}

fn partner(id: String, mut table: Table<'_>) -> Option<(String, Partner)> {
    let valid = is_name(&id);
    if !valid {
        table.refuse_whole(
            &format!("`{id}` cannot stand in /go/{id}"),
            "an id that matches [a-z][a-z0-9-]{0,31}",
        );
    }
    let name = table.required("name", "how the site names the partner", text);
    let url = table.required("url", ADDRESS, |value| address(&text(value)?));
    let expected = "a table of texts, such as { subid = \"colonnade\" }";
    let parameters = table.optional("parameters", expected, parameters);
    table.finish();
    let mut url = url?;
    if let Some(parameters) = parameters? {
        url.query_pairs_mut().extend_pairs(parameters);
    }
    let name = name?;
    valid.then_some((id, Partner { name, url }))
}

fn parameters(value: &DeValue<'_>) -> Read<Vec<(String, String)>> {
    let DeValue::Table(entries) = value else {
        return Err(is(value));
    };
    let entry = |(key, value): (
        &toml::Spanned<toml::de::DeString<'_>>,
        &toml::Spanned<DeValue<'_>>,
    )| {
        let read = text(value.get_ref()).map_err(|wrong| format!("`{}` {wrong}", key.get_ref()))?;
        Ok((key.get_ref().to_string(), read))
    };
    entries.iter().map(entry).collect()
}
