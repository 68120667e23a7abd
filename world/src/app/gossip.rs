//! `[edge]` What the operator's requests do to the bridge to other games.

use super::control::ask;
use crate::bridge::limits::{RULE_NAME_CHARS_MAX, RULE_REASON_CHARS_MAX};
use crate::bridge::{rule_added, rule_lifted};
use crate::node::Services;
use crate::ops::control::{ControlAnswer, GossipOrder};
use crate::store::{NewNetworkRule, RuleKind, RuleSubject};
use tokio::sync::oneshot;

/// Carries out one request.
pub(super) async fn answer(
    services: &Services,
    order: GossipOrder,
    (name, reason): (String, String),
) -> ControlAnswer {
    let bridge = &services.bridge;
    match order {
        GossipOrder::Status => status(services),
        GossipOrder::On => {
            bridge.on();
            ControlAnswer::done("the bridge to other games is switched on")
        }
        GossipOrder::Off => {
            bridge.off();
            ControlAnswer::done("the bridge to other games is switched off")
        }
        GossipOrder::Retry if bridge.retry() => ControlAnswer::done("the bridge connects now"),
        GossipOrder::Retry => {
            ControlAnswer::done("the bridge waits for no next try; see belay gossip status")
        }
        GossipOrder::Reload => reload(services).await,
        GossipOrder::Mute => add(services, (RuleKind::Mute, name), reason).await,
        GossipOrder::Block => add(services, (RuleKind::Block, name), reason).await,
        GossipOrder::Unmute => lift(services, (RuleKind::Mute, name)).await,
        GossipOrder::Unblock => lift(services, (RuleKind::Block, name)).await,
    }
}

fn status(services: &Services) -> ControlAnswer {
    let report = services.bridge.report();
    let mut lines = report.lines();
    if !report.rules.is_empty() {
        lines.extend(report.rule_lines());
    }
    ControlAnswer::Done {
        text: lines.join("\n"),
        data: report.data(),
    }
}

async fn reload(services: &Services) -> ControlAnswer {
    let (answer, answered) = oneshot::channel();
    services.bridge.reload(move |file| drop(answer.send(file)));
    match answered.await {
        Ok(file) if file.is_good() => ControlAnswer::done(format!("credentials: {file}")),
        Ok(file) => ControlAnswer::refused(format!("credentials: {file}")),
        Err(_) => ControlAnswer::failed("the credentials file is not being watched"),
    }
}

async fn add(
    services: &Services,
    (kind, name): (RuleKind, String),
    reason: String,
) -> ControlAnswer {
    let name = match subject(services, kind, &name) {
        Ok(name) => name,
        Err(why) => return ControlAnswer::refused(why),
    };
    if reason.chars().nth(RULE_REASON_CHARS_MAX).is_some() {
        return ControlAnswer::refused(format!(
            "a reason has at most {RULE_REASON_CHARS_MAX} characters"
        ));
    }
    let rule = NewNetworkRule {
        subject: RuleSubject {
            kind,
            name: name.clone(),
        },
        reason,
        by: "operator".to_owned(),
    };
    let (bridge, store) = (&services.bridge, &services.store);
    match ask(|reply| bridge.add_rule(store, rule, reply)).await {
        Err(reason) => ControlAnswer::failed(reason),
        Ok(added) => rule_added(kind, &name, Ok(added))
            .map_or_else(ControlAnswer::refused, ControlAnswer::done),
    }
}

async fn lift(services: &Services, (kind, name): (RuleKind, String)) -> ControlAnswer {
    let subject = RuleSubject {
        kind,
        name: name.trim().trim_start_matches('@').to_owned(),
    };
    let shown = subject.name.clone();
    let (bridge, store) = (&services.bridge, &services.store);
    match ask(|reply| bridge.lift_rule(store, subject, reply)).await {
        Err(reason) => ControlAnswer::failed(reason),
        Ok(lifted) => rule_lifted(kind, &shown, Ok(lifted))
            .map_or_else(ControlAnswer::refused, ControlAnswer::done),
    }
}

/// The name as it is spelt, when somebody of that name is there.
fn subject(services: &Services, kind: RuleKind, typed: &str) -> Result<String, String> {
    let typed = typed.trim().trim_start_matches('@');
    if typed.is_empty() || typed.chars().nth(RULE_NAME_CHARS_MAX).is_some() {
        return Err(format!(
            "a name has from 1 to {RULE_NAME_CHARS_MAX} characters"
        ));
    }
    if typed.contains('@') {
        return Err("mute is for a player here, block for a whole game: a name without @".into());
    }
    Ok(match kind {
        RuleKind::Mute => {
            let player = services.players.find_exactly(typed);
            player.map_or_else(|| typed.to_owned(), |player| player.name.to_string())
        }
        RuleKind::Block => services.bridge.spelling(typed).to_string(),
    })
}
