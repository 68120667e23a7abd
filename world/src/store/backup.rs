//! `[edge]` Backups: a consistent copy of the database, made while everybody goes on.
//!
//! `VACUUM INTO` reads one snapshot, so writers are not held up. The copy grows under a temporary
//! name beside the target and gets its own name only when it is whole and on the disk.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use belay_runtime::{Context, Exit, Flow, Process};
use sqlx::Connection as _;

use super::database::{Connector, FileConnector};
use super::outcome::BackupError;
use super::request::Backup;

/// Makes one backup after the other.
pub(super) struct BackupMaker {
    connector: Connector,
}

impl BackupMaker {
    pub(super) fn new(connector: Connector) -> Self {
        Self { connector }
    }
}

impl Process for BackupMaker {
    type Message = Backup;

    async fn handle(
        &mut self,
        _context: &mut Context<Backup>,
        backup: Backup,
    ) -> Result<Flow, Exit> {
        let Backup { path, mut answer } = backup;
        let made = match self.connector.file() {
            Some(file) => make(file, &path).await,
            None => Err(BackupError::Server),
        };
        answer.stage(made);
        super::answer::Deliver::deliver(&mut answer);
        Ok(Flow::Continue)
    }
}

async fn make(file: &FileConnector, path: &Path) -> Result<(), BackupError> {
    if tokio::fs::symlink_metadata(path).await.is_ok() {
        return Err(BackupError::Exists {
            path: path.to_path_buf(),
        });
    }
    let unfinished = unfinished_name(path);
    // A backup that a kill interrupted leaves this behind; only backups use the name.
    tokio::fs::remove_file(&unfinished).await.ok();
    let made = async {
        copy(file, &unfinished).await?;
        publish(&unfinished, path).await
    };
    let made = made.await;
    tokio::fs::remove_file(&unfinished).await.ok();
    made.map_err(|reason| match reason {
        Problem::Exists => BackupError::Exists {
            path: path.to_path_buf(),
        },
        Problem::Other(reason) => BackupError::Failed {
            path: path.to_path_buf(),
            reason,
        },
    })
}

enum Problem {
    Exists,
    Other(String),
}

impl From<sqlx::Error> for Problem {
    fn from(error: sqlx::Error) -> Self {
        Self::Other(error.to_string())
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Self::Other(error.to_string())
    }
}

fn unfinished_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".unfinished");
    PathBuf::from(name)
}

async fn copy(file: &FileConnector, target: &Path) -> Result<(), Problem> {
    let Some(target_text) = target.to_str() else {
        return Err(Problem::Other("the name is not UTF-8".to_owned()));
    };
    let mut connection = file.copier().await?;
    let copied = sqlx::query("VACUUM INTO $1")
        .bind(target_text)
        .execute(&mut connection)
        .await;
    let closed = connection.close().await;
    copied?;
    closed?;
    // It holds the hashes of passwords.
    tokio::fs::set_permissions(target, Permissions::from_mode(0o600)).await?;
    tokio::fs::File::open(target).await?.sync_all().await?;
    Ok(())
}

/// Gives the copy its name without ever replacing a file: a hard link fails when the name exists.
async fn publish(unfinished: &Path, path: &Path) -> Result<(), Problem> {
    match tokio::fs::hard_link(unfinished, path).await {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(Problem::Exists),
        Err(_) => {
            // A file system without hard links: the check and the rename are two steps there.
            if tokio::fs::symlink_metadata(path).await.is_ok() {
                return Err(Problem::Exists);
            }
            Ok(tokio::fs::rename(unfinished, path).await?)
        }
    }
}
