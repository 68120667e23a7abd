//! `[edge]` The process that knocks: it shows where this node is to members that would have to
//! dial it, as long as there is no wire to them, and asks where the others are.
//!
//! ```text
//! who knocks                      who is knocked at
//!   Hello, with our address ────►   checked as for a wire
//!   ◄──── Hello, with its address   checked
//!   Knock ──────────────────────►   dials us there from now on
//!   ◄───────────────────── Places   where all members are, as far as it knows
//! ```
//! What an answer says of third nodes is a hint: they are knocked at there themselves.

use super::frame::Kind;
use super::greet::{self, HandshakeError};
use super::handshake::{Mismatch, Whom};
use super::join::{self, Place};
use super::limits::{ADDRESS_BYTES_MAX, KNOCK_EVERY, KNOCKS_MAX};
use super::shared::{Shared, SideMessage};
use super::side::chance;
use super::wires::Wires;
use crate::cert::Tls;
use crate::ids::NodeId;
use crate::transport::{Lane, Member};
use belay_runtime::{Backoff, ChildSpec, Context, Exit, Incoming};
use futures_util::StreamExt as _;
use futures_util::stream;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::select;
use tokio::time::timeout;

/// The process.
pub(super) fn spec(wires: &Wires) -> ChildSpec {
    let (shared, tls, seeds) = (Arc::clone(&wires.shared), wires.tls.clone(), wires.seeds());
    ChildSpec::body("knocker", &wires.shared.knocks, move |ctx| {
        let knocker = Knocker {
            shared: Arc::clone(&shared),
            tls: tls.clone(),
            seeds: Arc::clone(&seeds),
            heard: BTreeMap::new(),
            rounds: 0,
        };
        knocker.run(ctx)
    })
}

struct Knocker {
    shared: Arc<Shared>,
    tls: Option<Tls>,
    /// Where members may be found, as the operator says.
    seeds: Arc<[String]>,
    /// Where members without a wire are, as others say.
    heard: BTreeMap<NodeId, Place>,
    /// Rounds since anything was heard.
    rounds: u32,
}

/// Where is knocked at.
#[derive(Debug)]
enum Door {
    /// A member, where it should be.
    Member(Member),
    /// Whichever member is there.
    Seed(String),
}

impl Knocker {
    async fn run(mut self, mut ctx: Context<SideMessage>) -> Result<(), Exit> {
        loop {
            let doors = self.doors();
            if doors.is_empty() {
                self.rounds = 0;
            }
            let (shared, tls) = (&self.shared, self.tls.as_ref());
            let knocking = stream::iter(doors).map(|door| knock(shared, tls, door));
            let knocking = knocking.buffer_unordered(KNOCKS_MAX).collect::<Vec<_>>();
            let answers = select! {
                () = ctx.stopping() => return Ok(()),
                answers = knocking => answers,
            };
            self.rounds = self.rounds.saturating_add(1);
            for place in answers.into_iter().flatten() {
                self.hear(place);
            }
            let pause = Backoff {
                first: self.shared.rules.redial.0,
                factor: 2.0,
                max: KNOCK_EVERY,
                jitter: 0.5,
            };
            let pause = pause.delay(self.rounds, chance());
            let timer = ctx.send_after(pause, SideMessage::Changed);
            match ctx.next().await {
                Incoming::Message(_) | Incoming::Timer(_) | Incoming::Signal(_) => {}
                Incoming::Shutdown => return Ok(()),
            }
            let _unless_it_came = ctx.cancel(timer);
        }
    }

    /// Those to whom there is no wire: where they were if it is on them to dial, where others say
    /// that they are, and wherever the operator says.
    fn doors(&mut self) -> Vec<Door> {
        let control = &self.shared.side(Lane::Control).seats;
        let me = self.shared.me().node;
        let members = self.shared.members();
        let (there, missing): (Vec<_>, Vec<_>) =
            members.iter().partition(|member| control.has(member.node));
        let missed = |node: &NodeId| missing.iter().find(|member| member.node == *node);
        self.heard
            .retain(|node, place| missed(node).is_some() && self.shared.is_newer(place));
        let heard = self.heard.iter().filter_map(|(node, place)| {
            let address = place.address.clone();
            let member = Member::clone(missed(node)?);
            Some(Door::Member(Member { address, ..member }))
        });
        let dialling = missing.iter().filter(|member| Some(member.node) > me);
        let mut doors: Vec<Door> = heard.collect();
        doors.extend(dialling.map(|member| Door::Member(Member::clone(member))));
        if !missing.is_empty() {
            let own = self.shared.first(Lane::Control).address;
            let known = |seed: &&String| {
                **seed == own || there.iter().any(|member| member.address == **seed)
            };
            let seeds = self.seeds.iter().filter(|seed| !known(seed));
            doors.extend(seeds.cloned().map(Door::Seed));
        }
        doors
    }

    /// Somebody says where a member is.
    fn hear(&mut self, place: Place) {
        let old = self.heard.get(&place.node);
        let later = old.is_none_or(|old| place.incarnation > old.incarnation);
        let wire = self.shared.side(Lane::Control).seats.has(place.node);
        let fits = place.address.len() <= ADDRESS_BYTES_MAX;
        if later && fits && !wire && self.shared.is_newer(&place) {
            self.rounds = 0;
            self.heard.insert(place.node, place);
        }
    }
}

/// Knocks, and returns where all members are, as far as whoever answers knows. Nothing when nobody
/// answers: the next round knocks again.
async fn knock(shared: &Shared, tls: Option<&Tls>, door: Door) -> Vec<Place> {
    let (address, whom) = match &door {
        Door::Member(member) => (&member.address, Whom::Dialled(member.clone())),
        Door::Seed(address) => (address, Whom::Anyone),
    };
    let knocking = show(shared, tls, address, &whom);
    let answer = timeout(shared.rules.handshake_within, knocking).await;
    match answer.unwrap_or(Err(HandshakeError::TooSlow)) {
        Ok(places) => places,
        // The operator says that somebody is there.
        Err(error) if matches!(door, Door::Seed(_)) => {
            shared.trouble(Lane::Control, address, &error.to_string());
            Vec::new()
        }
        // It is not there just now; a node that dials tells what is wrong.
        Err(error) => {
            tracing::debug!(peer = %address, reason = %error, "nobody opens");
            Vec::new()
        }
    }
}

pub(super) async fn show(
    shared: &Shared,
    tls: Option<&Tls>,
    address: &str,
    whom: &Whom,
) -> Result<Vec<Place>, HandshakeError> {
    let ours = shared.first(Lane::Control);
    let (mut framed, theirs) = greet::knock(address, tls, &ours).await?;
    let checked = shared.check(&ours, &theirs, whom);
    let node = checked.and_then(|()| theirs.hello.node.ok_or(Mismatch::Unreadable));
    let node = match node {
        Ok(node) => node,
        Err(mismatch) => return Err(framed.refuse(mismatch).await),
    };
    framed.write(Kind::Knock, &[]).await;
    let body = framed.read(Kind::Places).await?;
    shared.meet(node, &theirs)?;
    // From another version there may be an answer that is not understood; the knock was heard.
    Ok(join::decode(&body).unwrap_or_default())
}
