//! The site listener: finds the route of a request and turns errors into responses.

use std::future::ready;
use std::sync::Arc;

use http::Method;
use tokio::time::Instant;

use colonnade_clock::poll;
use colonnade_config::Config;
use colonnade_model::pattern::RequestPath;
use colonnade_platform::deployment::Snapshot;
use colonnade_platform::rollout::{ExtensionRender, Measurement};
use colonnade_render::ExtensionOutcomes;
use colonnade_web::body::RequestBody;
use colonnade_web::problem::{Audience, HttpError, respond};
use colonnade_web::request::Head;
use colonnade_web::response::{Response, ServedBy};
use colonnade_web::router::Route;

use crate::asset::Assets;
use crate::call::Call;
use crate::deployment_selection::{has_selected, rollout_side, track};
use crate::error::{SiteError, visitor};
use crate::integrations::{self, BackendError, Integrations};
use crate::manifest_cache::ManifestCache;
use crate::metrics::SiteMetrics;
use crate::reports::ClientErrorReports;
use crate::routes::{self, PAGE_DATA, REMOTES};
use crate::site::{Endpoint, HandlerFuture, Site, SiteParts, analyzed};
use crate::unknown_names::{has_unknown_name, has_unknown_preview};
use crate::wellknown::RootFiles;

/// The most bytes of a path and query.
const MAX_URI_BYTES: usize = 8 * 1024;

/// The route name of requests whose path cannot be decoded.
const INVALID_REQUEST: &str = "invalid_request";

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
            routes: routes::table(integrations::routes(&config)),
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

    /// Handles a request.
    pub async fn handle(&self, head: &Head, body: RequestBody) -> Response {
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
                let (route, handled) = self.route(call, caught_up);
                let result = handled.await;
                self.respond(&snapshot, head, route, result)
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
        head: &Head,
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

    /// The route of a request, which handles it. No async function, whose future would keep the
    /// request, too.
    fn route<'a>(
        &'a self,
        call: Call<'a>,
        caught_up: Result<(), SiteError>,
    ) -> (&'a Route<Endpoint>, HandlerFuture<'a>) {
        let (route, parameter) = match self.files.get(call.path) {
            Some(_) => (&self.routes.file, ""),
            None => self.routes.find(call.path),
        };
        let result = match (route.methods.check(&call.head.method), caught_up) {
            (Ok(None), Ok(())) => {
                return (route, (route.handler.handle)(self, Call { parameter, ..call }));
            }
            (Ok(None), Err(error)) => Err(error),
            (Ok(Some(options)), _) => Ok(options),
            (Err(error), _) => Err(error.into()),
        };
        (route, Box::pin(ready(result)))
    }

    /// The response of a route.
    fn respond(
        &self,
        snapshot: &Snapshot,
        head: &Head,
        route: &Route<Endpoint>,
        result: Result<Response, SiteError>,
    ) -> Response {
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

    /// Measures a document or page data, for canary analysis.
    fn measure(&self, snapshot: &Snapshot, head: &Head, response: &Response, started_at: Instant) {
        let (Some(state), &Method::GET) = (analyzed(snapshot), &head.method) else {
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
        let client = self.canary.client_hash(head.client.address);
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

/// Decodes the path of a request.
fn parse_path(head: &Head) -> Result<RequestPath, SiteError> {
    let uri = head.uri.path_and_query();
    if uri.is_some_and(|uri| uri.as_str().len() > MAX_URI_BYTES) {
        return Err(HttpError::UriTooLong.into());
    }
    Ok(RequestPath::parse(head.uri.path())?)
}
