//! `[pure]` Values as text with their origins, gathered from a file, flags and `--set`; and the
//! check that makes a [`Config`] of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use toml::de::{DeInteger, DeTable, DeValue};

use super::checked::Config;
use super::problem::{Origin, Problem, Report};
use super::setting::Setting;
use super::table::SETTINGS;

/// How alike two keys must be (Jaro-Winkler, 0 to 1) for "did you mean".
const LIKENESS_MIN: f64 = 0.85;

/// How deep tables may nest before a file is refused; every real key has two parts.
const TABLE_DEPTH_MAX: usize = 4;

/// A value as it was written. Numbers and flags of TOML are text here: the table decides what
/// they must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RawValue {
    /// A string, number, flag or date.
    Text(String),
    /// An array of such.
    List(Vec<String>),
}

impl RawValue {
    fn to_text(&self) -> String {
        match self {
            RawValue::Text(text) => text.clone(),
            RawValue::List(entries) => entries.join(", "),
        }
    }
}

/// What the operator wrote, before any of it is checked. Later values replace earlier ones.
#[derive(Debug, Clone, Default)]
pub struct RawConfig {
    values: BTreeMap<&'static str, (RawValue, Origin)>,
    problems: Vec<Problem>,
}

impl RawConfig {
    /// Takes the text of a configuration file. Everything that is wrong in it is remembered for
    /// the report.
    pub fn add_file(&mut self, name: &str, text: &str) {
        let name: Arc<str> = Arc::from(name);
        let (table, errors) = DeTable::parse_recoverable(text);
        let origin_at = |offset: usize| Origin::File {
            name: Arc::clone(&name),
            line: line_at(text, offset),
        };
        for error in errors {
            let origin = origin_at(error.span().map_or(0, |span| span.start));
            let fault = error.message().replace('\n', ", ");
            self.problems.push(Problem::Syntax { origin, fault });
        }
        let mut values = Vec::new();
        flatten("", table.get_ref(), 0, &mut values);
        values.sort_by_key(|value| value.offset);
        for Flat { key, offset, value } in values {
            self.add(&key, value, origin_at(offset));
        }
    }

    /// Takes the value of a flag of its own, such as `--telnet ADDR`. Flags that are no setting's
    /// are ignored: the table knows its flags.
    pub fn add_flag(&mut self, flag: &str, value: &str) {
        let setting = SETTINGS
            .iter()
            .find_map(|s| Some((s, s.flag.filter(|f| *f == flag)?)));
        if let Some((setting, flag)) = setting {
            let value = RawValue::Text(value.to_owned());
            self.values.insert(setting.key, (value, Origin::Flag(flag)));
        }
    }

    /// Takes the text of one `--set KEY=VALUE`.
    pub fn add_set(&mut self, text: &str) {
        let Some((key, value)) = text.split_once('=') else {
            let fault = format!("\"{text}\" is not KEY=VALUE");
            self.problems.push(Problem::Syntax {
                origin: Origin::Set,
                fault,
            });
            return;
        };
        self.add(
            key.trim(),
            RawValue::Text(value.trim().to_owned()),
            Origin::Set,
        );
    }

    fn add(&mut self, key: &str, value: RawValue, origin: Origin) {
        match SETTINGS.iter().find(|setting| setting.key == key) {
            Some(setting) => {
                self.values.insert(setting.key, (value, origin));
            }
            None => {
                let problem = Problem::UnknownKey {
                    origin,
                    key: key.to_owned(),
                    nearest: nearest(key),
                };
                self.problems.push(problem);
            }
        }
    }

    /// The value of a setting that holds, and where it came from.
    #[must_use]
    pub fn value(&self, setting: &Setting) -> (RawValue, Origin) {
        let written = self.values.get(setting.key).cloned();
        written.unwrap_or_else(|| (setting.default_value(), Origin::Default))
    }

    /// Checks every value that holds, each by itself and then together.
    ///
    /// # Errors
    /// Every problem there is, in one report.
    pub fn check(&self) -> Result<Config, Report> {
        let mut problems = self.problems.clone();
        let mut config = Config::blank();
        for setting in SETTINGS {
            let (value, _) = self.value(setting);
            if let Err(fault) = setting.kind.put(&value, &mut config) {
                problems.push(self.bad_value(setting, fault, setting.kind.allowed()));
            }
        }
        // With a value missing, its relations to others would be faults of our own making.
        if problems.is_empty() {
            for (key, fault, allowed) in config.broken_relations() {
                let setting = SETTINGS.iter().find(|setting| setting.key == key);
                problems.extend(setting.map(|setting| self.bad_value(setting, fault, allowed)));
            }
        }
        if problems.is_empty() {
            Ok(config)
        } else {
            Err(Report(problems))
        }
    }

