//! `[edge]` One scriptable client for tests: types lines, waits for texts, keeps a transcript.
//!
//! Waiting is cancel-safe: what was read stays unread until an `expect` takes it. Every wait has a
//! deadline; when it passes, or the connection ends, the error shows what was wanted and the
//! transcript so far (`>` typed, `<` seen).

use std::fmt;
use std::future::poll_fn;
use std::io;
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::limits::{EXPECT_DEADLINE, READ_BYTES, UNREAD_BYTES_MAX};
use crate::link::{Link, Lost};
use crate::login::{Failure, Login, Step, Who};
use crate::tail::Heard;
use crate::target::Target;
use crate::telnet::MARK;
use crate::transcript::{Transcript, forget_half};

/// A client connected to a node.
#[derive(Debug)]
pub struct Bot {
    link: Link,
    buffer: Vec<u8>,
    unread: Vec<u8>,
    transcript: Transcript,
    deadline: Duration,
    lost: Option<Lost>,
}

/// What a login led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The character's name as the node spells it; empty when the node did not greet by name.
    pub name: String,
    /// Whether the node welcomed this character back.
    pub back: bool,
}

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// No connection came about.
    #[error("cannot connect")]
    Connect(#[source] io::Error),
    /// What was waited for did not come in time.
    #[error("no {wanted} within {waited:?}")]
    Deadline {
        /// What was waited for.
        wanted: String,
        /// How long.
        waited: Duration,
    },
    /// The connection ended before what was waited for came.
    #[error("the connection ended ({lost}) before {wanted}")]
    Lost {
        /// What was waited for.
        wanted: String,
        /// How it ended.
        lost: Lost,
    },
    /// The node refused the login.
    #[error("not let in: {0}")]
    Login(Failure),
}

/// A trouble with the end of the transcript; prints both, as `{}` and as `{:?}`.
pub struct BotError {
    /// What went wrong.
    pub trouble: Box<Trouble>,
    /// The last part of the transcript.
    pub transcript: String,
}

impl fmt::Display for BotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}\n--- transcript ---\n{}\n--- end ---",
            self.trouble, self.transcript
        )
    }
}

impl fmt::Debug for BotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for BotError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(self.trouble.as_ref())
    }
}

impl Bot {
    /// Connects; the greeting is then unread.
    ///
    /// # Errors
    /// [`Trouble::Connect`].
    pub async fn connect(target: Target) -> Result<Self, BotError> {
        let link = Link::open(target).await.map_err(|error| BotError {
            trouble: Box::new(Trouble::Connect(error)),
            transcript: String::new(),
        })?;
        Ok(Self {
            link,
            buffer: vec![0; READ_BYTES],
            unread: Vec::new(),
            transcript: Transcript::default(),
            deadline: EXPECT_DEADLINE,
            lost: None,
        })
    }

    /// Connects and enters the world as a guest.
    ///
    /// # Errors
    /// As [`Bot::connect`] and [`Bot::login`].
    pub async fn guest(target: Target) -> Result<(Self, Entry), BotError> {
        let mut bot = Self::connect(target).await?;
        let entry = bot.login(&Who::Guest).await?;
        Ok((bot, entry))
    }

    /// Connects and enters the world with an account, creating it if need be.
    ///
    /// # Errors
    /// As [`Bot::connect`] and [`Bot::login`].
    pub async fn account(
        target: Target,
        name: &str,
        password: &str,
    ) -> Result<(Self, Entry), BotError> {
        let mut bot = Self::connect(target).await?;
        let who = Who::Account {
            name: name.to_owned(),
            password: password.to_owned(),
        };
        let entry = bot.login(&who).await?;
        Ok((bot, entry))
    }

    /// How long the following waits last (10 s at first).
    pub fn set_deadline(&mut self, deadline: Duration) {
        self.deadline = deadline;
    }

    /// Everything typed and seen so far, a line each, `>` typed and `<` seen.
    #[must_use]
    pub fn transcript(&self) -> &str {
        self.transcript.text()
    }

