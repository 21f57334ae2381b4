//! The site listener: finds the route of a request and turns errors into responses.

use std::net::IpAddr;
use std::sync::Arc;

use http::request::Parts;
use http::{Method, StatusCode};
use tokio::time::Instant;

use colonnade_clock::poll;
use colonnade_config::Config;
use colonnade_model::deployment::LiveState;
use colonnade_model::pattern::RequestPath;
use colonnade_model::search::{MalformedSearch, canonical_search, with_search};
use colonnade_platform::deployment::{Deployments, Snapshot};
use colonnade_platform::rollout::{CanaryAnalysis, ExtensionRender, Measurement};
use colonnade_render::ExtensionOutcomes;
use colonnade_store::loaded::PageManifest;
use colonnade_upstream::Upstreams;
use colonnade_web::body::RequestBody;
use colonnade_web::client::{ClientAddress, client_key};
use colonnade_web::content_negotiation::prefers_html;
use colonnade_web::cookie::Cookies;
use colonnade_web::health::ShutdownSignal;
use colonnade_web::origin;
use colonnade_web::problem::{Audience, HttpError, respond};
use colonnade_web::response::{Response, ServedBy, empty, redirect};

use crate::asset::Assets;
use crate::call::Call;
use crate::deployment_selection::{DeploymentSelection, has_selected, rollout_side, track};
use crate::document::{Documents, RequestedPage};
use crate::error::{SiteError, visitor, visitor_from};
use crate::integrations::{self, BackendError, Integrations};
use crate::manifest_cache::ManifestCache;
use crate::metrics::SiteMetrics;
use crate::preview;
use crate::reports::ClientErrorReports;
use crate::reports::error::ReportError;
use crate::routes::{PAGE_DATA, REMOTES, RouteTable};
use crate::unknown_names::{has_unknown_name, has_unknown_preview};
use crate::wellknown::RootFiles;

/// The most bytes of a path and query.
const MAX_URI_BYTES: usize = 8 * 1024;

/// The route name of requests whose path cannot be decoded.
const INVALID_REQUEST: &str = "invalid_request";

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
    routes: RouteTable,
    canary: Arc<CanaryAnalysis>,
    client_error_reports: ClientErrorReports,
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

impl Site {
    /// The site that this configuration describes.
    pub fn new(config: Config, parts: SiteParts, metrics: &SiteMetrics) -> Result<Self, BackendError> {
        let SiteParts {
            deployments,
            canary,
            documents,
            upstreams,
            shutdown,
        } = parts;
        Ok(Self {
            routes: RouteTable::new(integrations::routes(&config)),
            integrations: Integrations::new(&config, &documents, &metrics.integrations)?,
            files: RootFiles::new(&config.files),
            manifests: ManifestCache::new(),
            assets: Assets::new(config.assets),
            client_error_reports: ClientErrorReports::new(Arc::clone(&deployments), Arc::clone(&canary)),
            config,
            deployments,
            canary,
            documents,
            upstreams,
            shutdown,
        })
    }

    /// Applies what SIGHUP reloads of the configuration. Responses show it from now on.
    pub async fn reload(&self, config: &Config) {
        if self.documents.reload(config) {
            self.deployments.warm_again();
        }
        self.deployments.replace_settings(config).await;
        self.integrations.reload(config);
    }

    /// Halves all caches while memory is short.
    pub fn shrink_caches(&self) {
        self.assets.shrink_cache();
        self.documents.shrink_caches();
        self.manifests.shrink();
        self.upstreams.shrink_cache();
    }

    /// The audience of errors that occur before a route is found.
    pub fn audience(&self) -> Audience {
        visitor(&self.deployments.current(), &self.documents.site())
    }

    /// Whether visitors use HTTPS, so that cookies and browsers can be restricted to it.
    pub fn is_secure(&self) -> bool {
        self.config.site.origin.scheme() == "https"
    }

