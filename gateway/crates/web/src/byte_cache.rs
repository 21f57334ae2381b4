//! A cache bounded in bytes, with second-chance eviction. While memory is short, it is half as
//! large.

use std::borrow::Borrow;
use std::collections::VecDeque;
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use colonnade_memory::Pressure;
use foldhash::HashMap;
use parking_lot::Mutex;

/// A cache whose values together weigh at most `capacity` bytes, at every moment.
///
/// When it is full, the second-chance algorithm evicts: the oldest value that was not read since it
/// was last considered.
pub struct ByteCache<K, V> {
    capacity: usize,
    state: Mutex<CacheState<K, V>>,
}

struct CacheState<K, V> {
    entries: HashMap<K, Entry<V>>,
    /// The keys in the order in which they are considered for eviction.
    queue: VecDeque<K>,
    weight: usize,
}

struct Entry<V> {
    value: Arc<V>,
    weight: usize,
    /// Whether it was read since it was last considered for eviction.
    was_read: bool,
}

impl<K: Clone + Eq + Hash, V> ByteCache<K, V> {
    /// An empty cache for values of at most `capacity` bytes in total.
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity,
            state: Mutex::new(CacheState {
                entries: HashMap::default(),
                queue: VecDeque::new(),
                weight: 0,
            }),
        }
    }

    /// The maximum total weight of the values, in bytes.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// The cached value of a key.
    pub fn get<Q>(&self, key: &Q) -> Option<Arc<V>>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let mut state = self.state.lock();
        let entry = state.entries.get_mut(key)?;
        entry.was_read = true;
        Some(Arc::clone(&entry.value))
    }

    /// Caches a value of `weight` bytes. A value heavier than the whole capacity is not cached.
    pub fn put(&self, key: K, value: Arc<V>, weight: usize) {
        if weight > self.capacity {
            return;
        }
        let mut state = self.state.lock();
        let entry = Entry {
            value,
            weight,
            was_read: false,
        };
        state.weight += weight;
        match state.entries.insert(key.clone(), entry) {
            Some(replaced) => state.weight -= replaced.weight,
            None => state.queue.push_back(key),
        }
        state.evict(self.allowed());
    }

    /// Evicts what exceeds the size while memory is short.
    pub fn shrink(&self) {
        self.state.lock().evict(self.allowed());
    }

    /// The maximum weight now.
    fn allowed(&self) -> usize {
        if Pressure::is_high() {
            self.capacity / 2
        } else {
            self.capacity
        }
    }

    /// Removes the value of a key.
    pub fn remove(&self, key: &K) {
        let mut state = self.state.lock();
        if let Some(removed) = state.entries.remove(key) {
            state.weight -= removed.weight;
            state.queue.retain(|queued| queued != key);
        }
    }

    /// Visits all values. They do not count as read.
    pub fn for_each(&self, mut visit: impl FnMut(&K, &V)) {
        for (key, entry) in &self.state.lock().entries {
            visit(key, &entry.value);
        }
    }

    /// Removes the values for which `keep` is false.
    pub fn retain(&self, mut keep: impl FnMut(&K, &V) -> bool) {
        let mut state = self.state.lock();
        let CacheState {
            entries,
            queue,
            weight,
        } = &mut *state;
        entries.retain(|key, entry| {
            let stays = keep(key, &entry.value);
            if !stays {
                *weight -= entry.weight;
            }
            stays
        });
        queue.retain(|key| entries.contains_key(key));
    }
}

impl<K, V> fmt::Debug for ByteCache<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ByteCache")
    }
}

impl<K: Clone + Eq + Hash, V> CacheState<K, V> {
    fn evict(&mut self, allowed: usize) {
        while self.weight > allowed {
            self.evict_one();
        }
    }

    fn evict_one(&mut self) {
        while let Some(key) = self.queue.pop_front() {
            match self.entries.get_mut(&key) {
                Some(entry) if entry.was_read => {
                    entry.was_read = false;
                    self.queue.push_back(key);
                }
                _ => {
                    self.weight -= self.entries.remove(&key).map_or(0, |entry| entry.weight);
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{ByteCache, Pressure};

    #[test]
    fn full_cache_evicts_unread_value_first() {
        let cache = ByteCache::new(3);
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
    fn removed_values_free_their_weight() {
        let cache = ByteCache::new(3);
        for round in 0..100 {
            cache.put(round % 3, Arc::new(round), 1);
            cache.remove(&(round % 3));
        }
        cache.remove(&0);
        assert_eq!(cache.state.lock().queue.len(), 0);
        for key in 1..=3 {
            cache.put(key, Arc::new(key), 1);
        }
        cache.retain(|key, value| key == value && *key != 2);
        cache.put(4, Arc::new(4), 1);
        let cached: Vec<i32> = (1..=4).filter(|key| cache.get(key).is_some()).collect();
        assert_eq!(cached, [1, 3, 4]);
        assert_eq!(cache.state.lock().queue, [1, 3, 4]);
    }

    #[test]
    fn cache_is_halved_while_memory_is_short() {
        let cache = ByteCache::new(4);
        let cached = || (1..=5).filter(|key| cache.get(key).is_some()).count();
        (1..=4).for_each(|key| cache.put(key, Arc::new(key), 1));
        Pressure::High.apply();
        cache.shrink();
        assert_eq!(cached(), 2);
        cache.put(5, Arc::new(5), 1);
        assert_eq!(cached(), 2);
        Pressure::Normal.apply();
        (1..=4).for_each(|key| cache.put(key, Arc::new(key), 1));
        assert_eq!(cached(), 4);
    }

    #[test]
    fn capacity_bounds_weight_of_replaced_values() {
        let cache = ByteCache::new(10);
        for round in 0..100 {
            cache.put(round % 3, Arc::new(round), 4);
        }
        let cached: usize = (0..3).filter(|key| cache.get(key).is_some()).count();
        assert_eq!(cached, 2);
        cache.put(7, Arc::new(7), 11);
        assert!(cache.get(&7).is_none());
    }
}
