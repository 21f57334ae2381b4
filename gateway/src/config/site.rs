//! `[site]` and `[navigation]`: what the site says about itself.

use serde::Serialize;

use super::reader::{Read, Table, text};
use super::url::{ORIGIN, Origin, origin};
use crate::pattern::RequestPath;

/// What the site says about itself.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) brand: String,
    pub(crate) origin: Origin,
    pub(crate) contact: String,
    pub(crate) legal_entity: String,
    pub(crate) processing_country: String,
    pub(crate) retention: String,
    pub(crate) governing_law: String,
}

/// The links of header and footer.
#[derive(Debug, Serialize)]
pub(crate) struct Navigation {
    pub(crate) menu: Vec<Link>,
    pub(crate) footer: Vec<Link>,
}

/// One link of the navigation.
#[derive(Debug, Serialize)]
pub(crate) struct Link {
    pub(crate) label: String,
    pub(crate) path: String,
}

/// What is expected of a path of this site.
pub(super) const PATH: &str = "a path of this site, beginning with one slash";

pub(super) fn read(mut table: Table<'_>) -> Option<Site> {
    let brand = table.required("brand", "the site's name", text);
    let origin = table.required("origin", ORIGIN, |value| origin(&text(value)?));
    let contact = table.required("contact", "an address to write to", text);
    let legal_entity = table.required("legal_entity", "the name of whoever runs the site", text);
    let processing_country = table.required("processing_country", "the country data is processed in", text);
    let retention = table.required("retention", "how long data is kept, in words", text);
    let governing_law = table.required("governing_law", "the law the terms stand under, in words", text);
    table.finish();
    Some(Site {
        brand: brand?,
        origin: origin?,
        contact: contact?,
        legal_entity: legal_entity?,
        processing_country: processing_country?,
        retention: retention?,
        governing_law: governing_law?,
    })
}

pub(super) fn read_navigation(mut table: Table<'_>) -> Option<Navigation> {
    let menu = links(table.tables("menu"));
    let footer = links(table.tables("footer"));
    table.finish();
    Some(Navigation {
        menu: menu?,
        footer: footer?,
    })
}

/// Reads a path of this site.
pub(super) fn site_path(raw: &str) -> Read<String> {
    match RequestPath::parse(raw) {
        Ok(path) if !path.has_empty_segment() && !path.has_trailing_slash() => Ok(raw.to_owned()),
        _ => Err(format!("`{raw}` is no path")),
    }
}

fn links(tables: Vec<Table<'_>>) -> Option<Vec<Link>> {
    // Every link is read before any is given up, so that all problems are noted.
    let links: Vec<Option<Link>> = tables.into_iter().map(link).collect();
    links.into_iter().collect()
}

fn link(mut table: Table<'_>) -> Option<Link> {
    let label = table.required("label", "the link's text", text);
    let path = table.required("path", PATH, |value| site_path(&text(value)?));
    table.finish();
    Some(Link {
        label: label?,
        path: path?,
    })
}
