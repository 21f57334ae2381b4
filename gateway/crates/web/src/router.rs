//! The route table of a listener: one row per route, matched by path.

use std::borrow::Cow;
use std::fmt;

use http::Method;
use matchit::Params;

use crate::problem::HttpError;
use crate::response::Response;

pub use crate::methods::Methods;

impl Methods {
    /// Returns `None` if the route's handler serves this method, or the response to OPTIONS (RFC
    /// 9110, section 9.3.7).
    ///
    /// # Errors
    ///
    /// [`HttpError::MethodNotAllowed`] for every other method.
    pub fn check(self, method: &Method) -> Result<Option<Response>, HttpError> {
        if self.allow(method) {
            Ok(None)
        } else if *method == Method::OPTIONS {
            Ok(Some(self.options()))
        } else {
            Err(HttpError::MethodNotAllowed(self))
        }
    }
}

/// One row of a route table. `H` is what the listener needs to serve the route, usually a function.
#[derive(Debug, Clone)]
pub struct Route<H> {
    /// The path pattern, in the syntax of [`matchit`]: `/deployments/{number}/abort`.
    pub pattern: Cow<'static, str>,
    /// The name of the route in logs and metrics.
    pub name: Cow<'static, str>,
    /// The accepted methods.
    pub methods: Methods,
    /// Serves the route.
    pub handler: H,
}

impl<H> Route<H> {
    /// Creates a route that is named like its pattern, in the syntax of page patterns:
    /// `/deployments/:number/abort`.
    pub fn new(methods: Methods, pattern: impl Into<Cow<'static, str>>, handler: H) -> Self {
        let pattern = pattern.into();
        Self {
            name: name_of(&pattern).into(),
            pattern,
            methods,
            handler,
        }
    }

    /// Sets another name.
    #[must_use]
    pub fn named(mut self, name: &'static str) -> Self {
        self.name = Cow::Borrowed(name);
        self
    }
}

/// Replaces each `{x}` and `{*x}` with `:x`.
fn name_of(pattern: &str) -> String {
    pattern.replace("{*", ":").replace('{', ":").replace('}', "")
}

/// The route table of a listener.
pub struct Router<H>(matchit::Router<Route<H>>);

impl<H> Router<H> {
    /// Creates a table of these routes.
    ///
    /// # Panics
    ///
    /// Panics if a pattern is invalid, or if two patterns match the same paths.
    pub fn new(routes: impl IntoIterator<Item = Route<H>>) -> Self {
        let mut table = matchit::Router::new();
        for route in routes {
            let pattern = route.pattern.clone();
            if let Err(error) = table.insert(&*pattern, route) {
                panic!("route {pattern}: {error}");
            }
        }
        Self(table)
    }

    /// Finds the route of a path, and the parameters in the path. A `{name}` matches one segment
    /// that is not empty, a final `{*name}` matches the rest of the path. A pattern without a
    /// trailing slash does not match a path with one, unless it ends with `{*name}`.
    ///
    /// Pass a path of decoded segments: the parameters are not decoded any further.
    pub fn find<'p>(&self, path: &'p str) -> Option<(&Route<H>, Params<'_, 'p>)> {
        let found = self.0.at(path).ok()?;
        Some((found.value, found.params))
    }
}

impl<H> fmt::Debug for Router<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Router").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use http::header::ALLOW;
    use http::{Method, StatusCode};

    use super::{Methods, Route, Router};
    use crate::problem::HttpError;

    #[test]
    #[should_panic(expected = "route /items/{id}")]
    fn router_with_conflicting_patterns_panics() {
        let routes = ["/items/{number}", "/items/{id}"];
        Router::new(routes.map(|pattern| Route::new(Methods::GET, pattern, ())));
    }

    #[test]
    fn methods_check_answers_options_and_rejects_others() {
        assert!(matches!(Methods::GET.check(&Method::HEAD), Ok(None)));
        let options = Methods::POST
            .and(Methods::DELETE)
            .check(&Method::OPTIONS)
            .unwrap()
            .unwrap();
        assert_eq!(options.status(), StatusCode::NO_CONTENT);
        assert_eq!(options.headers()[ALLOW], "POST, DELETE, OPTIONS");
        let error = HttpError::MethodNotAllowed(Methods::PUT);
        assert_eq!(Methods::PUT.check(&Method::GET).err(), Some(error));
    }
}
