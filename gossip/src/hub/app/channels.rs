//! `[edge]` `belay-hub channel ...`

use super::bans::after;
use super::command_line::ChannelAction;
use super::failure::{Failure, Status};
use super::run::json;
use super::words::{count, moment};
use crate::hub::clock::unix_ms;
use crate::hub::directory::Channel;
use crate::hub::store::{ChannelRecord, Database};

/// Carries out a command. Gives what to print.
pub(super) async fn carry_out(
    action: ChannelAction,
    database: &mut Database,
) -> Result<String, Failure> {
    match action {
        ChannelAction::List(list) => {
            let channels = database.channels().await?;
            if list.json {
                json(&channels)
            } else {
                Ok(list_of(&channels, unix_ms()))
            }
        }
        ChannelAction::Describe { name, text } => {
            let text = text
                .as_deref()
                .map(Channel::checked_description)
                .transpose();
            let text = text.map_err(|fault| Failure::new(Status::Data, fault.to_string()))?;
            database
                .describe_channel(&name, text.as_deref(), unix_ms())
                .await?;
            Ok(format!("{name} is listed.\n"))
        }
        ChannelAction::Hide { name } => {
            database.hide_channel(&name).await?;
            Ok(format!(
                "{name} is hidden. Who knows its name can use it as before.\n"
            ))
        }
        ChannelAction::Pause { name, lasts } => {
            let until = after(unix_ms(), lasts);
            database.pause_channel(&name, Some(until)).await?;
            Ok(format!("{name} is paused until {}.\n", moment(until)))
        }
        ChannelAction::Resume { name } => {
            database.pause_channel(&name, None).await?;
            Ok(format!("{name} goes on.\n"))
        }
    }
}

fn list_of(channels: &[ChannelRecord], now_unix_ms: i64) -> String {
    let mut text = String::new();
    for channel in channels {
        text += &channel.name;
        if channel.hidden {
            text += ", hidden";
        }
        if let Some(until) = channel.paused_until.filter(|until| *until > now_unix_ms) {
            text += &format!(", paused until {}", moment(until));
        }
        if let Some(description) = &channel.description {
            text += &format!(": {description}");
        }
        text.push('\n');
    }
    text + &count(channels.len(), "channel", "channels") + "\n"
}
