//! The site listener's routes.

use std::sync::Arc;

use http::header::{CACHE_CONTROL, CONTENT_ENCODING, VARY};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use url::form_urlencoded;

use crate::asset::Assets;
use crate::config::{Config, SignupLimits};
use crate::deployment::{ChangeError, Deployments, PageAnswer, Snapshot};
use crate::document::{Asked, Documents};
use crate::health::Stopping;
use crate::metrics::Metrics;
use crate::negotiate::Coding;
use crate::net::RequestBody;
use crate::pattern::RequestPath;
use crate::reply::{
    FromDeployment, JSON, Methods, Peer, Reply, Request, Route, client, empty, json, redirect, reply,
};
use crate::rescue::{Audience, Error, rescue};
use crate::rollout::{Heard, Judge, ReportError, Verdict, receive};
use crate::signup::{BackendError, Signups};
use crate::violation::{ViolationError, Violations};
use crate::visit::Visit;
use crate::{asset, health, negotiate, origin, partner, preview, publish, wellknown};

/// The most bytes of a path and query.
const MAX_ADDRESS: usize = 8 * 1024;

/// How long a browser may keep what it was told about a path: a deployment never changes.
const PAGE_ANSWER: HeaderValue = HeaderValue::from_static("public, max-age=300");

/// What the log calls a request whose address is none.
const REFUSED: &str = "refused";

/// Everything the site listener answers from.
pub(crate) struct Site {
    config: Config,
    deployments: Arc<Deployments>,
    documents: Arc<Documents>,
    assets: Assets,
    signups: Signups,
    judge: Arc<Judge>,
    heard: Heard,
    stopping: Stopping,
    violations: Violations,
}

/// Where a path leads.
enum Target<'a> {
    Alive,
    Ready,
    Robots,
    Sitemap,
    Manifest,
    Asset(&'a [String]),
    PageAnswer(&'a str),
    Signup,
    /// The link of a preview.
    Preview(&'a str),
    EndPreview,
    Report,
    Violation,
    Partner(&'a str),
    /// Below `/go`, but not the address of a partner.
    NoPartner,
    /// Below a reserved segment, but nothing is there.
    Nothing,
    Document,
}

impl Target<'_> {
    fn of(path: &RequestPath) -> Target<'_> {
        if !path.is_reserved() {
            return Target::Document;
        }
        let segments = path.segments();
        let names: Vec<&str> = segments.iter().map(String::as_str).collect();
        match names.as_slice() {
            ["go", id] if !path.has_trailing_slash() => Target::Partner(id),
            ["go", ..] => Target::NoPartner,
            _ if path.has_trailing_slash() => Target::Nothing,
            ["healthz"] => Target::Alive,
            ["readyz"] => Target::Ready,
            ["robots.txt"] => Target::Robots,
            ["sitemap.xml"] => Target::Sitemap,
            ["manifest.webmanifest"] => Target::Manifest,
            ["assets", ..] => Target::Asset(&segments[1..]),
            ["_page", _] => Target::PageAnswer(&segments[1]),
            ["functions", "v1", "signup"] => Target::Signup,
            ["_preview", "end"] => Target::EndPreview,
            ["_preview", token] => Target::Preview(token),
            ["_report"] => Target::Report,
            ["_csp"] => Target::Violation,
            _ => Target::Nothing,
        }
    }

    /// What the route is called in the log.
    fn route(&self) -> &'static str {
        match self {
            Self::Alive => "/healthz",
            Self::Ready => "/readyz",
            Self::Robots => "/robots.txt",
            Self::Sitemap => "/sitemap.xml",
            Self::Manifest => "/manifest.webmanifest",
            Self::Asset(_) => "/assets",
            Self::PageAnswer(_) => "/_page",
            Self::Signup => "/functions/v1/signup",
            Self::Preview(_) => "/_preview/:token",
            Self::EndPreview => "/_preview/end",
            Self::Report => "/_report",
            Self::Violation => "/_csp",
            Self::Partner(_) => "/go/:partner",
            Self::NoPartner | Self::Nothing | Self::Document => "unmatched",
        }
    }

    fn methods(&self) -> Methods {
        match self {
            Self::Signup | Self::EndPreview | Self::Report | Self::Violation => Methods::Post,
            _ => Methods::Get,
        }
    }

    /// Whether it may be there although this view of the store does not have it.
    fn is_news(&self, snapshot: &Snapshot, headers: &HeaderMap) -> bool {
        match self {
            Self::Asset(segments) => {
                segments.len() > 2 && asset::release(snapshot, segments, headers).is_none()
            }
            Self::PageAnswer(number) => {
                number.parse().is_ok_and(|number| snapshot.is_before(number))
                    || preview::has_news(snapshot, headers)
            }
            Self::Preview(token) => preview::is_news(snapshot, token),
            Self::Document | Self::Partner(_) | Self::NoPartner | Self::Signup => {
                preview::has_news(snapshot, headers)
            }
            _ => false,
        }
    }

    fn audience(&self, snapshot: &Snapshot, brand: &Arc<str>) -> Audience {
        match self {
            // Links to partners and previews are followed by people.
            Self::Document | Self::Partner(_) | Self::NoPartner | Self::Preview(_) | Self::EndPreview => {
                Audience::person(snapshot, brand)
            }
            Self::PageAnswer(_) | Self::Signup | Self::Report | Self::Violation => Audience::Script,
            _ => Audience::Program,
        }
    }
}

