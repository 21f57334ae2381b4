//! What each network holds, and the items that may yield.

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::iter::{once, zip};

use colonnade_web::client::{ClientKey, Network};
use foldhash::HashMap;

use crate::{Waiter, Yield};

/// The number of clients, those that hold most, that are asked to yield to a waiter.
const MAX_CLIENTS: usize = 64;

/// The number of items of a client that are asked. Those that decline go to the back.
const MAX_ITEMS: usize = 4;

/// The permits of all networks.
#[derive(Debug)]
pub(crate) struct Ledger<T> {
    /// Contains only networks that hold a permit or wait for one. `None` is the gateway itself.
    holdings: HashMap<Option<Network>, Holding<T>>,
    /// The number of widest networks.
    widest: usize,
    /// The networks by what they hold. Only a full pool needs it, so it is built then.
    ranking: Option<Ranking>,
    /// The last number of a permit or of a change.
    last_id: u64,
}

/// What one network holds.
#[derive(Debug)]
struct Holding<T> {
    count: usize,
    /// The number of its last change. Of networks that hold the same, the first to change yields
    /// first.
    changed: u64,
    /// The items of a client, in the order in which they are asked, with their IDs.
    items: VecDeque<(u64, T)>,
}

/// Networks by the next wider one, their count and their last change.
type Ranking = BTreeMap<(Option<Network>, usize, Reverse<u64>), Network>;

/// What becomes of a waiter.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Prospect {
    /// The item with this ID yields to it.
    Yielded(u64),
    /// No item yields now, but a client holds more than the waiter: one of its items may yield
    /// later.
    MayYield,
    /// No client holds more.
    None,
}

impl<T> Default for Ledger<T> {
    fn default() -> Self {
        Self {
            holdings: HashMap::default(),
            widest: 0,
            ranking: None,
            last_id: 0,
        }
    }
}

impl<T> Default for Holding<T> {
    fn default() -> Self {
        Self {
            count: 0,
            changed: 0,
            items: VecDeque::new(),
        }
    }
}

/// The networks of a client, the widest first.
fn networks(client: Option<ClientKey>) -> impl Iterator<Item = Option<Network>> {
    let gateway = client.is_none().then_some(None);
    let networks = client.into_iter().flat_map(ClientKey::networks).map(Some);
    networks.chain(gateway)
}

/// The clients in a network, those that hold most first.
fn clients_in(ranking: &Ranking, wider: Option<Network>) -> Box<dyn Iterator<Item = ClientKey> + '_> {
    let networks = ranking.range((wider, 0, Reverse(u64::MAX))..=(wider, usize::MAX, Reverse(0)));
    let clients = move |(_, network): (_, &Network)| match network.client() {
        Some(client) => Box::new(once(client)),
        None => clients_in(ranking, Some(*network)),
    };
    Box::new(networks.rev().flat_map(clients))
}

impl<T> Ledger<T> {
    /// Returns a new ID.
    pub(crate) fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// Counts a permit with its item, or a waiter. Returns whether each network of the client is
    /// within its `limit`.
    pub(crate) fn add(
        &mut self,
        client: Option<ClientKey>,
        id: u64,
        item: Option<T>,
        limit: impl Fn(Network) -> usize,
    ) -> bool {
        let mut item = item.map(|item| (id, item));
        let mut is_within = true;
        self.change(client, 1, |network, holding| {
            if let Some(network) = network {
                is_within &= holding.count <= limit(network);
            }
            if network == client.map(ClientKey::network) {
                holding.items.extend(item.take());
            }
        });
        is_within
    }

    /// Removes a permit or a waiter. Returns its item, if there still is one.
    pub(crate) fn remove(&mut self, client: Option<ClientKey>, id: u64) -> Option<T> {
        let mut item = None;
        self.change(client, -1, |_, holding| {
            let index = holding.items.iter().position(|(other, _)| *other == id);
            item = index.and_then(|index| holding.items.remove(index));
        });
        item.map(|(_, item)| item)
    }

    /// Adds the item of a permit.
    pub(crate) fn push(&mut self, client: Option<ClientKey>, id: u64, item: T) {
        self.items(client).push_back((id, item));
    }

    /// Forgets the ranking while permits are free.
    pub(crate) fn forget_ranking(&mut self) {
        self.ranking = None;
    }

    /// Removes the oldest item of the network that holds least.
    pub(crate) fn take(&mut self) -> Option<T> {
        let oldest = self.holdings.iter().filter_map(|(network, holding)| {
            let index = (0..holding.items.len()).min_by_key(|index| holding.items[*index].0)?;
            Some((self.counts(*network), holding.items[index].0, index, *network))
        });
        let (.., index, network) = oldest.min()?;
        let item = self.holdings.get_mut(&network)?.items.remove(index);
        item.map(|(_, item)| item)
    }

