//! `[process]` Carries out what a node's duty decides.

use super::deeds;
use super::driver::{Done, Driver};
use super::event::Event;
use super::notes;
use super::route::Part;
use crate::command::{Candidate, Command, Outcome, Refusal};
use crate::duty::{Effect, HostCall, Input, ProposalId, Unproposed};
use crate::host::{Built, HandOver};
use crate::ids::NodeId;
use crate::raft::{ProposeError, Raft};
use crate::transport::{Class, Lane, Transport};
use belay_runtime::{Context, Exit};

impl<T: Transport> Driver<T> {
    pub(super) fn carry_out(&mut self, ctx: &mut Context<Event>, effect: Effect) {
        match effect {
            Effect::Send(to, message) => {
                self.send(to, Lane::Control, &Part::Duty, &message.encode())
            }
            Effect::HandOver(to, message) => {
                self.send(to, Lane::Play, &Part::HandOver, &message.encode());
            }
            Effect::Lease(until) => {
                deeds::leased(until, self.shared.now());
                self.shared.lease.set(until);
            }
            Effect::Lapse => {
                self.shared.lease.lapse();
                deeds::lapsed(self.shared.now());
            }
            Effect::Host(call) => self.call_host(ctx, call),
            Effect::AskReports => {
                let mut reports = Vec::new();
                self.host.report(&mut reports);
                self.input(ctx, Input::Reports(reports));
            }
            Effect::Propose(id, command) => self.propose(id, command),
            Effect::AddLearner(node) => {
                let raft = self.raft.clone();
                self.change(async move { raft.add_learner(node).await.map_err(|e| e.to_string()) });
            }
            Effect::SetVoters(voters) => {
                let raft = self.raft.clone();
                self.change(
                    async move { raft.set_voters(voters).await.map_err(|e| e.to_string()) },
                );
            }
            Effect::RemoveLearner(node) => {
                let raft = self.raft.clone();
                self.change(
                    async move { raft.remove_learner(node).await.map_err(|e| e.to_string()) },
                );
            }
            Effect::Ordered(id, result) => {
                if let Some(reply) = self.orders.remove(&id) {
                    reply(result);
                }
            }
            Effect::NewLife(incarnation) => self.keep.new_life(incarnation),
            Effect::Outlived(other) => {
                self.over = Some(Exit::error(format!(
                    "another process runs with this node's number, in life {}: \
                     is the data directory a copy?",
                    other.0
                )));
            }
            Effect::Forgotten => {
                self.over = Some(Exit::error(
                    "this node is no member of the cluster any more; \
                     remove its data directory's folder \"cluster\" to join anew",
                ));
            }
            Effect::Note(note) => notes::tell(&note),
        }
    }

    pub(super) fn send(&self, to: NodeId, lane: Lane, part: &Part, body: &[u8]) {
        // Said again until it has come about, so a loss is only a delay.
        let sent = self
            .shared
            .transport
            .send(to, lane, Class::Owed, part.wrap(body));
        if let Err(why) = sent {
            tracing::debug!(target: "belay_cluster", peer = to.0, reason = %why, "not sent");
        }
    }

    fn call_host(&mut self, ctx: &Context<Event>, call: HostCall) {
        match call {
            HostCall::Run { shard, epoch } => {
                deeds::runs(&shard, epoch, self.shared.now());
                let fence = self.fences.begin(&shard, epoch);
                self.host.run(&shard, fence);
            }
            HostCall::Stop { shard, epoch } => {
                self.fences.end(&shard, epoch);
                self.host.stop(&shard, epoch);
                deeds::stopped(&shard, epoch, self.shared.now());
            }
            HostCall::Freeze {
                shard,
                epoch,
                moving,
            } => {
                let (driver, of) = (ctx.address(), shard.clone());
                let shared = self.shared.clone();
                let reply = HandOver::new(move |state| {
                    if state.is_ok() {
                        deeds::froze(&of, shared.now());
                    }
                    drop(driver.try_send_owed(Event::Frozen(of, moving, state)));
                });
                self.host.freeze(&shard, epoch, reply);
            }
            HostCall::Thaw { shard, epoch } => {
                deeds::thaws(&shard, self.shared.now());
                self.host.thaw(&shard, epoch);
            }
            HostCall::Build {
                shard,
                moving,
                state,
            } => {
                let (driver, of) = (ctx.address(), shard.clone());
                let reply = Built::new(move |result| {
                    drop(driver.try_send_owed(Event::Built(of, moving, result)));
                });
                self.host.build(&shard, moving, state, reply);
            }
            HostCall::Suspend(on) => self.host.suspend(on),
        }
    }

    fn propose(&mut self, id: ProposalId, command: Command) {
        let raft = self.raft.clone();
        self.jobs.push(Box::pin(async move {
            let outcome = raft.propose(command).await;
            Done::Proposed(id, outcome.map_err(|error| unproposed(&error)))
        }));
    }

    fn change(&mut self, change: impl Future<Output = Result<(), String>> + Send + 'static) {
        self.jobs
            .push(Box::pin(async move { Done::Membership(change.await) }));
    }
}

/// Writes a node down that wants to join. With whom it has spoken, and so with whom this node has
/// wires, it shares the content; if the log has another one, all nodes were stopped and came back
/// with this, and the log learns of it first.
pub(super) async fn admit(raft: &Raft, candidate: Candidate) -> Result<Outcome, ProposeError> {
    let content = candidate.content;
    let join = Command::Join(candidate);
    let outcome = raft.propose(join.clone()).await?;
    if outcome != Outcome::Refused(Refusal::OtherContent) {
        return Ok(outcome);
    }
    raft.propose(Command::Content(content)).await?;
    raft.propose(join).await
}

fn unproposed(error: &ProposeError) -> Unproposed {
    match error {
        // In none of these was it written.
        ProposeError::NotLeader { .. } | ProposeError::Busy | ProposeError::TooLong => {
            Unproposed::NotLeader
        }
        ProposeError::Unknown | ProposeError::Ended => Unproposed::Unknown,
    }
}
