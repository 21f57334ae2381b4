//! A simulation of many gateways on one bucket.
//!
//! A seed decides everything: how many gateways and sections there are, what operators do, how long
//! each request to the bucket takes, which requests and responses are lost, which writes take
//! effect long after their sender has given up, when a gateway crashes or is cut off, and how wrong
//! its clock is. The gateways are the real platform and the real bucket store. Only the client of
//! the object store is replaced, and what a run must not depend on: the wall clock, random numbers
//! and other threads.
//!
//! [`ledger`](mod@ledger) sees each write when it takes effect, and checks what must always hold. `SEED=7 cargo test -p
//! colonnade-simulation seeds` repeats one run and writes its trace.
#![cfg(test)]

mod bucket;
mod gateway;
mod ledger;
mod network;
mod operators;
mod releases;
mod run;
mod tests;
mod trace;
mod visitors;
mod world;
