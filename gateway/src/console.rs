//! The files of the operator's console, which the build script finds in `console/dist`. Without
//! them the gateway has no console.

use colonnade_admin::console::ConsoleFile;

include!(concat!(env!("OUT_DIR"), "/console.rs"));
