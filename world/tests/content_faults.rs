//! Goal: a builder learns of everything that is wrong in one run, each fault with its place, and of
//! nothing that is not wrong. Method: small contents with planted faults; the whole list of faults
//! is compared, so that a fault too many fails as well.

use belay_world::content::{Loaded, SourceFile, limits, load};

const WORLD: &str = r#"name = "Test"
greeting = "Welcome."
start_rooms = ["a/one"]
"#;

const ZONE: &str = r#"[zone]
key = "a"
name = "Zone A"
[[room]]
key = "one"
name = "One"
description = "Here."
"#;

/// A room that is right; planted faults come after its line 4.
const ROOM: &str = "[[room]]\nkey = \"two\"\nname = \"Two\"\ndescription = \"There.\"\n";

const ITEM: &str = "[[item]]\nkey = \"pot\"\nname = \"a pot\"\nkeywords = [\"pot\"]\n\
                    description = \"Round.\"\nlong = \"A pot stands here.\"\n";

const MOB: &str = "[[mob]]\nkey = \"tom\"\nname = \"Tom\"\nkeywords = [\"tom\"]\n\
                   description = \"Thin.\"\n";

fn files(list: &[(&str, &str)]) -> Vec<SourceFile> {
    list.iter()
        .map(|(name, text)| SourceFile {
            name: (*name).to_owned(),
            text: (*text).to_owned(),
        })
        .collect()
}

/// Loads the files and compares all faults, warnings of a good world included.
fn check(list: &[(&str, &str)], expected: &[&str]) {
    let faults = match load(&files(list)) {
        Ok(Loaded { warnings, .. }) => {
            assert_eq!(warnings.errors, 0);
            warnings
        }
        Err(faults) => {
            assert_ne!(faults.errors, 0, "refused for warnings only: {faults}");
            faults
        }
    };
    let found: Vec<String> = faults.list.iter().map(ToString::to_string).collect();
    assert_eq!(found, expected);
    assert_eq!(faults.errors + faults.warnings, expected.len());
}

/// Compares the faults of a zone file `a.toml` that begins with [`ZONE`] (7 lines).
fn check_zone(rest: &str, expected: &[&str]) {
    check(
        &[("a.toml", &format!("{ZONE}{rest}")), ("world.toml", WORLD)],
        expected,
    );
}

/// The same with the exits of room one on line 8 and room two on the lines 9 to 12.
fn check_exits(exits: &str, expected: &[&str]) {
    check_zone(
        &format!("exits = {exits}\n{ROOM}exits = {{ west = \"one\" }}\n"),
        expected,
    );
}

#[test]
fn a_good_world_has_no_faults() {
    check_zone("", &[]);
    check_exits("{ east = \"two\" }", &[]);
    check_exits("{ east = \"a/two\" }", &[]);
    check_exits("{ in = { to = \"two\" } }", &[]);
}

#[test]
fn syntax_faults_of_all_files_are_told_and_nothing_that_follows_from_them() {
    let broken = "[zone]\nkey = \"b\"\nname = \"B\n[[room]]\nkey = \n";
    let pointing =
        format!("{ZONE}exits = {{ east = \"b/one\", west = \"nowhere\", up = \"d/one\" }}\n");
    check(
        &[
            ("a.toml", &pointing),
            ("b.toml", broken),
            ("c.toml", "[zone\n"),
            ("world.toml", "name = Test\nstart_rooms = [\"b/x\"]\n"),
        ],
        &[
            "a.toml:8:34: error: there is no room \"a/nowhere\"",
            "b.toml:3:10: error: invalid basic string, expected `\"`",
            "b.toml:5:7: error: string values must be quoted, expected literal string",
            "c.toml:1:6: error: unclosed table, expected `]`",
            "world.toml:1:8: error: invalid boolean, expected `true`, or text in quotes",
        ],
    );
}

