//! `[process]` How the bridge is, for staff and the operator.

use super::counts::Counts;
use super::file::FileState;
use super::network::Network;
use super::shared::Shared;
use crate::event::Text;
use crate::ops::metrics::NetworkFigure;
use crate::store::{NetworkRule, RuleKind, StoreError};
use belay_gossip::client::{ClientFigures, ClientStatus};
use serde_json::{Value, json};
use std::sync::Arc;

/// The state of the bridge at one moment.
#[derive(Clone, Debug)]
pub struct BridgeReport {
    /// What the client does.
    pub status: ClientStatus,
    /// What became of the credentials file.
    pub file: Arc<FileState>,
    /// What the client counted.
    pub figures: ClientFigures,
    /// Names of channels here, and on the network.
    pub channels: Vec<(Text, Text)>,
    /// Other games that are connected.
    pub games: usize,
    /// Their players that are shown.
    pub players: usize,
    /// What the bridge counted.
    pub counts: Vec<(NetworkFigure, u64)>,
    /// What staff decided.
    pub rules: Vec<NetworkRule>,
}

impl BridgeReport {
    pub(super) fn new(shared: &Shared, client: &dyn Network) -> Self {
        let roster = client.roster();
        let channels = shared.world.channels().iter();
        let channels = channels.filter_map(|channel| {
            Some(((&*channel.name).into(), channel.remote.as_deref()?.into()))
        });
        Self {
            status: client.status(),
            file: shared.file(),
            figures: client.figures(),
            channels: channels.collect(),
            games: roster.games().len(),
            players: roster.player_count(),
            counts: counted(&shared.counts),
            rules: shared.staff().all().cloned().collect(),
        }
    }

    /// The report for people, line by line.
    pub fn lines(&self) -> Vec<Text> {
        let mut lines = vec![format!("Gossip is {}.", self.status_in_words())];
        lines.push(format!("Credentials: {}.", self.file));
        let channels: Vec<String> = self
            .channels
            .iter()
            .map(|(name, remote)| {
                if name.eq_ignore_ascii_case(remote) {
                    name.to_string()
                } else {
                    format!("{name} (there {remote})")
                }
            })
            .collect();
        lines.push(match channels.as_slice() {
            [] => "No channel here is heard in other games.".to_owned(),
            some => format!("Channels: {}.", some.join(", ")),
        });
        let (games, players) = (self.games, self.players);
        lines.push(format!("Other games: {games}, with {players} players."));
        let figures = &self.figures;
        lines.push(format!(
            "Connections: {}, failed or lost: {}, cut for a flood: {}.",
            figures.connects, figures.failures, figures.flood_cuts
        ));
        let counts: Vec<String> = self
            .counts
            .iter()
            .map(|(figure, count)| format!("{} {count}", short(*figure).replace('_', " ")))
            .collect();
        lines.push(format!("So far: {}.", counts.join(", ")));
        let of_kind = |kind| {
            self.rules
                .iter()
                .filter(move |rule| rule.subject.kind == kind)
        };
        let (mutes, blocks) = (
            of_kind(RuleKind::Mute).count(),
            of_kind(RuleKind::Block).count(),
        );
        lines.push(format!("Muted players: {mutes}, blocked games: {blocks}."));
        lines.into_iter().map(Into::into).collect()
    }

    /// The report for those who watch figures.
    pub fn network_figures(&self) -> Vec<(NetworkFigure, u64)> {
        use NetworkFigure as F;
        let size = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let of_kind = |kind| {
            let rules = self.rules.iter();
            size(rules.filter(|rule| rule.subject.kind == kind).count())
        };
        let client = &self.figures;
        let mut figures = vec![
            (F::Online, u64::from(self.status.is_online())),
            (F::Games, size(self.games)),
            (F::Players, size(self.players)),
            (F::Mutes, of_kind(RuleKind::Mute)),
            (F::Blocks, of_kind(RuleKind::Block)),
            (F::Connects, client.connects),
            (F::Failures, client.failures),
            (F::FramesIn, client.received),
            (F::BytesIn, client.received_bytes),
            (F::FramesOut, client.sent),
            (F::DroppedOut, client.dropped_out),
            (F::FloodDropped, client.flood_dropped),
            (F::FloodCuts, client.flood_cuts),
            (F::Duplicates, client.duplicates),
            (F::Gaps, client.gaps),
            (F::Missed, client.missed),
            (F::Lost, client.lost),
            (F::Garbage, client.garbage),
            (F::Refused, client.refused),
            (F::Timeouts, client.timeouts),
        ];
        figures.extend(self.counts.iter().copied());
        figures
    }

    /// The rules for people, line by line.
    pub fn rule_lines(&self) -> Vec<Text> {
        if self.rules.is_empty() {
            return vec!["Nobody is muted and no game is blocked.".into()];
        }
        let line = |rule: &NetworkRule| {
            let what = match rule.subject.kind {
                RuleKind::Mute => "muted player",
                RuleKind::Block => "blocked game",
            };
            let reason = match rule.reason.as_str() {
                "" => String::new(),
                reason => format!(": {reason}"),
            };
            format!("{what} {}{reason} (by {})", rule.subject.name, rule.by).into()
        };
        self.rules.iter().map(line).collect()
    }

