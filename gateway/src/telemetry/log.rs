//! The log's way to standard output.
//!
//! A line costs whoever logs it a copy, not a system call: a thread writes what has come together. One that comes alone
//! is written at once. Who reads the log too slowly holds up nobody: what there is no room for is counted and dropped.

use std::io::{self, Write};
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};
use serde::Serialize;
use tracing_subscriber::fmt::MakeWriter;

/// How long lines come together after some were written.
const PAUSE: Duration = Duration::from_millis(10);

/// How long the process waits at its end for a reader that has stopped.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// What most lines fit into, in bytes.
const LINE: usize = 384;

/// The most bytes that wait to be written.
const ROOM: usize = 4 * 1024 * 1024;

/// Where lines are put.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Shared>);

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    lines: Vec<u8>,
    /// Lines that there was no room for since it was last told.
    dropped: u64,
    is_over: bool,
    has_ended: bool,
}

/// Has the log written for as long as it lives; what is there when it is dropped is written still, if anybody reads it.
#[must_use]
pub(crate) struct Writing(Log);

impl Writing {
    /// What is written.
    pub(crate) fn log(&self) -> &Log {
        &self.0
    }
}

impl Log {
    /// Adds a line of JSON.
    pub(super) fn add(&self, event: &impl Serialize) {
        let mut line = Vec::with_capacity(LINE);
        // Only a value with keys that are no texts cannot be written; no event has any.
        if serde_json::to_writer(&mut line, event).is_ok() {
            line.push(b'\n');
            self.put(&line);
        }
    }

    /// Takes a whole line, or none of it.
    fn put(&self, line: &[u8]) {
        let mut waiting = self.lock();
        if waiting.lines.len() + line.len() > ROOM {
            waiting.dropped += 1;
            return;
        }
        let was_empty = waiting.lines.is_empty();
        waiting.lines.extend_from_slice(line);
        drop(waiting);
        if was_empty {
            self.0.changed.notify_one();
        }
    }

    /// Has a thread write lines to `output`.
    pub(super) fn written_to(self, output: impl Write + Send + 'static) -> io::Result<Writing> {
        let log = self.clone();
        let thread = std::thread::Builder::new().name("log".to_owned());
        thread.spawn(move || log.keep_writing(output))?;
        Ok(Writing(self))
    }

    fn keep_writing(&self, mut output: impl Write) {
        let mut lines = Vec::new();
        while let Some(dropped) = self.take(&mut lines) {
            // Where the log cannot be written there is nowhere to say so.
            let _ = output.write_all(&lines).and_then(|()| output.flush());
            lines.clear();
            if dropped > 0 {
                tracing::warn!(event = "log_lines_dropped", count = dropped);
            }
            let changed = &self.0.changed;
            changed.wait_while_for(&mut self.lock(), |waiting| !waiting.is_over, PAUSE);
        }
        self.lock().has_ended = true;
        self.0.changed.notify_all();
    }

    /// Waits for lines and takes them, and how many were dropped; `None` once there will be no more.
    fn take(&self, lines: &mut Vec<u8>) -> Option<u64> {
        let is_idle = |waiting: &mut Waiting| waiting.lines.is_empty() && !waiting.is_over;
        let mut waiting = self.lock();
        self.0.changed.wait_while(&mut waiting, is_idle);
        mem::swap(lines, &mut waiting.lines);
        (!lines.is_empty()).then(|| mem::take(&mut waiting.dropped))
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.waiting.lock()
    }
}

impl Write for Log {
    /// Takes a whole line, or none of it.
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

impl Drop for Writing {
    fn drop(&mut self) {
        let Self(log) = self;
        let mut waiting = log.lock();
        waiting.is_over = true;
        log.0.changed.notify_all();
        let is_writing = |waiting: &mut Waiting| !waiting.has_ended;
        log.0.changed.wait_while_for(&mut waiting, is_writing, LAST_WORDS);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::{Log, ROOM};

    /// An output that says what it is given, and goes on when it is told to.
    struct Slow {
        said: Sender<String>,
        go_on: Receiver<()>,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.said.send(String::from_utf8_lossy(bytes).into_owned());
            let _ = self.go_on.recv();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_come_together_while_others_are_written_and_none_is_lost() {
        let ((said, what), (go, go_on)) = (channel(), channel());
        let mut log = Log::default();
        let writing = log.clone().written_to(Slow { said, go_on }).expect("a thread");
        log.write_all(b"one\n").expect("room");
        assert_eq!(what.recv().as_deref(), Ok("one\n"));
        for line in ["two\n", "three\n"] {
            log.write_all(line.as_bytes()).expect("room");
        }
        go.send(()).expect("it waits");
        assert_eq!(what.recv().as_deref(), Ok("two\nthree\n"));
        log.write_all(b"four\n").expect("room");
        drop(go);
        drop(writing);
        assert_eq!(what.recv().as_deref(), Ok("four\n"));
        assert!(what.recv().is_err());
    }

    #[test]
    fn a_reader_that_stops_stops_nobody_and_takes_no_more_than_there_is_room_for() {
        let ((said, what), (go, go_on)) = (channel(), channel());
        let mut log = Log::default();
        let writing = log.clone().written_to(Slow { said, go_on }).expect("a thread");
        let line = [b'x'; 1024];
        log.write_all(&line).expect("taken");
        assert!(what.recv().is_ok());
        for _ in 0..2 * ROOM / line.len() {
            log.write_all(&line).expect("taken or dropped");
        }
        assert_eq!(log.lock().lines.len(), ROOM);
        assert_eq!(log.lock().dropped, (ROOM / line.len()) as u64);
        // Nor does it keep the process from ending.
        drop(writing);
        drop(go);
    }
}
