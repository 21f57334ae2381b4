//! The route table of the site listener.

use std::borrow::Cow;
use std::future::ready;

use http::StatusCode;

use colonnade_model::release::is_name;
use colonnade_platform::deployment::Snapshot;
use colonnade_web::health;
use colonnade_web::problem::HttpError;
use colonnade_web::response::{RequestKind, Response, json};
use colonnade_web::router::{Methods, Route, Router};

use crate::error::{ErrorFormat, SiteError};
use crate::integrations::prefixes;
use crate::route_table::RouteTable;
use crate::site::{Endpoint, Handler};
use crate::wellknown::RootIcon;
use crate::{page_manifest, preview, remotes, wellknown};

/// The name of requests that match no route, in logs and metrics. Documents of a page are named by
/// its pattern.
const UNMATCHED: &str = "unmatched";

/// The name of requests for the operator's files at the root.
const FILES: &str = "files";

/// The name of requests for page data.
pub(crate) const PAGE_DATA: &str = "/_page";

/// The name of requests for the remotes of a set.
pub(crate) const REMOTES: &str = "/_remotes";

/// The table with the routes of these integrations.
pub(crate) fn table(integrations: Vec<Route<Endpoint>>) -> RouteTable<Endpoint> {
    RouteTable {
        asset: serving(
            RequestKind::Asset,
            get("/assets", ErrorFormat::Text, |site, call| {
                Box::pin(site.assets.respond(site.deployments.store(), call))
            }),
        ),
        reserved: Router::new(reserved_routes().into_iter().chain(integrations)),
        document: serving(
            RequestKind::Document,
            get("", ErrorFormat::Page, |site, call| {
                Box::pin(async move {
                    if wellknown::is_for_service_worker(&call.head.headers) {
                        return Ok(wellknown::service_worker_removal());
                    }
                    site.document(&call, Some(call.path)).await
                })
            })
            .named(UNMATCHED),
        ),
        file: get(FILES, ErrorFormat::Text, |site, call| {
            let file = site.files.get(call.path);
            let response = file.map(|file| file.respond(&call.head.headers));
            Box::pin(ready(response.ok_or_else(|| HttpError::NotFound.into())))
        }),
        upstream: Route::new(
            Methods::ANY,
            "/api",
            Endpoint {
                kind: RequestKind::Upstream,
                errors: ErrorFormat::Json,
                handle: |site, call| Box::pin(async move { Ok(site.forward(call).await) }),
            },
        ),
        unknown_link: serving(
            RequestKind::Document,
            get("", ErrorFormat::Page, |site, call| {
                Box::pin(async move { site.document(&call, None).await })
            })
            .named(UNMATCHED),
        ),
        not_found: get("", ErrorFormat::PageOrText, |_, _| {
            Box::pin(ready(Err(HttpError::NotFound.into())))
        })
        .named(UNMATCHED),
    }
}

fn reserved_routes() -> [Route<Endpoint>; 13] {
    use ErrorFormat::{Json, Page, Text};
    [
        get("/healthz", Text, |_, _| Box::pin(ready(Ok(health::liveness())))),
        get("/readyz", Text, |site, _| {
            let readiness = site.deployments.readiness();
            Box::pin(ready(Ok(health::readiness(&readiness, &site.shutdown))))
        }),
        get("/robots.txt", Text, |site, _| {
            let disallowed = prefixes(&site.config);
            Box::pin(ready(Ok(wellknown::robots(&site.config.site.origin, disallowed))))
        }),
        get("/sitemap.xml", Text, |site, call| {
            let live = call.snapshot.live().ok_or(SiteError::NothingLive);
            Box::pin(async {
                let sitemap = wellknown::sitemap(&site.config.site.origin, live?, call.head).await;
                sitemap.ok_or_else(|| HttpError::NotFound.into())
            })
        }),
        get("/manifest.webmanifest", Text, |site, call| {
            let live = call.snapshot.live().ok_or(SiteError::NothingLive);
            let view = site.documents.site();
            let response = live.map(|live| wellknown::manifest(&call.head.headers, &view, &live.frame));
            Box::pin(ready(response))
        }),
        get("/favicon.ico", Text, |_, call| {
            Box::pin(ready(root_icon(call.snapshot, RootIcon::Favicon)))
        }),
        get("/apple-touch-icon.png", Text, |_, call| {
            Box::pin(ready(root_icon(call.snapshot, RootIcon::Touch)))
        }),
        serving(
            RequestKind::PageData,
            get("/_page/{deployment}", Json, |site, call| {
                Box::pin(page_manifest::respond(site, call))
            })
            .named(PAGE_DATA),
        ),
        get("/_remotes/{deployment}", Json, |site, call| {
            Box::pin(remotes::respond(site, call))
        })
        .named(REMOTES),
        get("/_build-target/{section}", Json, |site, call| {
            let view = site.documents.site();
            let target = view.build_target(call.parameter, call.snapshot.live());
            let response = is_name(call.parameter).then(|| json(StatusCode::OK, &target));
            Box::pin(ready(response.ok_or_else(|| HttpError::NotFound.into())))
        })
        .named("/_build-target"),
        post("/_preview/end", Page, |site, call| {
            let is_allowed = site.require_same_origin(call.head);
            Box::pin(ready(is_allowed.and_then(|()| preview::leave(site.is_secure()))))
        }),
        get_post("/_preview/{token}", Page, |site, call| {
            Box::pin(ready(site.preview(&call)))
        }),
        post("/_report", Json, |site, call| {
            Box::pin(site.client_error_report(call))
        }),
    ]
}

