//! What a stream of a request needs of the connection.

use std::pin::Pin;
use std::sync::Arc;

use colonnade_web::stream::{Connection, Ending, StreamConnection, accepts_events};
use http::Version;
use http::request::Parts;
use hyper::rt::Executor as _;
use hyper::upgrade::OnUpgrade;

use crate::new_streams::StreamExecutor;
use crate::state::ConnectionState;

/// The connection of a request that asks for a stream.
struct StreamedConnection {
    version: Version,
    state: ConnectionState,
    executor: StreamExecutor,
}

/// Adds the connection to a request that asks for a stream.
pub(super) fn add_connection(head: &mut Parts, state: &ConnectionState, executor: &StreamExecutor) {
    if head.extensions.get::<OnUpgrade>().is_none() && !accepts_events(&head.headers) {
        return;
    }
    let connection = StreamedConnection {
        version: head.version,
        state: state.clone(),
        executor: executor.clone(),
    };
    head.extensions.insert(StreamConnection(Arc::new(connection)));
}

impl Connection for StreamedConnection {
    fn run(&self, tunnel: Pin<Box<dyn Future<Output = ()> + Send>>) {
        let guard = self.state.begin_tunnel(self.version);
        self.executor.execute(async move {
            tunnel.await;
            drop(guard);
        });
    }

    fn ending(&self) -> Ending {
        let state = self.state.clone();
        Box::pin(async move { state.ending().await })
    }
}
