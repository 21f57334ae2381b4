//! A buffered log writer that never blocks.
//!
//! Logging a line copies it to a buffer; a thread writes the buffer to standard output. A line that
//! arrives alone is written at once, further lines are written in batches. If the reader is too
//! slow and the buffer is full, lines are dropped and counted.

use std::cell::RefCell;
use std::io::{self, Write};
use std::mem;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use colonnade_web::register_metrics;
use parking_lot::{Condvar, Mutex, MutexGuard};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;
use tracing_subscriber::fmt::MakeWriter;

use crate::event_limiter::EventLimiter;
use crate::export_queue::ExportQueue;

/// The pause after each write, in which lines accumulate.
const BATCH_INTERVAL: Duration = Duration::from_millis(10);

/// How long dropping [`LogWriter`] waits for a reader that has stopped reading.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// The capacity of the buffer in bytes.
const MAX_BUFFERED: usize = 4 * 1024 * 1024;

/// The buffer of the log.
#[derive(Clone, Default)]
pub struct Log(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// All lines dropped since the start.
    dropped_lines: Counter,
    limiter: EventLimiter,
    /// If lines are exported.
    exported: OnceLock<Arc<ExportQueue>>,
    buffer: Mutex<Buffer>,
    /// Lines arrived, or the log was closed.
    changed: Condvar,
    /// The log was closed, or is finished. New lines do not end the pause after a write.
    ended: Condvar,
}

#[derive(Default)]
struct Buffer {
    lines: Vec<u8>,
    /// The number of lines dropped since the last `log_lines_dropped` event.
    dropped: u64,
    is_closed: bool,
    is_finished: bool,
}

/// Writes the log until it is dropped. Dropping it writes the rest of the buffer, unless the reader
/// has stopped reading.
#[must_use]
pub struct LogWriter(Log);

impl LogWriter {
    /// The log that is written.
    pub fn log(&self) -> &Log {
        &self.0
    }
}

impl Log {
    /// Adds the metrics of the log to the registry.
    pub fn register(&self, registry: &mut Registry) {
        register_metrics! { registry;
            "log_lines_dropped": self.0.dropped_lines,
                "Log lines that were dropped because the reader of the log is too slow";
        }
        self.0.limiter.register(registry);
    }

    /// Exports all further lines. Only the first call has an effect.
    pub(super) fn export_to(&self, queue: Arc<ExportQueue>) {
        let _ = self.0.exported.set(queue);
    }

    /// The rate limit of events.
    pub(super) fn limiter(&self) -> &EventLimiter {
        &self.0.limiter
    }

    /// Logs the line that `write` appends, without a rate limit.
    pub(super) fn add(&self, write: impl FnOnce(&mut Vec<u8>)) {
        thread_local! {
            static LINE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
        }
        LINE.with_borrow_mut(|line| {
            line.clear();
            write(line);
            line.push(b'\n');
            self.put(line);
        });
    }

    /// Buffers a whole line, or drops it.
    fn put(&self, line: &[u8]) {
        if let Some(queue) = self.0.exported.get() {
            queue.add_line(line);
        }
        let mut buffer = self.lock();
        if buffer.lines.len() + line.len() > MAX_BUFFERED {
            buffer.dropped += 1;
            self.0.dropped_lines.inc();
            return;
        }
        let was_empty = buffer.lines.is_empty();
        buffer.lines.extend_from_slice(line);
        drop(buffer);
        if was_empty {
            self.0.changed.notify_one();
        }
    }

    /// Starts the thread that writes to `output`.
    pub(super) fn write_to(self, output: impl Write + Send + 'static) -> io::Result<LogWriter> {
        let log = self.clone();
        let thread = std::thread::Builder::new().name("log".to_owned());
        thread.spawn(move || log.run(output))?;
        Ok(LogWriter(self))
    }

    fn run(&self, mut output: impl Write) {
        let mut lines = Vec::new();
        while let Some(dropped) = self.take(&mut lines) {
            // There is no other place to report a failed write.
            let _ = output.write_all(&lines).and_then(|()| output.flush());
            lines.clear();
            if dropped > 0 {
                tracing::warn!(event = "log_lines_dropped", count = dropped);
            }
            let ended = &self.0.ended;
            ended.wait_while_for(&mut self.lock(), |buffer| !buffer.is_closed, BATCH_INTERVAL);
        }
        self.lock().is_finished = true;
        self.0.ended.notify_all();
    }

    /// Waits for lines, moves them to `lines` and returns the number of dropped ones. Returns
    /// `None` once the log is closed and empty.
    fn take(&self, lines: &mut Vec<u8>) -> Option<u64> {
        let is_idle = |buffer: &mut Buffer| buffer.lines.is_empty() && !buffer.is_closed;
        let mut buffer = self.lock();
        self.0.changed.wait_while(&mut buffer, is_idle);
        mem::swap(lines, &mut buffer.lines);
        (!lines.is_empty()).then(|| mem::take(&mut buffer.dropped))
    }

    fn lock(&self) -> MutexGuard<'_, Buffer> {
        self.0.buffer.lock()
    }
}

impl Write for Log {
    /// Buffers a whole line, or drops it.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.put(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

impl Drop for LogWriter {
    fn drop(&mut self) {
        let Self(log) = self;
        let mut buffer = log.lock();
        buffer.is_closed = true;
        log.0.changed.notify_all();
        log.0.ended.notify_all();
        let is_running = |buffer: &mut Buffer| !buffer.is_finished;
        log.0.ended.wait_while_for(&mut buffer, is_running, FLUSH_TIMEOUT);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::{Log, MAX_BUFFERED};

    /// An output that reports each write and blocks until the test lets it continue.
    struct SlowOutput {
        written: Sender<String>,
        resume: Receiver<()>,
    }

    impl Write for SlowOutput {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.written.send(String::from_utf8_lossy(bytes).into_owned());
            let _ = self.resume.recv();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_are_batched_during_write_and_none_is_lost() {
        let ((written, writes), (resumer, resume)) = (channel(), channel());
        let mut log = Log::default();
        let log_writer = log
            .clone()
            .write_to(SlowOutput { written, resume })
            .expect("a thread");
        log.write_all(b"one\n").expect("a write");
        assert_eq!(writes.recv().as_deref(), Ok("one\n"));
        for line in ["two\n", "three\n"] {
            log.write_all(line.as_bytes()).expect("a write");
        }
        resumer.send(()).expect("the output waits");
        assert_eq!(writes.recv().as_deref(), Ok("two\nthree\n"));
        log.write_all(b"four\n").expect("a write");
        drop(resumer);
        drop(log_writer);
        assert_eq!(writes.recv().as_deref(), Ok("four\n"));
        assert!(writes.recv().is_err());
    }

    #[test]
    fn stopped_reader_blocks_nothing_and_buffer_is_bounded() {
        let ((written, writes), (resumer, resume)) = (channel(), channel());
        let mut log = Log::default();
        let log_writer = log
            .clone()
            .write_to(SlowOutput { written, resume })
            .expect("a thread");
        let line = [b'x'; 1024];
        log.write_all(&line).expect("a write");
        assert!(writes.recv().is_ok());
        for _ in 0..2 * MAX_BUFFERED / line.len() {
            log.write_all(&line).expect("a write");
        }
        assert_eq!(log.lock().lines.len(), MAX_BUFFERED);
        assert_eq!(log.lock().dropped, (MAX_BUFFERED / line.len()) as u64);
        // Dropping the writer does not block either.
        drop(log_writer);
        drop(resumer);
    }
}
