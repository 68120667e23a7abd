//! `[process]` What another node wants of those who play here.

use super::games;
use super::wire::{Errand, PeopleMessage, Reply};
use crate::being::Item;
use crate::bridge::Remote;
use crate::event::Text;
use crate::ids::{AccountId, Being, ItemId, MobId};
use crate::node::{Player, Services};
use crate::ring::{RoomMessage, SessionMessage};
use crate::room::Cast;
use crate::store::BanSubject;
use crate::talk::Speaker;
use belay_gossip::client::{Tell, TellOutcome};

/// Who lays a thing back that nobody took.
const NOBODY: Being = Being::Mob(MobId(u32::MAX));

/// Does it for a player here, and says what came of it: at once, or later.
pub(super) fn obey(
    node: &Services,
    to: &str,
    errand: Errand,
    reply: impl FnOnce(Reply) + Send + 'static,
) {
    match errand {
        Errand::ToGame {
            from_name,
            to_name,
            to_game,
            message,
        } => {
            let tell = Tell {
                from_name,
                to_name,
                to_game,
                message,
            };
            games::tell(node, tell, reply);
        }
        Errand::FromGame { name, game, text } => {
            let from = Remote {
                name: name.into(),
                game: game.into(),
            };
            let told = Box::new(move |outcome| reply(Reply::Read(outcome == TellOutcome::Shown)));
            node.bridge.told_from_afar(from, to, &text, told);
        }
        Errand::Tell { .. }
        | Errand::Kick { .. }
        | Errand::Crash
        | Errand::Where
        | Errand::Receive { .. } => {
            let player = node.players.find_exactly(to);
            reply(player.map_or(Reply::Nobody, |player| at_once(node, &player, errand)));
        }
    }
}

fn at_once(node: &Services, player: &Player, errand: Errand) -> Reply {
    let name = player.name.to_string();
    match errand {
        Errand::Tell { from, text } => {
            let tell = SessionMessage::Tell {
                from: Speaker::Local(from.into()),
                text: text.into(),
            };
            match player.session.try_send(tell) {
                Ok(()) => Reply::Told {
                    name,
                    away: player.away().map(|away| away.to_string()),
                },
                Err(_) => Reply::Full { name },
            }
        }
        Errand::Kick { reason } => {
            let kick = SessionMessage::Kick(reason.into());
            drop(player.session.try_send_owed(kick));
            Reply::Done { name }
        }
        Errand::Crash => {
            drop(player.session.try_send_owed(SessionMessage::Crash));
            Reply::Done { name }
        }
        Errand::Where => {
            let room = player.room().and_then(|room| node.world.room(room));
            Reply::In {
                room: room.map(|room| room.key.to_string()),
            }
        }
        // Not of a player here, or answered later.
        Errand::ToGame { .. } | Errand::FromGame { .. } | Errand::Receive { .. } => Reply::Nobody,
    }
}

/// Notes what needs no answer.
pub(super) fn note(node: &Services, message: PeopleMessage) {
    match message {
        PeopleMessage::Gift {
            to,
            from,
            item,
            prototype,
            recorded,
        } => {
            let Some(prototype) = node.world.item_id(&prototype) else {
                return;
            };
            let id = ItemId(item);
            let recorded = recorded.and_then(|key| node.world.room_id(&key));
            let gift = SessionMessage::Receive {
                from: Text::from(from),
                item: Item { id, prototype },
                recorded,
            };
            let player = node.players.find_exactly(&to);
            let taken = player.is_some_and(|to| to.session.try_send_owed(gift).is_ok());
            if let Some(room) = recorded.filter(|_| !taken) {
                let back = Cast::PutBack(Item { id, prototype });
                let message = RoomMessage::Cast(NOBODY, back);
                node.rooms.tell_if_open(room, message);
            }
        }
        PeopleMessage::Banned(ban) => {
            if let Some(ban) = ban.restore() {
                node.hold_ban(&ban);
            }
        }
        PeopleMessage::Lifted { kind, value } => {
            if let Some(subject) = BanSubject::from_stored(&kind, &value) {
                node.bans.lift(&subject);
            }
        }
        PeopleMessage::Staff { account, on } => node.staff_here(AccountId(account), on),
        PeopleMessage::List { .. }
        | PeopleMessage::Plays(_)
        | PeopleMessage::Left { .. }
        | PeopleMessage::Ask { .. }
        | PeopleMessage::Answer { .. }
        | PeopleMessage::Claims(_)
        | PeopleMessage::Talk(_)
        | PeopleMessage::Games(_) => {}
    }
}
