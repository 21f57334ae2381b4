//! Builds the description of one operation.

use serde_json::{Map, Value, json};
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

use colonnade_config::Action;

/// An operation with the schemas that it references.
pub(super) struct Operation {
    pub(super) value: Value,
    pub(super) schemas: Map<String, Value>,
}

impl Operation {
    pub(super) fn new(tag: &str, id: &str, summary: &str) -> Self {
        Self {
            value: json!({ "operationId": id, "tags": [tag], "summary": summary, "responses": {} }),
            schemas: Map::new(),
        }
    }

    pub(super) fn description(mut self, description: &str) -> Self {
        self.value["description"] = description.into();
        self
    }

    pub(super) fn parameters(mut self, parameters: &Value) -> Self {
        self.value["parameters"] = parameters.clone();
        self
    }

    /// Needs no token.
    pub(super) fn without_token(mut self) -> Self {
        self.value["security"] = json!([]);
        self
    }

    /// Accepts every known token.
    pub(super) fn any_token(self) -> Self {
        self.errors(&[401, 403, 429, 500])
    }

    /// Needs a token that permits the action.
    pub(super) fn action(mut self, action: Action) -> Self {
        self.value["security"] = json!([{ "token": [action.name()] }, { "session": [action.name()] }]);
        self.errors(&[401, 403, 429, 500, 503])
    }

    /// Needs a token that permits the action, depending on the listener's address.
    pub(super) fn optional_action(mut self, action: Action) -> Self {
        self.value["security"] = json!([{}, { "token": [action.name()] }, { "session": [action.name()] }]);
        self.errors(&[401, 403, 429])
    }

    pub(super) fn json_body<T: ToSchema>(mut self, required: bool) -> Self {
        self.schemas.extend(collect_schemas::<T>());
        let schema = schema_of::<T>();
        self.body(required, &content("application/json", &schema))
    }

    pub(super) fn archive_body(self) -> Self {
        let media_type = "application/gzip";
        let schema = json!({ "type": "string", "contentMediaType": media_type });
        self.body(true, &content(media_type, &schema))
    }

    fn body(mut self, required: bool, content: &Value) -> Self {
        self.value["requestBody"] = json!({ "required": required, "content": content });
        self.errors(&[400, 408, 413])
    }

    pub(super) fn json<T: ToSchema>(mut self, status: u16, description: &str) -> Self {
        self.schemas.extend(collect_schemas::<T>());
        let schema = schema_of::<T>();
        self.response(status, description, &content("application/json", &schema))
    }

    pub(super) fn response(mut self, status: u16, description: &str, content: &Value) -> Self {
        self.value["responses"][status.to_string()] =
            json!({ "description": description, "content": content });
        self
    }

    pub(super) fn empty_response(mut self, status: u16, description: &str) -> Self {
        self.value["responses"][status.to_string()] = json!({ "description": description });
        self
    }

    /// Adds the common responses of these statuses.
    pub(super) fn errors(mut self, statuses: &[u16]) -> Self {
        for status in statuses {
            let name = ERRORS
                .iter()
                .find(|error| error.0 == *status)
                .map(|error| error.1);
            let name = name.unwrap_or_default();
            self.value["responses"][status.to_string()] =
                json!({ "$ref": format!("#/components/responses/{name}") });
        }
        self
    }
}

/// The common error responses: status, name and description.
const ERRORS: [(u16, &str, &str); 11] = [
    (400, "BadRequest", "The path, the query or the body is invalid."),
    (
        401,
        "Unauthorized",
        "The bearer token or the session is missing, unknown or expired.",
    ),
    (
        403,
        "Forbidden",
        "The token does not permit this action on every section that it affects, or a page of another origin sent the request with the cookie of a session.",
    ),
    (404, "NotFound", "The deployment or the release does not exist."),
    (408, "RequestTimeout", "The body did not arrive in time."),
    (
        409,
        "Conflict",
        "The live deployment or the running rollouts do not permit the change, or this gateway only reads the store; `detail` says why.",
    ),
    (413, "ContentTooLarge", "The body is too large."),
    (
        422,
        "UnprocessableContent",
        "A requested release is not published, a section to remove is not deployed, or pages cannot be rendered.",
    ),
    (
        429,
        "TooManyRequests",
        "The client sent too many requests without a valid bearer token. Retry-After says when to try again. A request with a valid token is accepted, except for a publish of a section that has used its quota of 24 hours.",
    ),
    (
        500,
        "InternalServerError",
        "The store failed. The change was not made; the log contains the cause.",
    ),
    (
        503,
        "ServiceUnavailable",
        "Another process holds the lock of the store for too long. The change was not made; `Retry-After` says when to try again.",
    ),
];

pub(super) fn error_responses() -> Map<String, Value> {
    let responses = ERRORS.map(|(status, name, description)| {
        let mut response = json!({ "description": description, "content": problem_content() });
        if status == 401 {
            let header = json!({ "required": true, "schema": { "const": "Bearer" } });
            response["headers"] = json!({ "WWW-Authenticate": header });
        }
        if status == 429 {
            let seconds = json!({ "type": "string", "pattern": "^[1-9][0-9]*$" });
            let header = json!({ "required": true, "schema": seconds });
            response["headers"] = json!({ "Retry-After": header });
        }
        if status == 503 {
            let header = json!({ "required": true, "schema": { "const": "5" } });
            response["headers"] = json!({ "Retry-After": header });
        }
        (name.to_owned(), response)
    });
    responses.into_iter().collect()
}

pub(super) fn content(media_type: &str, schema: &Value) -> Value {
    json!({ media_type: { "schema": schema } })
}

pub(super) fn problem_content() -> Value {
    let schema = json!({ "$ref": "#/components/schemas/Problem" });
    content("application/problem+json", &schema)
}

/// A reference to the schema of a type; the schema itself for arrays.
fn schema_of<T: ToSchema>() -> Value {
    match T::schema() {
        RefOr::T(schema @ Schema::Array(_)) => json!(schema),
        _ => json!({ "$ref": format!("#/components/schemas/{}", T::name()) }),
    }
}

/// The schema of a type and all schemas that it references, by name.
pub(super) fn collect_schemas<T: ToSchema>() -> Map<String, Value> {
    let mut schemas = Vec::new();
    T::schemas(&mut schemas);
    let own = T::schema();
    if matches!(own, RefOr::T(Schema::Object(_) | Schema::OneOf(_))) {
        schemas.push((T::name().into_owned(), own));
    }
    schemas
        .into_iter()
        .map(|(name, schema)| (name, json!(schema)))
        .collect()
}

/// Describes a parameter in the path or the query.
pub(super) fn parameter(location: &str, name: &str, description: &str, schema: &Value) -> Value {
    json!({
        "name": name,
        "in": location,
        "required": location == "path",
        "description": description,
        "schema": schema,
    })
}
