//! `[edge]` `serve --ensure NAME=FILE`: a game and its credentials file are there afterwards.
//!
//! | game | file | what is done |
//! |---|---|---|
//! | no | no | both are made |
//! | no | yes | the game is registered with what is in the file |
//! | yes | no | the game gets a new secret, which is written |
//! | yes | fits | nothing |
//! | yes | does not fit, or is something else | refused |

use uuid::Uuid;

use super::command_line::Ensure;
use super::failure::{Failure, Status};
use super::games::register;
use super::secret::{self, Found};
use crate::hub::clock::unix_ms;
use crate::hub::directory::SecretHash;
use crate::hub::store::{Database, EditError};
use crate::{Credentials, HubUrl};

/// Sees to one of them.
///
/// # Errors
/// What the operator is told.
pub(super) async fn ensure(
    database: &mut Database,
    wanted: &Ensure,
    url: &HubUrl,
) -> Result<(), Failure> {
    let (name, file) = (&wanted.name, wanted.file.as_path());
    let game = match database.game(name.as_str()).await {
        Ok(game) => Some(game),
        Err(EditError::NoGame(_)) => None,
        Err(error) => return Err(error.into()),
    };
    let found = secret::look(file)?;
    let written = match (game, found) {
        (_, Found::Foreign) => return Err(does_not_fit(wanted)),
        (None, Found::Credentials(there)) => {
            let pair = pair(&there).ok_or_else(|| does_not_fit(wanted))?;
            return register(database, name, pair).await;
        }
        (Some(_), Found::Credentials(there)) => {
            let pair = pair(&there).ok_or_else(|| does_not_fit(wanted))?;
            let directory = database.directory().await?;
            let known = directory.game(pair.0).filter(|game| {
                game.short_name.folded() == name.folded() && game.secret.matches(pair.1)
            });
            return known.map(|_| ()).ok_or_else(|| does_not_fit(wanted));
        }
        (None, Found::Nothing) => {
            let pair = (secret::random_uuid()?, secret::random_uuid()?);
            register(database, name, pair).await?;
            pair
        }
        (Some(game), Found::Nothing) => {
            let client_id = game
                .client_id
                .parse()
                .map_err(|_damaged| does_not_fit(wanted))?;
            let pair = (client_id, secret::random_uuid()?);
            database
                .rotate_game(name.as_str(), &SecretHash::of(pair.1))
                .await?;
            tracing::warn!(
                game = name.as_str(),
                at = unix_ms(),
                "the game has a new secret"
            );
            pair
        }
    };
    let credentials = Credentials {
        url: url.clone(),
        client_id: written.0.to_string(),
        client_secret: written.1.to_string(),
        game: Some(name.to_string()),
        ca: None,
    };
    secret::write(file, &credentials)
}

fn pair(credentials: &Credentials) -> Option<(Uuid, Uuid)> {
    let client_id = credentials.client_id.parse().ok()?;
    Some((client_id, credentials.client_secret.parse().ok()?))
}

fn does_not_fit(wanted: &Ensure) -> Failure {
    let (file, name) = (wanted.file.display(), &wanted.name);
    let message = format!(
        "{file} does not hold the credentials of {name} that hold now; it is left as it is\n\
         move it away, and the game gets a new secret, or name another file with --ensure"
    );
    Failure::new(Status::Data, message)
}
