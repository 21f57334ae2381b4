//! A cache bounded in bytes.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::Arc;

use parking_lot::Mutex;

/// Keeps values until their weights come to more than its capacity; then the one that was longest not asked for goes
/// first, as far as one bit for each value can tell (the 'second chance' algorithm).
pub(crate) struct Cache<K, V> {
    capacity: usize,
    kept: Mutex<Kept<K, V>>,
}

struct Kept<K, V> {
    values: HashMap<K, Entry<V>>,
    order: VecDeque<K>,
    weight: usize,
}

struct Entry<V> {
    value: Arc<V>,
    weight: usize,
    asked_for: bool,
}

impl<K: Clone + Eq + Hash, V> Cache<K, V> {
    /// An empty cache for values of at most this total weight.
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            kept: Mutex::new(Kept {
                values: HashMap::new(),
                order: VecDeque::new(),
                weight: 0,
            }),
        }
    }

    /// A value, if it is kept.
    pub(crate) fn get(&self, key: &K) -> Option<Arc<V>> {
        let mut kept = self.kept.lock();
        let entry = kept.values.get_mut(key)?;
        entry.asked_for = true;
        Some(Arc::clone(&entry.value))
    }

    /// Keeps a value, if it is not heavier than the whole cache may be.
    pub(crate) fn put(&self, key: K, value: Arc<V>, weight: usize) {
        if weight > self.capacity {
            return;
        }
        let mut kept = self.kept.lock();
        let entry = Entry {
            value,
            weight,
            asked_for: false,
        };
        kept.weight += weight;
        match kept.values.insert(key.clone(), entry) {
            Some(before) => kept.weight -= before.weight,
            None => kept.order.push_back(key),
        }
        while kept.weight > self.capacity {
            kept.drop_one();
        }
    }
}

impl<K: Clone + Eq + Hash, V> Kept<K, V> {
    fn drop_one(&mut self) {
        while let Some(key) = self.order.pop_front() {
            match self.values.get_mut(&key) {
                Some(entry) if entry.asked_for => {
                    entry.asked_for = false;
                    self.order.push_back(key);
                }
                _ => {
                    self.weight -= self.values.remove(&key).map_or(0, |entry| entry.weight);
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Cache;

    #[test]
    fn what_is_asked_for_outlives_what_is_not() {
        let cache = Cache::new(3);
        for key in 1..=3 {
            cache.put(key, Arc::new(key), 1);
        }
        assert_eq!(cache.get(&1).as_deref(), Some(&1));
        cache.put(4, Arc::new(4), 1);
        assert!(cache.get(&1).is_some());
        assert!(cache.get(&2).is_none());
        assert!(cache.get(&3).is_some());
        assert!(cache.get(&4).is_some());
    }

    #[test]
    fn weight_is_bounded_also_when_values_are_replaced() {
        let cache = Cache::new(10);
        for round in 0..100 {
            cache.put(round % 3, Arc::new(round), 4);
        }
        let kept: usize = (0..3).filter(|key| cache.get(key).is_some()).count();
        assert_eq!(kept, 2);
        cache.put(7, Arc::new(7), 11);
        assert!(cache.get(&7).is_none());
    }
}
