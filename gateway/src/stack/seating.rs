//! The seats of requests that are being answered: how many there may be, and whose place a newcomer takes.
//!
//! A seat is held for as long as its client takes for the answer, so a few clients that take theirs by the byte could hold
//! all seats for next to nothing. When all are taken, a client that holds fewer takes the place of the one that holds most:
//! a connection of that one is given up, if its requests only wait for the client.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::net::{Client, Line};

/// How long a newcomer waits for the seats of a connection that was given up. Giving it up takes no time; noticing it does
/// where processors are busy.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often a newcomer looks whether a connection can be given up by now.
const LOOK: Duration = Duration::from_millis(50);

/// The most newcomers that wait without a connection having been given up for them.
const HOPEFUL: usize = 64;

/// Of so many clients at most it is looked whether they can be displaced: those that hold most.
const GREATEST: usize = 8;

/// The seats that are taken, and who waits for one.
#[derive(Debug, Clone, Default)]
pub(super) struct Seating(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    taken: usize,
    /// Only those who have a seat or wait for one.
    clients: HashMap<Client, Holder>,
    /// The same by how many they have, or wait for.
    ranking: BTreeSet<(usize, Client)>,
    /// Who gets the next seats, in order.
    waiting: VecDeque<oneshot::Sender<()>>,
    /// Seats of connections that were given up, on their way back.
    coming: usize,
}

/// What one client has.
#[derive(Debug, Default)]
struct Holder {
    /// Seats, and requests that wait for one.
    count: usize,
    /// Those that may be given up: no more than the requests a client may have at once, and rarely more than a few.
    connections: Vec<Connection>,
}

#[derive(Debug)]
struct Connection {
    line: Line,
    seats: usize,
    is_displaced: bool,
}

/// Who asks for a seat.
#[derive(Debug, Clone)]
pub(super) struct Guest {
    pub(super) client: Client,
    /// Its connection, if that may be given up.
    pub(super) line: Option<Line>,
}

/// Why there is no seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Full {
    /// All are taken, by others who hold no more.
    All,
    /// The client has as many as it may.
    Client,
}

/// A seat; given back when dropped.
#[derive(Debug)]
pub(crate) struct Seat {
    seating: Seating,
    guest: Option<Guest>,
}

/// A request that waits for a seat, or none any more when dropped.
struct Waiting {
    seating: Seating,
    guest: Guest,
    limit: usize,
    told: oneshot::Receiver<()>,
}

impl Seating {
    /// Takes a seat, unless `limit` are taken and no other client gives way in time, or this client has `share` already.
    pub(super) async fn take(&self, guest: Option<Guest>, limit: usize, share: usize) -> Result<Seat, Full> {
        let waiting = {
            let mut state = self.0.lock();
            if let Some(guest) = &guest
                && state.count(guest.client) >= share
            {
                return Err(Full::Client);
            }
            if state.taken < limit {
                state.taken += 1;
                if let Some(guest) = &guest {
                    state.come(guest.client);
                    state.sit(guest);
                }
                return Ok(Seat {
                    seating: self.clone(),
                    guest,
                });
            }
            let guest = guest.ok_or(Full::All)?;
            state.come(guest.client);
            if !state.may_wait(guest.client, limit) {
                state.go(guest.client);
                return Err(Full::All);
            }
            let (tell, told) = oneshot::channel();
            state.waiting.push_back(tell);
            Waiting {
                seating: self.clone(),
                guest,
                limit,
                told,
            }
        };
        waiting.seat().await.ok_or(Full::All)
    }
}

impl Waiting {
    /// The seat, if one comes free in time.
    async fn seat(mut self) -> Option<Seat> {
        timeout(PATIENCE, self.told()).await.ok()??;
        let (seating, guest) = (self.seating.clone(), self.guest.clone());
        let mut state = seating.0.lock();
        // What it is counted as is the seat's from now on.
        state.come(guest.client);
        state.sit(&guest);
        drop(state);
        Some(Seat {
            seating,
            guest: Some(guest),
        })
    }

