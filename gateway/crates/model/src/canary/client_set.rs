//! How many different clients several gateways have seen together, without their addresses.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

/// The bits of a hash that choose a register.
const INDEX_BITS: u32 = 10;

/// The number of registers. The standard error of an estimate is 1.04 divided by its square root: 3
/// %.
const REGISTERS: usize = 1 << INDEX_BITS;

/// A set of clients of which only the size can be asked. A load balancer spreads the requests of
/// one client over all gateways, so the sizes cannot be added up.
///
/// The set of one gateway has an exact size. The size of a union is an estimate between the largest
/// of the sizes and their sum. A register tells 10 bits of one client's hash, and how many zeros
/// follow: of the IPv4 addresses, hundreds of thousands fit, so nobody can tell a client from it.
///
/// Source: P. Flajolet et al., "`HyperLogLog`: the analysis of a near-optimal cardinality
/// estimation algorithm", 2007.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Record", into = "Record")]
pub struct ClientSet {
    largest: u64,
    sum: u64,
    /// Empty, or a rank per register.
    registers: Vec<u8>,
}

/// The stored form of the set of one gateway.
#[derive(Serialize, Deserialize)]
struct Record {
    count: u64,
    /// The registers as base64url; empty if all are 0.
    sketch: String,
}

impl ClientSet {
    /// Adds a client that is not in the set. All gateways must have the same hash of a client.
    pub fn insert_new(&mut self, hash: u64) {
        self.largest += 1;
        self.sum += 1;
        self.registers.resize(REGISTERS, 0);
        let index = usize::try_from(hash & (REGISTERS as u64 - 1)).unwrap_or_default();
        let rank = (hash >> INDEX_BITS).trailing_zeros().min(u64::BITS - INDEX_BITS) + 1;
        let register = &mut self.registers[index];
        *register = (*register).max(u8::try_from(rank).unwrap_or(u8::MAX));
    }

    /// Adds the set of another gateway.
    pub fn add(&mut self, other: &Self) {
        self.largest = self.largest.max(other.largest);
        self.sum = self.sum.saturating_add(other.sum);
        if self.registers.is_empty() {
            self.registers.clone_from(&other.registers);
        }
        for (register, other) in self.registers.iter_mut().zip(&other.registers) {
            *register = (*register).max(*other);
        }
    }

    /// The number of clients.
    pub fn len(&self) -> u64 {
        // Exact, unless several gateways have seen clients.
        if self.largest == self.sum {
            return self.sum;
        }
        self.estimate().clamp(self.largest, self.sum)
    }

    /// Whether there are no clients.
    pub fn is_empty(&self) -> bool {
        self.sum == 0
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "estimates are positive, and rounded"
    )]
    fn estimate(&self) -> u64 {
        let count = REGISTERS as f64;
        let sum: f64 = self
            .registers
            .iter()
            .map(|rank| 0.5_f64.powi((*rank).into()))
            .sum();
        let estimate = 0.7213 / (1.0 + 1.079 / count) * count * count / sum;
        let empty = |rank: &u8| if *rank == 0 { 1.0 } else { 0.0 };
        let zeros: f64 = self.registers.iter().map(empty).sum();
        let is_small = estimate <= 2.5 * count && zeros > 0.0;
        let estimate = if is_small {
            count * (count / zeros).ln()
        } else {
            estimate
        };
        estimate.round() as u64
    }
}

impl fmt::Debug for ClientSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} clients", self.len())
    }
}

impl From<ClientSet> for Record {
    fn from(set: ClientSet) -> Self {
        Self {
            count: set.len(),
            sketch: URL_SAFE_NO_PAD.encode(set.registers),
        }
    }
}

impl TryFrom<Record> for ClientSet {
    type Error = &'static str;

    fn try_from(record: Record) -> Result<Self, Self::Error> {
        let registers = URL_SAFE_NO_PAD.decode(record.sketch);
        let registers = registers.map_err(|_| "a sketch is not base64url")?;
        let is_valid = if record.count == 0 {
            registers.is_empty()
        } else {
            registers.len() == REGISTERS
        };
        if !is_valid {
            return Err("a sketch has the wrong length");
        }
        Ok(Self {
            largest: record.count,
            sum: record.count,
            registers,
        })
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};

    use super::ClientSet;

    fn set(clients: std::ops::Range<u64>) -> ClientSet {
        let mut set = ClientSet::default();
        for client in clients {
            let hash = Sha256::digest(client.to_be_bytes());
            set.insert_new(u64::from_be_bytes(hash[..8].try_into().unwrap()));
        }
        set
    }

    fn union(sets: &[ClientSet]) -> u64 {
        let mut union = ClientSet::default();
        for set in sets {
            union.add(set);
        }
        union.len()
    }

    #[test]
    fn clients_of_several_gateways_count_once() {
        assert_eq!(set(0..12_345).len(), 12_345);
        assert_eq!(union(&[set(0..12_345)]), 12_345);
        assert_eq!(union(&[set(0..5), set(0..5), set(0..5)]), 5);
        assert_eq!(union(&[set(0..2), set(2..4), set(4..5)]), 5);
        assert_eq!(union(&[set(0..20), set(0..20), set(10..25)]), 25);
        for size in [100, 1000, 3000, 10_000, 100_000] {
            let estimate = union(&[set(0..size), set(0..size / 2), set(size / 2..size * 3 / 2)]);
            let exact = size * 3 / 2;
            assert!(estimate.abs_diff(exact) * 10 < exact, "{estimate} of {exact}");
        }
    }

    #[test]
    fn stored_set_is_read_back_and_damage_refused() {
        for size in [0, 1, 100] {
            let text = serde_json::to_string(&set(0..size)).unwrap();
            assert_eq!(serde_json::from_str::<ClientSet>(&text).unwrap(), set(0..size));
        }
        for text in [
            r#"{"count":1,"sketch":""}"#,
            r#"{"count":0,"sketch":"AAAA"}"#,
            r#"{"count":1,"sketch":"AAAA"}"#,
            r#"{"count":1,"sketch":"?"}"#,
            r#"{"count":-1,"sketch":""}"#,
        ] {
            assert!(serde_json::from_str::<ClientSet>(text).is_err(), "{text}");
        }
    }
}