impl Site {
    /// The site this configuration describes.
    pub(crate) fn new(
        config: Config,
        deployments: Arc<Deployments>,
        documents: Arc<Documents>,
        stopping: Stopping,
        metrics: &Metrics,
    ) -> Result<Self, BackendError> {
        Ok(Self {
            documents,
            assets: Assets::new(config.assets),
            signups: Signups::new(&config, metrics.signups.clone())?,
            judge: Arc::new(Judge::new(config.rollout)),
            heard: Heard::default(),
            violations: Violations::new(metrics.policy.clone()),
            config,
            deployments,
            stopping,
        })
    }

    /// From now on sign-ups are held to these limits.
    pub(crate) fn limit_sign_ups(&self, limits: SignupLimits) {
        self.signups.limit(limits);
    }

    /// Who reads what is said when a request could not be answered at all.
    pub(crate) fn audience(&self) -> Audience {
        Audience::person(&self.deployments.current(), &self.config.site.brand)
    }

    /// Answers a request.
    pub(crate) async fn answer(&self, request: Request) -> Reply {
        let (head, body) = request.into_parts();
        let path = path(&head);
        let asked = path.as_ref().map(|path| (path, Target::of(path)));
        // The request sees this view unchanged to its end.
        let snapshot = self
            .view(asked.as_ref().ok().map(|(_, target)| target), &head)
            .await;
        let (mut reply, route) = match asked {
            Ok((path, target)) => self.route(&snapshot, target, path, &head, body).await,
            Err(error) => {
                let reader = Audience::person(&snapshot, &self.config.site.brand);
                (rescue(error, reader), REFUSED)
            }
        };
        let extensions = reply.extensions_mut();
        if extensions.get::<Route>().is_none() {
            extensions.insert(Route(route.into()));
        }
        if let Some(set) = snapshot.live() {
            extensions.get_or_insert(FromDeployment(set.number()));
        }
        reply
    }

