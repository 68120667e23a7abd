//! `[pure]` The files as they are written: each field checked by itself, nothing yet looked up.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::fields::{Fields, is_empty_list, read_number};
use super::limits::{FILE_BYTES_MAX, MOB_PACE_S_MAX, MOB_PACE_S_MIN, ROOM_LIST_MAX, SAYS_MAX};
use super::load::{SourceFile, WORLD_FILE};
use super::log::{At, FaultLog, Located};
use super::raw_channel::{self, RawChannel};
use super::raw_room::{self, RawRoom};
use super::text;

const WORLD_KEYS: &[&str] = &[
    "name",
    "greeting",
    "start_rooms",
    "recall_rooms",
    "channels",
];
const FILE_KEYS: &[&str] = &["zone", "room", "item", "mob"];
const ZONE_KEYS: &[&str] = &["key", "name"];
const ITEM_KEYS: &[&str] = &["key", "name", "keywords", "description", "long", "takeable"];
const MOB_KEYS: &[&str] = &[
    "key",
    "name",
    "keywords",
    "description",
    "room",
    "wander",
    "says",
    "every_s",
];

/// How often a mob acts that does not say so, in seconds.
const PACE_S_DEFAULT: (u32, u32) = (30, 90);

/// More than any list of tables that fits into a file.
const ANY_COUNT: usize = usize::MAX;

/// All files.
#[derive(Debug, Default)]
pub(super) struct RawWorld {
    pub(super) world: Option<RawWorldFile>,
    pub(super) zones: Vec<RawZone>,
    /// Whether all files are here.
    pub(super) is_complete: bool,
}

/// `world.toml`.
#[derive(Debug)]
pub(super) struct RawWorldFile {
    pub(super) at: At,
    pub(super) name: String,
    pub(super) greeting: String,
    pub(super) start_rooms: Vec<Located<String>>,
    pub(super) recall_rooms: Vec<Located<String>>,
    pub(super) channels: Vec<RawChannel>,
}

/// One area file.
#[derive(Debug)]
pub(super) struct RawZone {
    /// `None` when the file does not say it, which is a fault.
    pub(super) key: Option<Located<String>>,
    pub(super) name: String,
    pub(super) rooms: Vec<RawRoom>,
    pub(super) items: Vec<RawItem>,
    pub(super) mobs: Vec<RawMob>,
    /// The syntax is broken, so rooms may be missing here that the file does have.
    pub(super) is_broken: bool,
}

/// `[[item]]`.
#[derive(Debug)]
pub(super) struct RawItem {
    pub(super) key: Located<String>,
    pub(super) name: String,
    pub(super) keywords: Vec<Located<String>>,
    pub(super) description: String,
    pub(super) long: String,
    pub(super) takeable: bool,
}

/// `[[mob]]`.
#[derive(Debug)]
pub(super) struct RawMob {
    pub(super) key: Located<String>,
    pub(super) name: String,
    pub(super) keywords: Vec<Located<String>>,
    pub(super) description: String,
    pub(super) room: Located<String>,
    pub(super) wander: bool,
    pub(super) says: Vec<Located<String>>,
    pub(super) every_s: (u32, u32),
}

/// Reads all files.
pub(super) fn read(files: &[SourceFile], log: &mut FaultLog<'_>) -> RawWorld {
    let mut world = RawWorld::default();
    for (number, file) in (0u32..).zip(files) {
        let start = At::start_of(number);
        if u64::try_from(file.text.len()).unwrap_or(u64::MAX) > FILE_BYTES_MAX {
            log.error(
                start,
                format!("the file has more than {FILE_BYTES_MAX} bytes"),
            );
            continue;
        }
        let (table, wrong) = DeTable::parse_recoverable(&file.text);
        let table = table.get_ref();
        let mut is_broken = false;
        for error in wrong {
            let at = error.span().map_or(start, |span| At::new(number, &span));
            is_broken |= error.message() != DUPLICATE_KEY;
            log.error(at, told(error.message()));
        }
        if is_broken {
            log.mute();
        }
        if file.name == WORLD_FILE {
            let read = read_world_file(log, start, table);
            // A broken one is no ground to say that something is missing in it.
            world.world = Some(read).filter(|_| !is_broken);
        } else {
            world.zones.push(read_zone(log, start, table, is_broken));
        }
        log.unmute();
    }
    world
}

/// How the parser names the one syntax fault after which the rest of a file still means what it
/// says.
const DUPLICATE_KEY: &str = "duplicate key";

/// The parser's words, and more where they mislead: text without quotes is no try at a boolean.
fn told(message: &str) -> String {
    let hint = if message.starts_with("invalid boolean") {
        ", or text in quotes"
    } else {
        ""
    };
    format!("{message}{hint}")
}

