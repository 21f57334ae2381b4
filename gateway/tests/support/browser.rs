//! A client with a cookie jar.

use std::collections::BTreeMap;

use super::{Client, Request, Response};

/// Sends requests with the cookies that earlier responses set.
#[derive(Debug, Clone)]
pub(crate) struct Browser {
    client: Client,
    jar: BTreeMap<String, String>,
}

impl Browser {
    /// A browser without cookies.
    pub(crate) fn new(client: Client) -> Self {
        Self {
            client,
            jar: BTreeMap::new(),
        }
    }

    /// The same browser as a visitor of this gateway.
    pub(crate) fn at(mut self, client: Client) -> Self {
        self.client = client;
        self
    }

    pub(crate) fn get(&mut self, target: &str) -> Response {
        self.send(Request::new("GET", target))
    }

    /// Sends a request with the cookies of the jar, and stores the cookies of the response.
    pub(crate) fn send(&mut self, request: Request) -> Response {
        let cookies: Vec<String> = self
            .jar
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let request = if cookies.is_empty() {
            request
        } else {
            request.header("cookie", &cookies.join("; "))
        };
        let response = self.client.send(request);
        for cookie in response.header_values("set-cookie") {
            let (pair, attributes) = cookie.split_once(';').unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            if attributes
                .split(';')
                .any(|attribute| attribute.trim() == "Max-Age=0")
            {
                self.jar.remove(name);
            } else {
                self.jar.insert(name.to_owned(), value.to_owned());
            }
        }
        response
    }

    /// The value of a cookie.
    pub(crate) fn cookie(&self, name: &str) -> Option<&str> {
        self.jar.get(name).map(String::as_str)
    }

    /// Adds a cookie to the jar.
    pub(crate) fn set_cookie(&mut self, name: &str, value: &str) {
        self.jar.insert(name.to_owned(), value.to_owned());
    }
}