#[test]
fn a_duplicate_key_does_not_hide_the_rest_of_its_file() {
    check_zone(
        "name = \"Again\"\nnmae = \"x\"\n",
        &[
            "a.toml:8:1: error: duplicate key",
            "a.toml:9:1: error: unknown key \"nmae\" in [[room]] (did you mean \"name\"?); \
             allowed: key, name, description, exits, things, items",
        ],
    );
}

#[test]
fn unknown_keys_are_told_with_what_is_allowed() {
    check(
        &[
            (
                "a.toml",
                "[zone]\nkey = \"a\"\nname = \"A\"\nlevel = 3\n[[rooms]]\nkey = \"x\"\n",
            ),
            (
                "world.toml",
                "titel = 1\nname = \"T\"\ngreeting = \"G\"\nstart_rooms = [\"a/x\"]\n",
            ),
        ],
        &[
            "a.toml:2:7: warning: the zone \"a\" has no rooms",
            "a.toml:4:1: error: unknown key \"level\" in [zone]; allowed: key, name",
            "a.toml:5:3: error: unknown key \"rooms\" in an area file (did you mean \"room\"?); \
             allowed: zone, room, item, mob",
            "world.toml:1:1: error: unknown key \"titel\" in world.toml; \
             allowed: name, greeting, start_rooms, recall_rooms, channels",
            "world.toml:4:16: error: there is no room \"a/x\"",
        ],
    );
    check_zone(
        "[[room.things]]\nkeywords = [\"sky\"]\ndescription = \"Blue.\"\ncolour = 1\n",
        &[
            "a.toml:11:1: error: unknown key \"colour\" in [[room.things]]; \
           allowed: keywords, description",
        ],
    );
}

#[test]
fn missing_fields_are_told_at_their_table() {
    check_zone(
        "[[room]]\n[[item]]\n[[mob]]\n",
        &[
            "a.toml:8:1: error: [[room]] has no \"description\"",
            "a.toml:8:1: error: [[room]] has no \"key\"",
            "a.toml:8:1: error: [[room]] has no \"name\"",
            "a.toml:9:1: error: [[item]] has no \"description\"",
            "a.toml:9:1: error: [[item]] has no \"key\"",
            "a.toml:9:1: error: [[item]] has no \"keywords\"",
            "a.toml:9:1: error: [[item]] has no \"long\"",
            "a.toml:9:1: error: [[item]] has no \"name\"",
            "a.toml:10:1: error: [[mob]] has no \"description\"",
            "a.toml:10:1: error: [[mob]] has no \"key\"",
            "a.toml:10:1: error: [[mob]] has no \"keywords\"",
            "a.toml:10:1: error: [[mob]] has no \"name\"",
            "a.toml:10:1: error: [[mob]] has no \"room\"",
        ],
    );
    check(
        &[("a.toml", "# nothing\n"), ("world.toml", "")],
        &[
            "a.toml:1:1: error: the file has no [zone] with \"key\" and \"name\"",
            "world.toml:1:1: error: \"start_rooms\" is missing; it lists rooms, as in \
             [\"harbour/pier\"]",
            "world.toml:1:1: error: world.toml has no \"greeting\"",
            "world.toml:1:1: error: world.toml has no \"name\"",
        ],
    );
}

#[test]
fn a_world_without_its_file_or_without_rooms_is_no_world() {
    check(
        &[("a.toml", ZONE)],
        &[
            "world.toml: error: the file is missing; it holds name, greeting, start_rooms and \
           recall_rooms",
        ],
    );
    check(
        &[],
        &[
            "world.toml: error: the file is missing; it holds name, greeting, start_rooms and \
           recall_rooms",
        ],
    );
    check(
        &[(
            "world.toml",
            "name = \"T\"\ngreeting = \"G\"\nstart_rooms = [\"a/one\"]\n",
        )],
        &[
            "world.toml:1:1: error: the world has no rooms",
            "world.toml:3:16: error: there is no zone \"a\"",
        ],
    );
    check(
        &[
            ("a.toml", ZONE),
            (
                "world.toml",
                "name = \"T\"\ngreeting = \"G\"\nstart_rooms = []\n",
            ),
        ],
        &[
            "world.toml:1:1: error: \"start_rooms\" is missing; it lists rooms, as in \
           [\"harbour/pier\"]",
        ],
    );
}

