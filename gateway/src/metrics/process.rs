//! Metrics of the process, with the names of the Prometheus client libraries. They do not include
//! the render workers, which are processes of their own.

use std::fmt;
use std::path::Path;

use jiff::Timestamp;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Unit;
use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};

/// Reads the metrics of the process at scrape time. A metric that the system does not have is left
/// out.
#[derive(Debug)]
pub(super) struct ProcessMetrics {
    start: Timestamp,
}

impl Default for ProcessMetrics {
    fn default() -> Self {
        Self {
            start: colonnade_clock::precise(),
        }
    }
}

impl Collector for ProcessMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let start = self.start.as_duration();
        let mut encode = |name, help, unit: Option<&Unit>, metric: &dyn EncodeMetric| {
            let family = encoder.encode_descriptor(name, help, unit, metric.metric_type())?;
            metric.encode(family)
        };
        encode(
            "process_start_time",
            "The start of the process, since the Unix epoch",
            Some(&Unit::Seconds),
            &ConstGauge::new(start.as_secs_f64()),
        )?;
        encode(
            "process_cpu",
            "CPU time of the process",
            Some(&Unit::Seconds),
            &ConstCounter::new(cpu_seconds()),
        )?;
        if let Some(bytes) = colonnade_memory::resident_bytes(Path::new("/proc/self")) {
            let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
            let help = "Resident memory of the process";
            let bytes = ConstGauge::new(bytes);
            encode("process_resident_memory", help, Some(&Unit::Bytes), &bytes)?;
        }
        if let Some(open) = open_descriptors() {
            let open = ConstGauge::new(open);
            encode("process_open_fds", "Open file descriptors", None, &open)?;
        }
        if let Some(limit) = getrlimit(Resource::Nofile).current {
            let help = "The maximum number of open file descriptors";
            let limit = ConstGauge::new(i64::try_from(limit).unwrap_or(i64::MAX));
            encode("process_max_fds", help, None, &limit)?;
        }
        Ok(())
    }
}

#[allow(clippy::cast_precision_loss)]
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Without the descriptor that reads the folder.
fn open_descriptors() -> Option<i64> {
    let open = std::fs::read_dir("/proc/self/fd").ok()?.count();
    i64::try_from(open).ok().map(|open| open - 1)
}