    fn items(&mut self, client: Option<ClientKey>) -> &mut VecDeque<(u64, T)> {
        let network = client.map(ClientKey::network);
        &mut self.holdings.entry(network).or_default().items
    }

    fn count(&self, network: Option<Network>) -> usize {
        self.holdings.get(&network).map_or(0, |holding| holding.count)
    }

    /// What the networks of a client hold, the widest first. An IPv4 address is its own wider
    /// network.
    fn counts(&self, client: Option<Network>) -> [usize; 3] {
        let mut counts = [0; 3];
        for (level, network) in networks(client.and_then(Network::client)).enumerate() {
            counts[level..].fill(self.count(network));
        }
        counts
    }

    /// Changes what the networks of a client hold, and edits each, the widest first. They come
    /// after those that hold the same.
    fn change(
        &mut self,
        client: Option<ClientKey>,
        change: isize,
        mut edit: impl FnMut(Option<Network>, &mut Holding<T>),
    ) {
        let changed = self.next_id();
        let mut wider = None;
        for network in networks(client) {
            let mut entry = match self.holdings.entry(network) {
                Entry::Occupied(entry) => entry,
                Entry::Vacant(entry) => entry.insert_entry(Holding::default()),
            };
            let holding = entry.get_mut();
            let before = (wider, holding.count, Reverse(holding.changed));
            let count = holding.count.saturating_add_signed(change);
            (holding.count, holding.changed) = (count, changed);
            edit(network, holding);
            if count == 0 {
                entry.remove();
            }
            if wider.is_none() {
                self.widest += usize::from(count > 0);
                self.widest -= usize::from(before.1 > 0);
            }
            if let (Some(ranking), Some(network)) = (&mut self.ranking, network) {
                ranking.remove(&before);
                if count > 0 {
                    ranking.insert((wider, count, Reverse(changed)), network);
                }
            }
            wider = network;
        }
    }

    /// Compares a waiter, which is counted already, with a client. `may_be_last_resort` is true
    /// after every client has declined.
    fn compare(
        &self,
        waiter: ClientKey,
        client: ClientKey,
        total: usize,
        may_be_last_resort: bool,
    ) -> Waiter {
        let mut levels = zip(waiter.networks(), client.networks());
        let Some((own, other)) = levels.find(|(own, other)| own != other) else {
            return Waiter::IsSameClient;
        };
        let equal_share = other.wider().map_or(total / self.widest.max(1), |_| 0);
        let (own, other) = (self.count(Some(own)), self.count(Some(other)));
        if other > own.max(equal_share) {
            Waiter::HoldsLess
        } else {
            let is_last_resort = may_be_last_resort && own <= other;
            Waiter::HoldsNoLess { is_last_resort }
        }
    }
}

impl<T: Yield> Ledger<T> {
    /// Asks items to yield to a waiter, which is counted already. An item that yields is removed.
    pub(crate) fn ask(&mut self, waiter: ClientKey, total: usize) -> Prospect {
        let ranking = self.ranking.get_or_insert_with(|| {
            let ranks = self.holdings.iter().filter_map(|(network, holding)| {
                let rank = ((*network)?.wider(), holding.count, Reverse(holding.changed));
                network.map(|network| (rank, network))
            });
            ranks.collect()
        });
        let clients: Vec<_> = clients_in(ranking, None).take(MAX_CLIENTS).collect();
        let mut prospect = Prospect::None;
        for may_be_last_resort in [false, true] {
            for client in &clients {
                let comparison = self.compare(waiter, *client, total, may_be_last_resort);
                if comparison == Waiter::HoldsLess {
                    prospect = Prospect::MayYield;
                }
                let is_last_resort = comparison == Waiter::HoldsNoLess { is_last_resort: true };
                if is_last_resort == may_be_last_resort
                    && let Some(id) = self.ask_client(*client, comparison)
                {
                    return Prospect::Yielded(id);
                }
                // Those that decline come last, but not before everything has been tried.
                if may_be_last_resort {
                    self.change(Some(*client), 0, |_, _| {});
                }
            }
        }
        prospect
    }

    /// Asks items of a client. Returns the ID of the item that yields.
    fn ask_client(&mut self, client: ClientKey, comparison: Waiter) -> Option<u64> {
        let items = self.items(Some(client));
        for _ in 0..items.len().min(MAX_ITEMS) {
            let (id, item) = items.pop_front()?;
            if item.yield_to(comparison) {
                return Some(id);
            }
            items.push_back((id, item));
        }
        None
    }
}
