//! A page on its way from the worker's answer to the response.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use colonnade_model::language::Language;
use colonnade_web::client::ClientKey;
use colonnade_web::request_scope;

use crate::queries::Queries;
use crate::site_url;
use crate::validity::{Lifetime, Validity};
use crate::why::Why;

/// The status of a return value that redirects.
const TEMPORARY_REDIRECT: u16 = 307;

/// What a visitor gets at a path of the site.
#[derive(Debug, Clone)]
pub enum Page {
    /// HTML that a worker has rendered.
    Html(Arc<PageContent>),
    /// A redirect to this path of the site, with an optional query and fragment: ASCII without
    /// control characters.
    Redirect(Arc<str>),
    /// The browser renders the page.
    Browser(Why),
}

/// The page of a request, and how long and by whom it may be used.
#[derive(Debug, Clone)]
pub struct Rendered {
    /// The page.
    pub page: Page,
    /// How long and by whom it may be used.
    pub validity: Validity,
}

impl Rendered {
    /// A page that the browser renders for this reason, and that this client requested.
    pub fn in_browser(why: Why, client: Option<ClientKey>) -> Self {
        let validity = Validity {
            lifetime: if why.may_cache() {
                Lifetime::Unlimited
            } else {
                Lifetime::Once
            },
            client: client.filter(|_| why.is_of_client()),
            ..Validity::default()
        };
        let page = Page::Browser(why);
        Self { page, validity }
    }
}

/// The output of a worker's job: the return value of the shell's `render` function.
#[derive(Debug, Clone)]
pub(super) enum Output {
    /// The page.
    Page {
        page: Page,
        /// The names of the results that do not fit the schema of the page.
        invalid: Arc<BTreeSet<String>>,
    },
    /// The page has these queries. It is rendered once their results are there.
    Queries(Arc<Queries>),
}

impl Output {
    /// Parses a return value of `render`, and checks it. Returns also whether it depends on the
    /// current date.
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
                let page = Page::Redirect(location.into());
                Self::Page { page, invalid }
            }
            (None, Some(200 | 404)) => {
                let content = serde_json::from_slice(json).map_err(malformed)?;
                let page = Page::Html(Arc::new(content));
                Self::Page { page, invalid }
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
            Self::Page { page, invalid } => {
                let invalid: usize = invalid.iter().map(String::len).sum();
                invalid
                    + match page {
                        Page::Html(content) => content.html.len() + content.view.get().len(),
                        Page::Redirect(location) => location.len(),
                        Page::Browser(_) => 0,
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

/// The content of a rendered page.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageContent {
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
    /// The language, if it is not that of the site.
    pub language: Option<Language>,
    /// The page in each of its languages.
    #[serde(default)]
    pub alternates: Vec<Alternate>,
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

/// The page in one of its languages.
#[derive(Debug, Deserialize)]
pub struct Alternate {
    /// The language tag.
    pub language: String,
    /// The page, as a path on this site.
    pub path: String,
}

/// One breadcrumb.
#[derive(Debug, Deserialize)]
pub struct Breadcrumb {
    /// The text.
    pub label: String,
    /// The target, as a path on this site.
    pub path: String,
}
