//! The description of this API, for people and programs.

use bytes::Bytes;
use http::StatusCode;

use crate::reply::{JSON, Reply, reply};

const DESCRIPTION: &str = include_str!("openapi.json");

/// `GET /api/v1/openapi.json`
pub(super) fn answer() -> Reply {
    reply(StatusCode::OK, JSON, Bytes::from_static(DESCRIPTION.as_bytes()))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use http::Method;
    use serde_json::Value;

    use super::DESCRIPTION;
    use crate::admin::{Call, Target};
    use crate::pattern::RequestPath;

    /// Makes `all`, in such a way that it does not compile while a route is not listed.
    macro_rules! routes {
        ($($route:pat => $example:expr),* $(,)?) => {
            fn all() -> Vec<Target<'static>> {
                let all = vec![$($example),*];
                for target in &all {
                    match target { $($route => {})* }
                }
                all
            }
        };
    }

    routes! {
        Target::Alive => Target::Alive,
        Target::Ready => Target::Ready,
        Target::Metrics => Target::Metrics,
        Target::OpenApi => Target::OpenApi,
        Target::Api(Call::Release { .. }) => Target::Api(Call::Release { name: "legal", version: "1.0.0" }),
        Target::Api(Call::Sections) => Target::Api(Call::Sections),
        Target::Api(Call::Deployments) => Target::Api(Call::Deployments),
        Target::Api(Call::Promote(_)) => Target::Api(Call::Promote(7)),
        Target::Api(Call::Abort(_)) => Target::Api(Call::Abort(7)),
        Target::Api(Call::Rollback) => Target::Api(Call::Rollback),
        Target::Api(Call::History) => Target::Api(Call::History),
        Target::Api(Call::Previews) => Target::Api(Call::Previews),
        Target::Api(Call::Collect) => Target::Api(Call::Collect),
    }

    /// HEAD goes without saying where there is GET.
    const METHODS: [Method; 8] = [
        Method::GET,
        Method::PUT,
        Method::POST,
        Method::DELETE,
        Method::PATCH,
        Method::OPTIONS,
        Method::TRACE,
        Method::CONNECT,
    ];

    fn description() -> Value {
        serde_json::from_str(DESCRIPTION).unwrap()
    }

    /// The methods of each path.
    fn described(description: &Value) -> BTreeMap<String, BTreeSet<String>> {
        let paths = description["paths"].as_object().unwrap().iter();
        let methods = |item: &Value| {
            let fields = item.as_object().unwrap().keys();
            fields.filter(|key| *key != "parameters").cloned().collect()
        };
        paths.map(|(path, item)| (path.clone(), methods(item))).collect()
    }

    #[test]
    fn the_paths_and_methods_are_those_of_the_routes() {
        let answered = all().into_iter().map(|target| {
            let methods = METHODS.iter().filter(|method| target.methods().allow(method));
            let methods = methods.map(|method| method.as_str().to_ascii_lowercase());
            (target.route().to_owned(), methods.collect())
        });
        assert_eq!(described(&description()), answered.collect());
    }

    #[test]
    fn each_path_leads_to_its_route() {
        for path in described(&description()).into_keys() {
            let example = path
                .replace("{name}", "legal")
                .replace("{version}", "1.0.0")
                .replace("{number}", "7");
            let parsed = RequestPath::parse(&example).unwrap();
            assert_eq!(Target::of(&parsed).map(|target| target.route()), Some(&*path));
        }
    }

    #[test]
    fn only_what_says_so_needs_no_token() {
        let description = description();
        assert_eq!(description["security"], serde_json::json!([{ "token": [] }]));
        for target in all() {
            let item = description["paths"][target.route()].as_object().unwrap();
            for (method, operation) in item.iter().filter(|(key, _)| *key != "parameters") {
                let security = &operation["security"];
                let route = target.route();
                match target {
                    Target::Api(_) => assert_ne!(security, &serde_json::json!([]), "{method} {route}"),
                    // Sometimes.
                    Target::Metrics => {
                        assert_eq!(security, &serde_json::json!([{}, { "token": ["metrics"] }]));
                    }
                    _ => assert_eq!(security, &serde_json::json!([]), "{method} {route}"),
                }
            }
        }
    }
}