    fn bad_value(&self, setting: &Setting, fault: String, allowed: String) -> Problem {
        let (value, origin) = self.value(setting);
        Problem::BadValue {
            origin,
            key: setting.key,
            value: setting.kind.shown(&value.to_text()),
            fault,
            allowed,
        }
    }
}

/// A value of a TOML document with its dotted key.
struct Flat {
    key: String,
    offset: usize,
    value: RawValue,
}

fn flatten(prefix: &str, table: &DeTable<'_>, depth: usize, values: &mut Vec<Flat>) {
    for (name, value) in table {
        let key = match prefix {
            "" => name.get_ref().to_string(),
            prefix => format!("{prefix}.{}", name.get_ref()),
        };
        let offset = name.span().start;
        match value.get_ref().as_table() {
            // A known section with all its lines commented out is fine.
            Some(inner) if inner.is_empty() && is_section(&key) => {}
            Some(inner) if !inner.is_empty() && depth < TABLE_DEPTH_MAX => {
                flatten(&key, inner, depth + 1, values);
            }
            Some(_) | None => values.push(Flat {
                key,
                offset,
                value: raw_value(value.get_ref()),
            }),
        }
    }
}

fn is_section(name: &str) -> bool {
    SETTINGS.iter().any(|setting| setting.section() == name)
}

fn raw_value(value: &DeValue<'_>) -> RawValue {
    match value.as_array() {
        Some(entries) => RawValue::List(
            entries
                .iter()
                .map(|entry| scalar_text(entry.get_ref()))
                .collect(),
        ),
        None => RawValue::Text(scalar_text(value)),
    }
}

fn scalar_text(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => integer_text(number),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(when) => when.to_string(),
        DeValue::Array(_) => "(a list)".to_owned(),
        DeValue::Table(_) => "(a table)".to_owned(),
    }
}

/// Decimal text also of `0xff` and its like.
fn integer_text(number: &DeInteger<'_>) -> String {
    match i128::from_str_radix(number.as_str(), number.radix()) {
        Ok(value) => value.to_string(),
        Err(_) => number.as_str().to_owned(),
    }
}

/// The line of the byte at `offset`, counted from 1.
fn line_at(text: &str, offset: usize) -> usize {
    text.bytes()
        .take(offset)
        .filter(|byte| *byte == b'\n')
        .count()
        + 1
}

