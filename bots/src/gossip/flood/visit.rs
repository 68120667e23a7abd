//! `[edge]` One connection to the flooding hub.
//!
//! ```text
//! handshake → authenticate, any → calm → flood, until the game goes
//! ```

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use belay_gossip::protocol::{
    Body, Chat, Decoded, Event, Reference, Request, UNICODE, VERSION, Welcome,
};
use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{WebSocketStream, accept_async};

use super::super::token::Token;
use super::run::Run;
use crate::limits::{BEAT_PERIOD, FLOOD_BURST_MAX, FLOOD_TICK};
use crate::link::Lost;
use crate::names::letters;
use crate::values::whole;

/// A connection's whole life.
pub(super) async fn visit(run: Arc<Run>, stream: TcpStream) {
    run.connected.fetch_add(1, Relaxed);
    // A small message shall not wait for the answer to the one before.
    drop(stream.set_nodelay(true));
    let Ok(socket) = accept_async(stream).await else {
        run.ended.count("no WebSocket");
        return;
    };
    let mut visit = Visit {
        run: &run,
        socket: Box::new(socket),
        welcomed_at: None,
        flood: None,
    };
    let lost = visit.go().await;
    let is_flooded = if visit.flood.is_some() {
        "flooded: "
    } else {
        ""
    };
    run.ended.count(&format!("{is_flooded}{lost}"));
    if let Some(flood) = &visit.flood {
        run.held.record(flood.began.elapsed());
    }
}

struct Visit<'a> {
    run: &'a Run,
    socket: Box<WebSocketStream<TcpStream>>,
    welcomed_at: Option<Instant>,
    flood: Option<Flood>,
}

struct Flood {
    began: Instant,
    /// Messages written or left out.
    done: u64,
    /// Up to when the time is in the account.
    counted_to: Instant,
}

impl Visit<'_> {
    /// Until the end; how it ended.
    async fn go(&mut self) -> Lost {
        let now = Instant::now();
        let mut ticks = interval_at(now + FLOOD_TICK, FLOOD_TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut beats = interval_at(now + BEAT_PERIOD, BEAT_PERIOD);
        loop {
            let done = tokio::select! {
                frame = self.socket.next() => match frame {
                    Some(Ok(message)) => self.hear(message).await,
                    Some(Err(error)) => Err(error.into()),
                    None => Err(Lost::Closed),
                },
                _ = beats.tick(), if self.welcomed_at.is_some() => self.say(&Event::Beat).await,
                _ = ticks.tick(), if self.welcomed_at.is_some() => self.pour().await,
            };
            if let Err(lost) = done {
                return lost;
            }
        }
    }

    /// Writes the messages that are due.
    async fn pour(&mut self) -> Result<(), Lost> {
        let now = Instant::now();
        let calm = self.run.options.calm;
        if self.welcomed_at.is_none_or(|at| now < at + calm) {
            return Ok(());
        }
        let flood = self.flood.get_or_insert_with(|| {
            self.run.flooded.fetch_add(1, Relaxed);
            Flood {
                began: now,
                done: 0,
                counted_to: now,
            }
        });
        let due = whole((now - flood.began).as_secs_f64() * self.run.options.rate);
        let left_out = due.saturating_sub(flood.done + FLOOD_BURST_MAX);
        let numbers = flood.done + left_out..due;
        flood.done = due;
        let passed = now - flood.counted_to;
        flood.counted_to = now;
        self.run.left_out.fetch_add(left_out, Relaxed);
        let written = numbers.end - numbers.start;
        for number in numbers {
            self.socket
                .feed(Message::text(self.message(number)))
                .await?;
        }
        self.socket.flush().await?;
        self.run.written.fetch_add(written, Relaxed);
        self.run.flooded_us.fetch_add(microseconds(passed), Relaxed);
        Ok(())
    }

    fn message(&self, number: u64) -> String {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        let speaker = number % self.run.options.speakers;
        let token = Token {
            sender: speaker,
            number: number / self.run.options.speakers,
            sent_us: microseconds(self.run.started.elapsed()),
        };
        let reference = format!("00000000-0000-4000-8000-{number:012}");
        let broadcast = Event::Broadcast {
            reference: Some(Reference::text(&reference)),
            chat: Chat {
                channel: self.run.options.channel.clone(),
                game: letters("Flood", speaker),
                name: "Wave".to_owned(),
                message: format!("flood {}", self.run.tag.mark(token)),
                ..Chat::default()
            },
        };
        broadcast.encode()
    }

    async fn hear(&mut self, message: Message) -> Result<(), Lost> {
        let text = match message {
            Message::Text(text) => text,
            Message::Close(Some(frame)) => return Err(Lost::ClosedWith(frame.code.into())),
            Message::Close(None) => return Err(Lost::Closed),
            Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {
                return Ok(());
            }
        };
        let Decoded::Request(request) = Decoded::of(&text) else {
            return Ok(());
        };
        self.answer(request).await
    }

    async fn answer(&mut self, Request { reference, body }: Request) -> Result<(), Lost> {
        let event = body.event();
        match body {
            Body::Authenticate(_) => {
                let welcome = Welcome {
                    unicode: UNICODE.to_owned(),
                    version: VERSION.to_owned(),
                    ..Welcome::default()
                };
                self.say(&Event::Welcome(welcome)).await?;
                self.say(&Event::Beat).await?;
                self.welcomed_at = Some(Instant::now());
                self.run.welcomed.fetch_add(1, Relaxed);
                return Ok(());
            }
            Body::Heartbeat(_) => {
                self.run.beats_answered.fetch_add(1, Relaxed);
                return Ok(());
            }
            Body::Send(_) => drop(self.run.heard.fetch_add(1, Relaxed)),
            Body::PlayersStatus(_) if reference.is_some() => {
                let players = vec!["Wave".to_owned()];
                for speaker in 0..self.run.options.speakers {
                    let (reference, game) = (reference.clone(), letters("Flood", speaker));
                    let players = players.clone();
                    let status = Event::Players {
                        reference,
                        game,
                        players,
                    };
                    self.say(&status).await?;
                }
                return Ok(());
            }
            Body::Subscribe(_) | Body::Unsubscribe(_) | Body::SignIn(_) | Body::SignOut(_) => {}
            Body::PlayersStatus(_)
            | Body::Tell(_)
            | Body::GamesStatus(_)
            | Body::AchievementsSync
            | Body::AchievementsCreate(_)
            | Body::AchievementsUpdate(_)
            | Body::AchievementsDelete(_)
            | Body::History(_)
            | Body::TellReceipt(_) => return Ok(()),
        }
        if reference.is_some() {
            self.say(&Event::Ack { event, reference }).await?;
        }
        Ok(())
    }

    async fn say(&mut self, event: &Event) -> Result<(), Lost> {
        let sent: Result<(), tungstenite::Error> =
            self.socket.send(Message::text(event.encode())).await;
        Ok(sent?)
    }
}

fn microseconds(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
