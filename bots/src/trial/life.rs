//! `[edge]` A bot's life over many connections: it comes in, loses its node, comes back on another
//! with its token, and goes home when it is told to.
//!
//! Attempts to come back are not counted down: their waits are bounded, and they end with the task,
//! whose bot is then one that is not back.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

use super::field::{Field, add};
use super::talk::{Piece, Talk};
use crate::dialogue;
use crate::dice::Dice;
use crate::limits::{
    ATTEMPT_DEADLINE, HOME_WITHIN, RETURN_WAIT_FIRST, RETURN_WAIT_LEAST, RETURN_WAIT_MAX,
};
use crate::link::Lost;
use crate::login::{Failure, Login, Step, Who};
use crate::names::letters;

/// Names of these bots begin so.
const PREFIX: &str = "Trial";

/// A bot.
#[derive(Debug)]
pub(super) struct Life {
    /// What it shares with the others.
    pub(super) field: Arc<Field>,
    /// Its number, of all bots of the trial.
    pub(super) number: u32,
    /// Its chances.
    pub(super) dice: Dice,
    home: usize,
    /// The node it is on, or was on last.
    at: usize,
    name: String,
    token: Option<String>,
    recall: watch::Receiver<u32>,
    /// When it goes home, once it was told to.
    home_at: Option<Instant>,
    /// When it lost its connection, until it is back.
    lost_at: Option<Instant>,
    /// Whether it was in the world before.
    known: bool,
}

/// Why a connection is over.
#[derive(Debug)]
pub(super) enum End {
    /// It was lost.
    Lost(Lost),
    /// The bot goes home.
    Home,
}

enum NotIn {
    TokenRefused,
    Other(String),
}

impl Life {
    /// Bot `number`, whose own node is `home`.
    pub(super) fn new(field: Arc<Field>, number: u32, home: usize) -> Self {
        Self {
            recall: field.recall.subscribe(),
            field,
            number,
            dice: Dice::new(1, number),
            home,
            at: home,
            name: letters(PREFIX, number),
            token: None,
            home_at: None,
            lost_at: None,
            known: false,
        }
    }

    /// Comes into the world: to its own node at first, and after a loss to another if its own is
    /// away.
    ///
    /// # Cancel safety
    /// Dropped, the attempt is over, and the token may be used up.
    pub(super) async fn come(&mut self) -> Talk {
        let (mut wait, mut tried) = (RETURN_WAIT_FIRST, 0);
        loop {
            if self.lost_at.is_some() || tried > 0 {
                let until = Instant::now() + self.dice.between(RETURN_WAIT_LEAST, wait);
                sleep_until(until).await;
                wait = (wait * 2).min(RETURN_WAIT_MAX);
            }
            let node = self.node_to_try(tried);
            tried += 1;
            // Taken, since the next one may be told before this attempt is at its end.
            let token = self.token.take();
            let attempt = self.attempt(node, token.as_ref());
            let cause = match timeout(ATTEMPT_DEADLINE, attempt).await {
                Ok(Ok((talk, name))) => {
                    self.is_in(node, token.is_some(), &name);
                    return talk;
                }
                Ok(Err(NotIn::TokenRefused)) => Failure::TokenRefused.to_string(),
                Ok(Err(NotIn::Other(cause))) => {
                    self.token = self.token.take().or(token);
                    cause
                }
                Err(_) => {
                    self.token = self.token.take().or(token);
                    "silence during login".to_owned()
                }
            };
            self.field.count(|measures| measures.failed.count(&cause));
        }
    }

    /// After a loss the others first, each bot beginning with another one of them.
    fn node_to_try(&self, tried: usize) -> usize {
        let nodes = self.field.places.len().max(1);
        if self.lost_at.is_none() {
            return (self.home + tried) % nodes;
        }
        let others = nodes.saturating_sub(1).max(1);
        let number = usize::try_from(self.number).unwrap_or(0);
        let turn = (number / nodes + tried) % others;
        // Every so often its own again: it may be the only one that is back.
        if tried % nodes == others {
            self.at
        } else {
            (self.at + 1 + turn) % nodes
        }
    }

