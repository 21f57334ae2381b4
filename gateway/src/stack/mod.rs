//! The middleware of all listeners, in order. Each step has a comment with the reason for its
//! place.

#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::Arc;

use colonnade_admin::Admin;
use colonnade_edge::metrics::ShedMetrics;
use colonnade_edge::middleware::{LoadShedder, catch_panic, overloaded, strip_head_body, validate_request};
use colonnade_edge::{ConnectionHandle, CurrentSettings, HttpService};
use colonnade_site::Site;
use colonnade_telemetry::{RecordedBody, Recorder};
use colonnade_web::body::RequestBody;
use colonnade_web::problem::Audience;
use colonnade_web::request::Head;
use colonnade_web::response::Response;
use colonnade_web::security_headers::add_security_headers;
use http::header::STRICT_TRANSPORT_SECURITY;
use http::{Method, StatusCode};

use crate::redirect::HttpsRedirect;

/// What a listener serves behind the middleware.
trait Routes<B>: Send + Sync + 'static {
    /// Responds to a request.
    fn handle(&self, head: &Head, body: B) -> impl Future<Output = Response> + Send;

    /// The audience of errors that occur before a route is found.
    fn audience(&self) -> Audience;

    /// A request was refused with this status before it reached the routes.
    fn refused(&self, _head: &Head, _status: StatusCode) {}
}

/// The middleware of a listener, around its routes.
struct Stack<R> {
    recorder: Recorder,
    settings: CurrentSettings,
    /// Whether clients use HTTPS, and only HTTPS, for this host.
    is_secure: bool,
    shedder: Option<LoadShedder>,
    routes: R,
}

/// The service of the site listener.
pub(crate) fn site(
    site: Arc<Site>,
    settings: CurrentSettings,
    shed_metrics: ShedMetrics,
    recorder: Recorder,
) -> impl HttpService {
    Stack {
        recorder,
        is_secure: site.is_secure(),
        shedder: Some(LoadShedder::new(Arc::clone(&settings), shed_metrics)),
        settings,
        routes: site,
    }
}

/// The service of the admin listener.
pub(crate) fn admin(admin: Arc<Admin>, settings: CurrentSettings, recorder: Recorder) -> impl HttpService {
    Stack {
        recorder,
        settings,
        // No HSTS: it applies to all ports of a host, and other services may share the admin
        // listener's host.
        is_secure: false,
        shedder: None,
        routes: admin,
    }
}

/// The service of the redirect listener.
pub(crate) fn redirect(
    redirect: HttpsRedirect,
    settings: CurrentSettings,
    recorder: Recorder,
) -> impl HttpService {
    Stack {
        recorder,
        settings,
        // No HSTS: browsers ignore it over plain HTTP (RFC 6797, section 8.1).
        is_secure: false,
        shedder: None,
        routes: redirect,
    }
}

impl<R: Routes<RequestBody>> HttpService for Stack<R> {
    type Body = RecordedBody;

    fn respond(
        &self,
        head: &Head,
        body: RequestBody,
        connection: Option<ConnectionHandle>,
    ) -> impl Future<Output = http::Response<RecordedBody>> + Send {
        self.run(head, body, connection)
    }
}

/// The steps. They pass a request on by reference, because moving it costs more than most of them.
impl<R> Stack<R> {
    async fn run<B>(
        &self,
        head: &Head,
        body: B,
        connection: Option<ConnectionHandle>,
    ) -> http::Response<RecordedBody>
    where
        R: Routes<B>,
    {
        // Logs and measures each request. First and last, to include the responses of all other
        // steps.
        let recording = self.recorder.start(head);
        // Turns a panic into a response, which is then treated like any other.
        let response = pin!(self.admit(head, body, connection));
        let response = pin!(catch_panic(response, || self.routes.audience()));
        let mut response = recording.within(response).await;
        // After all steps that create responses.
        if !response.body().has_security_headers {
            add_security_headers(response.headers_mut());
        }
        if self.is_secure {
            // RFC 6797.
            let hsts = self.settings.load().hsts.clone();
            response.headers_mut().insert(STRICT_TRANSPORT_SECURITY, hsts);
        }
        if head.method == Method::HEAD {
            strip_head_body(&mut response);
        }
        recording.finish(response)
    }

    /// Rejects ambiguous requests, before anything else reads them, and then sheds load. Directly
    /// before the routes, which are the expensive part.
    async fn admit<B>(&self, head: &Head, body: B, connection: Option<ConnectionHandle>) -> Response
    where
        R: Routes<B>,
    {
        let audience = || self.routes.audience();
        let refused = |status| self.routes.refused(head, status);
        if let ControlFlow::Break(response) = validate_request(head, &self.settings.load(), audience, refused)
        {
            return response;
        }
        // Only visitors' requests are shed.
        let permit = match &self.shedder {
            Some(shedder) => shedder.admit(head, connection).await,
            None => Ok(None),
        };
        let Ok(permit) = permit else {
            return overloaded();
        };
        let mut response = self.routes.handle(head, body).await;
        if let Some(permit) = permit.filter(|_| !response.body().has_permit) {
            response.body_mut().hold(permit);
        }
        response
    }
}

impl Routes<RequestBody> for Arc<Site> {
    fn handle(&self, head: &Head, body: RequestBody) -> impl Future<Output = Response> + Send {
        Site::handle(self, head, body)
    }

    fn audience(&self) -> Audience {
        Site::audience(self)
    }
}

impl Routes<RequestBody> for Arc<Admin> {
    async fn handle(&self, head: &Head, body: RequestBody) -> Response {
        Admin::handle(Arc::clone(self), head.clone(), body).await
    }

    fn audience(&self) -> Audience {
        Audience::Operator
    }

    fn refused(&self, head: &Head, status: StatusCode) {
        self.log_refused(head, status);
    }
}

impl Routes<RequestBody> for HttpsRedirect {
    async fn handle(&self, head: &Head, _: RequestBody) -> Response {
        self.respond(&head.uri)
    }

    fn audience(&self) -> Audience {
        Audience::Program
    }
}
