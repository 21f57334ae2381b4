//! HTML error pages that do not need the shell: for requests before the first deployment, for a
//! broken shell and for invalid URLs.

use http::StatusCode;

use crate::html::escape;
use crate::plain_page::{PlainFrame, PlainPage};
use crate::request_scope;
use crate::response::{RequestId, Response};

/// Where an error page leads.
pub(crate) enum Link {
    /// The home page.
    Home,
    /// The page with this path, such as that of a form.
    Back(String),
}

impl Link {
    /// The link to the page that the visitor comes from, if it is known.
    pub(crate) fn to(back: Option<String>) -> Self {
        back.map_or(Self::Home, Self::Back)
    }

    fn html(&self) -> String {
        let (path, text) = match self {
            Self::Home => ("/", "Return to home"),
            Self::Back(path) => (&**path, "Return to the previous page"),
        };
        format!("<a class=\"button\" href=\"{}\">{text}</a>", escape(path))
    }
}

/// Creates an error page. It has a link if a deployment is live.
pub(crate) fn error_page(
    status: StatusCode,
    frame: &PlainFrame,
    title: &str,
    detail: &str,
    link: Option<&Link>,
) -> Response {
    // Visitors can name it to the operator, who finds the events of the request in the log.
    let id = request_scope::current_id();
    let id = id.as_ref().and_then(|RequestId(id)| id.to_str().ok());
    let page = PlainPage {
        frame,
        title,
        content: format!(
            "<p>{}</p>{}",
            escape(detail),
            link.map(Link::html).unwrap_or_default()
        ),
        footer: id.map_or_else(String::new, |id| format!("<p>Request ID: {}</p>", escape(id))),
        live: link.is_some(),
        form_style: None,
    };
    page.respond(status)
}
