//! `[pure]` The generated world as its players see it: a torus of rooms named by row and column,
//! with bands of rows as zones; and the way from one room to another.

use std::collections::BTreeMap;

/// A room: row and column, from 1, as its name tells them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    pub(crate) row: u32,
    pub(crate) column: u32,
}

/// The map of a generated world.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Torus {
    rows: u32,
    columns: u32,
    /// The rooms of each zone, by the name of its shard, in order.
    zones: BTreeMap<String, Vec<Spot>>,
}

impl Torus {
    /// Reads the texts of the zones' files.
    pub(crate) fn read<'a>(files: impl IntoIterator<Item = &'a str>) -> Self {
        let mut torus = Self::default();
        for file in files {
            let keys = file
                .lines()
                .filter_map(|line| line.strip_prefix("key = \""));
            let mut keys = keys.filter_map(|rest| rest.strip_suffix('"'));
            let Some(zone) = keys.next() else {
                continue;
            };
            let rooms: Vec<_> = keys.filter_map(spot_of_key).collect();
            for spot in &rooms {
                torus.rows = torus.rows.max(spot.row);
                torus.columns = torus.columns.max(spot.column);
            }
            torus.zones.insert(format!("zone:{zone}"), rooms);
        }
        torus
    }

    /// The shards of its zones.
    pub(crate) fn zones(&self) -> impl Iterator<Item = &str> {
        self.zones.keys().map(String::as_str)
    }

    /// A room of a zone; numbers beyond the last begin anew.
    pub(crate) fn room(&self, zone: &str, number: usize) -> Option<Spot> {
        let rooms = self.zones.get(zone)?;
        rooms.get(number % rooms.len().max(1)).copied()
    }

    /// What to type in a room to come nearer to another; `None` when that is where one is.
    pub(crate) fn step(&self, from: Spot, to: Spot) -> Option<&'static str> {
        if from.row != to.row {
            let south = (to.row + self.rows - from.row) % self.rows.max(1);
            return Some(if south * 2 <= self.rows {
                "south"
            } else {
                "north"
            });
        }
        if from.column != to.column {
            let east = (to.column + self.columns - from.column) % self.columns.max(1);
            return Some(if east * 2 <= self.columns {
                "east"
            } else {
                "west"
            });
        }
        None
    }
}

/// The room whose name this line is: `Meadow 6-20`.
pub(crate) fn spot(line: &[u8]) -> Option<Spot> {
    let line = std::str::from_utf8(line).ok()?;
    let (kind, place) = line.trim_end().split_once(' ')?;
    let (row, column) = place.split_once('-')?;
    let is_kind = kind.bytes().all(|letter| letter.is_ascii_alphabetic());
    let number = |text: &str| text.parse().ok().filter(|number| *number > 0);
    is_kind.then_some(Spot {
        row: number(row)?,
        column: number(column)?,
    })
}

/// The room of a key: `r00005c00019`, from 0.
fn spot_of_key(key: &str) -> Option<Spot> {
    let (row, column) = key.strip_prefix('r')?.split_once('c')?;
    Some(Spot {
        row: row.parse::<u32>().ok()? + 1,
        column: column.parse::<u32>().ok()? + 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZERO: &str = "[zone]\nkey = \"z0000\"\nname = \"Band 1\"\n\n\
        [[room]]\nkey = \"r00000c00000\"\n\
        name = \"Meadow 1-1\"\nexits = { north = \"z0001/r00004c00000\" }\n\n\
        [[room]]\nkey = \"r00000c00002\"\n";
    const ONE: &str = "[zone]\nkey = \"z0001\"\n[[room]]\nkey = \"r00004c00001\"\n";

    fn at(row: u32, column: u32) -> Spot {
        Spot { row, column }
    }

    #[test]
    fn a_map_is_read_from_the_files_of_its_zones() {
        let torus = Torus::read([ZERO, ONE, "name = \"Torus\"\n"]);
        assert_eq!(
            torus.zones().collect::<Vec<_>>(),
            ["zone:z0000", "zone:z0001"]
        );
        assert_eq!((torus.rows, torus.columns), (5, 3));
        assert_eq!(torus.room("zone:z0000", 1), Some(at(1, 3)));
        assert_eq!(torus.room("zone:z0000", 2), Some(at(1, 1)));
        assert_eq!(torus.room("zone:none", 0), None);
    }

    #[test]
    fn every_walk_ends_where_it_should_and_takes_the_short_way() {
        let torus = Torus {
            rows: 5,
            columns: 4,
            zones: BTreeMap::new(),
        };
        let rooms = || (1..=5).flat_map(|row| (1..=4).map(move |column| at(row, column)));
        for (from, to) in rooms().flat_map(|from| rooms().map(move |to| (from, to))) {
            let (mut here, mut steps) = (from, 0);
            while let Some(step) = torus.step(here, to) {
                match step {
                    "south" => here.row = here.row % 5 + 1,
                    "north" => here.row = (here.row + 3) % 5 + 1,
                    "east" => here.column = here.column % 4 + 1,
                    _ => here.column = (here.column + 2) % 4 + 1,
                }
                steps += 1;
                assert!(steps <= 4, "{from:?} {to:?}");
            }
            assert_eq!(here, to);
        }
    }

    #[test]
    fn rooms_are_known_by_their_names() {
        assert_eq!(spot(b"Meadow 6-20"), Some(at(6, 20)));
        for other in [
            "Meadow",
            "Meadow 0-1",
            "You say, \"6-20\"",
            "Ann leaves 6-2 x",
            "6-20",
        ] {
            assert_eq!(spot(other.as_bytes()), None, "{other}");
        }
    }
}
