//! `[edge]` A bot of the crowd: it walks, talks and looks, and knows how long it waited for each
//! answer, whatever happened to its connection meanwhile.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::field::{Measures, add};
use super::life::{End, Life};
use super::talk::{Piece, Talk};
use crate::limits::{ANSWER_DEADLINE, REFUSED_WAIT};
use crate::wander::{Answer, Mix, Player};

/// Refusals that are not the command's own fault: it is typed again until it is answered.
const TRANSIENT: [&str; 3] = ["crowded", "crashed room", "too slow"];

/// Between two looks at whether the crowd types.
const PAUSE: Duration = Duration::from_millis(100);

/// Plays until the task is aborted.
pub(super) async fn wander(mut life: Life) {
    let first = life.dice.between(Duration::ZERO, life.field.pace.most);
    let mut seat = Wanderer {
        player: Player::new(life.number, 0),
        doing: None,
        next: Instant::now() + first,
    };
    loop {
        let mut talk = life.come().await;
        if let Some(doing) = &mut seat.doing {
            seat.player.again(life.field.tag, talk.out());
            doing.again_at = Instant::now() + ANSWER_DEADLINE;
        }
        let end = seat.play(&mut life, &mut talk).await;
        life.left(&end);
    }
}

struct Wanderer {
    player: Player,
    doing: Option<Doing>,
    /// When the next command is due.
    next: Instant,
}

/// A command that waits for its answer.
struct Doing {
    due: Instant,
    /// When it is typed again.
    again_at: Instant,
    measures: Arc<Measures>,
}

impl Wanderer {
    async fn play(&mut self, life: &mut Life, talk: &mut Talk) -> End {
        loop {
            let at = self
                .doing
                .as_ref()
                .map_or(self.next, |doing| doing.again_at);
            tokio::select! {
                biased;
                heard = life.hear(talk) => match heard {
                    Ok(Piece::Line(line)) => self.line(&line, life),
                    Ok(Piece::Prompt(_)) => {}
                    Err(end) => return end,
                },
                () = sleep_until(at) => self.on_time(life, talk),
            }
        }
    }

    fn line(&mut self, line: &[u8], life: &mut Life) {
        let Some(answer) = self.player.hear(line, life.field.tag) else {
            return;
        };
        let Some(doing) = &mut self.doing else {
            return;
        };
        if let Answer::Refused(cause) = answer {
            doing.measures.refused.count(cause);
            if TRANSIENT.contains(&cause) {
                doing.again_at = Instant::now() + REFUSED_WAIT;
                return;
            }
        }
        doing.measures.latency.record(doing.due.elapsed());
        doing.measures.waiting.fetch_sub(1, Relaxed);
        self.doing = None;
        let pace = life.field.pace;
        self.next = Instant::now() + life.dice.between(pace.least, pace.most);
    }

    /// A command is due, or the one that waits is typed again.
    fn on_time(&mut self, life: &mut Life, talk: &mut Talk) {
        let now = Instant::now();
        if let Some(doing) = &mut self.doing {
            self.player.again(life.field.tag, talk.out());
            doing.again_at = now + ANSWER_DEADLINE;
            return;
        }
        if !life.field.typing.load(Relaxed) {
            self.next = now + PAUSE;
            return;
        }
        let (tag, out) = (life.field.tag, talk.out());
        self.player
            .command(Mix::default(), tag, &mut life.dice, out);
        let measures = life.field.measures();
        add(&measures.commands);
        add(&measures.waiting);
        self.doing = Some(Doing {
            due: self.next,
            again_at: now + ANSWER_DEADLINE,
            measures,
        });
    }
}
