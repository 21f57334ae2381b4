//! Middleware for every request, as plain functions. The gateway calls them in order.

mod catch_panic;
mod shed_load;
mod strip_head_body;
mod validate_request;

pub use catch_panic::catch_panic;
pub use shed_load::{LoadShedder, overloaded};
pub use strip_head_body::strip_head_body;
pub use validate_request::{RequestError, validate_request};