    /// The cookies of a request.
    fn cookies<'a>(&self, head: &'a Parts) -> Cookies<'a> {
        Cookies::new(&head.headers, self.is_secure())
    }

    /// Handles a request.
    pub async fn handle(&self, head: &Parts, body: RequestBody) -> Response {
        let started_at = poll::now();
        // The whole request uses one snapshot.
        let mut snapshot = self.deployments.current();
        let mut response = match parse_path(head) {
            Ok(path) => {
                let caught_up = self.catch_up(&mut snapshot, &path, head).await;
                let call = Call {
                    snapshot: &snapshot,
                    path: &path,
                    parameter: "",
                    head,
                    cookies: self.cookies(head),
                    body,
                };
                self.route(call, caught_up).await
            }
            Err(error) => {
                let mut response = respond(&error, visitor(&snapshot, &self.documents.site()));
                ServedBy::of(&mut response).route = Some(INVALID_REQUEST.into());
                response
            }
        };
        let served_by = ServedBy::of(&mut response);
        served_by.track = served_by.deployment.as_ref().map(|set| track(&snapshot, set));
        served_by.rollout_side = rollout_side(&snapshot, served_by);
        if served_by.deployment.is_some() {
            self.measure(&snapshot, head, &response, started_at);
        } else {
            served_by.deployment = snapshot.live().map(|live| live.set.clone());
        }
        response
    }

    /// Replaces the snapshot by one with all changes so far, if a request names something that it
    /// does not have.
    async fn catch_up(
        &self,
        snapshot: &mut Arc<Snapshot>,
        path: &RequestPath,
        head: &Parts,
    ) -> Result<(), SiteError> {
        let cookies = self.cookies(head);
        let has_unknown_name = has_unknown_name(snapshot, path, cookies);
        if !has_unknown_name && !has_unknown_preview(snapshot, cookies) {
            return Ok(());
        }
        // Not the cached time, which may precede a change that the visitor has seen. The future is
        // large, and rarely needed.
        match Box::pin(self.deployments.current_since(Instant::now())).await {
            Ok(current) => *snapshot = current,
            Err(error) if has_unknown_name => return Err(error.into()),
            // The preview has ended, as far as this gateway knows.
            Err(_) => {}
        }
        Ok(())
    }

    /// Handles a request by the route of its path.
    async fn route(&self, call: Call<'_>, caught_up: Result<(), SiteError>) -> Response {
        let (snapshot, head) = (call.snapshot, call.head);
        let (route, parameter) = match self.files.get(call.path) {
            Some(_) => (&self.routes.file, ""),
            None => self.routes.find(call.path),
        };
        let result = match (route.methods.check(&call.head.method), caught_up) {
            (Ok(None), Err(error)) => Err(error),
            (Ok(None), Ok(())) => (route.handler.handle)(self, Call { parameter, ..call }).await,
            (Ok(Some(options)), _) => Ok(options),
            (Err(error), _) => Err(error.into()),
        };
        let mut response = result.unwrap_or_else(|error| {
            let site = self.documents.site();
            let audience = route.handler.errors.audience(snapshot, &site, head);
            let mut response = respond(&error, audience);
            let served_by = ServedBy::of(&mut response);
            served_by.deployment = error.deployment().cloned();
            served_by.section = error.section().map(ToOwned::to_owned);
            response
        });
        let served_by = ServedBy::of(&mut response);
        served_by.route.get_or_insert_with(|| route.name.clone());
        served_by.kind = route.handler.kind;
        response
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
        let client = client_key(&head.extensions);
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
        let address = client_address(call.head)?;
        self.client_error_reports
            .receive(call.snapshot, call.cookies, call.body, address)
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
    fn count_view(&self, snapshot: &Snapshot, selection: &DeploymentSelection, head: &Parts) {
        let address = head.extensions.get::<ClientAddress>();
        if let (Some(state), Some(ClientAddress(address)), &Method::GET, false) =
            (analyzed(snapshot), address, &head.method, selection.is_preview())
        {
            let client = self.canary.client_hash(*address);
            self.canary.record_view(&state.visible, selection.set(), client);
        }
    }

    /// Measures a document or page data, for canary analysis.
    fn measure(&self, snapshot: &Snapshot, head: &Parts, response: &Response, started_at: Instant) {
        let (Some(state), Some(ClientAddress(address)), &Method::GET) =
            (analyzed(snapshot), head.extensions.get(), &head.method)
        else {
            return;
        };
        let served_by = &response.body().served_by;
        let Some(deployment) = &served_by.deployment else {
            return;
        };
        let (section, route) = (served_by.section.as_ref(), served_by.route.as_ref());
        let is_of = |name: &str| route.is_some_and(|route| route == name);
        // Remotes show nothing. Anyone can name a deployment in the URL of page data.
        let is_foreign = is_of(PAGE_DATA) && !has_selected(snapshot, self.cookies(head), deployment);
        if is_foreign || is_of(REMOTES) {
            return;
        }
        let is_server_error = response.status().is_server_error();
        // The error of a page is no render of it.
        let page = section.zip(route).filter(|_| !is_server_error);
        let path = head.uri.path();
        let measurement = Measurement {
            is_server_error,
            page: page.map(|(section, pattern)| self.canary.page_hash(section, pattern, path)),
            not_rendered: response.extensions().get().copied(),
            extensions: &self.extension_renders(snapshot, response, path),
            latency: poll::refresh().duration_since(started_at),
        };
        let client = self.canary.client_hash(*address);
        self.canary
            .record_response(&state.visible, deployment, client, measurement);
    }

    /// How those extensions of a document were rendered that candidates change.
    fn extension_renders(
        &self,
        snapshot: &Snapshot,
        response: &Response,
        path: &str,
    ) -> Vec<ExtensionRender> {
        let outcomes = response.extensions().get::<ExtensionOutcomes>();
        let renders = outcomes.into_iter().flat_map(|outcomes| &**outcomes);
        let renders = renders.map(|outcome| ExtensionRender {
            candidates: snapshot.candidates_of(&outcome.manifest.section.name).collect(),
            place: self.canary.extension_hash(&outcome.manifest, path),
            not_rendered: outcome.not_rendered,
        });
        renders.filter(|render| !render.candidates.is_empty()).collect()
    }
}

/// The live state, if a rollout is running: canary analysis needs nothing else, and hashing clients
/// costs more than most of a request.
fn analyzed(snapshot: &Snapshot) -> Option<&LiveState> {
    let state = snapshot.state()?;
    (!state.visible.rollouts().is_empty()).then_some(state)
}

/// The address of the client that sends a report.
fn client_address(head: &Parts) -> Result<IpAddr, ReportError> {
    let address = head.extensions.get();
    let ClientAddress(address) = address.ok_or(ReportError::Malformed)?;
    Ok(*address)
}

/// Decodes the path of a request.
fn parse_path(head: &Parts) -> Result<RequestPath, SiteError> {
    let uri = head.uri.path_and_query();
    if uri.is_some_and(|uri| uri.as_str().len() > MAX_URI_BYTES) {
        return Err(HttpError::UriTooLong.into());
    }
    Ok(RequestPath::parse(head.uri.path())?)
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