    /// The view of the store that a request is answered from: the present one, or that after another look where it
    /// asks for what another gateway on the store may have made just now.
    async fn view(&self, target: Option<&Target<'_>>, request: &Parts) -> Arc<Snapshot> {
        let snapshot = self.deployments.current();
        let is_news = |target: &Target<'_>| {
            target.methods().allow(&request.method) && target.is_news(&snapshot, &request.headers)
        };
        if target.is_some_and(is_news) {
            return Box::pin(self.deployments.look()).await;
        }
        snapshot
    }

    /// Answers by a route.
    async fn route(
        &self,
        snapshot: &Snapshot,
        target: Target<'_>,
        path: &RequestPath,
        request: &Parts,
        body: RequestBody,
    ) -> (Reply, &'static str) {
        let (route, methods) = (target.route(), target.methods());
        let audience = target.audience(snapshot, &self.config.site.brand);
        let reply = if methods.allow(&request.method) {
            self.lead(snapshot, target, path, request, body).await
        } else if request.method == Method::OPTIONS {
            Ok(methods.options())
        } else {
            Err(Error::Method(methods))
        };
        (reply.unwrap_or_else(|error| rescue(&error, audience)), route)
    }

    async fn lead(
        &self,
        snapshot: &Snapshot,
        target: Target<'_>,
        path: &RequestPath,
        request: &Parts,
        body: RequestBody,
    ) -> Result<Reply, Error> {
        match target {
            Target::Alive => Ok(health::alive()),
            Target::Ready => Ok(health::ready(snapshot, &self.stopping)),
            Target::Robots => Ok(wellknown::robots(&self.config.site.origin)),
            Target::Sitemap => {
                let set = snapshot.live().ok_or(Error::NothingLive)?;
                Ok(wellknown::sitemap(&self.config.site.origin, set))
            }
            Target::Manifest => {
                let set = snapshot.live().ok_or(Error::NothingLive)?;
                let brand = &self.config.site.brand;
                Ok(wellknown::manifest(&request.headers, brand, &set.frame))
            }
            Target::Asset(segments) => {
                let store = self.deployments.store();
                self.assets.answer(store, snapshot, segments, request).await
            }
            Target::PageAnswer(number) => page_answer(snapshot, number, request),
            Target::Signup => {
                let visit = Visit::of(snapshot, &request.headers);
                let answer = self.signups.answer(
                    &self.documents,
                    self.deployments.store(),
                    snapshot,
                    visit.as_ref(),
                    request,
                    body,
                );
                Ok(Box::pin(answer).await)
            }
            Target::Preview(token) => preview::enter(snapshot, token, self.is_secure()),
            Target::EndPreview => {
                self.require_same_origin(request)?;
                preview::leave(self.is_secure())
            }
            Target::Report => {
                self.require_same_origin(request)?;
                Box::pin(self.report(snapshot, request, body)).await
            }
            Target::Violation => Box::pin(self.violation(request, body)).await,
            Target::Partner(id) => match partner::answer(&self.config, id) {
                Some(reply) => Ok(reply),
                None => self.document(snapshot, None, request).await,
            },
            Target::NoPartner => self.document(snapshot, None, request).await,
            Target::Document => self.document(snapshot, Some(path), request).await,
            Target::Nothing => Err(Error::NotFound),
        }
    }

    /// The document of a path, or the not-found document.
    async fn document(
        &self,
        snapshot: &Snapshot,
        path: Option<&RequestPath>,
        request: &Parts,
    ) -> Result<Reply, Error> {
        let visit = Visit::of(snapshot, &request.headers).ok_or(Error::NothingLive)?;
        if let Some(path) = path
            && path.has_trailing_slash()
            && !path.has_empty_segment()
        {
            return without_slash(request);
        }
        let page = path.and_then(|path| visit.set.page(path));
        let asked = Asked {
            store: self.deployments.store(),
            visit: &visit,
            page,
            path,
            client: client(&request.extensions),
        };
        let mut reply = self.documents.answer(&request.headers, asked).await;
        visit.remember(&mut reply, self.is_secure());
        let extensions = reply.extensions_mut();
        extensions.insert(FromDeployment(visit.set.number()));
        if let Some(page) = page {
            extensions.insert(Route(page.pattern.clone().into()));
            self.count(&visit, request);
        }
        Ok(reply)
    }

    /// Counts a document that a browser will show.
    fn count(&self, visit: &Visit<'_>, request: &Parts) {
        let peer = request.extensions.get::<Peer>();
        if let (Some((rollout, side)), Some(Peer(address)), &Method::GET) =
            (visit.rollout(), peer, &request.method)
            && let Some(verdict) = self.judge.viewed(rollout, side, *address)
        {
            self.carry_out(verdict);
        }
    }

    async fn report(&self, snapshot: &Snapshot, request: &Parts, body: RequestBody) -> Result<Reply, Error> {
        let Some(&Peer(address)) = request.extensions.get::<Peer>() else {
            return Err(ReportError::Malformed.into());
        };
        let received = receive(
            &request.headers,
            body,
            snapshot,
            &self.judge,
            &self.heard,
            address,
        );
        if let Some(verdict) = received.await? {
            self.carry_out(verdict);
        }
        Ok(empty(StatusCode::NO_CONTENT))
    }

    async fn violation(&self, request: &Parts, body: RequestBody) -> Result<Reply, Error> {
        let Some(&Peer(address)) = request.extensions.get::<Peer>() else {
            return Err(ViolationError::Malformed.into());
        };
        let client = self.judge.client(address);
        self.violations.receive(&request.headers, body, client).await?;
        Ok(empty(StatusCode::NO_CONTENT))
    }

    /// Takes a failed candidate back. Nobody waits for it.
    fn carry_out(&self, Verdict { rollout, reason }: Verdict) {
        let (deployments, judge) = (Arc::clone(&self.deployments), Arc::clone(&self.judge));
        tokio::spawn(async move {
            match deployments.take_back(&rollout, reason).await {
                Ok(_) => {}
                // Somebody promoted or aborted it in the meantime, or changed it by a deploy of another section: then
                // it is to be judged again.
                Err(ChangeError::NotCandidate { .. }) => judge.appeal(&rollout),
                Err(error) => {
                    tracing::error!(event = "automatic_abort_failed", error = %error);
                    judge.appeal(&rollout);
                }
            }
        });
    }

    fn require_same_origin(&self, request: &Parts) -> Result<(), Error> {
        let scheme = self.config.site.origin.scheme();
        if origin::is_same(&request.uri, &request.headers, scheme) {
            Ok(())
        } else {
            Err(Error::CrossOrigin)
        }
    }

    /// Whether visitors come by https, so that cookies and browsers may be kept to that.
    pub(crate) fn is_secure(&self) -> bool {
        self.config.site.origin.scheme() == "https"
    }
}

