//! `[process]` A network of games that does what a test says.

use crate::bridge::{Answer, Network};
use belay_gossip::Credentials;
use belay_gossip::client::{
    ClientFigures, ClientStatus, News, Port, Receipt, RemoteGame, Roster, SayError, Tell,
    TellAnswer, TellOutcome,
};
use belay_runtime::{ChildSpec, Context};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, OnceLock};

/// The network as one node's client has it. It is on or off, notes what it is asked for, and says
/// of itself that it is reached while it is on.
#[derive(Default)]
pub(super) struct Script {
    on: Mutex<bool>,
    asked: Mutex<Vec<String>>,
    port: OnceLock<Arc<dyn Port>>,
    roster: Mutex<Arc<Roster>>,
}

impl Script {
    pub(super) fn plug(&self, port: Arc<dyn Port>) {
        self.port.get_or_init(|| port);
    }

    pub(super) fn is_on(&self) -> bool {
        *self.on.lock().unwrap()
    }

    /// What it was asked for since the last time.
    pub(super) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }

    /// Whether it was asked for this.
    pub(super) fn was_asked(&self, what: &str) -> bool {
        self.asked.lock().unwrap().iter().any(|one| one == what)
    }

    /// The network brings this.
    pub(super) fn brings(&self, news: News) {
        self.port.get().unwrap().deliver(news);
    }

    /// Who plays here, as the network is told.
    pub(super) fn players(&self) -> String {
        self.port.get().unwrap().players().join(" ")
    }

    /// These play elsewhere, in one game.
    pub(super) fn plays_elsewhere(&self, game: &str, players: &[&str]) {
        let game = RemoteGame {
            name: game.to_owned(),
            players: players.iter().map(|name| (*name).to_owned()).collect(),
            count: 1,
            ..RemoteGame::default()
        };
        *self.roster.lock().unwrap() = Arc::new(Roster::new(vec![game]));
    }

    fn note(&self, what: impl Into<String>) {
        self.asked.lock().unwrap().push(what.into());
    }
}

impl std::fmt::Debug for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Script").finish_non_exhaustive()
    }
}

impl Network for Script {
    fn spec(&self) -> ChildSpec {
        ChildSpec::task("network", |ctx: Context<Infallible>| async move {
            ctx.stopping().await;
            Ok(())
        })
    }
    fn configure(&self, _: Option<Credentials>) {}
    fn on(&self) {
        *self.on.lock().unwrap() = true;
    }
    fn off(&self) {
        *self.on.lock().unwrap() = false;
    }
    fn retry(&self) -> bool {
        false
    }
    fn subscribe(&self, _: &str) {}
    fn say(&self, channel: &str, name: &str, message: &str) -> Result<(), SayError> {
        if !*self.on.lock().unwrap() {
            return Err(SayError::Offline);
        }
        self.note(format!("say {channel} {name}: {message}"));
        Ok(())
    }
    fn sign_in(&self, name: &str) {
        self.note(format!("in {name}"));
    }
    fn sign_out(&self, name: &str) {
        self.note(format!("out {name}"));
    }
    fn tell(&self, tell: Tell, answer: Answer) {
        let Tell {
            from_name,
            to_name,
            to_game,
            message,
        } = tell;
        self.note(format!("tell {from_name} {to_name}@{to_game}: {message}"));
        answer(TellAnswer::Sent);
    }
    fn receipt(&self, _: Receipt, outcome: TellOutcome) {
        self.note(format!("receipt {}", outcome.as_str()));
    }
    fn roster(&self) -> Arc<Roster> {
        self.roster.lock().unwrap().clone()
    }
    fn status(&self) -> ClientStatus {
        if *self.on.lock().unwrap() {
            ClientStatus::Online { for_ms: 0 }
        } else {
            ClientStatus::Off
        }
    }
    fn figures(&self) -> ClientFigures {
        ClientFigures::default()
    }
}
