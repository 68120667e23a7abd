//! `[edge]` What the control socket's requests do to a running node.

use super::cluster;
use super::gossip;
use super::inspect;
use super::operations::NodeView;
use super::stop::StopRequest;
use super::tree::Ports;
use crate::account::Name;
use crate::ids::RoomId;
use crate::ops::control::{BanKind, ControlAnswer, ControlHandler, ControlRequest};
use crate::ops::limits::CONTROL_STALL;
use crate::ring::{RoomMessage, SessionMessage};
use crate::store::{BackupError, BanSubject, NewBan, Role, StoreError};
use futures_util::FutureExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::oneshot;

/// What is said of a cluster on a node without one.
const NO_CLUSTER: &str = "this node is in no cluster; it was started without --cluster ADDR";

/// Answers requests for this node.
pub(super) fn handler(ports: Ports, stop: &StopRequest, view: &NodeView) -> ControlHandler {
    let operator = Arc::new(Operator {
        ports,
        stop: stop.clone(),
        view: view.clone(),
        crashes: AtomicU64::new(0),
    });
    Arc::new(move |request| {
        let operator = operator.clone();
        async move { answer(&operator, request).await }.boxed()
    })
}

/// What requests work with.
#[derive(Debug)]
struct Operator {
    ports: Ports,
    stop: StopRequest,
    view: NodeView,
    /// Rooms made to crash so far.
    crashes: AtomicU64,
}

async fn answer(operator: &Operator, request: ControlRequest) -> ControlAnswer {
    let Operator {
        ports,
        stop,
        view,
        crashes,
    } = operator;
    match request {
        ControlRequest::Status => status(ports),
        ControlRequest::Tree { process, order } => inspect::tree(view, process.as_deref(), order),
        ControlRequest::Profile { threads, last } => {
            inspect::profile(&ports.profiler, threads, last)
        }
        ControlRequest::Trace {
            process,
            count,
            lasts_ms,
        } => inspect::trace(view, &process, count, Duration::from_millis(lasts_ms)).await,
        ControlRequest::StaffAdd { name } => set_role(ports, &name, Role::Staff).await,
        ControlRequest::StaffRemove { name } => set_role(ports, &name, Role::Player).await,
        ControlRequest::StaffList => staff_list(ports).await,
        ControlRequest::Backup { file } => backup(ports, file).await,
        ControlRequest::BanAdd {
            kind,
            value,
            lasts_s,
            reason,
        } => ban_add(ports, (kind, &value), lasts_s, reason).await,
        ControlRequest::BanRemove { kind, value } => ban_remove(ports, kind, &value).await,
        ControlRequest::BanList => ban_list(ports).await,
        ControlRequest::Gossip {
            order,
            name,
            reason,
        } => gossip::answer(&ports.services, order, (name, reason)).await,
        ControlRequest::Cluster { order } => match &ports.cluster {
            Some(node) => cluster::answer(node, &ports.shards, order).await,
            None => ControlAnswer::refused(NO_CLUSTER),
        },
        ControlRequest::CrashRoom { room } => crash_room(ports, crashes, room.as_deref()),
        ControlRequest::StallRoom { room, lasts_ms } => {
            stall_room(ports, &room, Duration::from_millis(lasts_ms))
        }
        ControlRequest::CrashSession { name } => crash_session(ports, &name),
        ControlRequest::Shutdown => {
            stop.ask();
            ControlAnswer::done("the node is stopping")
        }
    }
}

fn status(ports: &Ports) -> ControlAnswer {
    let (players, connections) = (ports.services.players.count(), ports.connections.count());
    let stats = belay_runtime::stats();
    ControlAnswer::Done {
        text: format!("the node is up: {players} players, {connections} connections"),
        data: serde_json::json!({
            "version": env!("CARGO_PKG_VERSION"),
            "pid": std::process::id(),
            "players": players,
            "connections": connections,
            "processes": stats.processes,
            "restarts": stats.restarts_total,
            "crashes": stats.crashes_total,
            "slow_handlers": stats.slow_handlers_total,
        }),
    }
}

async fn set_role(ports: &Ports, name: &str, role: Role) -> ControlAnswer {
    let name = match Name::parse(name) {
        Ok(name) => name,
        Err(why) => return ControlAnswer::refused(why.to_string()),
    };
    let asked = name.clone();
    let set = ask(|reply| ports.services.store.set_role(asked, role, reply)).await;
    match set {
        Err(reason) => ControlAnswer::failed(reason),
        Ok(None) => ControlAnswer::refused(format!(
            "there is no account named {name}; log in and create it first"
        )),
        Ok(Some(account)) => {
            ports.services.staff(account, role == Role::Staff);
            let what = if role == Role::Staff {
                "is staff now"
            } else {
                "is a player now"
            };
            ControlAnswer::done(format!("{name} {what}"))
        }
    }
}

async fn staff_list(ports: &Ports) -> ControlAnswer {
    match ask(|reply| ports.services.store.list_staff(reply)).await {
        Err(reason) => ControlAnswer::failed(reason),
        Ok(names) if names.is_empty() => ControlAnswer::done("nobody is staff"),
        Ok(names) => {
            let names: Vec<&str> = names.iter().map(Name::as_str).collect();
            ControlAnswer::done(names.join("\n"))
        }
    }
}

