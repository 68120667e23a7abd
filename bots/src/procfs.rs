//! `[edge]` CPU time and memory of a process, from `/proc`.

use std::fs;
use std::io;
use std::time::Duration;

/// Clock ticks a second in `/proc/PID/stat`: 100 on every Linux the node runs on.
const TICKS_PER_S: u64 = 100;

/// Which process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Process {
    /// This one.
    Own,
    /// The one with this number.
    Other(u32),
}

impl Process {
    /// CPU time used so far, in steps of 10 ms.
    ///
    /// # Errors
    /// When the process does not exist, or its file is not as expected.
    pub(crate) fn cpu(self) -> io::Result<Duration> {
        let stat = fs::read_to_string(self.path("stat"))?;
        cpu_of(&stat).ok_or_else(|| io::Error::other("unexpected /proc/PID/stat"))
    }

    /// Resident memory in KB.
    ///
    /// # Errors
    /// As [`Process::cpu`].
    pub(crate) fn rss_kb(self) -> io::Result<u64> {
        let status = fs::read_to_string(self.path("status"))?;
        rss_of(&status).ok_or_else(|| io::Error::other("unexpected /proc/PID/status"))
    }

    fn path(self, file: &str) -> String {
        match self {
            Self::Own => format!("/proc/self/{file}"),
            Self::Other(pid) => format!("/proc/{pid}/{file}"),
        }
    }
}

/// User and system time: fields 14 and 15; the name before them may hold spaces and brackets.
fn cpu_of(stat: &str) -> Option<Duration> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(Duration::from_millis(
        (user + system) * (1000 / TICKS_PER_S),
    ))
}

fn rss_of(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_fields_behind_a_nasty_name() {
        let stat = "12 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20 0";
        assert_eq!(cpu_of(stat), Some(Duration::from_secs(2)));
        assert_eq!(cpu_of("12 (a"), None);
        assert_eq!(rss_of("Name:\tx\nVmRSS:\t    1234 kB\n"), Some(1234));
    }

    #[test]
    fn this_process_exists_and_number_0_does_not() {
        assert!(Process::Own.rss_kb().unwrap() > 100);
        assert!(Process::Own.cpu().is_ok());
        assert!(Process::Other(0).cpu().is_err());
    }
}