    /// What came in and no wait has taken yet, without reading more.
    #[must_use]
    pub fn unread(&self) -> String {
        plain(&self.unread)
    }

    /// Forgets what is unread, so that the next wait sees only what comes from here on.
    pub fn discard_unread(&mut self) {
        self.unread.clear();
    }

    /// Types a line. An ended connection shows at the next wait, not here.
    pub async fn send_line(&mut self, line: &str) {
        self.transcript.typed(line);
        self.send_bytes(format!("{line}\r\n").as_bytes()).await;
    }

    /// Sends bytes as they are (one frame on a WebSocket); not in the transcript.
    pub async fn send_bytes(&mut self, bytes: &[u8]) {
        self.link.queue(bytes);
        let until = Instant::now() + self.deadline;
        let sent = timeout_at(until, poll_fn(|context| self.link.poll_flush(context))).await;
        if let Ok(Err(lost)) = sent {
            // What the node said before it closed is still to be read.
            self.transcript.note(&format!("sending failed: {lost}"));
        }
    }

    /// Logs in from the first prompt to the world's.
    ///
    /// # Errors
    /// [`Trouble::Login`] when refused; else as [`Bot::expect`]. The deadline is for each step.
    pub async fn login(&mut self, who: &Who) -> Result<Entry, BotError> {
        let mut login = Login::new(who.clone());
        loop {
            let (piece, is_line) = self.piece().await?;
            let heard = if is_line {
                Heard::Line(&piece)
            } else {
                Heard::Prompt(&piece)
            };
            match login.step(heard) {
                Step::Wait => {}
                Step::Type(line) => self.send_line(&line).await,
                Step::In => break,
                Step::Failed(failure) => return Err(self.error(Trouble::Login(failure))),
            }
        }
        let (name, back) = login.welcomed().cloned().unwrap_or_default();
        Ok(Entry { name, back })
    }

    /// Types a line and waits for a text and the prompt after it; gives all of it.
    ///
    /// # Errors
    /// As [`Bot::expect`].
    pub async fn ask(&mut self, line: &str, text: &str) -> Result<String, BotError> {
        self.send_line(line).await;
        let mut answer = self.expect(text).await?;
        answer.push_str(&self.prompt().await?);
        Ok(answer)
    }

    /// Waits for a text; gives everything unread up to its end, and takes it.
    ///
    /// # Errors
    /// [`Trouble::Deadline`] or [`Trouble::Lost`].
    pub async fn expect(&mut self, text: &str) -> Result<String, BotError> {
        self.expect_any(&[text]).await.map(|(_, taken)| taken)
    }

    /// Waits for the first of several texts; tells which, and everything up to its end.
    ///
    /// # Errors
    /// As [`Bot::expect`].
    pub async fn expect_any(&mut self, texts: &[&str]) -> Result<(usize, String), BotError> {
        let wanted = format!("{texts:?}");
        let (which, end) = self.wait(&wanted, |unread| first_of(unread, texts)).await?;
        Ok((which, self.take(end)))
    }

    /// Waits until everything unread satisfies the condition; takes and gives it.
    ///
    /// # Errors
    /// As [`Bot::expect`]; `wanted` names the condition there.
    pub async fn expect_where(
        &mut self,
        wanted: &str,
        mut condition: impl FnMut(&str) -> bool,
    ) -> Result<String, BotError> {
        let found = |unread: &[u8]| condition(&plain(unread)).then_some(unread.len());
        let end = self.wait(wanted, found).await?;
        Ok(self.take(end))
    }

    /// Waits for the end of the next prompt; gives everything up to it.
    ///
    /// # Errors
    /// As [`Bot::expect`].
    pub async fn prompt(&mut self) -> Result<String, BotError> {
        let mark = |unread: &[u8]| {
            unread
                .iter()
                .position(|byte| *byte == MARK)
                .map(|at| at + 1)
        };
        let end = self.wait("prompt", mark).await?;
        Ok(self.take(end))
    }

