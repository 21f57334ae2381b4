//! Stylesheets that documents contain. They never change, so their text and hash are kept in
//! memory.

use colonnade_web::html::csp_hash;
use colonnade_web::request_scope;

use crate::loaded::manifest::Asset;

/// A stylesheet with its text.
#[derive(Debug)]
pub struct InlineStyle {
    /// Its URL path.
    pub href: String,
    /// Its file name, by which the shell and the bundler's runtime recognize that it is loaded.
    pub name: String,
    /// Its CSS.
    pub text: String,
    /// The hash that allows it in a Content Security Policy.
    pub csp_hash: String,
}

impl InlineStyle {
    /// The stylesheet with these bytes; `None` if it cannot be inlined.
    pub(super) fn new(asset: Asset, bytes: &[u8]) -> Option<Self> {
        debug_assert!(request_scope::may_block());
        let text = str::from_utf8(bytes).ok()?;
        // `</` could end the style element, and the HTML parser replaces a carriage return, so the
        // hash would not match.
        (!text.contains("</") && !text.contains('\r')).then(|| Self {
            href: asset.href,
            name: asset.name,
            csp_hash: csp_hash(text),
            text: text.to_owned(),
        })
    }
}
