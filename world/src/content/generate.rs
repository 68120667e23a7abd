//! `[pure]` A torus world for load tests: rows and columns of rooms with four exits each, every
//! zone a band of rows. Equal options give equal texts.

use super::limits::{FILE_BYTES_MAX, FILES_MAX, ROOMS_MAX};
use super::load::{SourceFile, WORLD_FILE};

/// Bytes that one room takes in its file, at most.
const ROOM_BYTES_MAX: u64 = 640;

/// Rooms of a zone: what fits into its file.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a few thousand, by the assert below"
)]
const ZONE_ROOMS_MAX: u32 = (FILE_BYTES_MAX / ROOM_BYTES_MAX) as u32;
const _: () = assert!(FILE_BYTES_MAX / ROOM_BYTES_MAX < 100_000);

/// What world is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GenerateOptions {
    /// How many rooms: a number that is a product of two numbers from 2 up.
    pub rooms: u32,
    /// How many zones: at most as many as the torus has rows.
    pub zones: u32,
}

/// Why there is no such world. Refused: the operator asks for other numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
    /// The number of rooms is no product of two numbers from 2 up, or beyond the limit.
    #[error(
        "{rooms} rooms make no torus; wanted: rows times columns, both at least 2, \
         at most {ROOMS_MAX} rooms (near: {near})"
    )]
    Rooms {
        /// What was asked for.
        rooms: u32,
        /// A number near it that works.
        near: u32,
    },
    /// The number of zones does not fit the rows.
    #[error("{zones} zones do not fit; {rows} rows of rooms allow 1 to {most} zones")]
    Zones {
        /// What was asked for.
        zones: u32,
        /// The rows of the torus.
        rows: u32,
        /// How many zones are possible.
        most: u32,
    },
    /// The rooms of one zone do not fit into one file.
    #[error("{zones} zones are too few for {rooms} rooms; a zone holds at most {ZONE_ROOMS_MAX}")]
    ZoneTooLarge {
        /// How many rooms were asked for.
        rooms: u32,
        /// How many zones were asked for.
        zones: u32,
    },
}

/// The torus: `row` grows southwards, `column` eastwards.
#[derive(Clone, Copy, Debug)]
struct Torus {
    rows: u32,
    columns: u32,
    zones: u32,
}

/// The files of a torus world.
///
/// # Errors
/// The numbers are impossible.
pub fn generate(options: GenerateOptions) -> Result<Vec<SourceFile>, GenerateError> {
    let torus = Torus::new(options)?;
    let mut files = vec![torus.world_file()];
    for zone in 0..torus.zones {
        files.push(torus.zone_file(zone));
    }
    Ok(files)
}

impl Torus {
    fn new(options: GenerateOptions) -> Result<Self, GenerateError> {
        let GenerateOptions { rooms, zones } = options;
        let Some(columns) = columns_of(rooms) else {
            return Err(GenerateError::Rooms {
                rooms,
                near: near(rooms),
            });
        };
        let rows = rooms / columns;
        let most = rows.min(u32::try_from(FILES_MAX - 1).unwrap_or(u32::MAX));
        if zones == 0 || zones > most {
            return Err(GenerateError::Zones { zones, rows, most });
        }
        if rows.div_ceil(zones) * columns > ZONE_ROOMS_MAX {
            return Err(GenerateError::ZoneTooLarge { rooms, zones });
        }
        Ok(Self {
            rows,
            columns,
            zones,
        })
    }

    /// The first row of a zone; that of the zone after the last is the number of rows.
    fn first_row(self, zone: u32) -> u32 {
        let row = u64::from(zone) * u64::from(self.rows) / u64::from(self.zones);
        u32::try_from(row).unwrap_or(self.rows)
    }

    fn zone_of_row(self, row: u32) -> u32 {
        // The last zone whose first row is not below this one, solved for the zone.
        let zone = ((u64::from(row) + 1) * u64::from(self.zones) - 1) / u64::from(self.rows);
        u32::try_from(zone).unwrap_or(self.zones)
    }

    fn room_key(self, row: u32, column: u32) -> String {
        format!("z{:04}/r{row:05}c{column:05}", self.zone_of_row(row))
    }