    /// Waits until a seat is this one's.
    async fn told(&mut self) -> Option<()> {
        loop {
            if let Ok(told) = timeout(LOOK, &mut self.told).await {
                return told.ok();
            }
            let mut state = self.seating.0.lock();
            if state.waiting.len() > state.coming {
                state.displace(self.guest.client, self.limit);
            }
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.told.close();
        let was_told = self.told.try_recv().is_ok();
        let mut state = self.seating.0.lock();
        state.go(self.guest.client);
        if was_told {
            // Nobody sat down.
            state.free();
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut state = self.seating.0.lock();
        if let Some(guest) = &self.guest {
            state.rise(guest);
            state.go(guest.client);
        }
        state.free();
    }
}

impl Holder {
    /// Where a connection stands.
    fn place_of(&self, line: &Line) -> Option<usize> {
        let mut connections = self.connections.iter();
        connections.position(|connection| connection.line.id() == line.id())
    }
}

impl State {
    /// What a client has, or waits for.
    fn count(&self, client: Client) -> usize {
        self.clients.get(&client).map_or(0, |holder| holder.count)
    }

    /// A client has, or waits for, one more.
    fn come(&mut self, client: Client) {
        let holder = self.clients.entry(client).or_default();
        self.ranking.remove(&(holder.count, client));
        holder.count += 1;
        self.ranking.insert((holder.count, client));
    }

    /// A client has, or waits for, one less.
    fn go(&mut self, client: Client) {
        let Entry::Occupied(mut holder) = self.clients.entry(client) else {
            return;
        };
        let count = &mut holder.get_mut().count;
        self.ranking.remove(&(*count, client));
        *count -= 1;
        if *count > 0 {
            self.ranking.insert((*count, client));
        } else {
            holder.remove();
        }
    }

    /// A seat of this guest's connection is taken.
    fn sit(&mut self, guest: &Guest) {
        let (Some(line), Some(holder)) = (&guest.line, self.clients.get_mut(&guest.client)) else {
            return;
        };
        if let Some(place) = holder.place_of(line) {
            let connection = &mut holder.connections[place];
            connection.seats += 1;
            self.coming += usize::from(connection.is_displaced);
        } else {
            holder.connections.push(Connection {
                line: line.clone(),
                seats: 1,
                is_displaced: false,
            });
        }
    }

    /// One of its seats is given back.
    fn rise(&mut self, guest: &Guest) {
        let (Some(line), Some(holder)) = (&guest.line, self.clients.get_mut(&guest.client)) else {
            return;
        };
        let Some(place) = holder.place_of(line) else {
            return;
        };
        let connection = &mut holder.connections[place];
        connection.seats -= 1;
        self.coming -= usize::from(connection.is_displaced);
        if connection.seats == 0 {
            holder.connections.swap_remove(place);
        }
    }

    /// A seat is for whoever has waited longest, or for anybody.
    fn free(&mut self) {
        while let Some(next) = self.waiting.pop_front() {
            if next.send(()).is_ok() {
                return;
            }
        }
        self.taken -= 1;
    }

    /// Whether a seat may come free for this client soon: one that is on its way, or of a client that holds more.
    fn may_wait(&mut self, client: Client, limit: usize) -> bool {
        let most = self.ranking.last().map_or(0, |(count, _)| *count);
        if most <= self.fair(client, limit) {
            return false;
        }
        if self.waiting.len() >= self.coming {
            // Who has left waits no more.
            self.waiting.retain(|waiting| !waiting.is_closed());
        }
        self.waiting.len() < self.coming
            || self.displace(client, limit)
            || self.waiting.len() < self.coming + HOPEFUL
    }

    /// What others may have without giving way to this client: as much as it has with what it asks for now, and as much as
    /// each would have if all shared the seats.
    fn fair(&self, client: Client, limit: usize) -> usize {
        self.count(client).max(limit / self.clients.len().max(1))
    }

    /// Gives up a connection for this client: of those clients that hold most, of the first one that has any whose requests
    /// wait for the client, the one with most of them.
    fn displace(&mut self, newcomer: Client, limit: usize) -> bool {
        let fair = self.fair(newcomer, limit);
        let greatest = self.ranking.iter().rev().take(GREATEST);
        let greatest = greatest.take_while(|(count, _)| *count > fair);
        for (_, client) in greatest {
            let Some(holder) = self.clients.get_mut(client) else {
                continue;
            };
            let connections = holder.connections.iter_mut();
            let connections = connections.filter(|connection| !connection.is_displaced);
            let waiting = connections.map(|connection| (connection.line.waiting(), connection));
            let waiting = waiting.filter(|(waiting, _)| *waiting > 0);
            if let Some((_, connection)) = waiting.max_by_key(|(waiting, _)| *waiting) {
                connection.is_displaced = true;
                connection.line.displace();
                self.coming += connection.seats;
                return true;
            }
        }
        false
    }
}
