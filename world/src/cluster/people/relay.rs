//! `[process]` The way of channels to other nodes, and of what those say of channels.

use super::circle::{Circle, answer_all, named};
use super::exchange::Exchange;
use super::talk_wire::{LineRecord, TalkMessage, from_past, past};
use super::wire::PeopleMessage;
use crate::content::World;
use crate::event::{Event, Refusal, Text};
use crate::ids::ChannelId;
use crate::node::Services;
use crate::ring::Receipt;
use crate::talk::{ChannelLine, ChannelMessage, Foreign, Mark, Origin, Past, Relay, Saying, Seat};
use belay_cluster::{Fence, NodeId, View};
use tokio::time::Instant;

impl Exchange {
    /// The order of this channel is made here from now on: what do the others remember of it?
    pub(super) fn run_channel(&self, name: &str, fence: Fence) {
        let Some(node) = self.node() else { return };
        if let Some(channel) = named(&node.world, name) {
            self.circle(|circle| circle.run(channel, fence));
            self.send_all(&recall(&node.world, channel));
        }
    }

    /// Something else of a channel whose order is made here.
    pub(super) fn owned_channel(&self, name: &str, step: impl FnOnce(&mut Circle, ChannelId)) {
        let node = self.node();
        if let Some(channel) = node.and_then(|node| named(&node.world, name)) {
            self.circle(|circle| step(circle, channel));
        }
    }

    /// The cluster has changed.
    pub(super) fn channels_changed(&self, node: &Services, view: &View) {
        self.circle(|circle| circle.changed(view, &node.world));
    }

    /// A wire stands: what was said meanwhile is told, and what the node knows is learnt.
    pub(super) fn channels_up(&self, node: &Services, peer: NodeId) {
        let owned: Vec<ChannelId> = self.circle(|circle| circle.owned().collect());
        for channel in owned {
            let ask = ChannelMessage::Recall(peer);
            node.channels.from_afar(channel, ask);
            self.send(peer, &recall(&node.world, channel));
        }
    }

    /// A wire is gone.
    pub(super) fn channels_down(&self, peer: NodeId) {
        answer_all(self.circle(|circle| circle.out_of_reach(peer)));
    }

    /// Another node says something of channels.
    pub(super) fn talk(&self, node: &Services, from: NodeId, message: TalkMessage) {
        let find = |name: &str| named(&node.world, name);
        let hand = |name: &str, message: ChannelMessage| {
            if let Some(channel) = find(name) {
                node.channels.from_afar(channel, message);
            }
        };
        match message {
            TalkMessage::Say {
                channel,
                saying,
                name,
                text,
            } => {
                let origin = Origin { node: from, saying };
                let order = ChannelMessage::Order {
                    name: name.into(),
                    text: text.into(),
                    origin,
                };
                let sent = find(&channel).is_some_and(|id| node.channels.try_from_afar(id, order));
                if !sent {
                    self.refuse(origin);
                }
            }
            TalkMessage::Refused { saying } => {
                answer_all(self.circle(|circle| circle.refused(from, saying)));
            }
            TalkMessage::NotHere { saying } => self.return_words(node, Some(from), saying),
            TalkMessage::Line { channel, line, own } => {
                let Some(id) = find(&channel) else { return };
                let own = own.and_then(|(saying, remark)| {
                    let mut own = self.circle(|circle| circle.said(from, saying))?;
                    own.remark = remark.map(Text::from);
                    Some(own)
                });
                let (mark, line) = line.line(id);
                hand(&channel, ChannelMessage::Line(Box::new((mark, line, own))));
            }
            TalkMessage::Recall { channel } => hand(&channel, ChannelMessage::Recall(from)),
            TalkMessage::Past { channel, lines } => {
                let Some(id) = find(&channel) else { return };
                hand(&channel, ChannelMessage::Past(from_past(id, lines)));
            }
            TalkMessage::Foreign { channel, line } => {
                hand(&channel, ChannelMessage::Foreign(line.heard()));
            }
        }
    }

