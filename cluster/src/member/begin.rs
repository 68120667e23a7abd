//! `[process]` What a member does before it drives: raft starts on its log, and a founder writes
//! the first entry. The same for a node with wires and for one in a simulation.

use super::driver::{Around, Driver};
use super::event::{Event, Keep, Newest};
use super::route::Part;
use super::shared::Shared;
use crate::command::{Candidate, Command};
use crate::counts::Carried;
use crate::duty::{Duty, DutyConfig};
use crate::host::Host;
use crate::ids::{Incarnation, NodeId};
use crate::limits::HEARTBEAT;
use crate::log::Log;
use crate::raft::{Cuts, ProposeError, Raft, RaftConfig};
use crate::transport::{Class, Lane, Member, Transport, Unsent};
use bytes::Bytes;
use std::sync::Arc;
use tokio::time::{Instant, sleep_until};

/// What a member begins with.
pub(crate) struct Begin<T: Transport> {
    pub(crate) shared: Arc<Shared<T>>,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) keep: Keep,
    pub(crate) log: Log,
    /// As which life it asks for leases, and where it is reached.
    pub(crate) incarnation: Incarnation,
    pub(crate) address: String,
    /// It founds this cluster, if its log is empty.
    pub(crate) founds: Option<Founding>,
    pub(crate) seed: u64,
    /// How often its log is cut.
    pub(crate) cuts: Cuts,
}

/// A cluster to be founded.
#[derive(Clone, Debug)]
pub(crate) struct Founding {
    /// Its name.
    pub(crate) cluster: String,
    /// Its first node.
    pub(crate) first: Candidate,
    /// How many were founded on the same storage before.
    pub(crate) generation: u32,
}

impl Founding {
    /// The first entry. Of the first cluster on its storage any version can read it.
    fn command(&self) -> Command {
        let (cluster, first) = (self.cluster.clone(), self.first.clone());
        match self.generation {
            0 => Command::Found { cluster, first },
            generation => Command::FoundIn {
                cluster,
                first: Box::new(first),
                generation,
            },
        }
    }
}

/// Why a member cannot begin; **fatal**.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BeginError {
    /// Raft does not start.
    #[error("raft does not start: {0}")]
    Raft(String),
}

impl<T: Transport> Begin<T> {
    /// Starts raft, and makes the driver.
    pub(crate) async fn begin(self, now: std::time::Instant) -> Result<Driver<T>, BeginError> {
        let me = self.shared.number();
        let news = self.shared.news.clone();
        news.renew();
        // After a crash of the driver raft goes on as it was.
        let raft = match self.shared.raft() {
            Some(raft) => raft,
            None => self.start_raft(me, &news).await?,
        };
        self.shared.runs(raft.clone());
        let founding = self.founds.map(|founding| found(raft.clone(), founding));
        let config = DutyConfig {
            me,
            incarnation: self.incarnation,
            address: self.address,
        };
        let around = Around {
            shared: self.shared,
            host: self.host,
            raft,
            news,
            keep: self.keep,
        };
        let mut driver = Driver::new(around, Duty::new(config, now));
        if let Some(founding) = founding {
            driver.found(founding);
        }
        Ok(driver)
    }

    async fn start_raft(&self, me: NodeId, news: &Arc<Newest>) -> Result<Raft, BeginError> {
        let config = RaftConfig {
            me,
            rank: me.0.saturating_sub(1),
            log: self.log.clone(),
            seed: self.seed,
            cuts: self.cuts,
        };
        let tagged = Tagged(self.shared.transport.clone());
        let (news, driver) = (news.clone(), self.shared.driver.clone());
        let on = move |fresh| {
            news.put(fresh);
            // A full mailbox is looked at soon anyway, and the news stay.
            drop(driver.try_send(Event::News));
        };
        let started = Raft::start(config, tagged, on).await;
        started.map_err(|error| BeginError::Raft(error.to_string()))
    }
}

/// Makes a cluster of one and writes its first entry, unless the log has one already: then another
/// may lead, or the entry is refused.
async fn found(raft: Raft, founding: Founding) -> Result<(), ProposeError> {
    raft.found().await?;
    loop {
        match raft.propose(founding.command()).await {
            Ok(_) | Err(ProposeError::NotLeader { leader: Some(_) }) => return Ok(()),
            Err(ProposeError::NotLeader { leader: None } | ProposeError::Busy) => {}
            Err(ProposeError::Unknown) => {}
            Err(error @ (ProposeError::TooLong | ProposeError::Ended)) => return Err(error),
        }
        sleep_until(Instant::now() + HEARTBEAT).await;
    }
}

/// The way of raft's messages: the control lane, with raft's tag.
#[derive(Clone)]
struct Tagged<T>(T);

impl<T: Transport> Transport for Tagged<T> {
    fn send(&self, to: NodeId, _: Lane, class: Class, body: Bytes) -> Result<(), Unsent> {
        self.0
            .send(to, Lane::Control, class, Part::Raft.wrap(&body))
    }

    fn members(&self, members: &[Member]) {
        self.0.members(members);
    }

    fn counts(&self, lane: Lane) -> Carried {
        self.0.counts(lane)
    }
}
