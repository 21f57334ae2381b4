//! The site, and what handlers of its routes share.

use std::pin::Pin;
use std::sync::Arc;

use http::request::Parts;
use http::{Method, StatusCode};

use colonnade_config::Config;
use colonnade_model::deployment::LiveState;
use colonnade_model::pattern::RequestPath;
use colonnade_model::search::{MalformedSearch, canonical_search, with_search};
use colonnade_platform::deployment::{Deployments, Snapshot};
use colonnade_platform::rollout::CanaryAnalysis;
use colonnade_store::loaded::PageManifest;
use colonnade_upstream::Upstreams;
use colonnade_web::content_negotiation::prefers_html;
use colonnade_web::cookie::Cookies;
use colonnade_web::health::ShutdownSignal;
use colonnade_web::origin;
use colonnade_web::problem::{Audience, HttpError};
use colonnade_web::request::Head;
use colonnade_web::response::{RequestKind, Response, ServedBy, empty, redirect};

use crate::asset::Assets;
use crate::call::Call;
use crate::deployment_selection::DeploymentSelection;
use crate::document::{Documents, RequestedPage};
use crate::error::{ErrorFormat, SiteError, visitor_from};
use crate::integrations::Integrations;
use crate::manifest_cache::ManifestCache;
use crate::preview;
use crate::reports::ClientErrorReports;
use crate::route_table::RouteTable;
use crate::wellknown::RootFiles;

/// The site listener's state and request handler.
pub struct Site {
    pub(crate) config: Config,
    pub(crate) deployments: Arc<Deployments>,
    pub(crate) assets: Assets,
    pub(crate) shutdown: ShutdownSignal,
    pub(crate) upstreams: Arc<Upstreams>,
    pub(crate) files: RootFiles,
    pub(crate) manifests: ManifestCache,
    pub(crate) integrations: Integrations,
    pub(crate) documents: Arc<Documents>,
    pub(crate) routes: RouteTable<Endpoint>,
    pub(crate) canary: Arc<CanaryAnalysis>,
    pub(crate) client_error_reports: ClientErrorReports,
}

/// What a site is made of, besides its configuration.
pub struct SiteParts {
    /// The deployments that visitors see.
    pub deployments: Arc<Deployments>,
    /// What measures rollouts.
    pub canary: Arc<CanaryAnalysis>,
    /// The documents of its pages.
    pub documents: Arc<Documents>,
    /// What serves paths below `/api`.
    pub upstreams: Arc<Upstreams>,
    /// Whether the gateway shuts down.
    pub shutdown: ShutdownSignal,
}

/// How a route serves a request.
pub(crate) struct Endpoint {
    pub(crate) kind: RequestKind,
    pub(crate) errors: ErrorFormat,
    pub(crate) handle: Handler,
}

/// What a route responds.
pub(crate) type HandlerFuture<'a> = Pin<Box<dyn Future<Output = Result<Response, SiteError>> + Send + 'a>>;

/// Serves a route.
pub(crate) type Handler = for<'a> fn(&'a Site, Call<'a>) -> HandlerFuture<'a>;

impl Site {
    /// Whether visitors use HTTPS, so that cookies and browsers can be restricted to it.
    pub fn is_secure(&self) -> bool {
        self.config.site.origin.scheme() == "https"
    }

