//! Error response mapping: errors as responses.
//!
//! Every error that ends a request implements [`Problem`]. [`respond`] turns it into a response for
//! an [`Audience`]. Causes are logged and never sent to visitors.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, StatusCode};
use serde_json::{Map, Value, json};

use crate::error_page::{Link, error_page};
use crate::methods::Methods;
use crate::plain_page::PlainFrame;
use crate::response::{Response, json, set_retry_after, text};

/// An error that ends a request. Its `Display` text is in the response to programs and scripts.
pub trait Problem: Error {
    /// The status of the response.
    fn status(&self) -> StatusCode;

    /// The heading of the HTML page.
    fn title(&self) -> &str {
        self.status().canonical_reason().unwrap_or("Error")
    }

    /// The sentence on the HTML page.
    fn visitor_detail(&self) -> String {
        self.to_string()
    }

    /// The member `detail` of the problem document for operators.
    fn operator_detail(&self) -> String {
        self.to_string()
    }

    /// When to try again, if that is known.
    fn retry_after(&self) -> Option<Duration> {
        None
    }

    /// Adds headers that belong to this error, such as `Allow`.
    fn add_headers(&self, _headers: &mut HeaderMap) {}

    /// Adds members to the JSON response for scripts, and to the problem document for operators.
    fn add_members(&self, _members: &mut Map<String, Value>) {}

    /// Logs the cause, if the response does not contain it.
    fn log(&self) {}
}

/// Errors of the middleware and of routes on both listeners. Visitors get
/// [`Problem::visitor_detail`] instead of the `Display` text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    /// No route or page matches.
    #[error("No route, page or file matches this path.")]
    NotFound,
    /// The route does not accept this method.
    #[error("The route does not accept this method.")]
    MethodNotAllowed(Methods),
    /// The path and query are too long.
    #[error("The path and query are too long.")]
    UriTooLong,
    /// The request is cross-origin.
    #[error("The request is cross-origin.")]
    CrossOrigin,
    /// The concurrency limit is reached.
    #[error("The request limit is reached. Retry after 1 s.")]
    Overloaded,
    /// The handler panicked.
    #[error("The request failed because of an internal error.")]
    Panic,
}

impl Problem for HttpError {
    fn status(&self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::UriTooLong => StatusCode::URI_TOO_LONG,
            Self::CrossOrigin => StatusCode::FORBIDDEN,
            Self::Overloaded => StatusCode::SERVICE_UNAVAILABLE,
            Self::Panic => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn title(&self) -> &str {
        match self {
            Self::NotFound => "Page not found",
            Self::UriTooLong => "This address doesn’t work",
            Self::Overloaded => "This site is very busy",
            Self::Panic => "Something went wrong",
            Self::MethodNotAllowed(_) | Self::CrossOrigin => {
                self.status().canonical_reason().unwrap_or("Error")
            }
        }
    }

    fn visitor_detail(&self) -> String {
        let detail = match self {
            Self::NotFound => "There’s nothing at this address.",
            Self::MethodNotAllowed(_) => "This address doesn’t accept that kind of request.",
            Self::UriTooLong => "The address is too long.",
            Self::CrossOrigin => "This works only from this site’s own pages.",
            Self::Overloaded => "Please try again in a moment.",
            Self::Panic => "Please try again.",
        };
        detail.to_owned()
    }

    fn retry_after(&self) -> Option<Duration> {
        matches!(self, Self::Overloaded).then_some(Duration::from_secs(1))
    }

    fn add_headers(&self, headers: &mut HeaderMap) {
        if let Self::MethodNotAllowed(methods) = self {
            methods.set_allow(headers);
        }
    }
}

/// Who reads the response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Audience {
    /// A visitor with a browser: an HTML page.
    Person {
        /// What is around the page's content.
        frame: Arc<PlainFrame>,
        /// Whether a deployment is live, so that the page can have links.
        live: bool,
        /// The path of the page that the visitor comes from, percent-encoded. Default: the home
        /// page.
        back: Option<String>,
    },
    /// A program that requested a file: a line of text.
    Program,
    /// A script of the site: `{"error": "…"}`.
    Script,
    /// An operator's tool: a problem document (RFC 9457).
    Operator,
}

/// Logs an error and creates the response to it.
pub fn respond(error: &dyn Problem, audience: Audience) -> Response {
    error.log();
    let status = error.status();
    let mut response = match audience {
        Audience::Person { frame, live, back } => {
            let link = live.then(|| Link::to(back));
            error_page(
                status,
                &frame,
                error.title(),
                &error.visitor_detail(),
                link.as_ref(),
            )
        }
        Audience::Program => text(status, &error.to_string()),
        Audience::Script => {
            let mut members = Map::new();
            members.insert("error".to_owned(), error.to_string().into());
            error.add_members(&mut members);
            json(status, &members)
        }
        Audience::Operator => problem_document(error, status),
    };
    if let Some(wait) = error.retry_after() {
        set_retry_after(&mut response, wait);
    }
    error.add_headers(response.headers_mut());
    response
}

fn problem_document(error: &dyn Problem, status: StatusCode) -> Response {
    let mut members = Map::new();
    members.insert("type".to_owned(), "about:blank".into());
    members.insert(
        "title".to_owned(),
        json!(status.canonical_reason().unwrap_or("Error")),
    );
    members.insert("status".to_owned(), status.as_u16().into());
    members.insert("detail".to_owned(), error.operator_detail().into());
    error.add_members(&mut members);
    let mut response = json(status, &members);
    let content_type = HeaderValue::from_static("application/problem+json");
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    response
}

#[cfg(test)]
mod tests {
    use super::{Audience, HttpError, PlainFrame, respond};
    use crate::body::read_to_end;

    #[tokio::test]
    async fn only_visitors_get_visitor_text() {
        let error = HttpError::Panic;
        let visitor = Audience::Person {
            frame: PlainFrame {
                brand: "Brand".into(),
                footer: Box::default(),
                language: Box::default(),
            }
            .into(),
            live: true,
            back: None,
        };
        for (audience, expected, other) in [
            (visitor, "Please try again.", "internal error"),
            (Audience::Program, "an internal error.", "Something went wrong"),
            (Audience::Script, "an internal error.", "Something went wrong"),
            (Audience::Operator, "an internal error.", "Something went wrong"),
        ] {
            let description = format!("{audience:?}");
            let body = respond(&error, audience).into_body();
            let timeout = std::time::Duration::from_secs(1);
            let body = read_to_end(body, 100_000, timeout).await.unwrap();
            let text = String::from_utf8(body).unwrap();
            assert!(
                text.contains(expected) && !text.contains(other),
                "{description}: {text}"
            );
        }
    }
}
