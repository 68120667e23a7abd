//! `[edge]` How a hub stops, and what is there when it comes back.

use serde_json::Value;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;

use crate::stand::{Directory, Ended, Hub, add_game, run, said, soon, until, well};

#[tokio::test]
async fn sigterm_announces_the_downtime_to_everybody_and_closes_with_1001() {
    let directory = Directory::new();
    let credentials = add_game(directory.path(), "GameA", &[]).await;
    let mut hub = Hub::start(directory.path(), &["--downtime", "2s"]).await;
    let mut active = hub.join(&credentials, &[]).await;
    let mut inactive = hub.connect().await;
    until(|| hub.figure("sockets"), |sockets| *sockets == 2.0).await;
    let started = tokio::time::Instant::now();
    hub.signal("TERM");
    for game in [&mut active, &mut inactive] {
        let frame = game.frame().await;
        assert_eq!(frame["event"], "restart", "{frame}");
        let downtime = frame["payload"]["downtime"].as_i64().expect("a number");
        assert!((1..=7).contains(&downtime), "{frame}");
        assert_eq!(game.ended().await, Ended::Closed(1001, String::new()));
    }
    assert_eq!(hub.ended().await, Some(0));
    assert!(started.elapsed() >= std::time::Duration::from_secs(1));
}

#[tokio::test]
async fn a_second_signal_ends_it_at_once() {
    let directory = Directory::new();
    let mut hub = Hub::start(directory.path(), &[]).await;
    let mut game = hub.connect().await;
    until(|| hub.figure("sockets"), |sockets| *sockets == 1.0).await;
    hub.signal("TERM");
    assert_eq!(game.frame().await["event"], "restart");
    hub.signal("INT");
    assert_eq!(hub.ended().await, Some(130));
}

#[tokio::test]
async fn a_silent_peer_does_not_hold_up_the_stop() {
    let directory = Directory::new();
    let mut hub = Hub::start(directory.path(), &[]).await;
    // One in the handshake of HTTP, one that answers no close.
    let _half = TcpStream::connect(&hub.address).await.unwrap();
    let game = hub.connect().await;
    let mut raw = game.web.into_inner();
    until(|| hub.figure("connections"), |open| *open >= 2.0).await;
    hub.signal("TERM");
    assert_eq!(hub.ended().await, Some(0));
    let mut rest = Vec::new();
    drop(soon(raw.read_to_end(&mut rest)).await);
    // A close frame with 1001 is the last.
    assert!(rest.ends_with(&[0x88, 2, 0x03, 0xe9]), "{rest:?}");
}

#[tokio::test]
async fn a_killed_hub_comes_back_with_its_games_and_channels() {
    let directory = Directory::new();
    let data = directory.path();
    let credentials = add_game(data, "GameA", &[]).await;
    let mut hub = Hub::start(data, &[]).await;
    hub.join(&credentials, &["gossip"]).await;
    let known = || async {
        let games: Value =
            serde_json::from_str(&well(data, &["game", "list", "--json"]).await).unwrap();
        let channels = well(data, &["channel", "list"]).await;
        (
            games[0]["user_agent"] == "Test 1",
            channels.contains("gossip"),
        )
    };
    until(known, |known| *known == (true, true)).await;
    hub.signal("KILL");
    hub.ended().await;
    let hub = Hub::start(data, &[]).await;
    hub.join(&credentials, &["gossip"]).await;
    assert_eq!(known().await, (true, true));
}

#[tokio::test]
async fn a_directory_and_a_port_have_one_hub() {
    let directory = Directory::new();
    let hub = Hub::start(directory.path(), &[]).await;
    let again = ["serve", "--listen", "127.0.0.1:0"];
    let (code, _, err) = said(&run(directory.path(), &again).await);
    assert_eq!(code, 69, "{err}");
    assert!(err.contains("is in use by process"), "{err}");
    let other = Directory::new();
    let (code, _, err) = said(&run(other.path(), &["serve", "--listen", &hub.address]).await);
    assert_eq!(code, 69, "{err}");
    assert!(
        err.contains("choose another address with --listen"),
        "{err}"
    );
}
