//! Goal: a directory is read whole or refused with the files at fault, whatever lies in it, and
//! `belay check` and `belay content generate` tell what an operator needs. Method: real directories
//! below cargo's own directory for tests, one for each test.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::path::{Path, PathBuf};

use belay_world::content::{
    DEFAULT_DIRECTORY, GenerateError, GenerateOptions, Origin, SourceFile, WriteError, check,
    embedded, generate, limits, load, load_directory, open, write_generated,
};
use belay_world::ids::{Direction, RoomId};

const WORLD: &str = "name = \"T\"\ngreeting = \"G\"\nstart_rooms = [\"a/one\"]\n";
const ZONE: &str = "[zone]\nkey = \"a\"\nname = \"A\"\n[[room]]\nkey = \"one\"\nname = \"One\"\n\
                    description = \"Here.\"\n";

/// An empty directory of this name.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("content")
        .join(name);
    if path.exists() {
        fs::remove_dir_all(&path).unwrap();
    }
    fs::create_dir_all(&path).unwrap();
    path
}

fn faults_of(path: &Path) -> Vec<String> {
    let faults = load_directory(path).unwrap_err();
    let base = format!("{}/", path.display());
    faults
        .list
        .iter()
        .map(|fault| fault.to_string().replace(&base, ""))
        .collect()
}

#[test]
fn a_directory_is_read_and_what_is_no_area_file_is_left_alone() {
    let path = directory("good");
    fs::write(path.join("world.toml"), WORLD).unwrap();
    fs::write(path.join("a.toml"), ZONE).unwrap();
    fs::write(path.join("README.md"), "no toml").unwrap();
    fs::write(path.join(".#a.toml"), "an editor's lock").unwrap();
    fs::create_dir(path.join("old")).unwrap();
    fs::write(path.join("old/b.toml"), "not read").unwrap();
    let loaded = load_directory(&path).unwrap();
    assert_eq!(loaded.warnings.list, []);
    assert_eq!(loaded.world.rooms().len(), 1);
    let report = check(&path);
    let summary = "1 zone, 1 room, 0 items, 0 mobs, 0 errors, 0 warnings";
    assert_eq!(report.text, format!("{}: {summary}\n", path.display()));
    assert_eq!((report.errors, report.warnings), (0, 0));
}

#[test]
fn without_a_directory_the_world_comes_from_the_executable() {
    // Tests run in the folder of the crate, where the default directory is not to be seen.
    assert!(!Path::new(DEFAULT_DIRECTORY).exists());
    let (origin, loaded) = open(None).unwrap();
    assert_eq!(origin, Origin::Embedded);
    assert_eq!(loaded.world.hash(), load(&embedded()).unwrap().world.hash());
    let path = Path::new("..").join(DEFAULT_DIRECTORY);
    let (origin, loaded) = open(Some(&path)).unwrap();
    assert_eq!(origin, Origin::Directory(path));
    assert_eq!(loaded.world.hash(), load(&embedded()).unwrap().world.hash());
    // A directory that is named but not there is a fault, not a reason to take another world.
    assert!(open(Some(Path::new("not-there"))).is_err());
}

#[test]
fn a_report_has_one_line_per_fault_and_a_sum() {
    let path = directory("report");
    fs::write(path.join("world.toml"), WORLD).unwrap();
    fs::write(
        path.join("a.toml"),
        format!("{ZONE}exits.up = \"two\"\nexits.in = \"one\"\n"),
    )
    .unwrap();
    let report = check(&path);
    let place = path.display();
    let expected = format!(
        "{place}/a.toml:8:12: error: there is no room \"a/two\"\n{place}: 1 error, 0 warnings\n"
    );
    assert_eq!(report.text, expected);
    assert_eq!((report.errors, report.warnings), (1, 0));
}

#[test]
fn a_missing_or_empty_directory_is_told() {
    let path = directory("empty");
    assert_eq!(
        faults_of(&path),
        [
            "world.toml: error: the file is missing; it holds name, greeting, start_rooms and \
          recall_rooms"
        ]
    );
    let faults = faults_of(&path.join("not-there"));
    assert_eq!(faults.len(), 1);
    assert!(
        faults[0].contains("not-there: error: cannot read the directory: "),
        "{faults:?}"
    );
}

