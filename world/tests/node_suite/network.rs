//! Two nodes and a real hub: this executable, started anew, is the hub.

use std::ffi::OsString;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use belay_bots::Bot;
use serde_json::json;

use super::operator::Scratch;
use super::rig::{Rig, play, until};

/// Tells a child of this executable what hub it is to be.
const HUB: &str = "BELAY_TEST_HUB";

const OUT_OF_REACH: &str = "Gossip is out of reach; your words stay here.";

#[test]
fn the_child_is_a_hub() {
    #[expect(
        clippy::disallowed_methods,
        reason = "the parent tells its child where to listen"
    )]
    let Ok(arguments) = std::env::var(HUB) else {
        return; // Only a child of the tests below has work to do.
    };
    let arguments = arguments.split('\n').map(OsString::from);
    let _status = belay_gossip::hub::app::run(arguments);
}

/// A hub that knows the games Alpha and Beta.
struct RealHub {
    scratch: Scratch,
    port: u16,
    child: Option<Child>,
}

impl RealHub {
    async fn start() -> Self {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let mut hub = Self {
            scratch: Scratch::new(),
            port,
            child: None,
        };
        hub.run().await;
        hub
    }

    /// Starts it, again on the same address and data.
    async fn run(&mut self) {
        let ensure = |game: &str| format!("{game}={}", self.file(game).display());
        let data = self.scratch.join("hub").display().to_string();
        let arguments = [
            "belay-hub",
            "serve",
            "--listen",
            &format!("127.0.0.1:{}", self.port),
            "--data",
            &data,
            "--ensure",
            &ensure("Alpha"),
            "--ensure",
            &ensure("Beta"),
        ];
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "network::the_child_is_a_hub", "--nocapture"])
            .env(HUB, arguments.join("\n"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.child = Some(child.unwrap());
        let port = self.port;
        until("the hub listens", || {
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        })
        .await;
    }

    fn kill(&mut self) {
        let mut child = self.child.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    fn file(&self, game: &str) -> PathBuf {
        self.scratch.join(game)
    }

    /// A node that is this game.
    async fn node(&self, game: &str) -> Rig {
        let setting = format!("gossip.credentials={}", self.file(game).display());
        let rig = Rig::with(&[&setting]);
        online(&rig).await;
        rig
    }
}

impl Drop for RealHub {
    fn drop(&mut self) {
        if self.child.is_some() {
            self.kill();
        }
    }
}

fn shows(rig: &Rig, figure: &str, value: &serde_json::Value) -> bool {
    let answer = rig.control(&json!({"command": "gossip", "order": "status"}));
    answer["data"][figure] == *value
}

async fn online(rig: &Rig) {
    until("online", || shows(rig, "state", &json!("online"))).await;
}

async fn gossiper(rig: &Rig, name: &str) -> Bot {
    let mut bot = rig.player(name).await;
    bot.ask("channel join gossip", "You are on gossip")
        .await
        .unwrap();
    bot
}

fn times(bot: &Bot, line: &str) -> usize {
    play(bot).iter().filter(|seen| seen.contains(line)).count()
}

#[tokio::test]
async fn players_of_two_games_talk_over_a_hub() {
    let hub = RealHub::start().await;
    let (alpha, beta) = (hub.node("Alpha").await, hub.node("Beta").await);
    let mut ann = gossiper(&alpha, "Ann").await;
    let mut bob = gossiper(&beta, "Bob").await;
    for rig in [&alpha, &beta] {
        until("the other game's player", || {
            shows(rig, "players", &json!(1))
        })
        .await;
    }
    ann.ask("gossip hello", "[gossip] Ann: hello")
        .await
        .unwrap();
    bob.expect("[gossip] Ann@Alpha: hello").await.unwrap();
    bob.ask("gossip hi", "[gossip] Bob: hi").await.unwrap();
    ann.expect("[gossip] Bob@Beta: hi").await.unwrap();
    ann.ask("who", "Beta: Bob.").await.unwrap();
    ann.ask("games", "Beta: one player").await.unwrap();
    ann.ask("tell bo@be psst", "You tell Bob@Beta, \"psst\"")
        .await
        .unwrap();
    bob.expect("Ann@Alpha tells you, \"psst\"").await.unwrap();
    bob.ask("reply yes?", "You tell Ann@Alpha, \"yes?\"")
        .await
        .unwrap();
    ann.expect("Bob@Beta tells you, \"yes?\"").await.unwrap();
    ann.ask("reply no", "You tell Bob@Beta").await.unwrap();
    bob.expect("Ann@Alpha tells you, \"no\"").await.unwrap();
    // Whom one ignores learns that nobody read it.
    bob.ask("ignore ann@alpha", "You read nothing more")
        .await
        .unwrap();
    ann.ask("tell bob@beta hm", "You tell Bob@Beta")
        .await
        .unwrap();
    let unread = "Nobody called Bob can be reached in Beta";
    if times(&ann, unread) == 0 {
        ann.expect(unread).await.unwrap();
    }
    ann.ask("tell nobody@beta x", "Nobody called nobody can be reached")
        .await
        .unwrap();
    ann.ask("tell x@gamma y", "There is no game gamma")
        .await
        .unwrap();
    // One's own game is not asked for over the network, where nobody here is ignored.
    ann.ask("tell ann@alpha y", "alpha is this game.")
        .await
        .unwrap();
    bob.send_line("quit").await;
    until("nobody is left", || shows(&alpha, "players", &json!(0))).await;
    assert_eq!(times(&ann, "Ann@Alpha:"), 0, "own words come back");
}

#[tokio::test]
async fn a_hub_that_dies_is_one_line_and_back_when_it_is() {
    let mut hub = RealHub::start().await;
    let (alpha, beta) = (hub.node("Alpha").await, hub.node("Beta").await);
    let mut ann = gossiper(&alpha, "Ann").await;
    let mut bob = gossiper(&beta, "Bob").await;
    let mut cid = alpha.player("Cid").await;
    let restarts = [alpha.status("restarts"), beta.status("restarts")];
    hub.kill();
    ann.expect(OUT_OF_REACH).await.unwrap();
    bob.expect(OUT_OF_REACH).await.unwrap();
    hub.run().await;
    online(&alpha).await;
    online(&beta).await;
    ann.ask("gossip back", "[gossip] Ann: back").await.unwrap();
    bob.expect("[gossip] Ann@Alpha: back").await.unwrap();
    // It comes and goes: nobody is told again, and words that were heard are heard once.
    for round in 0..3 {
        hub.kill();
        hub.run().await;
        online(&alpha).await;
        online(&beta).await;
        let words = format!("round {round}");
        ann.ask(&format!("gossip {words}"), &words).await.unwrap();
        bob.expect(&words).await.unwrap();
        assert_eq!(times(&bob, &words), 1);
    }
    cid.ask("score", "You are in").await.unwrap();
    let told = [&ann, &bob, &cid].map(|bot| times(bot, OUT_OF_REACH));
    assert_eq!(told, [1, 1, 0]);
    assert_eq!(
        [alpha.status("restarts"), beta.status("restarts")],
        restarts
    );
}
