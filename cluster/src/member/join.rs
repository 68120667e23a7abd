//! `[edge]` How a node becomes a member: it asks those that it was told of, follows them to the
//! leader, and goes on asking until it has an answer.

use super::identity::{Identity, IdentityFile};
use super::keep::known;
use super::open::{MemberConfig, OpenMemberError, candidate, make_log};
use crate::cert::Tls;
use crate::wire::{JoinAnswer, JoinAsk, ask_to_join};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Between two rounds.
const PAUSE: Duration = Duration::from_secs(1);

/// How often a node is sent on to another within one round.
const HOPS_MAX: usize = 4;

/// Every so many rounds the operator is told again what is waited for.
const ROUNDS_QUIET: u32 = 30;

/// Asks until the node is a member, and writes down that it is.
pub(super) async fn join(
    config: &MemberConfig,
    file: &IdentityFile,
    identity: &mut Identity,
    tls: Option<&Tls>,
) -> Result<(), OpenMemberError> {
    if config.join.is_empty() {
        let path = config.data_dir.clone();
        return Err(OpenMemberError::NoMember { path });
    }
    let ask = JoinAsk {
        candidate: candidate(config, identity),
        boot_ms: config.boot_ms,
    };
    let mut told = String::new();
    for round in 0_u32.. {
        for seed in &config.join {
            match follow(seed, tls, &ask).await {
                Ok(JoinAnswer::Joined {
                    number,
                    cluster,
                    members,
                }) => {
                    make_log(file)?;
                    identity.joined(cluster, number);
                    identity.peers = known(&members);
                    file.write(identity)?;
                    tracing::info!(target: "belay_cluster", node = number.0, "joined");
                    return Ok(());
                }
                Ok(JoinAnswer::Refused { why }) => tell(&mut told, round, seed, &why),
                Ok(JoinAnswer::TryThere { address }) => {
                    let why = format!("sent on to {address} and back again");
                    tell(&mut told, round, seed, &why);
                }
                Err(why) => tell(&mut told, round, seed, &why),
            }
        }
        sleep_until(Instant::now() + PAUSE).await;
    }
    Err(OpenMemberError::Refused(told))
}

/// Asks at this address, and where it is sent on to.
async fn follow(seed: &str, tls: Option<&Tls>, ask: &JoinAsk) -> Result<JoinAnswer, String> {
    let mut at = seed.to_owned();
    let mut answer = None;
    for _ in 0..HOPS_MAX {
        let said = ask_to_join(&at, tls, ask).await;
        let said = said.map_err(|error| format!("{at}: {error}"))?;
        let JoinAnswer::TryThere { address } = said else {
            return Ok(said);
        };
        at.clone_from(&address);
        answer = Some(JoinAnswer::TryThere { address });
    }
    answer.ok_or_else(|| "no answer".to_owned())
}

/// Tells the operator what keeps the node from joining: when it changes, and now and then.
fn tell(told: &mut String, round: u32, seed: &str, why: &str) {
    let news = format!("{seed}: {why}");
    if *told != news || round.is_multiple_of(ROUNDS_QUIET) {
        tracing::warn!(target: "belay_cluster", peer = seed, reason = why, "cannot join yet");
        *told = news;
    }
}