fn root_icon(snapshot: &Snapshot, wanted: RootIcon) -> Result<Response, SiteError> {
    let live = snapshot.live().ok_or(SiteError::NothingLive)?;
    wellknown::icon(&live.frame, wanted).ok_or_else(|| HttpError::NotFound.into())
}

/// A route that serves this kind of requests.
fn serving(kind: RequestKind, mut route: Route<Endpoint>) -> Route<Endpoint> {
    route.handler.kind = kind;
    route
}

/// A route for GET.
pub(crate) fn get(
    pattern: impl Into<Cow<'static, str>>,
    errors: ErrorFormat,
    handle: Handler,
) -> Route<Endpoint> {
    Route::new(Methods::GET, pattern, other(errors, handle))
}

/// A route for POST.
pub(crate) fn post(pattern: &'static str, errors: ErrorFormat, handle: Handler) -> Route<Endpoint> {
    Route::new(Methods::POST, pattern, other(errors, handle))
}

fn get_post(pattern: &'static str, errors: ErrorFormat, handle: Handler) -> Route<Endpoint> {
    Route::new(Methods::GET.and(Methods::POST), pattern, other(errors, handle))
}

fn other(errors: ErrorFormat, handle: Handler) -> Endpoint {
    Endpoint {
        kind: RequestKind::Other,
        errors,
        handle,
    }
}

#[cfg(test)]
mod tests {
    use colonnade_model::pattern::RequestPath;

    use super::table;

    #[test]
    fn route_table_finds_route_and_parameter_of_each_path() {
        let routes = table(Vec::new());
        for (path, name, parameter) in [
            ("/", "unmatched", ""),
            ("/state/Ohio", "unmatched", ""),
            ("/healthz", "/healthz", ""),
            ("/healthz/", "unmatched", ""),
            ("/assets", "/assets", ""),
            ("/assets/shell/1.0.0/a%2Db.js", "/assets", "shell/1.0.0/a-b.js"),
            ("/assets/shell//main.js", "/assets", "shell//main.js"),
            ("/assets/shell/1.0.0/", "unmatched", ""),
            ("/_page/1", "/_page", "1"),
            ("/_page", "unmatched", ""),
            ("/_page//", "unmatched", ""),
            ("/_page/1/2", "unmatched", ""),
            ("/_remotes/1.2", "/_remotes", "1.2"),
            ("/_remotes", "unmatched", ""),
            ("/_preview/end", "/_preview/end", ""),
            ("/_preview/e%6Ed", "/_preview/end", ""),
            ("/_preview/a.b", "/_preview/:token", "a.b"),
            ("/functions/v1/other", "unmatched", ""),
            ("/_other", "unmatched", ""),
            ("/go/a", "unmatched", ""),
            ("/api", "/api", ""),
            ("/api/events/", "/api", ""),
        ] {
            let request_path = RequestPath::parse(path).expect("a valid path");
            let (route, found) = routes.find(&request_path);
            assert_eq!((&*route.name, found), (name, parameter), "{path}");
        }
    }

    #[test]
    fn unknown_link_of_integration_gets_its_own_route() {
        let routes = table(Vec::new());
        for path in ["/go", "/go/", "/go/a/", "/go/a/b", "/go//"] {
            let path = RequestPath::parse(path).expect("a valid path");
            let (route, _) = routes.find(&path);
            assert!(std::ptr::eq(route, &raw const routes.unknown_link), "{path:?}");
        }
        let path = RequestPath::parse("/functions/go").expect("a valid path");
        assert!(std::ptr::eq(routes.find(&path).0, &raw const routes.not_found));
    }
}
