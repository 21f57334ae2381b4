//! HTML error pages that do not need the shell: for requests before the first deployment, for a broken shell and for
//! invalid URLs. They look like the site and load nothing.

use std::sync::LazyLock;

use http::header::CONTENT_SECURITY_POLICY;
use http::{HeaderValue, StatusCode};

use crate::html::{csp_hash, escape};
use crate::request_scope;
use crate::response::{HTML, RequestId, Response, response};

/// The inline stylesheet. It repeats the shell's colors, because the shell may be missing.
const STYLE: &str = include_str!("error_page.css");

/// The policy allows the inline stylesheet only.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let policy = format!(
        "default-src 'none'; style-src '{}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        csp_hash(STYLE)
    );
    HeaderValue::try_from(policy).expect("base64 is valid in a header")
});

/// The link to the home page.
const HOME: &str = "<a class=\"button\" href=\"/\">Return to home</a>";

/// Creates an error page. It links to the home page if a deployment is live.
pub(crate) fn error_page(status: StatusCode, brand: &str, title: &str, detail: &str, live: bool) -> Response {
    let (brand, title, detail) = (escape(brand), escape(title), escape(detail));
    let (name, home) = if live {
        (format!("<a class=\"brand\" href=\"/\">{brand}</a>"), HOME)
    } else {
        (format!("<span class=\"brand\">{brand}</span>"), "")
    };
    // Visitors can name it to the operator, who finds the events of the request in the log.
    let id = request_scope::current();
    let id = id.as_ref().and_then(|RequestId(id)| id.to_str().ok());
    let id = id.map_or_else(String::new, |id| format!("<p>Request ID: {}</p>", escape(id)));
    let html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title} - {brand}</title><meta name=\"rating\" content=\"adult\">\
         <meta name=\"robots\" content=\"noindex\"><style>{STYLE}</style></head>\
         <body><header>{name}</header><main><h1>{title}</h1><p>{detail}</p>{home}</main>\
         <footer><p>18+ only</p>{id}</footer></body></html>\n"
    );
    let mut response = response(status, HTML, html);
    response
        .headers_mut()
        .insert(CONTENT_SECURITY_POLICY, POLICY.clone());
    response
}
