//! `[edge]` `belay-hub game ...`

use std::path::Path;

use uuid::Uuid;

use super::command_line::{GameAction, OutFlags, TextFlags};
use super::data_dir;
use super::failure::{Failure, Status};
use super::run::json;
use super::secret::{self, Found};
use super::words::{count, foreign, moment};
use crate::hub::clock::unix_ms;
use crate::hub::directory::{Connection, Fault, GameText, SecretHash, ShortName};
use crate::hub::store::{Database, GameRecord, NewGame, Switch, Visibility};
use crate::{Credentials, HubUrl};

/// Where a hub will be that never ran, if it is started without more words.
const NEARBY: &str = "ws://127.0.0.1:4110/socket";

/// Carries out a command. Gives what to print.
pub(super) async fn carry_out(
    action: GameAction,
    database: &mut Database,
    data: &Path,
) -> Result<String, Failure> {
    match action {
        GameAction::Add { name, text, out } => {
            let url = address(out.url.as_deref(), data)?;
            add(database, &name, &text, (&out, url)).await
        }
        GameAction::Set {
            name,
            text,
            listed,
            show_players,
        } => {
            if text.is_empty() && !listed && !show_players {
                let message = "nothing to change; \"belay-hub game set --help\" shows what can be";
                return Err(Failure::new(Status::Configuration, message.to_owned()));
            }
            let change = |shown: &mut GameText, visibility: &mut Visibility| {
                visibility.display |= listed;
                visibility.display_players |= show_players;
                apply(&text, shown, visibility)
            };
            database.change_game(&name, change).await?;
            Ok(format!("{name} is changed.\n"))
        }
        GameAction::List(list) => {
            let games = database.games().await?;
            if list.json {
                json(&games)
            } else {
                Ok(list_of(&games))
            }
        }
        GameAction::Show { name, list } => {
            let game = database.game(&name).await?;
            if list.json {
                json(&game)
            } else {
                Ok(whole(&game))
            }
        }
        GameAction::Disable { name } => {
            database.switch_game(&name, Switch::Off).await?;
            Ok(format!(
                "{name} is disabled. Its connections are closed within two seconds.\n"
            ))
        }
        GameAction::Enable { name } => {
            database.switch_game(&name, Switch::On).await?;
            Ok(format!(
                "{name} may connect again, in two seconds at most.\n"
            ))
        }
        GameAction::Rotate { name, out } => rotate(database, &name, &out, data).await,
        GameAction::Remove { name } => {
            database.remove_game(&name).await?;
            Ok(format!(
                "{name} is removed. Its connections are closed within two seconds.\n"
            ))
        }
    }
}

async fn add(
    database: &mut Database,
    name: &ShortName,
    text: &TextFlags,
    (out, url): (&OutFlags, HubUrl),
) -> Result<String, Failure> {
    if let Some(file) = &out.out {
        secret::must_be_free(file)?;
    }
    let (client_id, client_secret) = (secret::random_uuid()?, secret::random_uuid()?);
    let mut shown = named(name)?;
    let mut visibility = Visibility::ALL;
    apply(text, &mut shown, &mut visibility).map_err(refused)?;
    let game = NewGame {
        name: name.clone(),
        client_id,
        secret: SecretHash::of(client_secret),
        text: shown,
        visibility,
    };
    let credentials = credentials(url, name.as_str(), (client_id, client_secret));
    database.add_game(&game, unix_ms()).await?;
    match hand_over(&credentials, out, name.as_str()) {
        Ok(text) => Ok(text),
        Err(failure) => {
            // Nobody would ever know its secret.
            database.remove_game(name.as_str()).await?;
            Err(failure)
        }
    }
}

async fn rotate(
    database: &mut Database,
    name: &str,
    out: &OutFlags,
    data: &Path,
) -> Result<String, Failure> {
    let game = database.game(name).await?;
    let client_id: Uuid = game.client_id.parse().map_err(|_ignored| {
        Failure::new(Status::Data, format!("the client id of {name} is damaged"))
    })?;
    let mut kept = None;
    if let Some(file) = &out.out {
        match secret::look(file)? {
            Found::Credentials(there) if there.client_id == client_id.to_string() => {
                kept = Some(*there);
            }
            Found::Nothing | Found::Credentials(_) | Found::Foreign => secret::must_be_free(file)?,
        }
    }
    let client_secret = secret::random_uuid()?;
    let url = match (&out.url, &kept) {
        (None, Some(kept)) => kept.url.clone(),
        (url, _) => address(url.as_deref(), data)?,
    };
    let credentials = Credentials {
        ca: kept.and_then(|kept| kept.ca),
        ..credentials(url, &game.name, (client_id, client_secret))
    };
    database
        .rotate_game(name, &SecretHash::of(client_secret))
        .await?;
    hand_over(&credentials, out, &game.name)
}

