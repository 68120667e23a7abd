//! `[edge]` The guest on the node who listens.

use std::time::Duration;

use tokio::time::Instant;

use super::run::Run;
use crate::bot::{Bot, BotError, Trouble};
use crate::target::Target;

/// The guest types something now and then, so that nobody takes it for asleep.
const STIR_PERIOD: Duration = Duration::from_secs(30);

/// What it types.
const STIR: &str = "look";

/// Logs in and joins the channel.
///
/// # Errors
/// When the node does not let it in.
pub(super) async fn join(run: &Run) -> Result<Bot, BotError> {
    let (mut bot, _) = Bot::guest(Target::telnet(run.options.node)).await?;
    bot.send_line(&run.options.join).await;
    bot.set_deadline(STIR_PERIOD);
    Ok(bot)
}

/// Listens until the connection ends; how it ended.
pub(super) async fn listen(run: &Run, mut bot: Bot) -> BotError {
    let mut unfinished = String::new();
    let mut stir_at = Instant::now() + STIR_PERIOD;
    loop {
        match bot.expect_where("a line", |text| text.contains('\n')).await {
            Ok(text) => {
                let now_us = run.now_us();
                unfinished.push_str(&text);
                let end = unfinished.rfind('\n').map_or(0, |end| end + 1);
                for line in unfinished.get(..end).unwrap_or_default().lines() {
                    if let Some(token) = run.tag.find(line.as_bytes()) {
                        let took_us = run.ledger().hear(token.number, now_us);
                        run.latency.record_all(took_us.map(Duration::from_micros));
                    }
                }
                unfinished.drain(..end);
            }
            Err(error) => match *error.trouble {
                Trouble::Deadline { .. } => {}
                Trouble::Connect(_) | Trouble::Lost { .. } | Trouble::Login(_) => return error,
            },
        }
        if Instant::now() >= stir_at {
            bot.send_line(STIR).await;
            stir_at = Instant::now() + STIR_PERIOD;
        }
    }
}
