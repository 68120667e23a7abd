//! `[pure]` What nodes write into their logs of what acts on them.

use super::moment::Moment;

/// Under which name nodes write it down (`log.level=belay_cluster::deeds=trace`).
const TARGET: &str = "belay_cluster::deeds: ";

/// What happened on a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// A shard acts from now on while the node's lease holds.
    Runs {
        /// Which shard.
        shard: String,
        /// In which epoch.
        epoch: u64,
    },
    /// A shard acts no more in this epoch.
    Stopped {
        /// Which shard.
        shard: String,
        /// In which epoch.
        epoch: u64,
    },
    /// A shard holds still to be moved.
    Froze {
        /// Which shard.
        shard: String,
    },
    /// It acts again where it was.
    Thaws {
        /// Which shard.
        shard: String,
    },
    /// The node may act until then.
    Leased {
        /// Until when.
        until: Moment,
    },
    /// The node may not act any more.
    Lapsed,
    /// The node's process is over. Who killed it writes that down.
    Over,
}

/// What happened on which node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeDeed {
    /// The node's name.
    pub node: String,
    /// When.
    pub at: Moment,
    /// What.
    pub deed: Deed,
}

/// Reads the deeds out of a node's log in text; all other lines are passed over.
///
/// # Errors
/// A line is one of a deed and cannot be read; which.
pub fn read_deeds(node: &str, log: &str) -> Result<Vec<NodeDeed>, String> {
    let lines = log.lines().filter_map(|line| {
        let (_, deed) = line.split_once(TARGET)?;
        Some((line, deed))
    });
    let read = lines.map(|(line, deed)| {
        let (at, deed) = read(deed).ok_or_else(|| format!("not understood: {line}"))?;
        let node = node.to_owned();
        Ok(NodeDeed { node, at, deed })
    });
    read.collect()
}

/// Reads a deed: `runs shard=zone:isle epoch=7 at=Instant { tv_sec: 1, tv_nsec: 2 }`.
fn read(deed: &str) -> Option<(Moment, Deed)> {
    let moment = |field: &str| {
        let (_, rest) = deed.split_once(field)?;
        let (moment, _) = rest.split_once('}')?;
        Moment::read(&format!("{moment}}}"))
    };
    let word = |field: &str| {
        let (_, rest) = deed.split_once(field)?;
        rest.split(' ').next()
    };
    let shard = || word(" shard=").map(str::to_owned);
    let epoch = || word(" epoch=")?.parse().ok();
    let deed = match deed.split(' ').next()? {
        "runs" => Deed::Runs {
            shard: shard()?,
            epoch: epoch()?,
        },
        "stopped" => Deed::Stopped {
            shard: shard()?,
            epoch: epoch()?,
        },
        "froze" => Deed::Froze { shard: shard()? },
        "thaws" => Deed::Thaws { shard: shard()? },
        "leased" => Deed::Leased {
            until: moment(" until=")?,
        },
        "lapsed" => Deed::Lapsed,
        _ => return None,
    };
    Some((moment(" at=")?, deed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(deed: &str) -> String {
        let at = "at=Instant { tv_sec: 1, tv_nsec: 0 }";
        format!("2026-12-01T01:45:12.124313Z TRACE {TARGET}{deed} {at}")
    }

    #[test]
    fn deeds_are_read_among_other_lines() {
        let log = [
            "belay: no record at all".to_owned(),
            line("leased until=Instant { tv_sec: 4, tv_nsec: 0 }"),
            line("runs shard=zone:isle epoch=7"),
            "2026-12-01T01:45:12.124313Z INFO belay_cluster: joined node=2".to_owned(),
            line("froze shard=zone:isle"),
            line("thaws shard=zone:isle"),
            line("stopped shard=zone:isle epoch=7"),
            line("lapsed"),
        ];
        let deeds = read_deeds("n1", &log.join("\n")).unwrap();
        let shard = || "zone:isle".to_owned();
        let expected = [
            Deed::Leased {
                until: Moment::from_ms(4_000),
            },
            Deed::Runs {
                shard: shard(),
                epoch: 7,
            },
            Deed::Froze { shard: shard() },
            Deed::Thaws { shard: shard() },
            Deed::Stopped {
                shard: shard(),
                epoch: 7,
            },
            Deed::Lapsed,
        ];
        let at = Moment::from_ms(1_000);
        assert!(deeds.iter().all(|it| it.node == "n1" && it.at == at));
        let read: Vec<Deed> = deeds.into_iter().map(|it| it.deed).collect();
        assert_eq!(read, expected);
    }

    #[test]
    fn a_deed_that_cannot_be_read_is_an_error() {
        for broken in [
            line("flies"),
            line("runs shard=zone:isle"),
            line("leased until=soon"),
            line("lapsed")[..70].to_owned(),
        ] {
            let error = read_deeds("n1", &broken).unwrap_err();
            assert!(error.contains(&broken), "{error}");
        }
    }
}
