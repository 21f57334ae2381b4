//! What every request passes on its way to a route, in order, each with why it stands where it stands.

mod guard;
mod head;
mod headers;
mod layer;
mod seating;
mod shed;
mod strict;
#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::sync::Arc;

use http::{Method, Request, Response};
use tower::{Service, ServiceBuilder, service_fn};

use crate::admin::Admin;
use crate::metrics::ShedMetrics;
use crate::net::{CurrentSettings, Serve};
use crate::reply::Reply;
use crate::rescue::Audience;
use crate::site::Site;
use crate::telemetry::{self, Recorded, Recorder};
use layer::from_fn;

pub(crate) use layer::Next;
pub(crate) use seating::Seat;
use shed::Shed;
pub(crate) use strict::RequestError;

/// The site listener's stack.
pub(crate) fn site(
    site: Arc<Site>,
    settings: CurrentSettings,
    shed: ShedMetrics,
    recorder: Recorder,
) -> impl Serve {
    let reader = Arc::clone(&site);
    let routes = service_fn(move |request| {
        let site = Arc::clone(&site);
        // On the heap, as the layers are.
        Box::pin(async move { Ok::<_, Infallible>(site.answer(request).await) })
    });
    let shed = Arc::new(Shed::new(Arc::clone(&settings), shed));
    let routes = ServiceBuilder::new()
        // Before anything is looked at, because that is what costs.
        .layer(from_fn(move |request, next| {
            shed::admit(request, next, Arc::clone(&shed))
        }))
        .service(routes);
    let is_secure = reader.is_secure();
    stack(recorder, routes, settings, move || reader.audience(), is_secure)
}

/// The admin listener's stack.
pub(crate) fn admin(admin: Arc<Admin>, settings: CurrentSettings, recorder: Recorder) -> impl Serve {
    let routes = service_fn(move |request| {
        let admin = Arc::clone(&admin);
        Box::pin(async move { Ok::<_, Infallible>(admin.answer(request).await) })
    });
    // HSTS is about names, and its name is rarely the site's.
    stack(recorder, routes, settings, || Audience::Operator, false)
}

fn stack<S, B>(
    recorder: Recorder,
    routes: S,
    settings: CurrentSettings,
    audience: impl Fn() -> Audience + Clone + Send + Sync + 'static,
    is_secure: bool,
) -> impl Service<Request<B>, Response = Response<Recorded>, Error = Infallible, Future: Send + 'static>
+ Clone
+ Send
+ 'static
where
    S: Service<Request<B>, Response = Reply, Error = Infallible> + Clone + Send + Sync + 'static,
    S::Future: Send + 'static,
    B: Send + 'static,
{
    let reader = audience.clone();
    ServiceBuilder::new()
        // Outermost, so that it counts and times everything, also what a layer below answers itself.
        .layer(from_fn(move |request, next| {
            telemetry::record(request, next, recorder.clone())
        }))
        // Above whatever makes an answer, so that none is without its headers, or with a body where none may be.
        .layer(from_fn(move |request, next| finish(request, next, is_secure)))
        // Below what makes answers whole: a panic further in ends as an answer, and they see nothing unusual.
        .layer(from_fn(move |request, next| {
            guard::answer(request, next, audience.clone())
        }))
        // Before anything reads what could be read in two ways.
        .layer(from_fn(move |request, next| {
            strict::check(request, next, Arc::clone(&settings), reader.clone())
        }))
        .service(routes)
}

/// Makes an answer one that may be sent, however it came about.
async fn finish<S, B>(request: Request<B>, next: Next<S>, is_secure: bool) -> Reply
where
    S: Service<Request<B>, Response = Reply, Error = Infallible>,
{
    let is_head = *request.method() == Method::HEAD;
    let mut reply = next.run(request).await;
    if is_head {
        head::strip(&mut reply);
    }
    headers::add(reply.headers_mut(), is_secure);
    reply
}