#[test]
fn files_that_cannot_be_read_are_told_and_the_others_are_checked() {
    let path = directory("unreadable");
    fs::write(path.join("world.toml"), WORLD).unwrap();
    let pointing = format!("{ZONE}exits = {{ up = \"b/x\", down = \"y\" }}\n");
    fs::write(path.join("a.toml"), pointing).unwrap();
    fs::write(path.join("b.toml"), b"[zone]\nkey = \"\xffb\"\n").unwrap();
    fs::create_dir(path.join("c.toml")).unwrap();
    let large = vec![b'#'; usize::try_from(limits::FILE_BYTES_MAX).unwrap() + 1];
    fs::write(path.join("d.toml"), large).unwrap();
    assert_eq!(
        faults_of(&path),
        [
            "b.toml:2:8: error: a byte here is no UTF-8; save the file as UTF-8",
            "c.toml: error: is no file",
            "d.toml: error: the file has more than 2097152 bytes",
            "a.toml:8:30: error: there is no room \"a/y\"",
        ]
    );
}

#[test]
fn an_unreadable_world_file_is_not_told_to_be_missing() {
    let path = directory("world-unreadable");
    fs::write(path.join("world.toml"), b"\xff").unwrap();
    fs::write(path.join("a.toml"), ZONE).unwrap();
    assert_eq!(
        faults_of(&path),
        ["world.toml:1:1: error: a byte here is no UTF-8; save the file as UTF-8"]
    );
}

#[test]
fn too_many_files_are_refused_before_they_are_read() {
    let path = directory("many");
    for number in 0..=limits::FILES_MAX {
        fs::write(path.join(format!("{number}.toml")), "").unwrap();
    }
    let faults = load_directory(&path).unwrap_err();
    assert_eq!(faults.list[0].file, path.display().to_string());
    assert_eq!(
        faults.list[0].text,
        "1025 .toml files; at most 1024 are allowed"
    );
}

#[test]
fn what_is_generated_loads_back_without_a_fault() {
    let sizes = [(4, 1), (4, 2), (400, 4), (3_000, 30), (42, 5), (26, 13)];
    for (rooms, zones) in sizes {
        let path = directory(&format!("torus-{rooms}-{zones}"));
        write_generated(GenerateOptions { rooms, zones }, &path).unwrap();
        let loaded = load_directory(&path).unwrap();
        assert_eq!(loaded.warnings.list, [], "{rooms} rooms in {zones} zones");
        let world = loaded.world;
        assert_eq!(world.rooms().len(), usize::try_from(rooms).unwrap());
        assert_eq!(world.zones().len(), usize::try_from(zones).unwrap());
        assert_eq!(world.recall_rooms().len(), world.zones().len());
        let in_zones: usize = world.zones().iter().map(|zone| zone.rooms().count()).sum();
        assert_eq!(in_zones, world.rooms().len());
        for (id, room) in (0u32..).zip(world.rooms()) {
            assert_eq!(room.exits.len(), 4);
            for exit in &room.exits {
                let back = world.room(exit.to).unwrap().exit(exit.direction.opposite());
                assert_eq!(back, Some(RoomId(id)), "{} {}", room.key, exit.direction);
            }
        }
    }
}

#[test]
fn a_generated_torus_closes_after_its_rows_and_columns() {
    let files = generate(GenerateOptions {
        rooms: 3_000,
        zones: 30,
    })
    .unwrap();
    let world = load(&files).unwrap().world;
    let start = world.start_rooms()[0];
    // 3,000 is 60 rows of 50 columns; each of the 30 zones has two rows.
    for (direction, rounds, zones_crossed) in [(Direction::South, 60, 60), (Direction::East, 50, 0)]
    {
        let mut here = start;
        let mut crossed = 0;
        for step in 1..=rounds {
            let next = world.room(here).unwrap().exit(direction).unwrap();
            crossed +=
                usize::from(world.room(next).unwrap().zone != world.room(here).unwrap().zone);
            here = next;
            assert_eq!(here == start, step == rounds, "{direction} step {step}");
        }
        assert_eq!(crossed, zones_crossed / 2, "{direction}");
    }
    assert!(world.zones().iter().all(|zone| zone.rooms().count() == 100));
}

