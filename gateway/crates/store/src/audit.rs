//! The calls of the admin API that the history does not have: `audit/<n>.json`, each with up to
//! [`CHUNK`] entries. The last one is replaced until it is full.

use colonnade_model::event::AuditEntry;
use jiff::Timestamp;

use crate::audit_tail::{AuditTail, CHUNK, Chunk};
use crate::error::{StoreError, if_intact};
use crate::inner::{Inner, MAX_ATTEMPTS};
use crate::keys::{audit_key, numbers};
use crate::objects::{Found, Listed, When};

/// A part of the log: the number before it, and the entries with their numbers.
pub(crate) type AuditPart = (u64, Vec<(u64, AuditEntry)>);

impl Inner {
    /// Appends entries, which have an effect together or in order.
    pub(crate) async fn append_audit(&self, mut entries: &[AuditEntry]) -> Result<(), StoreError> {
        let mut tail = self.audit.lock().await;
        let mut attempts = 0;
        while !entries.is_empty() {
            if attempts == MAX_ATTEMPTS {
                return Err(StoreError::Interrupted);
            }
            self.refresh(&mut tail).await?;
            let stored = &tail.chunk;
            let now = &entries[..entries.len().min(CHUNK - stored.len())];
            // A request that the client repeats can find what it wrote itself.
            let is_there = attempts > 0 && stored.entries.windows(now.len()).any(|there| there == now);
            if !is_there {
                attempts += 1;
                let next = Chunk {
                    entries: [&stored.entries, now].concat(),
                    ..*stored
                };
                let key = audit_key(tail.number.unwrap_or(0));
                let when = tail.version.as_ref().map_or(When::Absent, When::Is);
                let Some(version) = self.objects.write(&key, &next, when).await? else {
                    continue;
                };
                tail.version = Some(version);
                tail.chunk = next;
            }
            entries = &entries[now.len()..];
            attempts = 0;
        }
        Ok(())
    }

    /// The number of the last entry.
    pub(crate) async fn audit_end(&self) -> Result<u64, StoreError> {
        let mut tail = self.audit.lock().await;
        self.refresh(&mut tail).await?;
        Ok(tail.end())
    }

    /// At least `limit` entries with numbers above `after`, ascending, or all that there are. Those
    /// of deleted objects are left out. A restored store can end before `after`.
    pub(crate) async fn audit_after(&self, after: u64, limit: usize) -> Result<AuditPart, StoreError> {
        let (last, end, newest) = {
            let mut tail = self.audit.lock().await;
            self.refresh(&mut tail).await?;
            (tail.number.unwrap_or(0), tail.end(), tail.chunk.clone())
        };
        let after = after.min(end);
        let first = after / CHUNK as u64;
        let mut found = Vec::new();
        if first < last {
            let listed = self.objects.list("audit").await?;
            let stored = numbers(listed.iter().map(|listed| &*listed.name));
            for number in stored.into_iter().filter(|number| (first..last).contains(number)) {
                let chunk: Option<Chunk> = if_intact(self.objects.read(&audit_key(number)).await)?;
                add(&mut found, number, chunk.unwrap_or_default(), after);
                if found.len() >= limit {
                    return Ok((after, found));
                }
            }
        }
        add(&mut found, last, newest, after);
        Ok((after, found))
    }

    /// Deletes the entries from before this time, which come first, and objects without others. The
    /// last object stays, because it has the number of the last entry.
    pub(crate) async fn delete_audit(&self, before: Timestamp) -> Result<(), StoreError> {
        let listed = self.objects.list("audit").await?;
        let stored = numbers(listed.iter().map(|listed| &*listed.name));
        let last = stored.last().copied();
        for number in stored {
            let (key, name) = (audit_key(number), format!("{number}.json"));
            let is_last = Some(number) == last;
            let is_old = |listed: &Listed| listed.name == name && listed.written_at < before;
            if !is_last && listed.iter().any(is_old) {
                self.objects.delete(&key).await?;
                continue;
            }
            let read = if_intact(self.objects.read_content::<Chunk>(&key).await)?;
            let Some((mut chunk, version)) = read else {
                continue;
            };
            let old = chunk.entries.iter().take_while(|entry| entry.at < before).count();
            if !is_last && old == chunk.entries.len() {
                self.objects.delete(&key).await?;
                continue;
            }
            if old > 0 {
                chunk.entries.drain(..old);
                chunk.deleted += old;
                // If another gateway appends meanwhile, the next call deletes them.
                self.objects.write(&key, &chunk, When::Is(&version)).await?;
            }
            return Ok(());
        }
        Ok(())
    }

    /// Reads what others have appended.
    async fn refresh(&self, tail: &mut AuditTail) -> Result<(), StoreError> {
        if tail.number.is_none() {
            let listed = self.objects.list("audit").await?;
            let last = numbers(listed.iter().map(|listed| &*listed.name)).pop();
            tail.start(last.unwrap_or(0));
        }
        loop {
            let number = tail.number.unwrap_or(0);
            let key = audit_key(number);
            match self.objects.get(&key, tail.version.as_ref()).await? {
                Found::Unchanged | Found::Missing => {}
                Found::Object(object) => match self.objects.parse::<Chunk>(&key, &object.bytes) {
                    Ok(chunk) => {
                        tail.version = Some(object.version);
                        tail.chunk = chunk;
                    }
                    // Its entries are lost. Others follow.
                    Err(error) if error.is_loss() => {
                        tail.start(number + 1);
                        continue;
                    }
                    Err(error) => return Err(error),
                },
            }
            if tail.chunk.len() < CHUNK {
                return Ok(());
            }
            tail.start(number + 1);
        }
    }
}

fn add(found: &mut Vec<(u64, AuditEntry)>, number: u64, chunk: Chunk, after: u64) {
    let first = number * CHUNK as u64 + chunk.deleted as u64 + 1;
    let numbered = (first..).zip(chunk.entries);
    found.extend(numbered.filter(|(number, _)| *number > after));
}
