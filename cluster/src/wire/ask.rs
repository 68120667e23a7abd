//! `[edge]` Joining: a node without a number asks, over a control connection that is for nothing
//! else, and is answered once.

use super::acceptor::{Entry, JoinReply};
use super::frame::Kind;
use super::greet::{self, Framed, HandshakeError, linger};
use super::handshake::{First, Hello, Mismatch, Ours, Versions, Whom, check};
use super::join::{self, JoinAnswer, JoinAsk};
use super::known::Known;
use super::limits::{ADDRESS_BYTES_MAX, HANDSHAKE_WITHIN, JOIN_WITHIN};
use crate::cert::Tls;
use crate::transport::Lane;
use belay_runtime::Context;
use bytes::Bytes;
use std::sync::Arc;
use tokio::select;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Why a node got no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JoinError {
    /// The two nodes did not come to speak.
    #[error(transparent)]
    Handshake(#[from] HandshakeError),
    /// What came is no answer; **refused**.
    #[error("the answer cannot be read")]
    Unreadable,
    /// **Busy**: there is no leader just now, or it did not answer in time.
    #[error("no answer within {}s; is there a leader?", JOIN_WITHIN.as_secs())]
    NoAnswer,
}

/// Asks the node at this address to be made a member. Does not follow
/// [`JoinAnswer::TryThere`].
///
/// # Errors
/// There was no answer, and why.
///
/// # Cancel safety
/// When the future is dropped the node may have become a member. It gets the same number when it
/// asks again.
pub async fn ask_to_join(
    address: &str,
    tls: Option<&Tls>,
    ask: &JoinAsk,
) -> Result<JoinAnswer, JoinError> {
    ask_with(address, tls, ask, Versions::ours()).await
}

pub(super) async fn ask_with(
    address: &str,
    tls: Option<&Tls>,
    ask: &JoinAsk,
    versions: Versions,
) -> Result<JoinAnswer, JoinError> {
    let candidate = &ask.candidate;
    let ours = First {
        versions,
        lane: Lane::Control,
        hello: Hello {
            cluster: String::new(),
            node: None,
            name: candidate.name.clone(),
            incarnation: candidate.incarnation,
            boot_ms: ask.boot_ms,
            content: candidate.content,
        },
        address: String::new(),
    };
    let asking = put_question(address, tls, &ours, ask);
    let mut framed = timeout(HANDSHAKE_WITHIN, asking)
        .await
        .unwrap_or(Err(HandshakeError::TooSlow))?;
    // The other end says itself when its time is over.
    let answer = timeout(
        JOIN_WITHIN + HANDSHAKE_WITHIN,
        framed.read(Kind::JoinAnswer),
    )
    .await;
    let body = answer.map_err(|_late| JoinError::NoAnswer)??;
    if body.is_empty() {
        return Err(JoinError::NoAnswer);
    }
    join::decode(&body).ok_or(JoinError::Unreadable)
}

async fn put_question(
    address: &str,
    tls: Option<&Tls>,
    ours: &First,
    ask: &JoinAsk,
) -> Result<Framed, HandshakeError> {
    let (mut framed, theirs) = greet::knock(address, tls, ours).await?;
    let nobody = Ours {
        first: ours,
        contents: &[],
        known: &Known::default(),
    };
    if let Err(mismatch) = check(&nobody, &theirs, &Whom::Seed) {
        return Err(framed.refuse(mismatch).await);
    }
    framed.write(Kind::JoinAsk, &join::encode(ask)).await;
    Ok(framed)
}

/// Answers a node that asks, once.
pub(super) async fn answer(ctx: &Context<Bytes>, entry: &Entry, mut framed: Framed, who: First) {
    let name = who.hello.name.to_string();
    select! {
        () = ctx.stopping() => {}
        answered = answer_once(entry, &mut framed, who) => match answered {
            Ok(()) => linger(&mut framed.stream).await,
            Err(error) => entry.shared.trouble(Lane::Control, &name, &error.to_string()),
        },
    }
}

async fn answer_once(entry: &Entry, framed: &mut Framed, who: First) -> Result<(), HandshakeError> {
    let Ok(_place) = Arc::clone(&entry.joins).try_acquire_owned() else {
        return Err(framed.refuse(Mismatch::Busy).await);
    };
    let rules = &entry.shared.rules;
    let asked = timeout(rules.handshake_within, framed.read(Kind::JoinAsk)).await;
    let body = asked.unwrap_or(Err(HandshakeError::TooSlow))?;
    let ask = join::decode::<JoinAsk>(&body).filter(|ask| is_of(ask, &who.hello));
    let Some(ask) = ask else {
        return Err(framed.refuse(Mismatch::Unreadable).await);
    };
    let (reply, answer) = oneshot::channel();
    (entry.door)(ask, JoinReply(reply));
    let answer = timeout(rules.join_within, answer).await;
    // An answer without anything in it says that there is none.
    let body = match answer {
        Ok(Ok(answer)) => join::encode(&answer),
        Ok(Err(_)) | Err(_) => Bytes::new(),
    };
    framed.write(Kind::JoinAnswer, &body).await;
    Ok(())
}

/// Whether the question is that of who said hello.
fn is_of(ask: &JoinAsk, hello: &Hello) -> bool {
    let candidate = &ask.candidate;
    candidate.name == hello.name
        && candidate.incarnation == hello.incarnation
        && candidate.content == hello.content
        && ask.boot_ms == hello.boot_ms
        && candidate.address.len() <= ADDRESS_BYTES_MAX
}
