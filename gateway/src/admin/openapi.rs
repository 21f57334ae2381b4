//! The description of this API, for people and programs.

use bytes::Bytes;
use http::StatusCode;

use crate::reply::{JSON, Reply, reply};

const DESCRIPTION: &str = include_str!("openapi.json");

/// `GET /api/v1/openapi.json`
pub(super) fn answer() -> Reply {
    reply(StatusCode::OK, JSON, Bytes::from_static(DESCRIPTION.as_bytes()))
}
