//! `[edge]` What each command of the executable does, and the one place that tells of failures.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

use clap::Parser as _;

use super::command_line::{
    BanAction, BanSubject, Command, CommandLine, ContentAction, GossipAction, GossipRule,
    GossipSubject, SettingFlags, StaffAction,
};
use super::config::{RawConfig, to_toml};
use super::failure::{Failure, Status};
use crate::content::{self, GenerateOptions, WriteError};
use crate::ops::control::{self, ControlAnswer, ControlRequest, GossipOrder};

/// Bytes of a configuration file. Reached: refused.
const CONFIG_BYTES_MAX: u64 = 1024 * 1024;

/// Runs the executable with its arguments (the first is its name), and tells what went wrong.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let line = match CommandLine::try_parse_from(arguments) {
        Ok(line) => line,
        Err(error) => {
            let status = if error.use_stderr() {
                Status::Configuration.code()
            } else {
                0
            };
            // When neither output can be written, nobody can be told; the status stays.
            return match error.print() {
                Ok(()) | Err(_) => ExitCode::from(status),
            };
        }
    };
    match carry_out(line) {
        Ok(code) => code,
        Err(error) => {
            let told = writeln!(io::stderr().lock(), "belay: {error:#}");
            drop(told);
            Failure::status_of(&error).into()
        }
    }
}

fn carry_out(line: CommandLine) -> anyhow::Result<ExitCode> {
    let Some(command) = line.command else {
        return super::serve::serve(read_config(&line.settings)?.check()?);
    };
    match command {
        Command::Serve(flags) => super::serve::serve(read_config(&flags)?.check()?),
        Command::Config(flags) => print_config(&read_config(&flags)?),
        Command::Check { dir } => check_content(&dir),
        Command::Content {
            action: ContentAction::Generate { rooms, zones, out },
        } => generate_content(GenerateOptions { rooms, zones }, &out),
        Command::Tree {
            process,
            sort,
            node,
            json,
        } => {
            let order = sort;
            show(&node.data, &ControlRequest::Tree { process, order }, json)
        }
        Command::Profile {
            last,
            threads,
            node,
            json,
        } => show(&node.data, &ControlRequest::Profile { threads, last }, json),
        Command::Trace {
            process,
            count,
            lasts,
            node,
            json,
        } => {
            let lasts_ms = u64::try_from(lasts.as_millis()).unwrap_or(u64::MAX);
            let request = ControlRequest::Trace {
                process,
                count,
                lasts_ms,
            };
            show(&node.data, &request, json)
        }
        Command::Backup { file, node } => {
            let file = std::path::absolute(&file)?;
            ask(&node.data, &ControlRequest::Backup { file })
        }
        Command::Staff { action } => staff(action),
        Command::Ban { action } => ban(action),
        Command::Gossip { action } => gossip(action),
        Command::Cluster { action } => super::cluster::carry_out(action),
    }
}

fn staff(action: StaffAction) -> anyhow::Result<ExitCode> {
    match action {
        StaffAction::Add { name, node } => ask(&node.data, &ControlRequest::StaffAdd { name }),
        StaffAction::Remove { name, node } => {
            ask(&node.data, &ControlRequest::StaffRemove { name })
        }
        StaffAction::List { node } => ask(&node.data, &ControlRequest::StaffList),
    }
}

fn gossip(action: GossipAction) -> anyhow::Result<ExitCode> {
    let plain = |order| (order, String::new(), String::new());
    let (node, (order, name, reason)) = match action {
        GossipAction::Status { node, json } => {
            let (order, name, reason) = plain(GossipOrder::Status);
            let request = ControlRequest::Gossip {
                order,
                name,
                reason,
            };
            return show(&node.data, &request, json);
        }
        GossipAction::On(node) => (node, plain(GossipOrder::On)),
        GossipAction::Off(node) => (node, plain(GossipOrder::Off)),
        GossipAction::Retry(node) => (node, plain(GossipOrder::Retry)),
        GossipAction::Reload(node) => (node, plain(GossipOrder::Reload)),
        GossipAction::Mute(GossipRule { subject, reason }) => {
            (subject.node, (GossipOrder::Mute, subject.name, reason))
        }
        GossipAction::Block(GossipRule { subject, reason }) => {
            (subject.node, (GossipOrder::Block, subject.name, reason))
        }
        GossipAction::Unmute(GossipSubject { name, node }) => {
            (node, (GossipOrder::Unmute, name, String::new()))
        }
        GossipAction::Unblock(GossipSubject { name, node }) => {
            (node, (GossipOrder::Unblock, name, String::new()))
        }
    };
    let request = ControlRequest::Gossip {
        order,
        name,
        reason,
    };
    ask(&node.data, &request)
}