    async fn attempt(
        &mut self,
        node: usize,
        token: Option<&String>,
    ) -> Result<(Talk, String), NotIn> {
        let other = |cause: String| NotIn::Other(cause);
        let Some(address) = self.field.places.get(node).copied() else {
            return Err(other("no such node".to_owned()));
        };
        let mut talk = Talk::open(address)
            .await
            .map_err(|error| other(error.kind().to_string()))?;
        let who = match token {
            Some(token) => Who::Token(token.clone()),
            None => Who::Account {
                name: self.name.clone(),
                password: format!("belay bot {}", self.name),
            },
        };
        let mut login = Login::new(who);
        loop {
            let piece = talk.next().await;
            let piece = piece.map_err(|lost| other(format!("{lost} during login")))?;
            self.note(&piece);
            match login.step(piece.heard()) {
                Step::Wait => {}
                Step::Type(line) => talk.type_line(&line),
                Step::In => break,
                Step::Failed(Failure::TokenRefused) => return Err(NotIn::TokenRefused),
                Step::Failed(failure) => return Err(other(failure.to_string())),
            }
        }
        if token.is_none() {
            talk.type_line(dialogue::RESUME);
        }
        let name = login.welcomed().map(|(name, _)| name.clone());
        Ok((talk, name.unwrap_or_default()))
    }

    fn is_in(&mut self, node: usize, by_token: bool, name: &str) {
        let field = &self.field;
        self.at = node;
        field.online.fetch_add(1, Relaxed);
        if node != self.home {
            field.away.fetch_add(1, Relaxed);
        }
        if name != self.name {
            field.count(|measures| add(&measures.strangers));
        }
        if let Some(lost_at) = self.lost_at.take() {
            field.count(|measures| {
                measures.outage.record(lost_at.elapsed());
                add(if by_token {
                    &measures.by_token
                } else {
                    &measures.by_password
                });
            });
        } else if self.known && !by_token {
            field.count(|measures| measures.failed.count("home by password"));
        }
        self.known = true;
    }

    /// The next piece of this connection.
    ///
    /// # Errors
    /// The connection is over; the caller says so with [`Life::left`] and comes again.
    ///
    /// # Cancel safety
    /// Cancel safe.
    pub(super) async fn hear(&mut self, talk: &mut Talk) -> Result<Piece, End> {
        loop {
            tokio::select! {
                biased;
                piece = talk.next() => {
                    let piece = piece.map_err(End::Lost)?;
                    self.note(&piece);
                    return Ok(piece);
                }
                () = until(self.home_at) => return Err(End::Home),
                Ok(()) = self.recall.changed() => {
                    if self.at != self.home {
                        let wait = self.dice.between(Duration::ZERO, HOME_WITHIN);
                        self.home_at = Some(Instant::now() + wait);
                    }
                }
            }
        }
    }

    /// This connection is over.
    pub(super) fn left(&mut self, end: &End) {
        let field = &self.field;
        field.online.fetch_sub(1, Relaxed);
        if self.at != self.home {
            field.away.fetch_sub(1, Relaxed);
        }
        self.home_at = None;
        if let End::Lost(lost) = end {
            self.lost_at = Some(Instant::now());
            field.count(|measures| {
                add(&measures.lost);
                measures.how.count(&lost.to_string());
            });
        }
    }

    /// Keeps the token when it is told.
    fn note(&mut self, piece: &Piece) {
        if let Piece::Line(line) = piece
            && line.starts_with(dialogue::RESUME.as_bytes())
            && let Some(token) = dialogue::resume_token(&String::from_utf8_lossy(line))
        {
            self.token = Some(token.to_owned());
        }
    }
}

/// Waits for a moment, or for ever.
pub(super) async fn until(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}