    /// Waits until the connection ends; gives the text that was unread and how it ended.
    ///
    /// # Errors
    /// [`Trouble::Deadline`] when it stays open.
    pub async fn closed(&mut self) -> Result<(String, Lost), BotError> {
        let until = Instant::now() + self.deadline;
        loop {
            if let Some(lost) = self.lost {
                let end = self.unread.len();
                return Ok((self.take(end), lost));
            }
            if timeout_at(until, self.read()).await.is_err() {
                let waited = self.deadline;
                return Err(self.error(Trouble::Deadline {
                    wanted: "end".into(),
                    waited,
                }));
            }
        }
    }

    /// Closes with a reset, as a killed client would; dropping a bot closes in order.
    pub fn abort(self) {
        self.link.abort();
    }

    /// The next whole line or prompt.
    async fn piece(&mut self) -> Result<(Vec<u8>, bool), BotError> {
        let ends = |byte: &u8| matches!(*byte, b'\n' | MARK);
        let end = self
            .wait("line or prompt", |unread| unread.iter().position(ends))
            .await?;
        let mut piece: Vec<u8> = self.unread.drain(..=end).collect();
        let is_line = piece.pop() == Some(b'\n');
        Ok((piece, is_line))
    }

    /// Reads until the search finds something in the unread bytes.
    async fn wait<T>(
        &mut self,
        wanted: &str,
        mut search: impl FnMut(&[u8]) -> Option<T>,
    ) -> Result<T, BotError> {
        let until = Instant::now() + self.deadline;
        loop {
            if let Some(found) = search(&self.unread) {
                return Ok(found);
            }
            let wanted = wanted.to_owned();
            if let Some(lost) = self.lost {
                return Err(self.error(Trouble::Lost { wanted, lost }));
            }
            if timeout_at(until, self.read()).await.is_err() {
                let waited = self.deadline;
                return Err(self.error(Trouble::Deadline { wanted, waited }));
            }
        }
    }

    /// Writes what is queued, reads once, and notes what came; telnet offers are answered.
    async fn read(&mut self) {
        let Self { link, buffer, .. } = self;
        let got = poll_fn(|context| {
            let is_broken = matches!(link.poll_flush(context), Poll::Ready(Err(_)));
            let got = link.poll_text(context, buffer);
            // What the node said before it closed is still to be read; then it is over.
            if got.is_pending() && is_broken {
                Poll::Ready(Err(Lost::Closed))
            } else {
                got
            }
        });
        match got.await {
            Ok(got) => {
                let text = self.buffer.get(..got.text_bytes).unwrap_or_default();
                self.transcript.seen(text);
                self.unread
                    .extend(text.iter().filter(|byte| **byte != b'\r'));
                forget_half(&mut self.unread, UNREAD_BYTES_MAX);
                if self.link.has_queued() {
                    self.send_bytes(b"").await;
                }
            }
            Err(lost) => {
                self.transcript
                    .note(&format!("the connection ended: {lost}"));
                self.lost = Some(lost);
            }
        }
    }

    fn take(&mut self, end: usize) -> String {
        let taken: Vec<u8> = self.unread.drain(..end.min(self.unread.len())).collect();
        plain(&taken)
    }

    fn error(&self, trouble: Trouble) -> BotError {
        BotError {
            trouble: Box::new(trouble),
            transcript: self.transcript.end().to_owned(),
        }
    }
}

/// Bytes as text without prompt marks.
fn plain(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes)
        .chars()
        .filter(|letter| *letter != char::from(MARK))
        .collect()
}

/// Which of the texts ends first in the bytes, and where.
fn first_of(bytes: &[u8], texts: &[&str]) -> Option<(usize, usize)> {
    let place = |text: &&str| {
        let wanted = text.as_bytes();
        if wanted.is_empty() {
            return Some(0);
        }
        bytes
            .windows(wanted.len())
            .position(|part| part == wanted)
            .map(|at| at + wanted.len())
    };
    let found = texts
        .iter()
        .enumerate()
        .filter_map(|(which, text)| Some((which, place(text)?)));
    found.min_by_key(|(_, end)| *end)
}