fn ban(action: BanAction) -> anyhow::Result<ExitCode> {
    match action {
        BanAction::Add {
            subject: BanSubject { kind, value },
            lasts,
            reason,
            node,
        } => {
            let lasts_s = lasts.map(|lasts| lasts.as_secs());
            let request = ControlRequest::BanAdd {
                kind,
                value,
                lasts_s,
                reason,
            };
            ask(&node.data, &request)
        }
        BanAction::Remove {
            subject: BanSubject { kind, value },
            node,
        } => ask(&node.data, &ControlRequest::BanRemove { kind, value }),
        BanAction::List { node } => ask(&node.data, &ControlRequest::BanList),
    }
}

fn read_config(flags: &SettingFlags) -> anyhow::Result<RawConfig> {
    let mut raw = RawConfig::default();
    if let Some(path) = &flags.config {
        let name = path.display().to_string();
        let text = read_bounded(path).map_err(|error| {
            Failure::error(
                Status::Configuration,
                format!("cannot read {name}: {error}"),
            )
        })?;
        raw.add_file(&name, &text);
    }
    flags.add_to(&mut raw);
    Ok(raw)
}

fn read_bounded(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    std::fs::File::open(path)?
        .take(CONFIG_BYTES_MAX + 1)
        .read_to_string(&mut text)?;
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > CONFIG_BYTES_MAX {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            "larger than 1 MiB",
        ));
    }
    Ok(text)
}

fn print_config(raw: &RawConfig) -> anyhow::Result<ExitCode> {
    raw.check()?;
    print(&to_toml(raw))?;
    Ok(ExitCode::SUCCESS)
}

fn check_content(dir: &Path) -> anyhow::Result<ExitCode> {
    let report = content::check(dir);
    print(&report.text)?;
    Ok(if report.errors == 0 {
        ExitCode::SUCCESS
    } else {
        Status::Data.into()
    })
}

fn generate_content(options: GenerateOptions, out: &Path) -> anyhow::Result<ExitCode> {
    content::write_generated(options, out).map_err(|error| match &error {
        WriteError::Options(_) => Failure::error(Status::Configuration, error.to_string()),
        WriteError::NotEmpty { .. } => Failure::error(Status::CannotCreate, error.to_string()),
        WriteError::Io { source, .. } => {
            Failure::error(Status::CannotCreate, format!("{error}: {source}"))
        }
    })?;
    print(&format!(
        "wrote {} rooms to {}\n",
        options.rooms,
        out.display()
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// Asks for something to be shown: as text, or the data of the answer.
pub(super) fn show(
    data_dir: &Path,
    request: &ControlRequest,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let answer = answer_of(data_dir, request)?;
    if let (true, ControlAnswer::Done { data, .. }) = (json, &answer) {
        print(&format!("{}\n", serde_json::to_string_pretty(data)?))?;
        return Ok(ExitCode::SUCCESS);
    }
    tell(answer)
}

pub(super) fn ask(data_dir: &Path, request: &ControlRequest) -> anyhow::Result<ExitCode> {
    tell(answer_of(data_dir, request)?)
}

fn answer_of(data_dir: &Path, request: &ControlRequest) -> anyhow::Result<ControlAnswer> {
    control::ask(data_dir, request).map_err(|error| {
        use control::ClientError as E;
        match &error {
            E::NoNode { .. } => Failure::error(
                Status::Unavailable,
                format!("{error}\nstart one with \"belay serve\", or name its --data DIR"),
            ),
            E::Forbidden { .. } => Failure::error(Status::Unavailable, error.to_string()),
            E::NoAnswer { source, .. } => {
                Failure::error(Status::Unavailable, format!("{error}: {source}"))
            }
            E::BadAnswer { source, .. } => {
                Failure::error(Status::Internal, format!("{error}: {source}"))
            }
        }
    })
}

fn tell(answer: ControlAnswer) -> anyhow::Result<ExitCode> {
    match answer {
        ControlAnswer::Done { text, .. } => {
            print(&format!("{}\n", text.trim_end()))?;
            Ok(ExitCode::SUCCESS)
        }
        ControlAnswer::Refused { reason } => Err(Failure::error(Status::Data, reason)),
        ControlAnswer::Busy { reason } => Err(Failure::error(Status::Unavailable, reason)),
        ControlAnswer::Failed { reason } => Err(Failure::error(Status::Internal, reason)),
    }
}

/// Prints to standard output. A reader that has seen enough (`belay tree | head`) is no failure.
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::error(Status::Io, format!("cannot write: {error}")))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}
