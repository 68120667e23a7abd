//! `[edge]` `belay-hub ban ...`

use std::time::Duration;

use super::command_line::BanAction;
use super::failure::{Failure, Status};
use super::run::json;
use super::words::{count, moment};
use crate::hub::clock::unix_ms;
use crate::hub::directory::Ban;
use crate::hub::store::{BanPlan, BanRecord, Database};

/// Carries out a command. Gives what to print.
pub(super) async fn carry_out(
    action: BanAction,
    database: &mut Database,
) -> Result<String, Failure> {
    match action {
        BanAction::Add {
            banned,
            lasts,
            reason,
        } => {
            let now = unix_ms();
            let reason = Ban::checked_reason(&reason);
            let reason = reason.map_err(|fault| Failure::new(Status::Data, fault.to_string()))?;
            let plan = BanPlan {
                until_unix_ms: lasts.map(|lasts| after(now, lasts)),
                banned,
                reason,
            };
            database.add_ban(&plan, now).await?;
            Ok(format!(
                "{} is banned{}.\n",
                plan.banned,
                until(plan.until_unix_ms)
            ))
        }
        BanAction::List(list) => {
            let bans = database.bans().await?;
            if list.json {
                json(&bans)
            } else {
                Ok(list_of(&bans, unix_ms()))
            }
        }
        BanAction::Remove { banned } => {
            database.remove_ban(&banned).await?;
            Ok(format!("{banned} is not banned any more.\n"))
        }
    }
}

/// The end of something that begins now.
pub(super) fn after(now_unix_ms: i64, lasts: Duration) -> i64 {
    now_unix_ms.saturating_add(i64::try_from(lasts.as_millis()).unwrap_or(i64::MAX))
}

fn until(unix_ms: Option<i64>) -> String {
    unix_ms.map_or_else(String::new, |at| format!(" until {}", moment(at)))
}

fn list_of(bans: &[BanRecord], now_unix_ms: i64) -> String {
    let mut text = String::new();
    for ban in bans {
        let ended = ban.until.is_some_and(|until| until <= now_unix_ms);
        let ended = if ended { ", ended" } else { "" };
        text += &format!("{}{}{ended}", ban.banned, until(ban.until));
        if !ban.reason.is_empty() {
            text += &format!(": {}", ban.reason);
        }
        text.push('\n');
    }
    text + &count(bans.len(), "ban", "bans") + "\n"
}