async fn backup(ports: &Ports, file: PathBuf) -> ControlAnswer {
    let (answer, answered) = oneshot::channel();
    let shown = file.display().to_string();
    ports
        .services
        .store
        .backup(file, move |outcome| drop(answer.send(outcome)));
    match answered.await {
        Ok(Ok(())) => ControlAnswer::done(format!("saved to {shown}")),
        Ok(Err(error @ BackupError::Busy)) => ControlAnswer::busy(error.to_string()),
        Ok(Err(error @ (BackupError::Exists { .. } | BackupError::Server))) => {
            ControlAnswer::refused(error.to_string())
        }
        Ok(Err(error)) => ControlAnswer::failed(error.to_string()),
        Err(_) => ControlAnswer::failed("the store stopped"),
    }
}

fn subject(kind: BanKind, value: &str) -> Result<BanSubject, String> {
    match kind {
        BanKind::Account => Name::restore(value)
            .map(BanSubject::Account)
            .map_err(|why| why.to_string()),
        BanKind::Character => Name::restore(value)
            .map(BanSubject::Character)
            .map_err(|why| why.to_string()),
        BanKind::Address => value
            .parse()
            .map(BanSubject::Address)
            .map_err(|why| format!("{value}: {why}")),
    }
}

async fn ban_add(
    ports: &Ports,
    (kind, value): (BanKind, &str),
    lasts_s: Option<u64>,
    reason: String,
) -> ControlAnswer {
    let subject = match subject(kind, value) {
        Ok(subject) => subject,
        Err(why) => return ControlAnswer::refused(why),
    };
    let shown = subject.to_string();
    let lasts = lasts_s.map(Duration::from_secs);
    let ban = NewBan {
        subject,
        reason,
        by: "operator".to_owned(),
        lasts,
    };
    let recorded = ban.clone();
    if let Err(reason) = ask(|reply| ports.services.store.add_ban(recorded, reply)).await {
        return ControlAnswer::failed(reason);
    }
    ports.services.ban_everywhere(&ban);
    ports.services.refresh_bans();
    ControlAnswer::done(format!("banned {shown}"))
}

async fn ban_remove(ports: &Ports, kind: BanKind, value: &str) -> ControlAnswer {
    let subject = match subject(kind, value) {
        Ok(subject) => subject,
        Err(why) => return ControlAnswer::refused(why),
    };
    let (shown, lifted) = (subject.to_string(), subject.clone());
    match ask(|reply| ports.services.store.remove_ban(subject, reply)).await {
        Err(reason) => ControlAnswer::failed(reason),
        Ok(false) => ControlAnswer::refused(format!("{shown} is not banned")),
        Ok(true) => {
            ports.services.lift_ban(&lifted);
            ports.services.refresh_bans();
            ControlAnswer::done(format!("lifted the ban of {shown}"))
        }
    }
}

async fn ban_list(ports: &Ports) -> ControlAnswer {
    match ask(|reply| ports.services.store.list_bans(reply)).await {
        Err(reason) => ControlAnswer::failed(reason),
        Ok(bans) if bans.is_empty() => ControlAnswer::done("nobody is banned"),
        Ok(bans) => {
            let line = |ban: &crate::store::Ban| {
                format!("{}: {} (by {})", ban.subject, ban.reason, ban.by)
            };
            ControlAnswer::done(bans.iter().map(line).collect::<Vec<_>>().join("\n"))
        }
    }
}

/// Makes the room panic that is named, or each time another one.
fn crash_room(ports: &Ports, crashes: &AtomicU64, room: Option<&str>) -> ControlAnswer {
    let world = &ports.services.world;
    let id = match room {
        Some(key) => world.room_id(key),
        None => {
            // Strides over all rooms, so that no room meets two crashes in a row.
            let count = u64::try_from(world.rooms().len()).unwrap_or(1).max(1);
            let number = crashes.fetch_add(1, Ordering::Relaxed).wrapping_mul(7919) % count;
            u32::try_from(number).ok().map(RoomId)
        }
    };
    let Some((id, place)) = id.and_then(|id| Some((id, world.room(id)?))) else {
        return ControlAnswer::refused("there is no such room");
    };
    match ports.services.rooms.tell(id, RoomMessage::Crash) {
        Ok(()) => ControlAnswer::done(format!("crashing {}", place.key)),
        Err(_) => ControlAnswer::refused(format!("{} is closed", place.key)),
    }
}

/// Makes the room keep its thread, as a fault in its code would.
fn stall_room(ports: &Ports, room: &str, lasts: Duration) -> ControlAnswer {
    if lasts > CONTROL_STALL {
        let max = CONTROL_STALL.as_millis();
        return ControlAnswer::refused(format!("a room is stalled for {max} ms at most"));
    }
    let Some(id) = ports.services.world.room_id(room) else {
        return ControlAnswer::refused("there is no such room");
    };
    match ports.services.rooms.tell(id, RoomMessage::Stall(lasts)) {
        Ok(()) => ControlAnswer::done(format!("stalling {room}")),
        Err(_) => ControlAnswer::refused(format!("{room} is closed")),
    }
}

fn crash_session(ports: &Ports, name: &str) -> ControlAnswer {
    match ports.services.players.find_exactly(name) {
        None => ControlAnswer::refused(format!("nobody named {name} plays")),
        Some(player) => {
            drop(player.session.try_send_owed(SessionMessage::Crash));
            ControlAnswer::done(format!("crashing the session of {}", player.name))
        }
    }
}

/// Waits for the store's answer.
pub(super) async fn ask<T: Send + 'static>(
    request: impl FnOnce(Box<dyn FnOnce(Result<T, StoreError>) + Send>),
) -> Result<T, String> {
    let (answer, answered) = oneshot::channel();
    request(Box::new(move |outcome| drop(answer.send(outcome))));
    match answered.await {
        Ok(outcome) => outcome.map_err(|error| error.to_string()),
        Err(_) => Err("the store stopped".to_owned()),
    }
}
