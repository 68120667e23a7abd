//! Other games, and the network between: words go both ways, staff and players choose, and whatever
//! becomes of the network, players notice one line.

use serde_json::{Value, json};

use super::hub::{Hub, Wire};
use super::operator::{http, stderr, stdout};
use super::rig::{Rig, play, until};
use belay_bots::Bot;

const OUT_OF_REACH: &str = "Gossip is out of reach; your words stay here.";

/// A node on the network of a scripted hub.
async fn joined() -> (Rig, Hub, Wire) {
    let hub = Hub::start().await;
    let rig = Rig::with(&[&hub.setting()]);
    let wire = hub.accept().await;
    online(&rig).await;
    (rig, hub, wire)
}

/// What the operator is shown of the bridge.
fn report(rig: &Rig) -> Value {
    rig.control(&json!({"command": "gossip", "order": "status"}))["data"].clone()
}

async fn online(rig: &Rig) {
    until("online", || report(rig)["state"] == "online").await;
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
async fn words_on_a_remote_channel_go_both_ways_and_others_stay() {
    let (rig, _hub, mut wire) = joined().await;
    let mut ann = gossiper(&rig, "Ann").await;
    let mut bob = rig.player("Bob").await;
    ann.ask("gossip hello there", "[gossip] Ann: hello there")
        .await
        .unwrap();
    let said = wire.hear("channels/send").await;
    assert_eq!(
        said["payload"],
        json!({"channel": "gossip", "name": "Ann", "message": "hello there"})
    );
    wire.says("gossip", "Bo@Othergame", "hi Ann").await;
    ann.expect("[gossip] Bo@Othergame: hi Ann").await.unwrap();
    ann.ask("chat only here", "[chat] Ann: only here")
        .await
        .unwrap();
    ann.ask("gossip second", "[gossip] Ann: second")
        .await
        .unwrap();
    let next = wire.hear("channels/send").await;
    assert_eq!(next["payload"]["message"], "second");
    // Nobody else reads it, and a channel that is not here is not read at all.
    wire.says("moo", "Bo@Othergame", "lost").await;
    wire.says("gossip", "Bo@Othergame", "last").await;
    ann.expect("Bo@Othergame: last").await.unwrap();
    bob.ask("score", "You are in").await.unwrap();
    assert_eq!(times(&bob, "gossip]"), 0);
    assert_eq!(times(&ann, "lost"), 0);
    assert_eq!(report(&rig)["counts"]["lines_in"], 2);
    let (_, figures) = http(rig.node().ops(), "GET /metrics");
    for line in [
        "belay_gossip_online 1",
        "belay_gossip_lines_in_total 2",
        "belay_gossip_lines_out_total 2",
        "belay_gossip_unknown_channel_total 0",
    ] {
        assert!(figures.lines().any(|found| found == line), "{line}");
    }
}

#[tokio::test]
async fn hostile_names_and_words_are_harmless_on_a_screen() {
    let (rig, _hub, mut wire) = joined().await;
    let mut ann = gossiper(&rig, "Ann").await;
    let hostile = [
        "\u{1b}[2J\u{1b}[31mred",
        "a\r\n> quit\r\n",
        "\u{202e}gnorw",
        "\u{7}\u{8}\u{0}bell",
        "\u{9b}31mcsi",
        "<send href='quit'>click</send>",
        "\u{ff}\u{f4}iac",
        "zalgo\u{300}\u{300}\u{300}\u{300}\u{300}\u{300}\u{300}\u{300}",
    ];
    for text in hostile {
        wire.says("gossip", &format!("{text}@Other"), text).await;
        wire.tells(&format!("{text}@Other"), "Ann", text).await;
        wire.sign("players/sign-in", &format!("{text}@Other")).await;
    }
    let long = "x".repeat(20_000);
    wire.says("gossip", "Bo@Other", &long).await;
    wire.says("gossip", "Bo@Other", "the end").await;
    ann.expect("Bo@Other: the end").await.unwrap();
    ann.ask("who", "in all").await.unwrap();
    let shown = ann.transcript();
    for bad in ["\u{1b}[2J", "\u{202e}", "\u{7}", "\u{9b}", "\u{0}"] {
        assert!(!shown.contains(bad), "{bad:?}");
    }
    let quits = play(&ann);
    assert!(
        !quits.iter().any(|line| line.starts_with("< > quit")),
        "{quits:?}"
    );
    assert!(!shown.contains(&"x".repeat(5_000)), "too long a line");
}

#[tokio::test]
async fn tells_and_replies_go_both_ways() {
    let (rig, _hub, mut wire) = joined().await;
    wire.shows_players(&[("Othergame", &["Bo", "Bodo", "Cy"]), ("Third", &[])])
        .await;
    until("the list", || report(&rig)["players"] == 3).await;
    let mut ann = rig.player("Ann").await;
    // Told, and answered with reply.
    ann.send_line("tell cy@oth hello").await;
    let tell = wire.takes_tell(None).await;
    assert_eq!(
        (&tell["from_name"], &tell["to_name"], &tell["to_game"]),
        (&json!("Ann"), &json!("Cy"), &json!("Othergame"))
    );
    ann.expect("You tell Cy@Othergame, \"hello\"")
        .await
        .unwrap();
    ann.send_line("reply again").await;
    assert_eq!(wire.takes_tell(None).await["message"], "again");
    ann.expect("You tell Cy@Othergame, \"again\"")
        .await
        .unwrap();
    // Received, and answered with reply; then somebody here tells something.
    wire.tells("Bo@Othergame", "ANN", "psst").await;
    ann.expect("Bo@Othergame tells you, \"psst\"")
        .await
        .unwrap();
    ann.send_line("reply what").await;
    assert_eq!(wire.takes_tell(None).await["to_name"], "Bo");
    ann.expect("You tell Bo@Othergame, \"what\"").await.unwrap();
    let mut bob = rig.player("Bob").await;
    bob.ask("tell ann here", "You tell Ann").await.unwrap();
    ann.expect("Bob tells you").await.unwrap();
    ann.ask("reply yes", "You tell Bob, \"yes\"").await.unwrap();
    // What cannot be.
    let table = [
        ("Cy", "game offline", "There is no game Othergame"),
        ("Cy", "not supported", "Othergame takes no tells."),
        ("Cy", "receiving player offline", "Nobody called Cy can be"),
        ("Cy", "player offline", "Nobody called Cy can be"),
        ("Cy", "sending player offline", "does not know yet"),
    ];
    for (to, error, line) in table {
        ann.send_line(&format!("tell {to}@othergame hm")).await;
        wire.takes_tell(Some(error)).await;
        ann.expect(line).await.unwrap();
    }
    let choice = "That can mean Bo@Othergame or Bodo@Othergame.";
    ann.ask("tell b@othergame hm", choice).await.unwrap();
    for nobody in ["@", "bo@", "@othergame", "bo@third@@"] {
        let (line, says) = (
            format!("tell {nobody} hm"),
            "Name a player and a game, as in",
        );
        ann.ask(&line, says).await.unwrap();
    }
}

#[tokio::test]
async fn who_plays_elsewhere_is_listed_and_news_of_it_are_few() {
    let start = tokio::time::Instant::now();
    let (rig, _hub, mut wire) = joined().await;
    let many: Vec<String> = (0..200).map(|number| format!("p{number:03}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    wire.shows_players(&[("Beta", &["Di", "Cy"]), ("alpha", &many)])
        .await;
    until("the list", || report(&rig)["players"] == 202).await;
    let mut ann = rig.player("Ann").await;
    let listed = ann.ask("who", "Beta: Cy and Di.").await.unwrap();
    let (here, there) = listed.split_once("In other games:").unwrap();
    assert!(here.contains("One player in all."), "{listed}");
    assert!(there.contains("alpha: p000, p001,"), "{listed}");
    assert!(there.contains("180 others."), "{listed}");
    ann.ask("who d", "Beta: Di.").await.unwrap();
    ann.ask("who @be", "Beta: Cy and Di.").await.unwrap();
    ann.ask("who @x", "There is no game x").await.unwrap();
    ann.ask("who d@be", "Beta: Di.").await.unwrap();
    ann.ask("who x@be", "Beta: nobody").await.unwrap();
    ann.ask("games x", "There is no game x").await.unwrap();
    ann.ask("games", "Beta").await.unwrap();
    // In the first seconds nobody is news.
    wire.sign("players/sign-in", "Early@Beta").await;
    until("the news", || report(&rig)["players"] == 203).await;
    ann.ask("who @beta", "Early").await.unwrap();
    if start.elapsed() < std::time::Duration::from_secs(4) {
        assert_eq!(times(&ann, "online"), 0);
    }
    tokio::time::timeout(
        std::time::Duration::from_secs(30),
        until_told(&mut wire, &mut ann),
    )
    .await
    .expect("in the end news are told");
    let mut bob = rig.player("Bob").await;
    bob.ask("notices off", "You are not told").await.unwrap();
    for number in 0..100 {
        wire.sign("players/sign-in", &format!("q{number}@Beta"))
            .await;
    }
    ann.expect("others have come online.").await.unwrap();
    let told = times(&ann, "online.");
    assert!(told < 15, "{told} lines");
    bob.ask("score", "You are in").await.unwrap();
    assert_eq!(times(&bob, "online."), 0);
    ann.ask("ignore @beta", "You read nothing more")
        .await
        .unwrap();
}

/// Lets somebody come and go until that is told.
async fn until_told(wire: &mut Wire, ann: &mut Bot) {
    for number in 0.. {
        let who = format!("new{number}@Beta");
        wire.sign("players/sign-in", &who).await;
        ann.ask("score", "You have played").await.unwrap();
        if times(ann, "has come online.") > 0 {
            return;
        }
    }
}

#[tokio::test]
async fn players_of_this_game_come_and_go_on_the_network_once() {
    let (rig, _hub, mut wire) = joined().await;
    let ann = rig.player("Ann").await;
    let came = wire.hear("players/sign-in").await;
    assert_eq!(came["payload"]["name"], "Ann");
    // A crash, a lost connection and a new one are nothing to others.
    let crash = json!({"command": "crash-session", "name": "Ann"});
    assert_eq!(rig.control(&crash)["outcome"], "done");
    ann.abort();
    let mut ann = rig.player("Ann").await;
    let (mut guest, name) = rig.guest().await;
    let came = wire.hear("players/sign-in").await;
    assert_eq!(came["payload"]["name"], name.as_str());
    wire.send(json!({"event": "heartbeat"})).await;
    let beat = wire.hear("heartbeat").await;
    assert_eq!(beat["payload"]["players"], json!(["Ann", name]));
    guest.send_line("quit").await;
    let left = wire.hear("players/sign-out").await;
    assert_eq!(left["payload"]["name"], name.as_str());
    ann.send_line("quit").await;
    let left = wire.hear("players/sign-out").await;
    assert_eq!(left["payload"]["name"], "Ann");
}

#[tokio::test]
async fn whom_a_player_ignores_is_not_read_and_does_not_learn_it() {
    let (rig, _hub, mut wire) = joined().await;
    let mut ann = gossiper(&rig, "Ann").await;
    ann.ask("ignore bo@othergame", "You read nothing more")
        .await
        .unwrap();
    wire.says("gossip", "Bo@Othergame", "one").await;
    wire.tells("Bo@Othergame", "Ann", "two").await;
    wire.says("gossip", "Cy@Othergame", "three").await;
    ann.expect("Cy@Othergame: three").await.unwrap();
    assert_eq!(times(&ann, "Bo@Othergame:") + times(&ann, "tells you"), 0);
    ann.ask("tell Bo@Othergame hi", "You ignore Bo@Othergame.")
        .await
        .unwrap();
    assert_eq!(report(&rig)["counts"]["tells_lost"], 1);
    ann.ask("ignore @othergame", "You read nothing more")
        .await
        .unwrap();
    wire.says("gossip", "Cy@Othergame", "four").await;
    wire.says("gossip", "Di@Third", "five").await;
    ann.expect("Di@Third: five").await.unwrap();
    assert_eq!(times(&ann, "four"), 0);
}

#[tokio::test]
async fn a_flood_of_tells_is_a_few_lines_to_whom_it_is_for() {
    let (rig, _hub, mut wire) = joined().await;
    let mut ann = rig.player("Ann").await;
    for number in 0..40 {
        wire.tells("Bo@Othergame", "Ann", &format!("number {number}"))
            .await;
    }
    until("all came", || {
        let counts = report(&rig)["counts"].clone();
        let figure = |name: &str| counts[name].as_u64().unwrap();
        figure("tells_in") + figure("tells_lost") == 40
    })
    .await;
    ann.ask("score", "You are in").await.unwrap();
    let told = times(&ann, "tells you");
    assert!((10..20).contains(&told), "{told}");
}

#[tokio::test]
async fn staff_and_the_operator_mute_players_and_block_games() {
    let (mut rig, hub, mut wire) = joined().await;
    let mut ann = gossiper(&rig, "Ann").await;
    let mut boss = rig.staff("Boss").await;
    boss.ask(
        "bridge mute ann for spam",
        "Ann may not speak to other games",
    )
    .await
    .unwrap();
    boss.ask("bridge mute an", "any more; nobody of that name plays")
        .await
        .unwrap();
    let output = rig.belay(&["gossip", "unmute", "an"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let kept = ann.ask("gossip hm", "Only players here").await.unwrap();
    assert!(kept.contains("for spam"), "{kept}");
    ann.ask(
        "tell bo@other hi",
        "You may not speak to players of other games: for spam.",
    )
    .await
    .unwrap();
    wire.says("gossip", "Bo@Other", "zero").await;
    ann.expect("Bo@Other: zero").await.unwrap();
    let output = rig.belay(&["gossip", "block", "Other", "--reason", "noise"]);
    assert!(output.status.success(), "{}", stderr(&output));
    wire.says("gossip", "Bo@OTHER", "one").await;
    wire.tells("Bo@Other", "Ann", "two").await;
    wire.says("gossip", "Cy@Third", "three").await;
    ann.expect("Cy@Third: three").await.unwrap();
    assert_eq!(times(&ann, "one") + times(&ann, "two"), 0);
    let recent = ann.ask("gossip", "three (").await.unwrap();
    assert!(!recent.contains("zero"), "{recent}");
    for order in ["mute", "block"] {
        let output = rig.belay(&["gossip", order, "bo@other"]);
        assert_eq!(output.status.code(), Some(65), "{}", stdout(&output));
    }
    boss.ask("tell bo@other hi", "Players of other cannot be reached")
        .await
        .unwrap();
    boss.ask("bridge list", "blocked game Other: noise (by operator)")
        .await
        .unwrap();
    drop((ann, boss));
    // Both hold over a restart, until they are lifted.
    assert_eq!(rig.end("-TERM"), Some(0));
    drop(wire);
    rig.start_again(&[]);
    let mut wire = hub.accept().await;
    online(&rig).await;
    assert_eq!(report(&rig)["mutes"][0]["name"], "Ann");
    let mut ann = rig.player("Ann").await;
    ann.ask("gossip hm", "for spam").await.unwrap();
    for lift in [["unmute", "ANN"], ["unblock", "other"]] {
        let output = rig.belay(&["gossip", lift[0], lift[1]]);
        assert!(output.status.success(), "{}", stderr(&output));
        let output = rig.belay(&["gossip", lift[0], lift[1]]);
        assert_eq!(output.status.code(), Some(65), "{}", stdout(&output));
    }
    ann.ask("gossip free", "[gossip] Ann: free").await.unwrap();
    let said = wire.hear("channels/send").await;
    assert_eq!(said["payload"]["message"], "free");
    wire.says("gossip", "Bo@Other", "back").await;
    ann.expect("Bo@Other: back").await.unwrap();
}

#[tokio::test]
async fn an_outage_is_one_line_to_who_is_on_a_remote_channel_and_nothing_else() {
    let (rig, mut hub, wire) = joined().await;
    let mut ann = gossiper(&rig, "Ann").await;
    let mut cid = gossiper(&rig, "Cid").await;
    let mut bob = rig.player("Bob").await;
    let restarts = rig.status("restarts");
    hub.close();
    drop(wire);
    until("out of reach", || report(&rig)["state"] == "waiting").await;
    // Who speaks is told at once, and not again; the words stay.
    ann.ask("gossip anyone?", "[gossip] Ann: anyone?")
        .await
        .unwrap();
    cid.expect("[gossip] Ann: anyone?").await.unwrap();
    if times(&cid, OUT_OF_REACH) == 0 {
        cid.expect(OUT_OF_REACH).await.unwrap();
    }
    ann.ask("gossip still?", "[gossip] Ann: still?")
        .await
        .unwrap();
    cid.ask("gossip yes", "[gossip] Cid: yes").await.unwrap();
    ann.ask("tell bo@other hi", "Gossip is out of reach, so nobody")
        .await
        .unwrap();
    let mut late = gossiper(&rig, "Dot").await;
    late.ask("score", "You are in").await.unwrap();
    bob.ask("score", "You are in").await.unwrap();
    for (bot, count) in [(&ann, 1), (&cid, 1), (&late, 1), (&bob, 0)] {
        assert_eq!(times(bot, OUT_OF_REACH), count, "{:?}", play(bot));
    }
    let tree = stdout(&rig.belay(&["tree", "bridge"]));
    assert!(
        tree.contains("cut") && tree.contains("gossip:tether"),
        "{tree}"
    );
    let status = stdout(&rig.belay(&["gossip", "status"]));
    assert!(status.contains("next try in"), "{status}");
    let (head, _) = http(rig.node().ops(), "GET /healthz");
    assert!(head.contains("200"), "{head}");
    assert_eq!(rig.status("restarts"), restarts);
    // Back: words flow, and nobody is told more.
    hub.open().await;
    let mut wire = hub.accept().await;
    online(&rig).await;
    ann.ask("gossip again", "[gossip] Ann: again")
        .await
        .unwrap();
    let said = wire.hear("channels/send").await;
    assert_eq!(said["payload"]["message"], "again");
    wire.says("gossip", "Bo@Other", "welcome").await;
    cid.expect("Bo@Other: welcome").await.unwrap();
    assert_eq!(times(&ann, OUT_OF_REACH), 1);
    assert_eq!(rig.status("restarts"), restarts);
}

#[tokio::test]
async fn the_bridge_is_switched_off_and_on_while_the_node_runs() {
    let (rig, hub, wire) = joined().await;
    let mut boss = rig.staff("Boss").await;
    boss.ask("bridge", "Gossip is online").await.unwrap();
    boss.ask("bridge off", "switched off").await.unwrap();
    wire.ended().await;
    until("off", || report(&rig)["state"] == "off").await;
    boss.ask("bridge", "Gossip is switched off.").await.unwrap();
    let output = rig.belay(&["gossip", "retry"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("waits for no next try"));
    boss.ask("bridge retry", "The bridge waits for no next try.")
        .await
        .unwrap();
    assert_eq!(report(&rig)["state"], "off");
    boss.ask("bridge on", "switched on").await.unwrap();
    drop(hub.accept().await);
    let mut ann = rig.player("Ann").await;
    ann.ask("bridge off", "Only staff").await.unwrap();
}

#[tokio::test]
async fn wrong_credentials_are_told_and_right_ones_are_used_at_once() {
    let hub = Hub::start().await;
    let rig = Rig::with(&[&hub.setting()]);
    hub.handshake().await.refuse().await;
    until("rejected", || report(&rig)["state"] == "rejected").await;
    let status = stdout(&rig.belay(&["gossip", "status"]));
    assert!(status.contains("invalid credentials"), "{status}");
    hub.write("better");
    let mut wire = hub.handshake().await;
    assert_eq!(wire.let_in().await["client_secret"], "better");
    online(&rig).await;
    // A file that cannot be used is told with its line.
    std::fs::write(
        hub.file(),
        "url = \"ws://127.0.0.1:1/socket\"\nclient_id = 7\n",
    )
    .unwrap();
    let output = rig.belay(&["gossip", "reload"]);
    assert_eq!(output.status.code(), Some(65));
    assert!(stderr(&output).contains("line 2"), "{}", stderr(&output));
    wire.ended().await;
    std::fs::remove_file(hub.file()).unwrap();
    until("missing", || {
        let credentials = report(&rig)["credentials"].to_string();
        credentials.contains("is not there yet")
    })
    .await;
    hub.write("late");
    let output = rig.belay(&["gossip", "reload"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(
        hub.handshake().await.let_in().await["client_secret"],
        "late"
    );
}

#[tokio::test]
async fn a_node_on_no_network_says_so_only_to_who_speaks_to_it() {
    let rig = Rig::start();
    let mut ann = gossiper(&rig, "Ann").await;
    let line = "This game is on no network; your words stay here.";
    ann.ask("gossip hello", line).await.unwrap();
    ann.ask("gossip hello", "[gossip] Ann: hello")
        .await
        .unwrap();
    assert_eq!(times(&ann, line), 1);
    ann.ask("tell bo@other hi", "This game is on no network of games.")
        .await
        .unwrap();
    ann.ask("games", "This game is on no network of games.")
        .await
        .unwrap();
    let status = stdout(&rig.belay(&["gossip", "status"]));
    assert!(status.contains("not configured"), "{status}");
    let output = rig.belay(&["gossip", "reload"]);
    assert_eq!(output.status.code(), Some(65));
}

#[tokio::test]
async fn guests_speak_to_other_games_only_where_they_may() {
    let hub = Hub::start().await;
    let rig = Rig::with(&[&hub.setting(), "gossip.guests_speak=false"]);
    let mut wire = hub.accept().await;
    online(&rig).await;
    let (mut guest, _) = rig.guest().await;
    guest
        .ask("gossip hi", "guests may not speak to other games")
        .await
        .unwrap();
    guest
        .ask("tell bo@other hi", "Guests may not speak")
        .await
        .unwrap();
    wire.says("gossip", "Bo@Other", "welcome").await;
    guest.expect("Bo@Other: welcome").await.unwrap();
    let mut ann = rig.player("Ann").await;
    ann.ask("gossip hi", "[gossip] Ann: hi").await.unwrap();
    let said = wire.hear("channels/send").await;
    assert_eq!(said["payload"]["name"], "Ann");
}

#[tokio::test]
async fn a_node_boots_plays_and_stops_whatever_the_hub_does() {
    enum Weather {
        Down,
        Hangs,
        Garbage,
        Closes,
        Floods,
    }
    for what in [
        Weather::Down,
        Weather::Hangs,
        Weather::Garbage,
        Weather::Closes,
        Weather::Floods,
    ] {
        let mut hub = Hub::start().await;
        if matches!(what, Weather::Down) {
            hub.close();
        }
        let mut rig = Rig::with(&[&hub.setting()]);
        let mut ann = gossiper(&rig, "Ann").await;
        let mut held = None;
        match what {
            Weather::Down => {}
            Weather::Hangs => held = Some((Some(hub.tcp().await), None)),
            Weather::Closes => drop(hub.tcp().await),
            Weather::Garbage => {
                let mut wire = hub.accept().await;
                for text in ["", "[]", "{", "null", "{\"event\":7}", "\u{0}\u{0}"] {
                    wire.send_text(text).await;
                }
                held = Some((None, Some(wire)));
            }
            Weather::Floods => {
                let mut wire = hub.accept().await;
                for number in 0..5_000 {
                    wire.says("gossip", "Bo@Other", &number.to_string()).await;
                }
                held = Some((None, Some(wire)));
            }
        }
        ann.ask("look", "Exits").await.unwrap();
        ann.ask("say hi", "You say, \"hi\"").await.unwrap();
        assert_eq!(rig.status("restarts"), 0);
        let start = tokio::time::Instant::now();
        assert_eq!(rig.end("-TERM"), Some(0));
        let took = start.elapsed();
        assert!(took < std::time::Duration::from_secs(6), "{took:?}");
        drop(held);
    }
}