#[test]
fn values_of_the_wrong_kind_are_told() {
    check_zone(
        "exits = [\"two\"]\nthings = \"sky\"\nitems = [\"pot\", { item = 3, count = \"two\" }]\n",
        &[
            "a.toml:8:9: error: \"exits\" must be a table, as in { north = \"square\" }, \
             found a list",
            "a.toml:9:10: error: \"things\" must be a list, found text",
            "a.toml:10:10: error: [[room.items]] must be a table, found text",
            "a.toml:10:26: error: \"item\" must be text in quotes, found a whole number",
            "a.toml:10:37: error: \"count\" must be a whole number, found text",
        ],
    );
    check_zone(
        &format!("{ITEM}takeable = \"yes\"\n{MOB}room = \"one\"\nwander = 1\nsays = [2.5]\n"),
        &[
            "a.toml:14:12: error: \"takeable\" must be true or false, found text",
            "a.toml:21:10: error: \"wander\" must be true or false, found a whole number",
            "a.toml:22:9: error: \"says\" must be text in quotes, found a number with a point",
        ],
    );
    check(
        &[
            ("a.toml", "zone = 1\nroom = 1979-05-27\n"),
            ("world.toml", WORLD),
        ],
        &[
            "a.toml:1:8: error: [zone] must be a table, found a whole number",
            "a.toml:2:8: error: \"room\" must be a list, found a date",
        ],
    );
}

#[test]
fn exits_that_lead_nowhere_are_told_with_the_nearest_key() {
    check_exits(
        "{ north = \"too\", south = \"b/two\", west = \"far-away\", up = \"Two\" }",
        &[
            "a.toml:8:19: error: there is no room \"a/too\" (did you mean \"a/two\"?)",
            "a.toml:8:34: error: there is no zone \"b\" (did you mean \"a\"?)",
            "a.toml:8:50: error: there is no room \"a/far-away\"",
            "a.toml:8:67: error: \"up\" is \"Two\"; allowed: a key, or a zone's key, '/' and a key",
        ],
    );
}

#[test]
fn unknown_directions_are_told_with_the_nearest_one() {
    let all = "allowed: north, east, south, west, northeast, northwest, southeast, southwest, \
               up, down, in, out";
    check_exits(
        "{ nroth = \"two\", n = \"two\", sideways = \"two\", east = \"two\" }",
        &[
            &format!(
                "a.toml:8:11: error: unknown direction \"nroth\" (did you mean \"north\"?); {all}"
            ),
            &format!(
                "a.toml:8:26: error: unknown direction \"n\" (did you mean \"north\"?); {all}"
            ),
            &format!("a.toml:8:37: error: unknown direction \"sideways\"; {all}"),
        ],
    );
}

#[test]
fn an_exit_without_a_way_back_is_a_warning_unless_it_is_meant() {
    let two = ROOM.to_owned() + "exits = { down = \"three\" }\n";
    let three = ROOM.replace("two", "three");
    check_zone(
        &format!("exits = {{ east = \"two\" }}\n{two}{three}exits = {{ up = \"one\" }}\n"),
        &[
            "a.toml:8:18: warning: no exit of \"two\" leads back here; if that is meant, write \
             east = { to = \"two\", one_way = true }",
            "a.toml:13:18: warning: no exit of \"three\" leads back here; if that is meant, write \
             down = { to = \"three\", one_way = true }",
            "a.toml:18:16: warning: no exit of \"one\" leads back here; if that is meant, write \
             up = { to = \"one\", one_way = true }",
        ],
    );
    check_zone(
        &format!(
            "exits.east = {{ to = \"two\", one_way = true }}\n\
             {ROOM}exits.down = {{ to = \"three\", one_way = true }}\n\
             {three}exits.up = {{ to = \"one\", one_way = true }}\n"
        ),
        &[],
    );
}

