//! `[edge]` What a client does with a hub that is well, and with one that comes and goes.

use std::time::Duration;

use belay_gossip::client::{
    Client, ClientOptions, ClientStatus, News, SayError, Switch, Tell, TellAnswer,
};
use belay_gossip::protocol::ChannelName;
use belay_runtime::Backoff;
use serde_json::json;
use tokio::sync::mpsc::{self, Receiver};

use crate::hub::{Hub, Peer, soon};
use crate::scene::{Scene, options};

fn channel(name: &str) -> ChannelName {
    ChannelName::parse(name).unwrap()
}

fn chat(reference: &str, message: &str) -> String {
    let frame = json!({"event":"channels/broadcast","ref":reference,
        "payload":{"channel":"gossip","game":"There","name":"Bo","message":message}});
    frame.to_string()
}

fn tell(client: &Client) -> Receiver<TellAnswer> {
    let (sender, answers) = mpsc::channel(2);
    let tell = Tell {
        from_name: "Ann".to_owned(),
        to_name: "Bo".to_owned(),
        to_game: "There".to_owned(),
        message: "hi".to_owned(),
    };
    client.tell(tell, move |answer| sender.try_send(answer).unwrap());
    answers
}

/// The answer, and no second one.
async fn answer(mut answers: Receiver<TellAnswer>) -> TellAnswer {
    let answer = soon("an answer", answers.recv()).await.unwrap();
    assert_eq!(soon("the closure is dropped", answers.recv()).await, None);
    answer
}

async fn online(options: ClientOptions, hub: &Hub) -> (Scene, Peer) {
    let mut scene = Scene::unconfigured(options).await;
    assert!(scene.client.subscribe(&channel("gossip")));
    scene.client.configure(Some(hub.credentials()));
    let peer = hub.welcome("").await;
    scene.status("online").await;
    (scene, peer)
}

