//! `[edge]` `serve --ensure NAME=FILE` in every state of the game and the file.

use std::path::Path;

use crate::stand::{Credentials, Directory, Hub, add_game, run, said};

async fn ensured(directory: &Directory, file: &Path) -> Hub {
    let flag = format!("GameA={}", file.display());
    Hub::start(directory.path(), &["--ensure", &flag]).await
}

/// The hub does not start.
async fn refuses(directory: &Directory, file: &Path) {
    let flag = format!("GameA={}", file.display());
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--ensure", &flag];
    let (code, _, err) = said(&run(directory.path(), &arguments).await);
    assert_eq!(code, 65, "{err}");
    assert!(err.contains("left as it is"), "{err}");
}

#[tokio::test]
async fn the_game_and_its_file_are_there_afterwards() {
    let directory = Directory::new();
    let file = directory.join("a.toml");
    // Neither is there.
    let hub = ensured(&directory, &file).await;
    let first = Credentials::file(&file);
    hub.join(&first, &[]).await;
    let url = belay_gossip::Credentials::parse(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(url.url.to_string(), format!("ws://{}/socket", hub.address));
    drop(hub);
    // Both are there.
    let text = std::fs::read_to_string(&file).unwrap();
    let mut hub = ensured(&directory, &file).await;
    hub.join(&first, &[]).await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    hub.signal("KILL");
    hub.ended().await;
    // Only the game.
    std::fs::remove_file(&file).unwrap();
    let mut hub = ensured(&directory, &file).await;
    let second = Credentials::file(&file);
    assert_eq!(first.client_id, second.client_id);
    assert_ne!(first.client_secret, second.client_secret);
    hub.join(&second, &[]).await;
    hub.signal("KILL");
    hub.ended().await;
    // Only the file, as after the loss of the database.
    let elsewhere = Directory::new();
    let hub = ensured(&elsewhere, &file).await;
    hub.join(&second, &[]).await;
}

#[tokio::test]
async fn a_file_that_does_not_fit_is_left_alone() {
    let directory = Directory::new();
    let file = directory.join("a.toml");
    std::fs::write(&file, "my diary").unwrap();
    refuses(&directory, &file).await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "my diary");
    // The credentials of another game, and those of before a rotation.
    std::fs::remove_file(&file).unwrap();
    let out = ["--out", file.to_str().unwrap()];
    let arguments = [&["game", "add", "GameB"][..], &out].concat();
    crate::stand::well(directory.path(), &arguments).await;
    add_game(directory.path(), "GameA", &[]).await;
    refuses(&directory, &file).await;
}
