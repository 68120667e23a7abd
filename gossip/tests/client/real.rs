//! `[edge]` Two games at our real hub, which is also killed.

use std::path::PathBuf;
use std::process::Stdio;

use belay_gossip::Credentials;
use belay_gossip::client::{Client, ClientOptions, News, Tell, TellAnswer};
use belay_gossip::protocol::ChannelName;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;

use crate::hub::soon;
use crate::scene::{Scene, options};

struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("belay-client-{}", std::process::id()));
        drop(std::fs::remove_dir_all(&path));
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn credentials(&self, game: &str) -> Credentials {
        let text = std::fs::read_to_string(self.0.join(game)).unwrap();
        Credentials::parse(&text).unwrap()
    }

    /// A hub that lets in these two games, where it listens.
    async fn hub(&self, listen: &str) -> (Child, String) {
        let ensure = |game: &str| format!("{game}={}", self.0.join(game).display());
        let mut hub = Command::new(env!("CARGO_BIN_EXE_belay-hub"))
            .args(["serve", "--listen", listen])
            .args(["--ensure", &ensure("Alpha"), "--ensure", &ensure("Beta")])
            .arg("--data")
            .arg(self.0.join("data"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(hub.stdout.take().unwrap()).lines();
        let line = soon("the hub listens", lines.next_line())
            .await
            .unwrap()
            .unwrap();
        let (_, address) = line.split_once("ws://").unwrap();
        (hub, address.trim_end_matches("/socket").to_owned())
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

async fn game(directory: &Directory, name: &str, player: &str) -> Scene {
    let options = ClientOptions {
        answer_within: crate::hub::LONG,
        backoff: ClientOptions::default().backoff,
        ..options()
    };
    let mut scene = Scene::unconfigured(options).await;
    *scene.game.players.lock().unwrap() = vec![player.to_owned()];
    scene
        .client
        .subscribe(&ChannelName::parse("gossip").unwrap());
    scene.client.configure(Some(directory.credentials(name)));
    scene.status("online").await;
    scene
}

/// One says something and the other hears it, in both directions.
async fn talk(alpha: &mut Scene, beta: &mut Scene, words: &str) {
    for (from, to) in [("Alpha", "Beta"), ("Beta", "Alpha")] {
        let (speaker, hearer) = match from {
            "Alpha" => (&*alpha, &mut *beta),
            _ => (&*beta, &mut *alpha),
        };
        let said = format!("{words} to {to}");
        speaker.client.say("gossip", "Somebody", &said).unwrap();
        let expected = News::Channel {
            channel: "gossip".to_owned(),
            game: from.to_owned(),
            name: "Somebody".to_owned(),
            message: said,
            missed: false,
        };
        hearer.sees("words", |news| *news == expected).await;
    }
}

async fn tell(client: &Client, from_name: &str, to_name: &str, to_game: &str) -> TellAnswer {
    let (sender, mut answers) = mpsc::channel(1);
    let tell = Tell {
        from_name: from_name.to_owned(),
        to_name: to_name.to_owned(),
        to_game: to_game.to_owned(),
        message: "psst".to_owned(),
    };
    client.tell(tell, move |answer| sender.try_send(answer).unwrap());
    soon("an answer", answers.recv()).await.unwrap()
}

#[tokio::test]
async fn games_talk_through_our_hub_and_are_back_after_it_was_killed() {
    let directory = Directory::new();
    let (mut hub, address) = directory.hub("127.0.0.1:0").await;
    let mut alpha = game(&directory, "Alpha", "Ann").await;
    let mut beta = game(&directory, "Beta", "Bo").await;
    alpha
        .sees("a game", |news| *news == News::GameUp("Beta".to_owned()))
        .await;
    talk(&mut alpha, &mut beta, "hello").await;

    assert_eq!(
        tell(&alpha.client, "Ann", "bo", "BETA").await,
        TellAnswer::Sent
    );
    beta.sees("a tell", |news| matches!(news, News::Tell { .. }))
        .await;
    assert_eq!(
        tell(&beta.client, "Bo", "ann", "Alpha").await,
        TellAnswer::Sent
    );
    let told = alpha
        .sees("a tell", |news| matches!(news, News::Tell { .. }))
        .await;
    assert!(matches!(told, News::Tell { from_game, from_name, .. }
        if from_game == "Beta" && from_name == "Bo"));
    let nobody = tell(&beta.client, "Bo", "Nobody", "Alpha").await;
    assert_eq!(nobody, TellAnswer::PlayerOffline);
    assert_eq!(
        tell(&beta.client, "Bo", "x", "Nowhere").await,
        TellAnswer::UnknownGame
    );
    alpha.client.sign_in("Cy");
    let cy = News::SignIn {
        game: "Alpha".to_owned(),
        name: "Cy".to_owned(),
    };
    beta.sees("a sign-in", |news| *news == cy).await;

    hub.start_kill().unwrap();
    soon("the hub ends", hub.wait()).await.unwrap();
    alpha.status("waiting").await;
    beta.status("waiting").await;
    let (_hub, _) = directory.hub(&address).await;
    alpha.status("online").await;
    beta.status("online").await;
    talk(&mut alpha, &mut beta, "again").await;
    for (scene, refused) in [(&alpha, 0), (&beta, 2)] {
        let figures = scene.client.figures();
        assert_eq!(
            (figures.connects, figures.duplicates),
            (2, 0),
            "{figures:?}"
        );
        assert_eq!(
            (figures.garbage, figures.refused),
            (0, refused),
            "{figures:?}"
        );
    }
    alpha.end().await;
    beta.end().await;
}