/// The key that is most like `key`, when one is like it: the whole, or just its last part.
fn nearest(key: &str) -> Option<&'static str> {
    let likeness = |setting: &Setting| {
        let whole = strsim::jaro_winkler(key, setting.key);
        let same_name = key.rsplit('.').next() == Some(setting.name());
        if same_name {
            whole.max(LIKENESS_MIN)
        } else {
            whole
        }
    };
    let scored = SETTINGS
        .iter()
        .map(|setting| (likeness(setting), setting.key));
    let best = scored.max_by(|(left, _), (right, _)| left.total_cmp(right));
    best.filter(|(score, _)| *score >= LIKENESS_MIN)
        .map(|(_, key)| key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(file: &str, flags: &[(&str, &str)], sets: &[&str]) -> RawConfig {
        let mut raw = RawConfig::default();
        raw.add_file("belay.toml", file);
        flags
            .iter()
            .for_each(|(flag, value)| raw.add_flag(flag, value));
        sets.iter().for_each(|text| raw.add_set(text));
        raw
    }

    #[track_caller]
    fn check_report(raw: &RawConfig, expected: &[&str]) {
        let report = raw.check().expect_err("must be refused");
        let lines: Vec<_> = report.0.iter().map(ToString::to_string).collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn later_sources_win_over_earlier_ones() {
        let file = "[telnet]\nlisten = '127.0.0.1:1'\n[http]\nlisten = '127.0.0.1:2'\n\
                    [save]\nevery = '7s'\n";
        let flags = [("--telnet", "127.0.0.1:3"), ("--http", "127.0.0.1:4")];
        let raw = raw(
            file,
            &flags,
            &["telnet.listen=127.0.0.1:5", "telnet.listen = 127.0.0.1:6"],
        );
        let config = raw.check().expect("all fine");
        assert_eq!(config.telnet.listen.port(), 6);
        assert_eq!(config.http.listen.port(), 4);
        assert_eq!(config.save.every.as_secs(), 7);
        assert_eq!(config.ops.listen.port(), 4081);
    }

    #[test]
    fn every_way_to_write_a_value_in_toml_is_read() {
        let file = "players.max = 0x10\nplayers.guests = false\nweb.origins = ['https://a.b']\n\
                    [output]\nbacklog = '128KiB'\n[store]\nsynchronous = 'full'\n[mobs]\n";
        let config = raw(file, &[], &[]).check().expect("all fine");
        assert_eq!(config.players.max, 16);
        assert!(!config.players.guests);
        assert_eq!(config.web.origins, ["https://a.b"]);
        assert_eq!(config.output.backlog, 131_072);
        let config = raw("", &[], &["web.origins=https://a.b, http://c:80"])
            .check()
            .unwrap();
        assert_eq!(config.web.origins, ["https://a.b", "http://c:80"]);
    }

    #[test]
    fn all_problems_come_in_one_report_with_their_places() {
        let file = "[save]\nevery = 5\nevry = '5s'\n\n[players]\nmax = 0\n";
        let raw = raw(
            file,
            &[("--telnet", "4000")],
            &["log.format=xml", "rubbish"],
        );
        check_report(
            &raw,
            &[
                "belay.toml:3: unknown key save.evry; did you mean save.every?",
                "--set: \"rubbish\" is not KEY=VALUE",
                "--telnet: telnet.listen = \"4000\" is not an address with a port; allowed: \
                 address:port, like 127.0.0.1:4000, 0.0.0.0:4000 or [::]:4000",
                "belay.toml:6: players.max = \"0\" is too small; allowed: a whole number from 1 \
                 to 1000000",
                "belay.toml:2: save.every = \"5\" has no unit (ms, s, m, h, d); allowed: a \
                 duration from 100ms to 1h, with its unit (ms, s, m, h, d)",
                "--set: log.format = \"xml\" is none of the words; allowed: text or json",
            ],
        );
    }

    #[test]
    fn a_file_that_is_not_toml_names_the_line() {
        let raw = raw("[save]\nevery = '5s'\nevery = \n", &[], &[]);
        let report = raw.check().expect_err("must be refused").to_string();
        assert!(report.contains("belay.toml:3: "), "{report}");
    }

    #[test]
    fn near_keys_are_suggested_and_far_ones_are_not() {
        for (key, suggestion) in [
            ("telnet.listn", Some("telnet.listen")),
            ("player.max", Some("players.max")),
            ("saves.every", Some("save.every")),
            ("login.hash_memory", Some("login.hash_memory_kib")),
            ("guests", Some("players.guests")),
            ("zzz", None),
        ] {
            assert_eq!(nearest(key), suggestion, "{key}");
        }
    }

    #[test]
    fn each_kind_refuses_what_it_cannot_be() {
        for (set, fault) in [
            ("data.dir=", "is empty"),
            ("telnet.listen=127.0.0.1", "has no port"),
            (
                "telnet.listen=localhost:4000",
                "is a name; write its address",
            ),
            ("players.max=-1", "is below zero"),
            ("players.max=99999999999", "is far too large"),
            ("players.max=many", "is not a whole number"),
            ("players.guests=yes", "is neither true nor false"),
            ("output.backlog=64", "has no unit (B, KiB, MiB, GiB)"),
            ("output.backlog=1GiB", "is too large"),
            ("output.gap=2s", "is too large"),
            ("web.origins=example.org", "which is not an origin"),
            ("web.origins=https://a/b", "which is not an origin"),
            ("log.level=a=b=c", "is not a filter"),
        ] {
            let report = raw("", &[], &[set]).check().expect_err(set).to_string();
            assert!(report.contains(fault), "{set}: {report}");
        }
        let report = raw("save.every = ['5s']", &[], &[])
            .check()
            .expect_err("list")
            .to_string();
        assert!(report.contains("is a list"), "{report}");
    }

    #[test]
    fn values_that_do_not_fit_together_are_refused() {
        let sets = [
            "http.listen=127.0.0.1:4000",
            "crowd.gap_large=10ms",
            "crowd.size_large=2",
        ];
        let report = raw("", &[], &sets).check().expect_err("must be refused");
        assert_eq!(report.0.len(), 3, "{report}");
        assert!(
            report
                .to_string()
                .contains("is also the address of telnet.listen"),
            "{report}"
        );
        let both_chosen = ["telnet.listen=127.0.0.1:0", "http.listen=127.0.0.1:0"];
        assert!(raw("", &[], &both_chosen).check().is_ok());
    }

    #[test]
    fn a_table_that_is_too_deep_or_unknown_is_an_unknown_key() {
        for file in [
            "[a.b.c.d.e.f.g]\nh = 1",
            "[nothing]",
            "telnet = 5",
            "[telnet.listen]\nx = 1",
        ] {
            let report = raw(file, &[], &[]).check().expect_err(file).to_string();
            assert!(report.contains("unknown key"), "{file}: {report}");
        }
    }
}
