//! Returns the memory of a burst of connections to the operating system once they are closed, and
//! makes the gateway accept less work before the kernel ends it for lack of memory.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval};

use colonnade_edge::metrics::ListenerConnectionMetrics;
use colonnade_memory::{Pressure, Usage};
use colonnade_site::Site;

use crate::metrics::MemoryMetrics;
use crate::run::settings::CurrentListenerSettings;

/// How often the closed connections are counted.
const INTERVAL: Duration = Duration::from_secs(5);

/// How often the use of memory is read.
const SAMPLE_INTERVAL: Duration = Duration::from_secs(1);

/// The number of connections whose memory is worth returning: about 16 MiB.
const BURST: i64 = 500;

/// Returns freed memory whenever a burst of connections has been closed.
pub(super) async fn return_after_bursts(connections: ListenerConnectionMetrics) {
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut closed = 0;
    loop {
        ticks.tick().await;
        let (peak, open) = connections.take_peak();
        // Connections that close slowly also count.
        closed += peak - open;
        if closed >= BURST {
            closed = 0;
            // A panic in it is logged.
            let _ = spawn_blocking(colonnade_memory::trim).await;
        }
    }
}

/// Reads the use of memory, and sets the level of pressure. While it is high, halves the caches and
/// returns what is free.
pub(super) async fn guard(settings: CurrentListenerSettings, site: Arc<Site>, metrics: MemoryMetrics) {
    let mut ticks = interval(SAMPLE_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut last = 0;
    loop {
        ticks.tick().await;
        let limit = settings.site.load().limits.max_memory_bytes;
        let usage = spawn_blocking(move || Usage::read(Path::new("/"), limit)).await;
        let usage = usage.ok().flatten();
        let before = Pressure::current();
        // A failed reading says nothing. The level rises only if two readings say so, and falls
        // with one.
        let pressure = usage.map_or(before, |usage| {
            let percent = usage.percent();
            before.next(percent.min(std::mem::replace(&mut last, percent)))
        });
        metrics.record(usage, pressure);
        pressure.apply();
        if pressure != before {
            log(pressure, usage);
        }
        if pressure >= Pressure::High {
            site.shrink_caches();
            // A panic in it is logged.
            let _ = spawn_blocking(colonnade_memory::trim).await;
        }
    }
}

fn log(pressure: Pressure, usage: Option<Usage>) {
    let level = pressure.name();
    let (used, limit) = usage.map_or((0, 0), |usage| (usage.used, usage.limit));
    if pressure == Pressure::Normal {
        tracing::info!(event = "memory_pressure", level, used, limit);
    } else {
        tracing::warn!(event = "memory_pressure", level, used, limit);
    }
}
