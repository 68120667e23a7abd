//! `[edge]` The client of a Gossip network behind the bridge's port.

use super::network::{Answer, Network};
use belay_gossip::Credentials;
use belay_gossip::client::{
    Client, ClientFigures, ClientOptions, ClientStatus, Port, Receipt, Roster, SayError, Switch,
    Tell, TellOutcome,
};
use belay_gossip::protocol::ChannelName;
use belay_runtime::ChildSpec;
use std::sync::Arc;

/// A client that brings its news to this port.
pub fn client(port: Arc<dyn Port>) -> Arc<dyn Network> {
    Arc::new(Client::new(ClientOptions::default(), port))
}

impl Network for Client {
    fn spec(&self) -> ChildSpec {
        Self::spec(self)
    }

    fn configure(&self, credentials: Option<Credentials>) {
        Self::configure(self, credentials);
    }

    fn on(&self) {
        self.switch(Switch::On);
    }

    fn off(&self) {
        self.switch(Switch::Off);
    }

    fn retry(&self) -> bool {
        let waits = matches!(
            self.status(),
            ClientStatus::Waiting { .. } | ClientStatus::Rejected { .. }
        );
        if waits {
            Self::retry(self);
        }
        waits
    }

    fn subscribe(&self, channel: &str) {
        let heard = ChannelName::parse(channel).is_ok_and(|name| Self::subscribe(self, &name));
        if !heard {
            // The content has checked the name, and has fewer channels than a client can hear.
            tracing::warn!(target: "belay_world", name = channel, "channel cannot be heard");
        }
    }

    fn say(&self, channel: &str, name: &str, message: &str) -> Result<(), SayError> {
        Self::say(self, channel, name, message)
    }

    fn sign_in(&self, name: &str) {
        Self::sign_in(self, name);
    }

    fn sign_out(&self, name: &str) {
        Self::sign_out(self, name);
    }

    fn tell(&self, tell: Tell, answer: Answer) {
        Self::tell(self, tell, answer);
    }

    fn receipt(&self, receipt: Receipt, outcome: TellOutcome) {
        Self::receipt(self, receipt, outcome);
    }

    fn roster(&self) -> Arc<Roster> {
        Self::roster(self)
    }

    fn status(&self) -> ClientStatus {
        Self::status(self)
    }

    fn figures(&self) -> ClientFigures {
        Self::figures(self)
    }
}
