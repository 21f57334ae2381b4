//! HTML error pages that do not need the shell: for requests before the first deployment, for a broken shell and for
//! invalid URLs.

use http::StatusCode;

use crate::html::escape;
use crate::plain_page::PlainPage;
use crate::request_scope;
use crate::response::{RequestId, Response};

/// The link to the home page.
const HOME: &str = "<a class=\"button\" href=\"/\">Return to home</a>";

/// Creates an error page. It links to the home page if a deployment is live.
pub(crate) fn error_page(status: StatusCode, brand: &str, title: &str, detail: &str, live: bool) -> Response {
    // Visitors can name it to the operator, who finds the events of the request in the log.
    let id = request_scope::current_id();
    let id = id.as_ref().and_then(|RequestId(id)| id.to_str().ok());
    let page = PlainPage {
        brand,
        title,
        content: format!("<p>{}</p>{}", escape(detail), if live { HOME } else { "" }),
        footer: id.map_or_else(String::new, |id| format!("<p>Request ID: {}</p>", escape(id))),
        live,
        form_style: None,
    };
    page.respond(status)
}
