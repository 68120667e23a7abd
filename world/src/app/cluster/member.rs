//! `[edge]` A node's place in its cluster: founded on the command line, taken before the tree
//! starts.

use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use belay_cluster::member::{self, Member, MemberConfig, OpenMemberError};
use belay_cluster::{ContentHash, DirectoryMark, NodeName};

use super::line::InitFlags;
use crate::app::config::Config;
use crate::app::data_dir::DataDir;
use crate::app::failure::{Failure, Status};
use crate::app::run::print;
use crate::app::tree::store_place;
use crate::content::World;
use crate::store::Store;

/// Bytes of a cluster's name.
const CLUSTER_NAME_BYTES_MAX: usize = 32;

/// The member that this node is by its settings; nothing for a node that is alone. Waits until the
/// cluster has let it in.
///
/// # Errors
/// Why it cannot be one, as a [`Failure`].
pub(crate) async fn open(config: &Config, world: &World) -> anyhow::Result<Option<Member>> {
    let (Some(listen), Some(name)) = (config.cluster.listen, config.node.name.clone()) else {
        return Ok(None);
    };
    let advertise = &config.cluster.advertise;
    let opened = Member::open(MemberConfig {
        data_dir: config.data.dir.clone(),
        name,
        listen,
        advertise: (!advertise.is_empty()).then(|| advertise.clone()),
        join: config.cluster.join.clone(),
        certificates: config.cluster.certificates().map(Path::to_owned),
        content: content_hash(world),
        boot_ms: boot_ms(),
    });
    let mut member = opened.await.map_err(|error| refused(&error))?;
    if let Some(mark) = member.founds() {
        member.found_in(enter(config, mark).await?);
    }
    Ok(Some(member))
}

/// Enters the cluster that is founded in its database, which may have seen others.
async fn enter(config: &Config, mark: DirectoryMark) -> anyhow::Result<u32> {
    let mark: String = mark.0.iter().map(|byte| format!("{byte:02x}")).collect();
    let (place, options) = store_place(config);
    let entered = Store::found_cluster(place, &options, &mark).await;
    let generation = entered.map_err(|error| Failure::error(Status::Io, error.to_string()))?;
    if generation > 0 {
        tracing::warn!(
            target: "belay_world", generation,
            "this database had a cluster before; whatever is left of it writes nothing any more"
        );
    }
    Ok(generation)
}

/// `belay cluster init`.
pub(super) fn init(flags: &InitFlags) -> anyhow::Result<ExitCode> {
    let name = NodeName::new(&flags.node).map_err(|why| {
        let message = format!("\"{}\" is not a name of a node: {why}", flags.node);
        Failure::error(Status::Configuration, message)
    })?;
    let fits = (1..=CLUSTER_NAME_BYTES_MAX).contains(&flags.name.len());
    if !fits || !flags.name.bytes().all(|byte| byte.is_ascii_graphic()) {
        let message = format!(
            "\"{}\" is not a name of a cluster: it has 1 to {CLUSTER_NAME_BYTES_MAX} letters, \
             digits and signs, and no spaces",
            flags.name
        );
        return Err(Failure::error(Status::Configuration, message));
    }
    let data_dir = DataDir::open(&flags.data)?;
    let founded = member::found(data_dir.path(), name.clone(), &flags.name);
    founded.map_err(|error| refused(&error))?;
    let data = flags.data.display();
    print(&format!(
        "{data} is the first node of the cluster {}\n\
         next: belay serve --node {name} --data {data} --cluster ADDR \
         --set store.url=postgres://...\n\
         then others, each with a name and a directory of its own: belay serve ... --join ADDR\n",
        flags.name
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn refused(error: &OpenMemberError) -> anyhow::Error {
    let status = match error {
        OpenMemberError::Identity(_) | OpenMemberError::Log(_) => Status::CannotCreate,
        OpenMemberError::Certificates(_) => Status::Data,
        OpenMemberError::Wires(_) | OpenMemberError::Refused(_) => Status::Unavailable,
        OpenMemberError::NoMember { .. } => Status::Configuration,
    };
    let mut told = error.to_string();
    // Some of them say their cause themselves.
    let cause = std::error::Error::source(error).map(ToString::to_string);
    if let Some(cause) = cause.filter(|cause| !told.contains(cause)) {
        told = format!("{told}: {cause}");
    }
    Failure::error(status, told)
}

/// The content's hash is SHA-256, in hexadecimal digits.
fn content_hash(world: &World) -> ContentHash {
    let mut hash = [0; 32];
    let digits = world.hash().as_bytes().chunks(2);
    for (byte, digits) in hash.iter_mut().zip(digits) {
        let text = std::str::from_utf8(digits).unwrap_or_default();
        *byte = u8::from_str_radix(text, 16).unwrap_or_default();
    }
    ContentHash(hash)
}

#[expect(
    clippy::disallowed_methods,
    reason = "when the process started is for people and to tell two processes apart"
)]
fn boot_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(0))
}
