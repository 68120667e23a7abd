//! `[pure]` The status of a cluster in a line, for who watches it change.

use std::collections::BTreeMap;

use serde::Deserialize;

/// What is looked at of `belay cluster status --json`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Summary {
    leader: Option<String>,
    term: u64,
    nodes: Vec<NodeSummary>,
    shards: Vec<ShardSummary>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct NodeSummary {
    name: String,
    phase: String,
    voter: bool,
    incarnation: u32,
    shards: usize,
}

/// A shard and who owns it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct ShardSummary {
    shard: String,
    owner: Option<String>,
}

impl Summary {
    /// Whether every node is up and every shard has an owner.
    pub(crate) fn is_whole(&self, nodes: u16) -> bool {
        let up = self.nodes.iter().filter(|node| node.phase == "Up").count();
        up == usize::from(nodes)
            && !self.shards.is_empty()
            && self.shards.iter().all(|shard| shard.owner.is_some())
    }

    /// Who leads.
    pub(crate) fn leader(&self) -> Option<&str> {
        self.leader.as_deref()
    }

    /// Every shard with its owner, by name.
    pub(crate) fn owners(&self) -> BTreeMap<&str, Option<&str>> {
        let shards = self.shards.iter();
        shards
            .map(|it| (it.shard.as_str(), it.owner.as_deref()))
            .collect()
    }

    /// In a line.
    pub(crate) fn line(&self) -> String {
        let leader = match &self.leader {
            Some(name) => format!("{name} leads, term {}", self.term),
            None => "nobody leads".to_owned(),
        };
        let nodes = self.nodes.iter().map(|node| {
            let NodeSummary {
                name,
                phase,
                voter,
                incarnation,
                shards,
            } = node;
            let phase = phase.to_lowercase();
            let votes = if *voter { ", votes" } else { "" };
            format!(
                "{name} {phase} (life {incarnation}{votes}) {}",
                shards_of(*shards)
            )
        });
        let lost = self.shards.iter().filter(|it| it.owner.is_none()).count();
        let lost = match lost {
            0 => String::new(),
            lost => format!("; {} without an owner", shards_of(lost)),
        };
        format!("{leader}; {}{lost}", nodes.collect::<Vec<_>>().join(", "))
    }
}

fn shards_of(count: usize) -> String {
    match count {
        1 => "1 shard".to_owned(),
        count => format!("{count} shards"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: &str = r#"{"cluster":"demo","node":"n1","leader":"n1","term":3,"log":[9,9],
        "nodes":[{"number":1,"name":"n1","phase":"Up","voter":true,"incarnation":1,"shards":2},
                 {"number":2,"name":"n2","phase":"Down","voter":false,"incarnation":4,"shards":0}],
        "shards":[{"shard":"zone:a","owner":"n1"},{"shard":"zone:b","owner":null}]}"#;

    #[test]
    fn a_line_says_who_leads_how_nodes_are_and_what_is_lost() {
        let summary: Summary = serde_json::from_str(STATUS).unwrap();
        assert_eq!(
            summary.line(),
            "n1 leads, term 3; n1 up (life 1, votes) 2 shards, n2 down (life 4) 0 shards; \
             1 shard without an owner"
        );
        assert!(!summary.is_whole(2));
        assert_eq!(summary.leader(), Some("n1"));
        let owners = summary.owners();
        assert_eq!(owners["zone:a"], Some("n1"));
        assert_eq!(owners["zone:b"], None);
    }

    #[test]
    fn a_cluster_is_whole_when_all_are_up_and_own_all() {
        let whole = STATUS.replace("Down", "Up").replace("null", "\"n2\"");
        let summary: Summary = serde_json::from_str(&whole).unwrap();
        assert!(summary.is_whole(2));
        assert!(!summary.is_whole(3), "one is missing");
        let empty = whole.replace(r#"{"shard":"zone:a","owner":"n1"},"#, "");
        let none = empty.replace(r#"{"shard":"zone:b","owner":"n2"}"#, "");
        let summary: Summary = serde_json::from_str(&none).unwrap();
        assert!(!summary.is_whole(2), "nothing is declared yet");
    }
}