    /// The report for programs.
    pub fn data(&self) -> Value {
        let (reason, next_try_ms, online_ms) = match &self.status {
            ClientStatus::Waiting {
                reason,
                next_try_ms,
            }
            | ClientStatus::Rejected {
                reason,
                next_try_ms,
            } => (Some(reason.as_str()), Some(*next_try_ms), None),
            ClientStatus::Online { for_ms } => (None, None, Some(*for_ms)),
            ClientStatus::Unconfigured
            | ClientStatus::Off
            | ClientStatus::Connecting
            | ClientStatus::Authenticating => (None, None, None),
        };
        let url = match &*self.file {
            FileState::Read { url, .. } => Some(url.as_str()),
            FileState::Unset
            | FileState::Unread { .. }
            | FileState::Missing { .. }
            | FileState::Faulty { .. } => None,
        };
        let rules = |kind| -> Vec<Value> {
            let of_kind = self.rules.iter().filter(|rule| rule.subject.kind == kind);
            of_kind
                .map(|rule| {
                    json!({
                        "name": rule.subject.name, "reason": rule.reason,
                        "by": rule.by, "at_ms": rule.at.0,
                    })
                })
                .collect()
        };
        let channels: Vec<Value> = self
            .channels
            .iter()
            .map(|(name, remote)| json!({ "name": **name, "remote": **remote }))
            .collect();
        let counts: serde_json::Map<String, Value> = self
            .counts
            .iter()
            .map(|(figure, count)| (short(*figure).to_owned(), json!(count)))
            .collect();
        json!({
            "state": self.status.word(),
            "reason": reason,
            "next_try_ms": next_try_ms,
            "online_ms": online_ms,
            "credentials": self.file.to_string(),
            "url": url,
            "channels": channels,
            "games": self.games,
            "players": self.players,
            "connects": self.figures.connects,
            "failures": self.figures.failures,
            "flood_dropped": self.figures.flood_dropped,
            "flood_cuts": self.figures.flood_cuts,
            "gaps": self.figures.gaps,
            "missed": self.figures.missed,
            "lost": self.figures.lost,
            "duplicates": self.figures.duplicates,
            "counts": counts,
            "mutes": rules(RuleKind::Mute),
            "blocks": rules(RuleKind::Block),
        })
    }

    fn status_in_words(&self) -> String {
        let soon = |ms: u64| format!("{} s", ms.div_ceil(1_000));
        match &self.status {
            ClientStatus::Unconfigured => "not configured".to_owned(),
            ClientStatus::Off => "switched off".to_owned(),
            ClientStatus::Waiting {
                reason,
                next_try_ms,
            } => format!("out of reach: {reason}; next try in {}", soon(*next_try_ms)),
            ClientStatus::Connecting => "out of reach: connecting".to_owned(),
            ClientStatus::Authenticating => {
                "out of reach: connected, waiting to be let in".to_owned()
            }
            ClientStatus::Online { for_ms } => format!("online for {}", long(*for_ms / 1_000)),
            ClientStatus::Rejected {
                reason,
                next_try_ms,
            } => format!(
                "out of reach: {reason}; next try in {}, or when the credentials change",
                soon(*next_try_ms)
            ),
        }
    }
}

/// A length of time in one unit.
fn long(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

fn counted(counts: &Counts) -> Vec<(NetworkFigure, u64)> {
    use NetworkFigure as F;
    vec![
        (F::LinesIn, counts.lines_in.get()),
        (F::LinesOut, counts.lines_out.get()),
        (F::LinesKept, counts.lines_kept.get()),
        (F::UnknownChannel, counts.unknown_channel.get()),
        (F::Blocked, counts.blocked.get()),
        (F::Dropped, counts.dropped.get()),
        (F::TellsIn, counts.tells_in.get()),
        (F::TellsLost, counts.tells_lost.get()),
        (F::TellsOut, counts.tells_out.get()),
        (F::Notices, counts.notices.get()),
        (F::Outages, counts.outages.get()),
    ]
}

/// The short name of a figure: `lines_in`.
fn short(figure: NetworkFigure) -> &'static str {
    let (name, _) = figure.about();
    let name = name.strip_prefix("belay_gossip_").unwrap_or(name);
    name.strip_suffix("_total").unwrap_or(name)
}

/// What to say to who added a rule.
///
/// # Errors
/// Why there is none.
pub fn rule_added(
    kind: RuleKind,
    name: &str,
    added: Result<bool, StoreError>,
) -> Result<String, String> {
    match (added, kind) {
        (Ok(true), RuleKind::Mute) => Ok(format!("{name} may not speak to other games any more")),
        (Ok(true), RuleKind::Block) => Ok(format!("{name} is not read here any more")),
        (Ok(false), _) => Err("there are too many rules; lift some first".to_owned()),
        (Err(error), _) => Err(format!("that could not be saved: {error}")),
    }
}

/// What to say to who lifted a rule.
///
/// # Errors
/// Why none was lifted.
pub fn rule_lifted(
    kind: RuleKind,
    name: &str,
    lifted: Result<bool, StoreError>,
) -> Result<String, String> {
    match (lifted, kind) {
        (Ok(true), RuleKind::Mute) => Ok(format!("{name} may speak to other games again")),
        (Ok(true), RuleKind::Block) => Ok(format!("{name} is read here again")),
        (Ok(false), RuleKind::Mute) => Err(format!("{name} is not muted")),
        (Ok(false), RuleKind::Block) => Err(format!("{name} is not blocked")),
        (Err(error), _) => Err(format!("that could not be saved: {error}")),
    }
}