#[tokio::test]
async fn logs_in_and_talks() {
    let hub = Hub::new().await;
    let mut scene = Scene::unconfigured(options()).await;
    assert!(scene.client.subscribe(&channel("gossip")));
    assert_eq!(scene.status("unconfigured").await, "");
    assert_eq!(
        scene.client.say("gossip", "Ann", "x"),
        Err(SayError::Offline)
    );
    scene.client.configure(Some(hub.credentials()));
    let mut peer = hub.accept().await;
    let login = peer.login().await;
    assert_eq!(login["payload"]["channels"], json!(["gossip"]));
    assert_eq!(login["payload"]["client_secret"], "hush");
    peer.let_in("").await;
    let beat = peer.event("heartbeat").await;
    assert_eq!(beat["payload"]["players"], json!(["Ann"]));
    scene.status("online").await;
    *scene.game.players.lock().unwrap() = vec!["Ann".to_owned(), "Cy".to_owned()];
    peer.send(r#"{"event":"heartbeat"}"#).await;
    let beat = peer.event("heartbeat").await;
    assert_eq!(beat["payload"]["players"], json!(["Ann", "Cy"]));

    peer.send(&chat("1", "hi \u{1b}[1mthere")).await;
    let is_chat = |news: &News| matches!(news, News::Channel { .. });
    let expected = News::Channel {
        channel: "gossip".to_owned(),
        game: "There".to_owned(),
        name: "Bo".to_owned(),
        message: "hi there".to_owned(),
        missed: false,
    };
    assert_eq!(scene.sees("a broadcast", is_chat).await, expected);
    scene.client.say("gossip", "Ann", "hello").unwrap();
    let said = peer.event("channels/send").await;
    let payload = json!({"channel":"gossip","name":"Ann","message":"hello"});
    assert_eq!((&said["payload"], &said["ref"]), (&payload, &json!(null)));
    assert_eq!(
        scene.client.say("moo", "Ann", "x"),
        Err(SayError::NotSubscribed)
    );
    scene.client.sign_in("Cy");
    assert_eq!(peer.event("players/sign-in").await["payload"]["name"], "Cy");
    scene.client.sign_out("Cy");
    assert_eq!(
        peer.event("players/sign-out").await["payload"]["name"],
        "Cy"
    );

    scene.client.subscribe(&channel("moo"));
    let asked = peer.event("channels/subscribe").await;
    let ack = json!({"event":"channels/subscribe","ref":asked["ref"],"status":"success"});
    peer.send(&ack.to_string()).await;
    peer.send(r#"{"event":"games/connect","payload":{"game":"New"}}"#)
        .await;
    scene
        .sees("a game", |news| *news == News::GameUp("New".to_owned()))
        .await;
    assert_eq!(scene.client.say("moo", "Ann", "x"), Ok(()));
    scene.client.unsubscribe(&channel("moo"));
    assert_eq!(
        peer.event("channels/unsubscribe").await["payload"]["channel"],
        "moo"
    );
    assert_eq!(scene.client.roster().games()[0].name, "New");
    scene.end().await;
}

#[tokio::test]
async fn tells_go_both_ways_and_fail_at_once_without_a_connection() {
    let hub = Hub::new().await;
    let (mut scene, mut peer) = online(options(), &hub).await;
    let answers = tell(&scene.client);
    let sent = peer.event("tells/send").await;
    let ack = json!({"event":"tells/send","ref":sent["ref"],"status":"success"});
    peer.send(&ack.to_string()).await;
    assert_eq!(answer(answers).await, TellAnswer::Sent);
    let answers = tell(&scene.client);
    assert_eq!(answer(answers).await, TellAnswer::TimedOut);
    let told = json!({"event":"tells/receive","ref":"1","payload":{"from_game":"There",
        "from_name":"Bo","to_name":"ann","sent_at":"2026-01-02T03:04:05Z","message":"hi"}});
    peer.send(&told.to_string()).await;
    scene
        .sees("a tell", |news| matches!(news, News::Tell { .. }))
        .await;
    let answers = tell(&scene.client);
    peer.event("tells/send").await;
    peer.event("tells/send").await;
    drop(peer);
    assert_eq!(answer(answers).await, TellAnswer::Offline);
    scene.status("waiting").await;
    assert_eq!(answer(tell(&scene.client)).await, TellAnswer::Offline);
    assert!(scene.client.roster().is_empty());
    scene.recovers(&hub).await;
}

#[tokio::test]
async fn is_switched_off_and_on_and_follows_its_configuration() {
    let (hub, other) = (Hub::new().await, Hub::new().await);
    let (mut scene, mut peer) = online(options(), &hub).await;
    scene.client.switch(Switch::Off);
    scene.status("off").await;
    peer.gone().await;
    assert_eq!(scene.client.status(), ClientStatus::Off);
    scene.client.retry();
    scene.client.configure(Some(other.credentials()));
    assert_eq!(scene.client.status(), ClientStatus::Off);
    scene.client.switch(Switch::On);
    let mut peer = other.welcome("").await;
    scene.status("online").await;
    scene.client.configure(Some(hub.credentials()));
    peer.gone().await;
    let mut peer = hub.welcome("").await;
    scene.status("online").await;
    scene.client.configure(None);
    peer.gone().await;
    scene.status("unconfigured").await;
    assert_eq!(scene.client.figures().failures, 0);
    scene.end().await;
}

#[tokio::test]
async fn a_hub_that_comes_and_goes_moves_no_counter_and_doubles_nothing() {
    let hub = Hub::new().await;
    let backoff = Backoff {
        first: Duration::from_millis(1),
        factor: 1.0,
        max: Duration::from_millis(1),
        jitter: 0.0,
    };
    let options = ClientOptions {
        backoff,
        ..options()
    };
    let (mut scene, mut peer) = online(options, &hub).await;
    for round in 0..100 {
        // What was the last before is sent again after.
        peer.send(&chat(&format!("r{round}"), &format!("m{round}")))
            .await;
        peer.send(&chat(
            &format!("r{}", round + 1),
            &format!("m{}", round + 1),
        ))
        .await;
        let last = format!("m{}", round + 1);
        let is_last =
            |news: &News| matches!(news, News::Channel { message, .. } if *message == last);
        scene.sees("the last", is_last).await;
        drop(peer);
        peer = hub.welcome("").await;
    }
    let said = scene
        .seen
        .iter()
        .filter(|news| matches!(news, News::Channel { .. }));
    assert_eq!(said.count(), 101);
    let figures = scene.client.figures();
    assert_eq!((figures.connects, figures.failures), (101, 100));
    assert_eq!((figures.duplicates, figures.gaps), (99, 100));
    scene.end().await;
}

#[tokio::test]
async fn a_hub_that_is_back_has_us_back() {
    let hub = Hub::new().await;
    let options = ClientOptions {
        backoff: ClientOptions::default().backoff,
        ..options()
    };
    let (mut scene, peer) = online(options, &hub).await;
    drop(peer);
    scene.status("waiting").await;
    let ClientStatus::Waiting { next_try_ms, .. } = scene.client.status() else {
        panic!("{:?}", scene.client.status());
    };
    assert!(next_try_ms <= 500, "{next_try_ms}");
    let _peer = hub.welcome("").await;
    scene.status("online").await;
    scene.end().await;
}