#[test]
fn rooms_that_nobody_can_reach_or_leave_are_warnings() {
    let three = ROOM.replace("two", "three");
    check_zone(
        &format!("exits = {{ east = {{ to = \"two\", one_way = true }} }}\n{ROOM}{three}"),
        &[
            "a.toml:10:7: warning: no way leads from \"a/two\" to a start room",
            "a.toml:14:7: warning: no way leads from a start room to \"a/three\"",
        ],
    );
}

#[test]
fn keys_that_are_used_twice_are_told_with_the_first_place() {
    let text = format!("{ZONE}{ROOM}{ROOM}{ITEM}{ITEM}{MOB}room = \"one\"\n{MOB}room = \"one\"\n");
    check(
        &[("a.toml", &text), ("b.toml", ZONE), ("world.toml", WORLD)],
        &[
            "a.toml:13:7: error: the room \"a/two\" is already at a.toml:9:7",
            "a.toml:23:7: error: the item \"a/pot\" is already at a.toml:17:7",
            "a.toml:35:7: error: the mob \"a/tom\" is already at a.toml:29:7",
            "b.toml:2:7: error: the zone \"a\" is already at a.toml:2:7",
            "b.toml:5:7: error: the room \"a/one\" is already at a.toml:5:7",
        ],
    );
}

#[test]
fn keys_and_keywords_have_plain_characters() {
    let item = ITEM.replace("\"pot\"]", "\"Pot\", \"old pot\", \"jar\", \"jar\"]");
    check_zone(
        &item.replace("key = \"pot\"", "key = \"clay pot\""),
        &[
            "a.toml:9:7: error: \"key\" is \"clay pot\"; \
             allowed: lower-case letters a-z, digits, '-' and '_'",
            "a.toml:11:13: error: \"keywords\" is \"Pot\"; \
             allowed: one word of lower-case letters a-z, digits, '-', '_' and '",
            "a.toml:11:20: error: \"keywords\" is \"old pot\"; \
             allowed: one word of lower-case letters a-z, digits, '-', '_' and '",
            "a.toml:11:38: warning: the keyword \"jar\" stands here twice",
        ],
    );
    check_zone(
        &ITEM.replace("[\"pot\"]", "[]"),
        &["a.toml:11:12: error: \"keywords\" of [[item]] is empty"],
    );
    check_zone(
        &ITEM.replace("[\"pot\"]", "\"pot\""),
        &["a.toml:11:12: error: \"keywords\" must be a list, found text"],
    );
    check_zone(
        &ITEM.replace("[[item]]", "[item]"),
        &[
            "a.toml:8:1: error: \"item\" must be a list, found a table; \
             tables in a list begin with two brackets, as in [[room]]",
        ],
    );
}

#[test]
fn keywords_of_things_that_clash_are_warnings() {
    check_zone(
        "things = [\n  { keywords = [\"sea\", \"water\"], description = \"Wet.\" },\n  \
         { keywords = [\"pump\", \"water\"], description = \"Iron.\" },\n  \
         { keywords = [\"up\"], description = \"Sky.\" },\n]\n",
        &[
            "a.toml:10:25: warning: the keyword \"water\" already means another thing here, \
             at a.toml:9:24",
            "a.toml:11:17: warning: the keyword \"up\" is a direction; looking shows the exit",
        ],
    );
}