fn read_world_file<'t>(log: &mut FaultLog<'_>, at: At, table: &'t DeTable<'t>) -> RawWorldFile {
    let fields = Fields::new(log, WORLD_FILE, at, table, WORLD_KEYS);
    let start_rooms = fields.texts(log, "start_rooms", text::REFERENCE, ROOM_LIST_MAX);
    if fields.value("start_rooms").is_none_or(is_empty_list) {
        log.error(
            at,
            "\"start_rooms\" is missing; it lists rooms, as in [\"harbour/pier\"]",
        );
    }
    RawWorldFile {
        at,
        name: fields.text(log, "name", text::NAME).value,
        greeting: fields.text(log, "greeting", text::GREETING).value,
        start_rooms,
        recall_rooms: fields.texts(log, "recall_rooms", text::REFERENCE, ROOM_LIST_MAX),
        channels: raw_channel::read_all(log, &fields),
    }
}

fn read_zone<'t>(
    log: &mut FaultLog<'_>,
    start: At,
    table: &'t DeTable<'t>,
    is_broken: bool,
) -> RawZone {
    let file = Fields::new(log, "an area file", start, table, FILE_KEYS);
    let mut zone = RawZone {
        key: None,
        name: String::new(),
        rooms: Vec::new(),
        items: Vec::new(),
        mobs: Vec::new(),
        is_broken,
    };
    match file.value("zone") {
        None => log.error(start, "the file has no [zone] with \"key\" and \"name\""),
        Some(value) => {
            let header = Fields::of_value(log, "[zone]", start.file, value, ZONE_KEYS);
            if let Some(header) = header {
                let key = header.text(log, "key", text::KEY);
                zone.key = Some(key).filter(|key| !key.value.is_empty());
                zone.name = header.text(log, "name", text::NAME).value;
            }
        }
    }
    let number = start.file;
    for value in file.list(log, "room", ANY_COUNT) {
        zone.rooms.extend(raw_room::read(log, number, value));
    }
    for value in file.list(log, "item", ANY_COUNT) {
        zone.items.extend(read_item(log, number, value));
    }
    for value in file.list(log, "mob", ANY_COUNT) {
        zone.mobs.extend(read_mob(log, number, value));
    }
    zone
}

fn read_item<'t>(
    log: &mut FaultLog<'_>,
    file: u32,
    value: &'t Spanned<DeValue<'t>>,
) -> Option<RawItem> {
    let fields = Fields::of_value(log, "[[item]]", file, value, ITEM_KEYS)?;
    Some(RawItem {
        key: fields.text(log, "key", text::KEY),
        name: fields.text(log, "name", text::NAME).value,
        keywords: fields.keywords(log),
        description: fields.text(log, "description", text::DESCRIPTION).value,
        long: fields.text(log, "long", text::LONG).value,
        takeable: fields.flag(log, "takeable", true),
    })
}

fn read_mob<'t>(
    log: &mut FaultLog<'_>,
    file: u32,
    value: &'t Spanned<DeValue<'t>>,
) -> Option<RawMob> {
    let fields = Fields::of_value(log, "[[mob]]", file, value, MOB_KEYS)?;
    Some(RawMob {
        key: fields.text(log, "key", text::KEY),
        name: fields.text(log, "name", text::NAME).value,
        keywords: fields.keywords(log),
        description: fields.text(log, "description", text::DESCRIPTION).value,
        room: fields.text(log, "room", text::REFERENCE),
        wander: fields.flag(log, "wander", false),
        says: fields.texts(log, "says", text::SAY, SAYS_MAX),
        every_s: read_pace(log, &fields),
    })
}

fn read_pace(log: &mut FaultLog<'_>, fields: &Fields<'_>) -> (u32, u32) {
    let Some(value) = fields.value("every_s") else {
        return PACE_S_DEFAULT;
    };
    let at = At::new(fields.at.file, &value.span());
    let list = value
        .get_ref()
        .as_array()
        .map(|list| list.iter().collect::<Vec<_>>());
    let Some([min, max]) = list.as_deref() else {
        log.error(
            at,
            "\"every_s\" must be two whole numbers of seconds, as in [30, 90]",
        );
        return PACE_S_DEFAULT;
    };
    let bounds = MOB_PACE_S_MIN..=MOB_PACE_S_MAX;
    let [min, max] =
        [min, max].map(|value| read_number(log, "every_s", fields.at.file, value, bounds.clone()));
    match (min, max) {
        (Some(min), Some(max)) if min > max => {
            log.error(
                at,
                format!("\"every_s\" goes from {min} to {max}; the first is the least"),
            );
            PACE_S_DEFAULT
        }
        (Some(min), Some(max)) => (min, max),
        _ => PACE_S_DEFAULT,
    }
}