#[test]
fn a_large_generated_world_fits_the_limits() {
    let options = GenerateOptions {
        rooms: 10_000,
        zones: 100,
    };
    let files = generate(options).unwrap();
    assert_eq!(load(&files).unwrap().world.rooms().len(), 10_000);
    // The fullest zone that is allowed still fits into a file.
    let fullest = generate(GenerateOptions {
        rooms: 3_276,
        zones: 1,
    })
    .unwrap();
    assert!(load(&fullest).is_ok());
}

#[test]
fn impossible_numbers_are_refused_with_possible_ones() {
    let refused = |rooms, zones| generate(GenerateOptions { rooms, zones }).unwrap_err();
    for (rooms, near) in [(0, 4), (1, 4), (3, 4), (13, 14), (u32::MAX, 100_000)] {
        assert_eq!(refused(rooms, 1), GenerateError::Rooms { rooms, near });
        assert!(
            generate(GenerateOptions {
                rooms: near,
                zones: near.isqrt()
            })
            .is_ok()
        );
    }
    assert_eq!(
        refused(400, 0),
        GenerateError::Zones {
            zones: 0,
            rows: 20,
            most: 20
        }
    );
    assert_eq!(
        refused(400, 21),
        GenerateError::Zones {
            zones: 21,
            rows: 20,
            most: 20
        }
    );
    assert_eq!(
        refused(10_000, 2),
        GenerateError::ZoneTooLarge {
            rooms: 10_000,
            zones: 2
        }
    );
    assert_eq!(
        refused(400, 21).to_string(),
        "21 zones do not fit; 20 rows of rooms allow 1 to 20 zones"
    );
    assert_eq!(
        refused(13, 1).to_string(),
        "13 rooms make no torus; wanted: rows times columns, both at least 2, at most 100000 \
         rooms (near: 14)"
    );
}

#[test]
fn a_generated_world_is_not_written_among_other_area_files() {
    let path = directory("occupied");
    fs::write(path.join("a.toml"), ZONE).unwrap();
    let options = GenerateOptions {
        rooms: 16,
        zones: 4,
    };
    let refused = write_generated(options, &path).unwrap_err();
    assert!(matches!(refused, WriteError::NotEmpty { .. }), "{refused}");
    let file = path.join("a.toml/deeper");
    let refused = write_generated(options, &file).unwrap_err();
    assert!(matches!(refused, WriteError::Io { .. }), "{refused}");
    let refused = write_generated(GenerateOptions { rooms: 1, zones: 1 }, &path).unwrap_err();
    assert!(matches!(refused, WriteError::Options(_)), "{refused}");
    assert_eq!(fs::read_dir(&path).unwrap().count(), 1);
}

#[test]
fn ids_and_the_hash_do_not_depend_on_the_order_of_files() {
    let mut files = generate(GenerateOptions {
        rooms: 64,
        zones: 4,
    })
    .unwrap();
    let one = load(&files).unwrap().world;
    files.reverse();
    let other = load(&files).unwrap().world;
    assert_eq!(one.hash(), other.hash());
    assert_eq!(one.hash().len(), 64);
    for (a, b) in one.rooms().iter().zip(other.rooms()) {
        assert_eq!((&a.key, &a.exits), (&b.key, &b.exits));
    }
    let mut keys: Vec<_> = one.rooms().iter().map(|room| room.key.clone()).collect();
    keys.sort();
    for (position, key) in (0u32..).zip(&keys) {
        assert_eq!(one.room_id(key), Some(RoomId(position)));
    }
    assert_eq!(one.room_id("z0000/nowhere"), None);
    assert!(one.room(RoomId(64)).is_none());
    files[0].text.push('\n');
    assert_ne!(load(&files).unwrap().world.hash(), one.hash());
}

#[test]
fn the_embedded_files_are_those_of_the_content_directory() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("content");
    let mut names: Vec<String> = fs::read_dir(&path)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    names.sort();
    let on_disk: Vec<SourceFile> = names
        .into_iter()
        .map(|name| SourceFile {
            text: fs::read_to_string(path.join(&name)).unwrap(),
            name,
        })
        .collect();
    assert_eq!(embedded(), on_disk);
}