#[test]
fn texts_are_printable_not_empty_and_not_too_long() {
    let name = "n".repeat(limits::NAME_BYTES_MAX + 1);
    let prose = "p".repeat(limits::DESCRIPTION_BYTES_MAX + 1);
    let room = |name: &str, description: &str| {
        format!("[[room]]\nkey = \"two\"\nname = {name}\ndescription = {description}\n")
    };
    let unreachable = "a.toml:9:7: warning: no way leads from a start room to \"a/two\"";
    check_zone(
        &room(&format!("\"{name}\""), &format!("\"{prose}\"")),
        &[
            "a.toml:10:8: error: \"name\" is 61 bytes long; at most 60 are allowed",
            "a.toml:11:15: error: \"description\" is 1801 bytes long; at most 1800 are allowed",
        ],
    );
    check_zone(
        &room("\"two\\nlines\"", "\"\"\"\n \n\"\"\""),
        &[
            "a.toml:10:8: error: \"name\" holds a line end; one line is allowed",
            "a.toml:11:15: error: \"description\" is empty",
        ],
    );
    check_zone(
        &room("\"\\u001b[31mred\"", "\"zero\u{200b}width\""),
        &[
            "a.toml:10:8: error: \"name\" holds the control character U+001B; \
             only printable text is allowed",
            "a.toml:11:15: error: \"description\" holds the control character U+200B; \
             only printable text is allowed",
        ],
    );
    check_zone(&room("\"Caf\u{e9}\"", "\"Warm.\""), &[unreachable]);
}

#[test]
fn resets_name_items_that_are_there_once_and_not_too_many() {
    check_zone(
        &format!(
            "items = [{{ item = \"pto\" }}, {{ item = \"pot\", count = 0 }}, \
             {{ item = \"pot\", count = 21 }}, {{ item = \"pot\", count = -1 }}]\n{ITEM}"
        ),
        &[
            "a.toml:8:19: error: there is no item \"a/pto\" (did you mean \"a/pot\"?)",
            "a.toml:8:52: error: \"count\" is 0; 1 to 20 is allowed",
            "a.toml:8:66: error: the item \"pot\" stands here twice; \
             allowed: one entry with a count",
            "a.toml:8:81: error: \"count\" is 21; 1 to 20 is allowed",
            "a.toml:8:96: error: the item \"pot\" stands here twice; \
             allowed: one entry with a count",
            "a.toml:8:111: error: \"count\" is -1; 1 to 20 is allowed",
        ],
    );
}

#[test]
fn mobs_have_a_home_in_their_zone_and_a_pace() {
    let b = ZONE.replace("\"a\"", "\"b\"").replace("Here.", "B.")
        + &format!("exits = {{ in = \"a/one\" }}\n{MOB}room = \"a/one\"\n");
    let a = format!(
        "{ZONE}exits = {{ out = \"b/one\" }}\n{MOB}room = \"attic\"\nevery_s = [9, 3]\n\
         {}room = \"one\"\nevery_s = [1, 90000]\n{}room = \"one\"\nevery_s = 3\n",
        MOB.replace("tom", "tim"),
        MOB.replace("tom", "tam")
    );
    check(
        &[("a.toml", &a), ("b.toml", &b), ("world.toml", WORLD)],
        &[
            "a.toml:14:8: error: there is no room \"a/attic\"",
            "a.toml:15:11: error: \"every_s\" goes from 9 to 3; the first is the least",
            "a.toml:22:12: error: \"every_s\" is 1; 2 to 86400 is allowed",
            "a.toml:22:15: error: \"every_s\" is 90000; 2 to 86400 is allowed",
            "a.toml:29:11: error: \"every_s\" must be two whole numbers of seconds, \
             as in [30, 90]",
            "b.toml:14:8: error: a mob lives in its own zone; this room is in another one",
        ],
    );
}

#[test]
fn start_and_recall_rooms_are_full_keys_of_rooms() {
    check(
        &[
            ("a.toml", ZONE),
            (
                "world.toml",
                "name = \"T\"\ngreeting = \"G\"\nstart_rooms = [\"one\", \"a/one\", \"a/one\"]\n\
                 recall_rooms = [\"a/oen\"]\n",
            ),
        ],
        &[
            "world.toml:3:16: error: \"one\" needs its zone in front: \"zone/room\"",
            "world.toml:3:32: warning: \"a/one\" stands here twice",
            "world.toml:4:17: error: there is no room \"a/oen\" (did you mean \"a/one\"?)",
        ],
    );
}

