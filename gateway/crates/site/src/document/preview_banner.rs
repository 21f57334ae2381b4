//! The banner of previews. The gateway writes it outside the shell's root element, so that no
//! release can omit it.

use std::sync::LazyLock;

use colonnade_web::html;

/// The stylesheet, which uses the shell's design tokens. Only previews have it, so other documents
/// do not carry it.
const STYLE: &str = include_str!("preview_banner.css");

static CSP_HASH: LazyLock<String> = LazyLock::new(|| html::csp_hash(STYLE));

/// The hash that allows the stylesheet in a Content Security Policy.
pub(super) fn csp_hash() -> &'static str {
    &CSP_HASH
}

/// The stylesheet as an element of the head.
pub(super) fn style() -> String {
    format!("<style>{STYLE}</style>")
}

/// The banner of a deployment's preview, the first element of the body. Its language is English,
/// whatever that of the document is.
pub(super) fn banner(deployment: &str) -> String {
    format!(
        "<aside class=\"preview\" lang=\"en\" dir=\"ltr\" aria-label=\"Preview\">\
         <p>Preview of deployment {deployment}. You see it by a link.</p>\
         <form method=\"post\" action=\"/_preview/end\"><button type=\"submit\">End preview</button></form></aside>"
    )
}