/// Registers a game with a text of its own, for `serve --ensure`.
///
/// # Errors
/// What the operator is told.
pub(super) async fn register(
    database: &mut Database,
    name: &ShortName,
    (client_id, client_secret): (Uuid, Uuid),
) -> Result<(), Failure> {
    let game = NewGame {
        name: name.clone(),
        client_id,
        secret: SecretHash::of(client_secret),
        text: named(name)?,
        visibility: Visibility::ALL,
    };
    Ok(database.add_game(&game, unix_ms()).await?)
}

fn named(name: &ShortName) -> Result<GameText, Failure> {
    GameText::named(name.as_str()).map_err(refused)
}

fn refused(fault: Fault) -> Failure {
    Failure::new(Status::Data, fault.to_string())
}

/// The address that is put into credentials: what the operator says, else where the hub was when it
/// ran here last.
fn address(url: Option<&str>, data: &Path) -> Result<HubUrl, Failure> {
    if let (None, Some(noted)) = (url, data_dir::noted_url(data)) {
        return Ok(noted);
    }
    HubUrl::parse(url.unwrap_or(NEARBY))
        .map_err(|error| Failure::new(Status::Configuration, format!("--url: {error}")))
}

fn credentials(url: HubUrl, name: &str, (client_id, secret): (Uuid, Uuid)) -> Credentials {
    Credentials {
        url,
        client_id: client_id.to_string(),
        client_secret: secret.to_string(),
        game: Some(name.to_owned()),
        ca: None,
    }
}

/// Writes the credentials to their file, or into the text that is printed.
fn hand_over(credentials: &Credentials, out: &OutFlags, name: &str) -> Result<String, Failure> {
    let Some(file) = &out.out else {
        return Ok(format!(
            "{name} signs in with these. The secret is shown this once; keep it to yourself.\n\
             url: {}\nclient id: {}\nclient secret: {}\n",
            credentials.url, credentials.client_id, credentials.client_secret
        ));
    };
    secret::write(file, credentials)?;
    Ok(format!(
        "{name} signs in at {} with what is in {}.\n",
        credentials.url,
        file.display()
    ))
}

/// Puts what the flags say over what a game shows so far.
fn apply(flags: &TextFlags, text: &mut GameText, visibility: &mut Visibility) -> Result<(), Fault> {
    if let Some(name) = &flags.display_name {
        text.display_name = GameText::named(name)?.display_name;
    }
    if let Some(description) = &flags.description {
        text.describe(description)?;
    }
    if let Some(homepage) = &flags.homepage {
        text.link(homepage)?;
    }
    let ways = [
        flags.telnet.as_deref().map(Connection::telnet),
        flags
            .secure_telnet
            .as_deref()
            .map(Connection::secure_telnet),
        flags.web.as_deref().map(Connection::web),
    ];
    for way in ways.into_iter().flatten() {
        let way = way?;
        text.connections.retain(|other| other.kind() != way.kind());
        text.connect(way)?;
    }
    visibility.display &= !flags.hidden;
    visibility.display_players &= !flags.hide_players;
    Ok(())
}

fn list_of(games: &[GameRecord]) -> String {
    let mut text: String = games.iter().map(line).collect();
    text.push_str(&count(games.len(), "game", "games"));
    text + "\n"
}

/// A game in one line.
fn line(game: &GameRecord) -> String {
    let mut line = game.name.clone();
    if game.display_name != game.name {
        line += &format!(" ({})", game.display_name);
    }
    line += &match game.last_seen {
        Some(at) => format!(", last seen {}", moment(at)),
        None => ", never seen".to_owned(),
    };
    for (is, word) in [
        (game.disabled, ", disabled"),
        (game.hidden, ", hidden"),
        (game.players_hidden, ", players hidden"),
    ] {
        line += if is { word } else { "" };
    }
    line + "\n"
}

/// All of a game, a line for each thing.
fn whole(game: &GameRecord) -> String {
    let mut text = line(game);
    let mut add = |name: &str, value: &str| text += &format!("{name}: {value}\n");
    add("client id", &game.client_id);
    if let Some(description) = &game.description {
        add("description", description);
    }
    if let Some(homepage) = &game.homepage {
        add("homepage", homepage);
    }
    for way in &game.connections {
        add("play by", way);
    }
    if let Some(user_agent) = &game.user_agent {
        add("software", &foreign(user_agent));
    }
    if let Some(version) = &game.version {
        add("protocol", &foreign(version));
    }
    add("achievements", &game.achievements.to_string());
    add("registered", &moment(game.created_at));
    text
}