/// The path of a request, unless its address is none.
fn path(request: &Parts) -> Result<RequestPath, Error> {
    let address = request.uri.path_and_query();
    if address.is_some_and(|address| address.as_str().len() > MAX_ADDRESS) {
        return Err(Error::TooLong);
    }
    Ok(RequestPath::parse(request.uri.path())?)
}

/// Redirects to the same path without its last slash. The path begins with one slash and no other, and holds no
/// backslash, so it cannot name another host.
fn without_slash(request: &Parts) -> Result<Reply, Error> {
    let path = request.uri.path().trim_end_matches('/');
    let query = request
        .uri
        .query()
        .map(|query| format!("?{query}"))
        .unwrap_or_default();
    redirect(StatusCode::PERMANENT_REDIRECT, &format!("{path}{query}")).ok_or(Error::NotFound)
}

/// A page as data, compressed for who accepts that: half of its bytes.
fn page_reply(page: &PageAnswer, headers: &HeaderMap) -> Reply {
    let coding = negotiate::coding(headers, &[Coding::Gzip, Coding::Br]);
    let body = serde_json::to_vec(page).ok();
    let body = body.and_then(|body| publish::encode(&body, coding, publish::Effort::Quick).ok());
    let Some(body) = body else {
        return json(StatusCode::OK, page);
    };
    let mut reply = reply(StatusCode::OK, JSON, body);
    let headers = reply.headers_mut();
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if coding != Coding::Identity {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
    }
    reply
}

/// Which page of a deployment a path belongs to.
fn page_answer(snapshot: &Snapshot, number: &str, request: &Parts) -> Result<Reply, Error> {
    let number: u64 = number.parse().map_err(|_| Error::NotFound)?;
    let set = snapshot
        .set(number)
        .filter(|set| preview::may_see(snapshot, &request.headers, set))
        .ok_or(Error::NotKept)?;
    let query = request.uri.query().unwrap_or_default();
    let mut parameters = form_urlencoded::parse(query.as_bytes());
    let path = parameters
        .find(|(name, _)| name == "path")
        .map(|(_, path)| path)
        .ok_or(Error::NotFound)?;
    let path = RequestPath::parse(&path)?;
    let page = set.page(&path).ok_or(Error::NotFound)?;
    let mut reply = page_reply(page, &request.headers);
    if !set.deployment.preview {
        reply.headers_mut().insert(CACHE_CONTROL, PAGE_ANSWER);
    }
    reply.extensions_mut().insert(FromDeployment(number));
    Ok(reply)
}
