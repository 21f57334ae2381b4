//! Objects in a bucket of an object store.

mod client;
mod objects;
mod probe;
mod requests;

pub use client::{AccessKey, BucketSettings};
pub(crate) use objects::BucketObjects;
