//! Room for the connections of a listener: a free place, or that of a connection on which nothing is asked.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::sleep;

use super::idle::Idle;
use super::seats::{Client, Seat, Seats};
use crate::config::Limits;
use crate::metrics::Refusal;

/// How long who comes waits for who was told to leave; that takes the turn of one task.
const LEAVING: Duration = Duration::from_secs(1);

/// The connections of a listener, and their places.
#[derive(Default)]
pub(super) struct Room {
    seats: Seats,
    idle: Arc<Idle>,
    connections: JoinSet<()>,
}

impl Room {
    /// A seat for who has just connected, of which there are `most`. Where all are taken, whoever has been idle longest
    /// leaves. `client` is who that is, if it is known by now: who has as many as one may have takes nobody's place.
    pub(super) async fn seat(
        &mut self,
        most: usize,
        client: Option<Client>,
        limits: &Limits,
    ) -> Result<Seat, Refusal> {
        if let Some(seat) = self.seats.take(most) {
            return Ok(seat);
        }
        if client.is_some_and(|client| !self.seats.has_room_for(client, limits.connections_per_client)) {
            return Err(Refusal::Client);
        }
        while self.idle.dismiss() {
            let mut too_long = pin!(sleep(LEAVING));
            loop {
                tokio::select! {
                    Some(_) = self.connections.join_next() => {
                        if let Some(seat) = self.seats.take(most) {
                            return Ok(seat);
                        }
                    }
                    () = self.idle.declined() => break,
                    () = &mut too_long => return Err(Refusal::All),
                }
            }
        }
        Err(Refusal::All)
    }

    /// Where connections that fall idle are noted.
    pub(super) fn idle(&self) -> Arc<Idle> {
        Arc::clone(&self.idle)
    }

    /// Serves a connection.
    pub(super) fn serve(&mut self, connection: impl Future<Output = ()> + Send + 'static) {
        self.connections.spawn(connection);
    }

    /// Waits until a connection has ended. `None` if there is none.
    pub(super) async fn ended(&mut self) -> Option<()> {
        // What goes wrong on a connection is the client's to see.
        self.connections.join_next().await.map(drop)
    }

    /// How many connections there are.
    pub(super) fn len(&self) -> usize {
        self.connections.len()
    }
}
