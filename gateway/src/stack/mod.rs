//! The middleware of all listeners, in order. Each layer has a comment with the reason for its place.

#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::sync::Arc;

use colonnade_admin::Admin;
use colonnade_edge::metrics::ShedMetrics;
use colonnade_edge::middleware::{
    LoadShedder, add_security_headers, catch_panic, shed_load, strip_head_body, validate_request,
};
use colonnade_edge::{CurrentSettings, HttpService};
use colonnade_site::Site;
use colonnade_telemetry::{RecordedBody, Recorder};
use colonnade_web::middleware::{Next, from_check, from_fn};
use colonnade_web::problem::Audience;
use colonnade_web::response::Response;
use http::request::Parts;
use http::{Method, Request, StatusCode};
use tower::{Service, ServiceBuilder, service_fn};

use crate::redirect::HttpsRedirect;

/// The service of the site listener.
pub(crate) fn site(
    site: Arc<Site>,
    settings: CurrentSettings,
    shed_metrics: ShedMetrics,
    recorder: Recorder,
) -> impl HttpService {
    let is_secure = site.is_secure();
    let audience = {
        let site = Arc::clone(&site);
        move || site.audience()
    };
    let routes = service_fn(move |request: colonnade_web::response::Request| {
        let site = Arc::clone(&site);
        let (head, body) = request.into_parts();
        // Boxed like the futures of the layers, which keeps tasks small.
        Box::pin(async move { Ok::<_, Infallible>(site.handle(&head, body).await) })
    });
    let shedder = Arc::new(LoadShedder::new(Arc::clone(&settings), shed_metrics));
    let routes = ServiceBuilder::new()
        // Sheds load directly before the routes, which are the expensive part. Only visitors' requests are shed.
        .layer(from_fn(move |request, next| {
            shed_load(request, next, Arc::clone(&shedder))
        }))
        .service(routes);
    stack(recorder, routes, settings, audience, |_, _| (), is_secure)
}

/// The service of the admin listener.
pub(crate) fn admin(admin: Arc<Admin>, settings: CurrentSettings, recorder: Recorder) -> impl HttpService {
    let refused = {
        let admin = Arc::clone(&admin);
        move |head: &Parts, status| admin.log_refused(head, status)
    };
    let routes = service_fn(move |request| {
        let admin = Arc::clone(&admin);
        Box::pin(async move { Ok::<_, Infallible>(admin.handle(request).await) })
    });
    // No HSTS: it applies to all ports of a host, and other services may share the admin listener's host.
    stack(recorder, routes, settings, || Audience::Operator, refused, false)
}

/// The service of the redirect listener.
pub(crate) fn redirect(
    redirect: HttpsRedirect,
    settings: CurrentSettings,
    recorder: Recorder,
) -> impl HttpService {
    let redirect = Arc::new(redirect);
    let routes = service_fn(move |request: colonnade_web::response::Request| {
        let response = redirect.respond(request.uri());
        Box::pin(async move { Ok::<_, Infallible>(response) })
    });
    // No HSTS: browsers ignore it over plain HTTP (RFC 6797, section 8.1).
    stack(recorder, routes, settings, || Audience::Program, |_, _| (), false)
}

/// The layers of all listeners, outermost first.
fn stack<S, B>(
    recorder: Recorder,
    routes: S,
    settings: CurrentSettings,
    audience: impl Fn() -> Audience + Clone + Send + Sync + 'static,
    refused: impl Fn(&Parts, StatusCode) + Clone + Send + Sync + 'static,
    is_secure: bool,
) -> impl Service<Request<B>, Response = http::Response<RecordedBody>, Error = Infallible, Future: Send + 'static>
+ Clone
+ Send
+ 'static
where
    S: Service<Request<B>, Response = Response, Error = Infallible> + Clone + Send + Sync + 'static,
    S::Future: Send + 'static,
    B: Send + 'static,
{
    let panic_audience = audience.clone();
    ServiceBuilder::new()
        // Logs and measures each request. Outermost, to include the responses of all other layers.
        .layer(from_fn(move |request, next| {
            colonnade_telemetry::record(request, next, recorder.clone())
        }))
        // Adds security headers, and strips the body of responses to HEAD. Outside of all layers that create responses.
        .layer(from_fn({
            let settings = Arc::clone(&settings);
            move |request, next| complete_response(request, next, is_secure.then(|| Arc::clone(&settings)))
        }))
        // Turns a panic into a response. Inside of the layers above, so that they treat it like any other response.
        .layer(from_fn(move |request, next| {
            catch_panic(request, next, panic_audience.clone())
        }))
        // Rejects ambiguous requests. Before everything that reads the request.
        .layer(from_check(move |request| {
            validate_request(request, &settings.load(), &audience, &refused)
        }))
        .service(routes)
}

/// The returned future does not contain the request, so that it is small.
fn complete_response<S, B>(
    request: Request<B>,
    next: Next<S>,
    secure: Option<CurrentSettings>,
) -> impl Future<Output = Response>
where
    S: Service<Request<B>, Response = Response, Error = Infallible>,
{
    let is_head = *request.method() == Method::HEAD;
    let response = next.run(request);
    async move {
        let mut response = response.await;
        let hsts = secure.map(|settings| settings.load().hsts.clone());
        add_security_headers(response.headers_mut(), hsts);
        if is_head {
            strip_head_body(&mut response);
        }
        response
    }
}