/// Compares the faults of channels that stand from line 4 of `world.toml` on.
fn check_channels(channels: &str, expected: &[&str]) {
    let world = format!("{WORLD}{channels}");
    check(&[("a.toml", ZONE), ("world.toml", &world)], expected);
}

fn channel(name: &str, more: &str) -> String {
    format!("[[channels]]\nname = \"{name}\"\nabout = \"Talk.\"\n{more}\n")
}

#[test]
fn channels_are_words_that_mean_nothing_else() {
    check_channels(&channel("chat", "color = \"blue\"\ndefault = true"), &[]);
    for (name, wrong) in [
        ("ch", "\"name\" is 2 bytes long; at least 3 are needed"),
        (
            "abcdefghijklmnop",
            "\"name\" is 16 bytes long; at most 15 are allowed",
        ),
        (
            "two words",
            "\"name\" is \"two words\"; allowed: letters a-z, without blanks",
        ),
        (
            "Say",
            "\"Say\" is a word of the game already; a channel needs another name",
        ),
        (
            "whisper",
            "\"whisper\" is a word of the game already; a channel needs another name",
        ),
        (
            "inv",
            "\"inv\" is short for the word \"inventory\"; a channel needs another name",
        ),
        ("", "\"name\" is empty"),
    ] {
        let told = format!("world.toml:5:8: error: {wrong}");
        check_channels(&channel(name, ""), &[&told]);
    }
    check_channels(
        "[[channels]]\n",
        &[
            "world.toml:4:1: error: [[channels]] has no \"about\"",
            "world.toml:4:1: error: [[channels]] has no \"name\"",
        ],
    );
}

#[test]
fn channels_stand_once_with_a_color_and_a_remote_name_that_are_known() {
    let two = channel("chat", "remote = \"one\"") + &channel("Chat", "remote = \"ONE\"");
    check_channels(
        &two,
        &[
            "world.toml:9:8: error: the channel \"Chat\" is already at world.toml:5:8",
            "world.toml:11:10: error: the remote channel \"ONE\" is already at world.toml:7:10",
        ],
    );
    check_channels(
        &channel("chat", "color = \"bleu\"\nremote = \"a b\"\ncolour = 1\n"),
        &[
            "world.toml:7:9: error: there is no color \"bleu\" (did you mean \"blue\"?); allowed: \
             blue, green, cyan, magenta, purple, orange, yellow, brown, grey, plain",
            "world.toml:8:10: error: \"remote\" is \"a b\"; allowed: letters a-z, '-' and '_'",
            "world.toml:9:1: error: unknown key \"colour\" in [[channels]] \
             (did you mean \"color\"?); allowed: name, about, color, remote, default",
        ],
    );
    check_channels(
        &channel("chat", "remote = \"All\""),
        &["world.toml:7:10: error: a channel of the network cannot have the name \"all\""],
    );
    let many: String = (b'a'..=b'z')
        .flat_map(|first| [b'x', b'y'].map(|last| [b'q', first, last]))
        .take(limits::CHANNELS_MAX + 1)
        .map(|name| channel(str::from_utf8(&name).unwrap_or_default(), ""))
        .collect();
    check_channels(
        &many,
        &["world.toml:4:1: error: \"channels\" has 33 entries; at most 32 are allowed"],
    );
}

#[test]
fn lists_have_bounds() {
    let many = |count: usize, entry: &str| vec![entry; count].join(", ");
    let says = many(limits::SAYS_MAX + 1, "\"Aye.\"");
    let item = |i| ITEM.replace("pot", &format!("pot{i}"));
    let items: String = (0..=limits::RESETS_MAX).map(item).collect();
    let resets: Vec<String> = (0..=limits::RESETS_MAX)
        .map(|i| format!("{{ item = \"pot{i}\" }}"))
        .collect();
    check_zone(
        &format!(
            "items = [{}]\n{MOB}room = \"one\"\nsays = [{says}]\n{items}",
            resets.join(", ")
        ),
        &[
            "a.toml:8:9: error: \"items\" has 33 entries; at most 32 are allowed",
            "a.toml:15:8: error: \"says\" has 41 entries; at most 40 are allowed",
        ],
    );
}

