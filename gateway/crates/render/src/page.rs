//! The return value of the shell's `render` function.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use colonnade_web::request_scope;

use crate::queries::Queries;
use crate::site_url;

/// The status of a return value that redirects.
const TEMPORARY_REDIRECT: u16 = 307;

/// What the shell renders for a path.
#[derive(Debug, Clone)]
pub enum RenderedContent {
    /// A page.
    Page(Arc<RenderedPage>),
    /// A redirect to this path of the site, with an optional query and fragment: ASCII without control characters.
    Redirect(Arc<str>),
}

/// The return value of `render`.
#[derive(Debug, Clone)]
pub(super) enum Output {
    /// The content.
    Content {
        content: RenderedContent,
        /// The names of the results that do not fit the schema of the page.
        invalid: Arc<BTreeSet<String>>,
    },
    /// The page has these queries. It is rendered once their results are there.
    Queries(Arc<Queries>),
}

impl Output {
    /// Parses a return value of `render`, and checks it. Returns also whether it depends on the current date.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn parse(json: &[u8]) -> Result<(Self, bool), String> {
        debug_assert!(request_scope::may_block());
        let malformed = |error: serde_json::Error| format!("render returned an invalid page: {error}");
        let value: ReturnValue = serde_json::from_slice(json).map_err(malformed)?;
        let invalid = Arc::new(value.invalid);
        let output = match (value.queries, value.status) {
            (Some(queries), _) => Self::Queries(Arc::new(Queries::new(queries)?)),
            (None, Some(TEMPORARY_REDIRECT)) => {
                let location = value.location.unwrap_or_default();
                site_url::check_location(&location)
                    .map_err(|rule| format!("the location of the redirect {rule}"))?;
                let content = RenderedContent::Redirect(location.into());
                Self::Content { content, invalid }
            }
            (None, Some(200 | 404)) => {
                let page = serde_json::from_slice(json).map_err(malformed)?;
                let content = RenderedContent::Page(Arc::new(page));
                Self::Content { content, invalid }
            }
            (None, Some(status)) => {
                return Err(format!(
                    "render returned the status {status}; expected 200, 307 or 404"
                ));
            }
            (None, None) => return Err("render returned neither a status nor queries".to_owned()),
        };
        Ok((output, value.reads_today))
    }

    /// Its bytes in memory.
    pub(super) fn weight(&self) -> usize {
        match self {
            Self::Content { content, invalid } => {
                let invalid: usize = invalid.iter().map(String::len).sum();
                invalid
                    + match content {
                        RenderedContent::Page(page) => page.html.len() + page.view.get().len(),
                        RenderedContent::Redirect(location) => location.len(),
                    }
            }
            Self::Queries(queries) => queries.weight(),
        }
    }
}

/// The part of a return value that says what it is.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReturnValue {
    status: Option<u16>,
    location: Option<String>,
    queries: Option<BTreeMap<String, String>>,
    /// Absent from shells that do not report it.
    #[serde(default)]
    invalid: BTreeSet<String>,
    reads_today: bool,
}

/// A rendered page.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RenderedPage {
    /// 200, or 404 if the section reports that the path does not exist.
    pub status: u16,
    /// The content of the document's head.
    pub head: PageHead,
    /// The hydration data, kept byte for byte: a section may depend on the order of object keys.
    pub view: Box<RawValue>,
    /// The HTML of the document's root element.
    pub html: String,
}

/// The head of a page.
#[derive(Debug, Deserialize)]
pub struct PageHead {
    /// The title.
    pub title: String,
    /// The meta description.
    pub description: Option<String>,
    /// The canonical URL, as a path on this site.
    pub canonical: Option<String>,
    /// The content of the robots meta tag.
    pub robots: Option<String>,
    /// The meta keywords.
    pub keywords: Option<String>,
    /// The preview of the shared page.
    pub social: Option<Social>,
    /// The breadcrumbs, from the root.
    pub breadcrumbs: Option<Vec<Breadcrumb>>,
}

/// The preview of a shared page (Open Graph).
#[derive(Debug, Deserialize)]
pub struct Social {
    /// The title.
    pub title: String,
    /// The description.
    pub description: String,
    /// The Open Graph type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The URL, as a path on this site.
    pub url: String,
}

/// One breadcrumb.
#[derive(Debug, Deserialize)]
pub struct Breadcrumb {
    /// The text.
    pub label: String,
    /// The target, as a path on this site.
    pub path: String,
}
