//! `[process]` Into the game: the login is over, and the session plays.

use super::answer::onward;
use super::body::{Phase, SessionBody};
use super::bucket::Bucket;
use super::link;
use super::network;
use super::process::{Ctx, SessionProcess};
use super::state::{Held, Identity, PlayState, Settings};
use super::stored::from_stored;
use super::talk;
use super::waiting::arrive;
use crate::being::{Card, Item, Journey};
use crate::bridge::limits::{TELLS_BURST, TELLS_PER_S};
use crate::cluster::people::Hold;
use crate::command::Rights;
use crate::event::{Event, LoginEvent, Text};
use crate::ids::LineId;
use crate::limits;
use crate::login::{AccountFound, Entering};
use crate::node::{Player, Services};
use crate::ops::metrics::{self, LoginOutcome};
use crate::ring::ConnectionMessage;
use crate::room::Reach;
use crate::store::CharacterSheet;
use std::sync::Arc;

impl SessionProcess {
    /// Into the game.
    pub(super) fn enter(&mut self, body: &mut SessionBody, ctx: &mut Ctx, entering: Entering) {
        if !matches!(body.phase, Phase::Login(_)) {
            return;
        }
        let player = Arc::new(Player::new(entering.name.clone(), ctx.address()));
        if entering.account.is_none() {
            player.set_guest();
        }
        player.set_staff(entering.staff);
        player.set_claim(body.claim.as_ref().map_or(0, Hold::number));
        match self.node.players.enter(&player, &ctx.process()) {
            Ok(entry) => body.entry = Some(entry),
            Err(_) => return self.end(body, ctx, Event::Login(LoginEvent::Busy)),
        }
        self.node.bridge.entered(&player);
        // Who ends before they stand anywhere has not lost where they stood.
        player.set_room(entering.room);
        let reach = |room| (room, self.node.rooms.reach(room));
        let start = entering.room.map(reach);
        let start = start.filter(|(_, reach)| *reach != Reach::Closed);
        let start = start.or_else(|| self.node.start_room(self.id).map(reach));
        self.player = Some(player);
        metrics::login_ended(outcome(&entering));
        let (name, back) = (entering.name.clone(), entering.back);
        let settings = entering.settings.clone();
        body.phase = Phase::Playing(Box::new(self.play_state(ctx, entering)));
        body.tell(ConnectionMessage::Hide(false));
        body.tell(ConnectionMessage::LoggedIn);
        if settings.depth.is_some() {
            body.tell(ConnectionMessage::Color(settings.depth));
        }
        if settings.screen_reader.is_some() {
            body.tell(ConnectionMessage::ScreenReader(settings.screen_reader));
        }
        body.show_quietly(Event::Login(LoginEvent::Welcome { name, back }));
        self.play(body, ctx, |state, scene, out| match start {
            Some(start) => arrive(state, scene, start, out),
            // A node that has just come up: the player stands nowhere until a room is open.
            None => onward(state, scene, Vec::new(), out),
        });
        self.play(body, ctx, network::begin);
        self.play(body, ctx, talk::begin);
        if self.by_token {
            self.play(body, ctx, link::renew_token);
        }
    }

    fn play_state(&self, ctx: &Ctx, entering: Entering) -> PlayState {
        let now = ctx.now().into_std();
        let held = entering.items.iter().map(|item| Held {
            item: *item,
            recorded: None,
        });
        let rules = &self.node.play;
        PlayState {
            card: Arc::new(Card {
                name: entering.name.clone(),
                description: Text::from(format!("{} is here to play.", entering.name)),
                character: entering.account.map(|(_, character)| character),
                mob: None,
                away: false,
                linkdead: false,
            }),
            identity: Arc::new(Identity {
                session: self.id,
                name: entering.name,
                account: entering.account,
                account_name: entering.account_name,
            }),
            rights: Rights {
                staff: entering.staff,
            },
            journey: Journey::new(),
            asks: smallvec::SmallVec::new(),
            line: LineId(0),
            inventory: Arc::new(held.collect()),
            away: None,
            reply_to: None,
            question: None,
            bucket: Bucket::new(rules.commands_per_s, rules.commands_burst, now),
            talk: Bucket::new(limits::TALK_PER_S, limits::TALK_BURST, now),
            told: Bucket::new(TELLS_PER_S, TELLS_BURST, now),
            since: now,
            played_s: entering.played_s,
            settings: entering.settings,
            save_due: None,
            linkdead_due: None,
            adrift_due: None,
            bound_for: None,
            ending: None,
        }
    }
}

fn outcome(entering: &Entering) -> LoginOutcome {
    match (entering.account, entering.back) {
        (None, _) => LoginOutcome::Guest,
        (Some(_), true) => LoginOutcome::Account,
        (Some(_), false) => LoginOutcome::Created,
    }
}

pub(super) fn guest(name: Text) -> Entering {
    Entering {
        account_name: name.clone(),
        name,
        account: None,
        staff: false,
        room: None,
        items: Vec::new(),
        settings: Settings::default(),
        played_s: 0,
        back: false,
    }
}

pub(super) fn entering(
    node: &Services,
    account: &AccountFound,
    sheet: &CharacterSheet,
) -> Entering {
    let character = &sheet.character;
    let known = sheet.items.iter().filter_map(|item| {
        Some(Item {
            id: item.id,
            prototype: node.world.item_id(&item.prototype)?,
        })
    });
    Entering {
        name: Text::from(character.name.as_str()),
        account: Some((account.id, character.id)),
        account_name: account.name.clone(),
        staff: account.staff,
        room: node.world.room_id(&character.room_key),
        items: known.collect(),
        settings: from_stored(&character.settings),
        played_s: u64::try_from(character.score.played_seconds).unwrap_or(0),
        back: !character.room_key.is_empty(),
    }
}