    fn world_file(self) -> SourceFile {
        let rooms = u64::from(self.rows) * u64::from(self.columns);
        let mut recall = String::new();
        for zone in 0..self.zones {
            let room = self.room_key(self.first_row(zone), 0);
            recall += &format!("    \"{room}\",\n");
        }
        let start = self.room_key(0, 0);
        let text = format!(
            "# Generated: a torus of {} rows and {} columns.\n\
             name = \"Torus\"\n\
             greeting = \"A torus of {rooms} rooms in {} zones.\"\n\
             start_rooms = [\"{start}\"]\n\
             recall_rooms = [\n{recall}]\n\n\
             [[channels]]\nname = \"chat\"\nabout = \"For everybody.\"\ndefault = true\n",
            self.rows, self.columns, self.zones
        );
        SourceFile {
            name: WORLD_FILE.to_owned(),
            text,
        }
    }

    fn zone_file(self, zone: u32) -> SourceFile {
        let mut text = format!(
            "[zone]\nkey = \"z{zone:04}\"\nname = \"Band {}\"\n",
            zone + 1
        );
        for row in self.first_row(zone)..self.first_row(zone + 1) {
            for column in 0..self.columns {
                text += &self.room(row, column);
            }
        }
        SourceFile {
            name: format!("z{zone:04}.toml"),
            text,
        }
    }

    fn room(self, row: u32, column: u32) -> String {
        let north = self.room_key((row + self.rows - 1) % self.rows, column);
        let south = self.room_key((row + 1) % self.rows, column);
        let east = self.room_key(row, (column + 1) % self.columns);
        let west = self.room_key(row, (column + self.columns - 1) % self.columns);
        let seed = row.wrapping_mul(31).wrapping_add(column);
        let kind = pick(&KINDS, seed);
        let mut room = format!(
            "\n[[room]]\nkey = \"r{row:05}c{column:05}\"\nname = \"{kind} {}-{}\"\n",
            row + 1,
            column + 1
        );
        let lines = [
            pick(&GROUND, seed),
            pick(&SIGHT, seed / 3),
            pick(&SOUND, seed / 7),
        ];
        room += &format!("description = \"\"\"\n{}\"\"\"\n", lines.join("\n"));
        room += &format!(
            "exits = {{ north = \"{north}\", east = \"{east}\", south = \"{south}\", \
             west = \"{west}\" }}\n"
        );
        room
    }
}

/// The columns of the squarest torus of so many rooms: rows are never fewer than columns.
fn columns_of(rooms: u32) -> Option<u32> {
    let rooms_max = u32::try_from(ROOMS_MAX).unwrap_or(u32::MAX);
    if rooms > rooms_max {
        return None;
    }
    (2..=rooms.isqrt())
        .rev()
        .find(|columns| rooms.is_multiple_of(*columns))
}

fn near(rooms: u32) -> u32 {
    let rooms_max = u32::try_from(ROOMS_MAX).unwrap_or(u32::MAX);
    let even = rooms.saturating_add(rooms % 2);
    even.clamp(4, rooms_max)
}

fn pick<const N: usize>(list: &[&'static str; N], seed: u32) -> &'static str {
    let index = usize::try_from(seed).unwrap_or(0) % N.max(1);
    list.get(index).copied().unwrap_or_default()
}

const KINDS: [&str; 6] = [
    "Meadow",
    "Orchard",
    "Crossroads",
    "Heath",
    "Courtyard",
    "Grove",
];

const GROUND: [&str; 5] = [
    "Short grass grows between flat stones that somebody laid long ago.",
    "A sandy path crosses another one here, and both go on out of sight.",
    "Old leaves cover the ground and rustle at every step you take.",
    "The ground is soft and dark, and the prints of many boots are in it.",
    "Worn bricks form a pattern of rings around a dry little fountain.",
];

const SIGHT: [&str; 5] = [
    "Far off a row of poplars stands against the sky like a fence.",
    "A low wall with a gap in each of its four sides marks the place.",
    "A post in the middle carries four boards that nobody can read.",
    "Blue hills lie at the edge of the world, the same on every side.",
    "A heap of stones, a little higher than you, has a flat top.",
];

const SOUND: [&str; 5] = [
    "Somewhere a bell is struck twice, and then it is quiet again.",
    "The wind brings the voices of people who are walking elsewhere.",
    "Bees hum in the clover, busy with matters of their own.",
    "You hear steps, but they stop whenever you stop to listen.",
    "A bird repeats three notes as if it had forgotten the fourth.",
];
