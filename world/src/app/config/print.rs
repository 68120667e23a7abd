//! `[pure]` The effective configuration as TOML with comments. What it prints can be used as a
//! configuration file.

use super::problem::Origin;
use super::raw::{RawConfig, RawValue};
use super::setting::{Kind, Setting};
use super::table::SETTINGS;

/// Writes every setting with its doc, what is allowed, its default, and the value that holds.
#[must_use]
pub fn to_toml(raw: &RawConfig) -> String {
    let mut out = String::from(
        "# The effective configuration of belay. Saved to a file, this is the input of\n\
         # \"belay serve --config FILE\"; lines that repeat a default may be deleted.\n",
    );
    let mut section = "";
    for setting in SETTINGS {
        if setting.section() != section {
            section = setting.section();
            push(&mut out, format_args!("\n[{section}]\n"));
        }
        push_setting(&mut out, raw, setting);
    }
    out
}

fn push_setting(out: &mut String, raw: &RawConfig, setting: &Setting) {
    let (value, origin) = raw.value(setting);
    push(out, format_args!("# {}\n", setting.doc));
    push(out, format_args!("# Allowed: {}.", setting.kind.allowed()));
    match setting.flag {
        Some(flag) => push(out, format_args!(" Flag: {flag}.\n")),
        None => out.push('\n'),
    }
    let default = value_toml(setting, &setting.default_value());
    push(
        out,
        format_args!("{} = {}", setting.name(), value_toml(setting, &value)),
    );
    if origin == Origin::Default {
        out.push_str("  # default\n");
    } else {
        push(
            out,
            format_args!("  # from {origin}; the default is {default}\n"),
        );
    }
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.push_str(&text.to_string());
}

fn value_toml(setting: &Setting, value: &RawValue) -> String {
    match (&setting.kind, value) {
        (Kind::Origins(_) | Kind::Places(_), RawValue::Text(text)) => list_toml(
            text.split(',')
                .map(str::trim)
                .filter(|entry| !entry.is_empty()),
        ),
        (_, RawValue::List(entries)) => list_toml(entries.iter().map(String::as_str)),
        (Kind::Count(..) | Kind::Flag(_), RawValue::Text(text)) => text.trim().to_owned(),
        (kind, RawValue::Text(text)) => string_toml(&kind.shown(text)),
    }
}

fn list_toml<'a>(entries: impl Iterator<Item = &'a str>) -> String {
    format!(
        "[{}]",
        entries.map(string_toml).collect::<Vec<_>>().join(", ")
    )
}

fn string_toml(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_prints_reads_back_as_the_same_configuration() {
        let mut raw = RawConfig::default();
        raw.add_flag("--data", "some \"odd\" dir\\");
        for set in [
            "web.origins=https://a.b,https://c",
            "players.max=0007",
            "mobs.enabled=false",
        ] {
            raw.add_set(set);
        }
        let printed = to_toml(&raw).replace("0007", "7");
        let mut again = RawConfig::default();
        again.add_file("printed.toml", &printed);
        assert_eq!(again.check().expect(&printed), raw.check().expect("fine"));
    }

    #[test]
    fn shows_no_password() {
        let mut raw = RawConfig::default();
        raw.add_set("store.url=postgres://belay:secret@db/belay");
        let printed = to_toml(&raw);
        assert!(
            printed.contains("postgres://belay:***@db/belay"),
            "{printed}"
        );
        assert!(!printed.contains("secret"), "{printed}");
        assert!(!format!("{:?}", raw.check()).contains("secret"));

        let mut raw = RawConfig::default();
        raw.add_set("store.url=mysql://belay:secret@db/belay");
        let report = raw.check().expect_err("no such database").to_string();
        assert!(report.contains("mysql://belay:***@db/belay"), "{report}");
        assert!(!report.contains("secret"), "{report}");
    }

    #[test]
    fn says_where_a_value_came_from() {
        let mut raw = RawConfig::default();
        raw.add_file("my.toml", "\n[save]\nevery = '9s'");
        raw.add_flag("--telnet", "127.0.0.1:5");
        raw.add_set("players.max=3");
        let printed = to_toml(&raw);
        for line in [
            "every = \"9s\"  # from my.toml:3; the default is \"5s\"",
            "listen = \"127.0.0.1:5\"  # from --telnet; the default is \"127.0.0.1:4000\"",
            "max = 3  # from --set; the default is 19000",
            "guests = true  # default",
            "origins = []  # default",
        ] {
            assert!(
                printed.lines().any(|printed| printed == line),
                "{line}\n{printed}"
            );
        }
    }
}
