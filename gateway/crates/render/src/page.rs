//! A page or an extension on its way from the worker's answer to the response.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use colonnade_model::language::Language;
use colonnade_web::client::ClientKey;
use colonnade_web::request_scope;

use crate::extension::{ExtensionContent, ExtensionOutcomes, PlacedExtensions, PointProps};
use crate::extension_html;
use crate::queries::Queries;
use crate::site_url;
use crate::validity::Validity;
use crate::why::Why;

/// The status of a return value that redirects.
pub(super) const TEMPORARY_REDIRECT: u16 = 307;

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
    /// The extensions in it.
    pub extensions: PlacedExtensions,
    /// How long and by whom it may be used, with the extensions.
    pub validity: Validity,
    /// What became of its extensions.
    pub outcomes: ExtensionOutcomes,
}

impl Rendered {
    /// A page that the browser renders for this reason, and that this client requested.
    pub fn in_browser(why: Why, client: Option<ClientKey>) -> Self {
        let validity = Validity::without_html(why, client);
        Self::page(Page::Browser(why), validity)
    }

    /// The outcome of an attempt to render the page that this client requested, without extensions.
    pub(super) fn new(outcome: Result<(Content, Validity), Why>, client: Option<ClientKey>) -> Self {
        match outcome {
            Ok((Content::Page(page), validity)) => Self::page(page, validity),
            // The output of a page is never an extension.
            Ok((Content::Extension(_), _)) => Self::in_browser(Why::Exception, client),
            Err(why) => Self::in_browser(why, client),
        }
    }

    fn page(page: Page, validity: Validity) -> Self {
        Self {
            page,
            extensions: PlacedExtensions::new(),
            validity,
            outcomes: Arc::default(),
        }
    }
}

/// The output of a worker's job: the return value of the shell's `render` function.
#[derive(Debug, Clone)]
pub(super) enum Output {
    /// The page or the extension.
    Content {
        content: Content,
        /// The names of the results that do not fit their schema.
        invalid: Arc<BTreeSet<String>>,
    },
    /// It has these queries, and is rendered once their results are there.
    Queries(Arc<Queries>),
}

/// What a worker has rendered.
#[derive(Debug, Clone)]
pub(super) enum Content {
    Page(Page),
    /// An extension; `None` if it has nothing to show.
    Extension(Option<Arc<ExtensionContent>>),
}

impl Output {
    /// Parses a return value of `render` for a page or an extension, and checks it. Returns also
    /// whether it depends on the current date.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn parse(json: &[u8], is_extension: bool) -> Result<(Self, bool), String> {
        debug_assert!(request_scope::may_block());
        let malformed = |error| malformed(if is_extension { "extension" } else { "page" }, &error);
        let value: ReturnValue = serde_json::from_slice(json).map_err(malformed)?;
        let content = match (value.queries, value.extension) {
            (Some(queries), _) => {
                let queries = Queries::new(queries)?;
                return Ok((Self::Queries(Arc::new(queries)), value.reads_today));
            }
            (None, Some(Nullable(extension))) if is_extension => {
                if let Some(content) = &extension {
                    let wrong = |rule| format!("the HTML of the extension {rule}");
                    extension_html::check(&content.html).map_err(wrong)?;
                }
                Content::Extension(extension.map(Arc::new))
            }
            (None, _) if is_extension => {
                return Err("render returned neither an extension nor queries".to_owned());
            }
            (None, _) => Content::Page(Page::parse(json, value.status, value.location)?),
        };
        let invalid = Arc::new(value.invalid);
        Ok((Self::Content { content, invalid }, value.reads_today))
    }

    /// The content of a page, unless it redirects.
    pub(super) fn into_html(self) -> Option<Arc<PageContent>> {
        match self {
            Self::Content {
                content: Content::Page(Page::Html(content)),
                ..
            } => Some(content),
            _ => None,
        }
    }

    /// Its bytes in memory.
    pub(super) fn weight(&self) -> usize {
        match self {
            Self::Content { content, invalid } => {
                let invalid: usize = invalid.iter().map(String::len).sum();
                invalid
                    + match content {
                        Content::Page(Page::Html(content)) => content.weight(),
                        Content::Page(Page::Redirect(location)) => location.len(),
                        Content::Page(Page::Browser(_)) | Content::Extension(None) => 0,
                        Content::Extension(Some(content)) => content.weight(),
                    }
            }
            Self::Queries(queries) => queries.weight(),
        }
    }
}

impl Page {
    /// Parses a page with this status and this location of a redirect.
    fn parse(json: &[u8], status: Option<u16>, location: Option<String>) -> Result<Self, String> {
        match status {
            Some(TEMPORARY_REDIRECT) => {
                let location = location.unwrap_or_default();
                site_url::check_location(&location)
                    .map_err(|rule| format!("the location of the redirect {rule}"))?;
                Ok(Self::Redirect(location.into()))
            }
            Some(200 | 404) => {
                let content = serde_json::from_slice(json).map_err(|error| malformed("page", &error))?;
                Ok(Self::Html(Arc::new(content)))
            }
            Some(status) => Err(format!(
                "render returned the status {status}; expected 200, 307 or 404"
            )),
            None => Err("render returned neither a status nor queries".to_owned()),
        }
    }
}

fn malformed(what: &str, error: &serde_json::Error) -> String {
    format!("render returned an invalid {what}: {error}")
}

/// The part of a return value that says what it is.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReturnValue {
    status: Option<u16>,
    location: Option<String>,
    queries: Option<BTreeMap<String, String>>,
    #[serde(default, deserialize_with = "deserialize_present")]
    extension: Option<Nullable>,
    /// Absent from shells that do not report it.
    #[serde(default)]
    invalid: BTreeSet<String>,
    reads_today: bool,
}

/// A member that is present. It is null if an extension has nothing to show.
struct Nullable(Option<ExtensionContent>);

fn deserialize_present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Nullable>, D::Error> {
    Ok(Some(Nullable(Option::deserialize(deserializer)?)))
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
    /// The props of the extension points in the HTML, by the point's reference. A section names
    /// them, so any may be among them.
    #[serde(default)]
    pub(crate) points: BTreeMap<String, PointProps>,
}

impl PageContent {
    /// Its bytes in memory.
    fn weight(&self) -> usize {
        let points = self.points.iter();
        let points: usize = points
            .map(|(reference, props)| reference.len() + props.weight())
            .sum();
        self.html.len() + self.view.get().len() + points
    }
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
