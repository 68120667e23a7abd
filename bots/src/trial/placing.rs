//! `[pure]` Which zones to move so that every node has its share of them, and how two tables of
//! owners differ.

use std::collections::BTreeMap;

/// Owners of shards by name.
pub(crate) type Owners = BTreeMap<String, Option<String>>;

/// Shards that are zones begin so.
pub(crate) const ZONE: &str = "zone:";

/// The zones of a node.
pub(crate) fn zones_of<'a>(owners: &'a Owners, node: &'a str) -> impl Iterator<Item = &'a str> {
    let owned = owners
        .iter()
        .filter(move |(_, owner)| owner.as_deref() == Some(node));
    let names = owned.map(|(shard, _)| shard.as_str());
    names.filter(|shard| shard.starts_with(ZONE))
}

/// The moves (zone, node) after which no node has two zones more than another; as few as possible.
pub(crate) fn evened(owners: &Owners, nodes: &[String]) -> Vec<(String, String)> {
    let mut held: Vec<(Vec<&str>, &str)> = nodes
        .iter()
        .map(|node| (zones_of(owners, node).collect(), node.as_str()))
        .collect();
    let mut moves = Vec::new();
    loop {
        let by_count = |number: &usize| held.get(*number).map_or(0, |(zones, _)| zones.len());
        let most = (0..held.len()).max_by_key(by_count);
        let least = (0..held.len()).min_by_key(by_count);
        let (Some(most), Some(least)) = (most, least) else {
            return moves;
        };
        if by_count(&most) < by_count(&least) + 2 {
            return moves;
        }
        let taken = held.get_mut(most).and_then(|(zones, _)| zones.pop());
        let (Some(zone), Some((zones, node))) = (taken, held.get_mut(least)) else {
            return moves;
        };
        zones.push(zone);
        moves.push((zone.to_owned(), (*node).to_owned()));
    }
}

/// The shards whose owners are others after than before.
pub(crate) fn moved<'a>(before: &Owners, after: &'a Owners) -> Vec<&'a str> {
    let changed = after
        .iter()
        .filter(|(shard, owner)| before.get(*shard) != Some(owner));
    changed.map(|(shard, _)| shard.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owners(text: &str) -> Owners {
        let pair = |word: &str| {
            let (shard, owner) = word.split_once('=').unwrap();
            let owner = (owner != "-").then(|| owner.to_owned());
            (shard.to_owned(), owner)
        };
        text.split_whitespace().map(pair).collect()
    }

    #[test]
    fn zones_are_evened_with_the_fewest_moves() {
        let nodes = ["n1", "n2", "n3"].map(str::to_owned);
        let all_on_one: String = (0..12).map(|zone| format!("zone:{zone:02}=n2 ")).collect();
        let mut table = owners(&all_on_one);
        table.insert("accounts:1".into(), Some("n1".into()));
        let moves = evened(&table, &nodes);
        assert_eq!(moves.len(), 8);
        for (zone, node) in moves {
            table.insert(zone, Some(node));
        }
        for node in &nodes {
            assert_eq!(zones_of(&table, node).count(), 4, "{node}");
        }
        assert!(evened(&table, &nodes).is_empty());
        assert!(evened(&owners("zone:a=n1 zone:b=n2"), &nodes).is_empty());
        assert!(evened(&table, &[]).is_empty());
    }

    #[test]
    fn only_shards_with_other_owners_have_moved() {
        let before = owners("a=n1 b=n2 c=-");
        let after = owners("a=n2 b=n2 c=n1 d=n1");
        assert_eq!(moved(&before, &after), ["a", "c", "d"]);
        assert!(moved(&after, &after).is_empty());
    }
}
