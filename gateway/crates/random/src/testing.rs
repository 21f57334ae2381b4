//! Random numbers that a seed decides.

use std::cell::RefCell;

use rand::SeedableRng as _;
use rand::distr::{Distribution, StandardUniform};
use rand::rngs::SmallRng;

thread_local! {
    static SEEDED: RefCell<Option<SmallRng>> = const { RefCell::new(None) };
}

/// Makes the values of this thread depend on a seed only.
pub fn seed(seed: u64) {
    SEEDED.set(Some(SmallRng::seed_from_u64(seed)));
}

pub(super) fn random<T>() -> Option<T>
where
    StandardUniform: Distribution<T>,
{
    SEEDED.with_borrow_mut(|rng| rng.as_mut().map(rand::RngExt::random))
}