    /// The cookies of a request.
    pub(crate) fn cookies<'a>(&self, head: &'a Parts) -> Cookies<'a> {
        Cookies::new(&head.headers, self.is_secure())
    }

    /// The document of a path, or the not-found document if there is no path.
    pub(crate) async fn document(
        &self,
        call: &Call<'_>,
        path: Option<&RequestPath>,
    ) -> Result<Response, SiteError> {
        let Call {
            snapshot,
            head,
            cookies,
            ..
        } = *call;
        if let Some(path) = path
            && path.has_trailing_slash()
            && !path.has_empty_segment()
        {
            return redirect_without_slash(call);
        }
        let selection = DeploymentSelection::new(snapshot, cookies, path).ok_or(SiteError::NothingLive)?;
        let page = path.and_then(|path| selection.deployment.page(path));
        let is_unavailable = match page {
            Some(page) => selection.deployment.is_unavailable(&page.section.name),
            None => path.is_some() && selection.deployment.may_lack_pages(),
        };
        // With 404, search engines would remove its pages.
        if is_unavailable {
            return Err(SiteError::SectionUnavailable {
                deployment: Some(selection.set().clone()),
                section: page.map(|page| page.section.name.clone()),
            });
        }
        let client = Some(head.client.key());
        let requested = page.zip(path).and_then(|(page, path)| {
            let search = search_of(page, head).ok()?;
            Some(RequestedPage { page, path, search })
        });
        let request = self.documents.request(&selection, requested, client);
        let mut response = self.documents.respond(&head.headers, &request).await;
        selection.set_headers(&mut response, self.is_secure());
        let served_by = ServedBy::of(&mut response);
        served_by.deployment = Some(selection.set().clone());
        if let Some(page) = page {
            served_by.route = Some(page.pattern.clone().into());
            served_by.section = Some(page.section.name.clone());
            // A redirect shows nothing.
            if response.status() != StatusCode::TEMPORARY_REDIRECT {
                self.count_view(snapshot, &selection, head);
            }
        }
        Ok(response)
    }

    /// Opens a preview link, or starts its preview if the visitor agrees.
    pub(crate) fn preview(&self, call: &Call<'_>) -> Result<Response, SiteError> {
        if call.head.method == Method::POST {
            self.require_same_origin(call.head)?;
            preview::enter(call.snapshot, call.parameter, self.is_secure())
        } else {
            preview::open(call.snapshot, call.parameter, &self.documents.site())
        }
    }

    /// Forwards a request to an upstream. People who follow a link or send a form without
    /// JavaScript get an error as a page.
    pub(crate) async fn forward(&self, call: Call<'_>) -> Response {
        let audience = if prefers_html(&call.head.headers) {
            let back = self.referring_page(call.head);
            visitor_from(call.snapshot, &self.documents.site(), back)
        } else {
            Audience::Script
        };
        let upstreams = &self.upstreams;
        upstreams.forward(call.head, call.path, call.body, audience).await
    }

    /// The path of the page of this site that a request comes from, such as that of a form. The
    /// query is left out: it may be what a visitor typed.
    fn referring_page(&self, head: &Parts) -> Option<String> {
        let path = origin::referring_path(&head.uri, &head.headers, self.config.site.origin.scheme())?;
        let path = RequestPath::parse(&path).ok()?;
        let is_page = !path.is_reserved() && !path.has_empty_segment();
        is_page.then(|| path.canonical())
    }

    /// Handles a client error report.
    pub(crate) async fn client_error_report(&self, call: Call<'_>) -> Result<Response, SiteError> {
        self.require_same_origin(call.head)?;
        self.client_error_reports
            .receive(call.snapshot, call.cookies, call.body, call.head.client.address)
            .await?;
        Ok(empty(StatusCode::NO_CONTENT))
    }

    /// Rejects a request from another site's page.
    pub(crate) fn require_same_origin(&self, head: &Parts) -> Result<(), SiteError> {
        let scheme = self.config.site.origin.scheme();
        if origin::is_same_origin(&head.uri, &head.headers, scheme) {
            Ok(())
        } else {
            Err(HttpError::CrossOrigin.into())
        }
    }

    /// Counts a document that a browser shows, for canary analysis.
    fn count_view(&self, snapshot: &Snapshot, selection: &DeploymentSelection, head: &Head) {
        if let (Some(state), &Method::GET, false) = (analyzed(snapshot), &head.method, selection.is_preview())
        {
            let client = self.canary.client_hash(head.client.address);
            self.canary.record_view(&state.visible, selection.set(), client);
        }
    }
}

/// The live state, if a rollout is running: canary analysis needs nothing else, and hashing clients
/// costs more than most of a request.
pub(crate) fn analyzed(snapshot: &Snapshot) -> Option<&LiveState> {
    let state = snapshot.state()?;
    (!state.visible.rollouts().is_empty()).then_some(state)
}

/// The canonical query of a request for a page.
fn search_of(page: &PageManifest, head: &Parts) -> Result<String, MalformedSearch> {
    canonical_search(&page.search, head.uri.query().unwrap_or_default())
}

/// Redirects to the same path without its trailing slash, and with the query that its page declares.
/// The path begins with exactly one slash and contains no backslash, so the location cannot name
/// another host.
fn redirect_without_slash(call: &Call<'_>) -> Result<Response, SiteError> {
    let Call {
        snapshot,
        head,
        cookies,
        ..
    } = *call;
    let path = head.uri.path().trim_end_matches('/');
    let target = RequestPath::parse(path)?;
    let selection =
        DeploymentSelection::new(snapshot, cookies, Some(&target)).ok_or(SiteError::NothingLive)?;
    let page = selection.deployment.page(&target);
    let search = page.and_then(|page| search_of(page, head).ok());
    let location = with_search(path.to_owned(), &search.unwrap_or_default());
    redirect(StatusCode::PERMANENT_REDIRECT, &location).ok_or(HttpError::NotFound.into())
}
