//! Middleware for every request: async functions for [`colonnade_web::middleware::from_fn`], and functions
//! that change a response.

mod catch_panic;
mod security_headers;
mod shed_load;
mod strip_head_body;
mod validate_request;

pub use catch_panic::catch_panic;
pub use security_headers::add_security_headers;
pub use shed_load::{LoadShedder, shed_load};
pub use strip_head_body::strip_head_body;
pub use validate_request::{RequestError, validate_request};
