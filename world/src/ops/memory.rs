//! `[edge]` The resident memory of this process, as Linux tells it.

/// Resident memory in bytes; 0 where `/proc` does not tell.
#[must_use]
pub fn resident_bytes() -> u64 {
    std::fs::read_to_string("/proc/self/status").map_or(0, |status| parse(&status))
}

fn parse(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kib.map_or(0, |kib| kib.saturating_mul(1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_line_of_the_kernel() {
        assert_eq!(
            parse("VmPeak:\t  99 kB\nVmRSS:\t    2048 kB\nThreads:\t1\n"),
            2_097_152
        );
        assert_eq!(parse("nothing of it"), 0);
        assert!(resident_bytes() > 100_000, "a live process has some");
    }
}
