//! Random numbers for IDs and secrets. What the store and the platform draw comes from here, so
//! that a simulation can repeat a run.

#[cfg(feature = "testing")]
pub mod testing;

use rand::distr::{Distribution, StandardUniform};

/// An unpredictable random value.
pub fn random<T>() -> T
where
    StandardUniform: Distribution<T>,
{
    #[cfg(feature = "testing")]
    if let Some(value) = testing::random() {
        return value;
    }
    rand::random()
}
