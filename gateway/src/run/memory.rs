//! Returns the memory of a crowd of connections to the operating system after it has left.

use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use colonnade_edge::metrics::ListenerConnectionMetrics;

/// How often the closed connections are counted.
const INTERVAL: Duration = Duration::from_secs(5);

/// The number of connections whose memory is worth returning: about 16 MiB.
const CROWD: i64 = 500;

/// Returns freed memory whenever a crowd of connections has been closed.
pub(super) async fn return_after_crowds(connections: ListenerConnectionMetrics) {
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut closed = 0;
    loop {
        ticks.tick().await;
        let (peak, open) = connections.take_peak();
        // A crowd that leaves slowly counts, too.
        closed += peak - open;
        if closed >= CROWD {
            closed = 0;
            // A panic in it is logged.
            let _ = tokio::task::spawn_blocking(colonnade_memory::trim).await;
        }
    }
}