    /// Words that no order has go back to the channel here, where they wait.
    pub(super) fn return_words(&self, node: &Services, from: Option<NodeId>, saying: u64) {
        let returned = self.circle(|circle| circle.returned(from, saying));
        let Some((channel, saying)) = returned else {
            return;
        };
        let back = ChannelMessage::Back(Box::new(saying));
        if !node.channels.try_from_afar(channel, back) {
            // Their receipt has told the player; nothing waits for them.
            self.circle(|circle| circle.came_back(channel));
        }
    }

    fn name(&self, channel: ChannelId) -> Option<String> {
        let node = self.node()?;
        let about = node.world.channel(channel)?;
        Some(about.name.to_ascii_lowercase())
    }
}

impl Relay for Exchange {
    fn seat(&self, channel: ChannelId) -> Seat {
        let (me, now) = (self.cluster.me(), Instant::now().into_std());
        self.seat_of(channel, me, now)
    }

    fn forward(&self, channel: ChannelId, saying: Saying) {
        let owner = self.circle(|circle| circle.owner(channel));
        let (Some(owner), Some(on)) = (owner, self.name(channel)) else {
            return out(saying.receipt);
        };
        let (name, text) = (saying.name.to_string(), saying.text.to_string());
        let waits = self.circle(|circle| circle.wait(owner, channel, saying));
        let saying = match waits {
            Ok(saying) => saying,
            Err(saying) => return out(saying.receipt),
        };
        let say = TalkMessage::Say {
            channel: on,
            saying,
            name,
            text,
        };
        self.say(owner, saying, &PeopleMessage::Talk(say));
    }

    fn foreign(&self, channel: ChannelId, heard: Foreign) {
        let owner = self.circle(|circle| circle.owner(channel));
        let Some((owner, on)) = owner.zip(self.name(channel)) else {
            return;
        };
        let line = ChannelLine {
            channel,
            speaker: heard.speaker,
            text: heard.text,
            missed: heard.missed,
        };
        let foreign = TalkMessage::Foreign {
            channel: on,
            line: LineRecord::new(Mark::default(), &line),
        };
        self.send(owner, &PeopleMessage::Talk(foreign));
    }

    fn spread(&self, mark: Mark, line: &ChannelLine, origin: Option<(Origin, Option<Text>)>) {
        let Some(channel) = self.name(line.channel) else {
            return;
        };
        let record = LineRecord::new(mark, line);
        let message = |own| {
            PeopleMessage::Talk(TalkMessage::Line {
                channel: channel.clone(),
                line: record.clone(),
                own,
            })
        };
        let to_all = message(None);
        let own = origin.map(|(origin, remark)| {
            let remark = remark.map(|remark| remark.to_string());
            (origin.node, message(Some((origin.saying, remark))))
        });
        self.send_each(&to_all, own.as_ref().map(|(node, own)| (*node, own)));
    }

    fn came_back(&self, channel: ChannelId) {
        self.circle(|circle| circle.came_back(channel));
    }

    fn return_to(&self, origin: Origin) {
        let Origin { node, saying } = origin;
        self.send(node, &PeopleMessage::Talk(TalkMessage::NotHere { saying }));
    }

    fn refuse(&self, origin: Origin) {
        let Origin { node, saying } = origin;
        self.send(node, &PeopleMessage::Talk(TalkMessage::Refused { saying }));
    }

    fn past(&self, channel: ChannelId, to: Option<NodeId>, lines: Vec<Past>) {
        let Some(channel) = self.name(channel) else {
            return;
        };
        let lines = past(lines);
        let message = PeopleMessage::Talk(TalkMessage::Past { channel, lines });
        match to {
            Some(node) => self.send(node, &message),
            None => self.send_all(&message),
        }
    }
}

fn recall(world: &World, channel: ChannelId) -> PeopleMessage {
    let about = world.channel(channel);
    let channel = about.map(|about| about.name.to_ascii_lowercase());
    let channel = channel.unwrap_or_default();
    PeopleMessage::Talk(TalkMessage::Recall { channel })
}

fn out(receipt: Receipt) {
    answer_all(vec![(receipt, Event::Refused(Refusal::ChannelOut))]);
}
