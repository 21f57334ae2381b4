//! The methods of a route.

use http::header::ALLOW;
use http::{HeaderMap, HeaderValue, Method, StatusCode};

use crate::response::{Response, empty};

/// The methods that a route accepts, besides OPTIONS: a bit for each of [`SETS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Methods(u8);

/// The methods of each bit, as `Allow` lists them.
const SETS: [&[Method]; 5] = [
    &[Method::GET, Method::HEAD],
    &[Method::POST],
    &[Method::PUT],
    &[Method::PATCH],
    &[Method::DELETE],
];

impl Methods {
    /// No method.
    pub const NONE: Self = Self(0);
    /// GET and HEAD.
    pub const GET: Self = Self(1);
    /// POST.
    pub const POST: Self = Self(1 << 1);
    /// PUT.
    pub const PUT: Self = Self(1 << 2);
    /// DELETE.
    pub const DELETE: Self = Self(1 << 4);
    /// All of them, and every other one. The handler rejects what it does not serve.
    pub const ANY: Self = Self(0b11111);

    /// Returns the methods of both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether a method is among them. GET includes HEAD.
    pub fn allow(self, method: &Method) -> bool {
        self == Self::ANY || self.iter().any(|allowed| allowed == method)
    }

    fn iter(self) -> impl Iterator<Item = &'static Method> {
        let sets = SETS.iter().enumerate();
        sets.filter(move |(bit, _)| self.0 & (1 << bit) != 0)
            .flat_map(|(_, methods)| *methods)
    }

    /// Returns the response to OPTIONS.
    pub fn options(self) -> Response {
        let mut response = empty(StatusCode::NO_CONTENT);
        self.set_allow(response.headers_mut());
        response
    }

    /// Sets the `Allow` header.
    pub fn set_allow(self, headers: &mut HeaderMap) {
        let methods = self.iter().chain([&Method::OPTIONS]);
        let names: Vec<&str> = methods.map(Method::as_str).collect();
        if let Ok(names) = HeaderValue::try_from(names.join(", ")) {
            headers.insert(ALLOW, names);
        }
    }
}