#[test]
fn entries_beyond_a_bound_are_not_read() {
    // Compared all with all, so many words would take minutes.
    let words = "\"pot\",".repeat(100_000);
    let faults = load(&files(&[
        (
            "a.toml",
            &format!("{ZONE}{}", ITEM.replace("[\"pot\"]", &format!("[{words}]"))),
        ),
        ("world.toml", WORLD),
    ]))
    .map(|loaded| loaded.warnings)
    .unwrap_err();
    assert_eq!(
        (faults.errors, faults.warnings),
        (1, limits::KEYWORDS_MAX - 1)
    );
}

#[test]
fn a_file_that_is_too_large_is_refused_without_being_read() {
    let large = "#".repeat(usize::try_from(limits::FILE_BYTES_MAX).unwrap() + 1);
    check(
        &[("a.toml", ZONE), ("b.toml", &large), ("world.toml", WORLD)],
        &["b.toml:1:1: error: the file has more than 2097152 bytes"],
    );
    let many: Vec<SourceFile> = (0..=limits::FILES_MAX)
        .map(|i| SourceFile {
            name: format!("{i}.toml"),
            text: String::new(),
        })
        .collect();
    let faults = load(&many).unwrap_err();
    assert_eq!(
        faults.to_string(),
        "world.toml: error: there are 1025 files; at most 1024 fit"
    );
}

#[test]
fn faults_beyond_the_limit_are_counted() {
    let count = limits::FAULTS_MAX + 7;
    let rooms: String = (0..count)
        .map(|i| format!("[[room]]\nkey = \"r{i}\"\nx{i} = 1\n"))
        .collect();
    let faults = load(&files(&[
        ("a.toml", &format!("{ZONE}{rooms}")),
        ("world.toml", WORLD),
    ]))
    .map(|loaded| loaded.warnings)
    .unwrap_err();
    assert_eq!(faults.list.len(), limits::FAULTS_MAX);
    // Each room has an unknown key, no name and no description.
    assert_eq!(faults.errors, 3 * count);
    let left_out = 3 * count - limits::FAULTS_MAX;
    assert!(
        faults
            .to_string()
            .ends_with(&format!("\n... and {left_out} more"))
    );
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_do_not_shift_places() {
    let text = format!("\u{feff}{ZONE}exits = {{ up = \"x\" }}\n").replace('\n', "\r\n");
    check(
        &[("a.toml", &text), ("world.toml", WORLD)],
        &["a.toml:8:16: error: there is no room \"a/x\""],
    );
}

#[test]
fn garbage_never_panics() {
    let pieces = [
        ZONE, ROOM, ITEM, MOB, "exits", "=", "{", "\"", "[[", "\u{0}", "\u{e9}", "'''",
    ];
    let mut seed = 7u32;
    for _ in 0..2_000 {
        let mut text = String::new();
        for _ in 0..6 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let piece = pieces[(seed >> 16) as usize % pieces.len()];
            let mut cut = (seed >> 8) as usize % (piece.len() + 1);
            while !piece.is_char_boundary(cut) {
                cut -= 1;
            }
            text.push_str(if seed.is_multiple_of(3) {
                &piece[..cut]
            } else {
                piece
            });
        }
        // Whatever it is, every fault that is told has a place inside the text.
        let faults = match load(&files(&[("a.toml", &text), ("world.toml", WORLD)])) {
            Ok(loaded) => loaded.warnings,
            Err(faults) => faults,
        };
        let lines = text.lines().count() + 1;
        for fault in faults.list.iter().filter(|fault| fault.file == "a.toml") {
            let place = fault.place.unwrap();
            assert!(place.line as usize <= lines, "{fault} in {text:?}");
        }
    }
}
