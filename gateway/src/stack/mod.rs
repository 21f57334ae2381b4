//! What every request passes on its way to a route, in order, each with why it stands where it stands.

mod guard;
mod head;
mod headers;
mod layer;
#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::sync::Arc;

use http::{Request, Response};
use tower::{Service, ServiceBuilder, service_fn};

use crate::admin::Admin;
use crate::net::Serve;
use crate::reply::Reply;
use crate::rescue::Audience;
use crate::site::Site;
use crate::telemetry::{self, Recorded};
use layer::from_fn;

pub(crate) use layer::Next;

/// The site listener's stack.
pub(crate) fn site(site: Arc<Site>) -> impl Serve {
    let reader = Arc::clone(&site);
    let routes = service_fn(move |request| {
        let site = Arc::clone(&site);
        async move { Ok::<_, Infallible>(site.answer(request).await) }
    });
    let is_secure = reader.is_secure();
    stack(routes, move || reader.audience(), is_secure)
}

/// The admin listener's stack.
pub(crate) fn admin(admin: Arc<Admin>) -> impl Serve {
    let routes = service_fn(move |request| {
        let admin = Arc::clone(&admin);
        async move { Ok::<_, Infallible>(admin.answer(request).await) }
    });
    // It is reached from this machine alone, in the clear.
    stack(routes, || Audience::Operator, false)
}

fn stack<S, B>(
    routes: S,
    audience: impl Fn() -> Audience + Clone + Send + 'static,
    is_secure: bool,
) -> impl Service<Request<B>, Response = Response<Recorded>, Error = Infallible, Future: Send + 'static>
+ Clone
+ Send
+ 'static
where
    S: Service<Request<B>, Response = Reply, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send + 'static,
    B: Send + 'static,
{
    ServiceBuilder::new()
        // Outermost, so that it counts and times everything, also what a layer below answers itself.
        .layer(from_fn(telemetry::record))
        // Above whatever makes an answer, so that no answer is without them.
        .layer(from_fn(move |request, next| {
            headers::add(request, next, is_secure)
        }))
        // Above the guard, so that its answers have no body either where none may be.
        .layer(from_fn(head::strip))
        // Innermost: a panic in a route ends as an answer, and every layer above sees nothing unusual.
        .layer(from_fn(move |request, next| {
            guard::answer(request, next, audience.clone())
        }))
        .service(routes)
}
