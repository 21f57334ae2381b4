//! `[site]` and `[navigation]`: what the site says about itself.

use std::sync::Arc;

use serde::Serialize;

use super::reader::{Read, Table, text};
use super::url::{ORIGIN, Origin, origin};
use crate::pattern::RequestPath;

/// What the site says about itself.
#[derive(Debug)]
pub(crate) struct Site {
    /// Its name.
    pub(crate) brand: Arc<str>,
    /// The public origin.
    pub(crate) origin: Origin,
    /// The e-mail address visitors can write to.
    pub(crate) contact: String,
    /// Who runs it.
    pub(crate) legal_entity: String,
    /// Where data is processed.
    pub(crate) processing_country: String,
    /// How long data is kept, in words.
    pub(crate) retention: String,
    /// The law the terms stand under, in words.
    pub(crate) governing_law: String,
}

/// The links of header and footer.
#[derive(Debug, Serialize)]
pub(crate) struct Navigation {
    /// Those of the header's menu, in order.
    pub(crate) menu: Vec<Link>,
    /// Those of the footer, in order.
    pub(crate) footer: Vec<Link>,
}

/// One link of the navigation.
#[derive(Debug, Serialize)]
pub(crate) struct Link {
    /// Its text.
    pub(crate) label: String,
    /// Where it leads, on this site.
    pub(crate) path: String,
}

/// What is expected of the address visitors can write to.
const CONTACT: &str = "an e-mail address, such as contact@example.com";

/// What is expected of a path of this site.
const PATH: &str = "a path of this site, beginning with one slash";

/// What is expected of the path of a page.
pub(super) const PAGE: &str = "the path of a page, beginning with one slash, without a query";

/// Reads `[site]`.
pub(super) fn read(mut table: Table<'_>) -> Option<Site> {
    let brand = table.required("brand", "the site's name", text);
    let origin = table.required("origin", ORIGIN, |value| origin(&text(value)?));
    let contact = table.required("contact", CONTACT, |value| mail(text(value)?));
    let legal_entity = table.required("legal_entity", "the name of whoever runs the site", text);
    let processing_country = table.required("processing_country", "the country data is processed in", text);
    let retention = table.required("retention", "how long data is kept, in words", text);
    let governing_law = table.required("governing_law", "the law the terms stand under, in words", text);
    table.finish();
    Some(Site {
        brand: brand?.into(),
        origin: origin?,
        contact: contact?,
        legal_entity: legal_entity?,
        processing_country: processing_country?,
        retention: retention?,
        governing_law: governing_law?,
    })
}

/// Reads `[navigation]`.
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
fn site_path(raw: &str) -> Read<String> {
    parsed(raw).map(|_| raw.to_owned())
}

/// Reads the path of a page: one that does not belong to the gateway itself.
pub(super) fn page_path(raw: &str) -> Read<String> {
    if parsed(raw)?.is_reserved() {
        return Err(format!("`{raw}` belongs to the gateway"));
    }
    Ok(raw.to_owned())
}

fn parsed(raw: &str) -> Read<RequestPath> {
    match RequestPath::parse(raw) {
        Ok(path) if !path.has_empty_segment() && !path.has_trailing_slash() => Ok(path),
        _ => Err(format!("`{raw}` is no path")),
    }
}

/// Reads an e-mail address, as strictly as tells one from a word or a web address: whether it can be written to, no
/// rule could say.
fn mail(text: String) -> Read<String> {
    let parts = text.split_once('@');
    let whole = parts.is_some_and(|(name, host)| !name.is_empty() && !host.is_empty() && !host.contains('@'));
    if whole && !text.contains(char::is_whitespace) {
        Ok(text)
    } else {
        Err(format!("`{text}` is no e-mail address"))
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
