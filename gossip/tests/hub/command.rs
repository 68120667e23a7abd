//! `[edge]` The operator's commands, without a hub and while one runs.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::stand::{
    Credentials, Directory, Ended, Hub, add_game, authenticate, run, said, say, until, well,
};

/// Checks how a command fails.
async fn fails(directory: &Directory, arguments: &[&str], code: i32, says: &str) {
    let (found, out, err) = said(&run(directory.path(), arguments).await);
    assert_eq!((found, out.as_str()), (code, ""), "{arguments:?}: {err}");
    assert!(err.contains(says), "{arguments:?}: {err}");
}

#[tokio::test]
async fn games_are_added_listed_shown_changed_and_removed() {
    let directory = Directory::new();
    let data = directory.path();
    let flags = [
        "--display-name",
        "The Game of A",
        "--description",
        "A game.",
        "--homepage",
        "https://a.example/",
        "--telnet",
        "a.example:4000",
        "--secure-telnet",
        "a.example:4443",
        "--web",
        "https://a.example/play",
        "--hidden",
    ];
    let credentials = add_game(data, "GameA", &flags).await;
    add_game(data, "GameB", &["--hide-players"]).await;
    let list = well(data, &["game", "list"]).await;
    assert_eq!(
        list,
        "GameA (The Game of A), never seen, hidden\nGameB, never seen, players hidden\n2 games\n"
    );
    let show = well(data, &["game", "show", "gamea"]).await;
    for line in [
        "homepage: https://a.example/",
        "play by: secure telnet a.example:4443",
    ] {
        assert!(show.contains(line), "{show}");
    }
    assert!(!show.contains(&credentials.client_secret));
    let json: Value = serde_json::from_str(&well(data, &["game", "list", "--json"]).await).unwrap();
    assert_eq!(json[0]["name"], "GameA");
    assert_eq!(json[0]["client_id"], credentials.client_id);
    assert_eq!(
        json[0]["connections"],
        json!([
            "secure telnet a.example:4443",
            "telnet a.example:4000",
            "web https://a.example/play",
        ])
    );
    assert_eq!(json[1]["players_hidden"], true);
    well(
        data,
        &["game", "set", "GAMEA", "--listed", "--description", ""],
    )
    .await;
    let json: Value =
        serde_json::from_str(&well(data, &["game", "show", "GameA", "--json"]).await).unwrap();
    assert_eq!(
        (&json["hidden"], &json["description"]),
        (&json!(false), &Value::Null)
    );
    assert_eq!(json["homepage"], "https://a.example/");
    well(data, &["game", "remove", "GameA"]).await;
    assert_eq!(
        well(data, &["game", "list"]).await,
        "GameB, never seen, players hidden\n1 game\n"
    );
}

#[tokio::test]
async fn mistakes_are_named_and_have_their_exit_status() {
    let directory = Directory::new();
    add_game(directory.path(), "GameA", &[]).await;
    for (arguments, code, says) in [
        (
            &["game", "add", "gamea"][..],
            65,
            "there is a game gamea already",
        ),
        (
            &["game", "add", "B", "--display-name", "gAMEa"],
            65,
            "display name",
        ),
        (&["game", "add", "a b"], 64, "1 to 15 letters and digits"),
        (&["game", "add", "Grapevine"], 64, "reserved"),
        (
            &["game", "add", "B", "--telnet", "b.example:80"],
            65,
            "ports 80 and 443",
        ),
        (
            &["game", "add", "B", "--homepage", "javascript:x"],
            65,
            "http://",
        ),
        (&["game", "add", "B", "--url", "http://x"], 64, "--url"),
        (&["game", "set", "GameA"], 64, "nothing to change"),
        (&["game", "show", "Nobody"], 65, "there is no game Nobody"),
        (&["game", "rotate", "Nobody"], 65, "there is no game Nobody"),
        (&["ban", "add", "10.0.0.0/99"], 64, "ban a game as @Game"),
        (&["ban", "add", "@GameA", "--for", "5"], 64, "as in 30m"),
        (&["ban", "remove", "@GameA"], 65, "@GameA is not banned"),
        (&["channel", "pause", "moo"], 65, "there is no channel moo"),
        (&["channel", "describe", "all"], 64, "3 to 15"),
        (&["serve", "--tls-cert", "x"], 64, "--tls-key"),
        (&["serve", "--rate-all", "0/0"], 64, "BURST/PER_SECOND"),
        (&["dance"], 64, "unrecognized subcommand"),
    ] {
        fails(&directory, arguments, code, says).await;
    }
    // None of them has left anything behind.
    assert!(
        well(directory.path(), &["game", "list"])
            .await
            .ends_with("1 game\n")
    );
    let help = said(&run(directory.path(), &["--help"]).await);
    assert!(
        help.0 == 0 && help.1.contains("A first network"),
        "{help:?}"
    );
}

#[tokio::test]
async fn credentials_go_to_a_file_for_the_owner_only_and_spare_what_is_there() {
    let directory = Directory::new();
    let data = directory.path();
    let file = directory.join("a.toml");
    let out = ["--out", file.to_str().unwrap()];
    let printed = well(data, &[&["game", "add", "GameA"][..], &out].concat()).await;
    assert_eq!(
        std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let first = Credentials::file(&file);
    assert!(!printed.contains(&first.client_secret));
    well(data, &[&["game", "rotate", "GameA"][..], &out].concat()).await;
    let second = Credentials::file(&file);
    assert_eq!(first.client_id, second.client_id);
    assert_ne!(first.client_secret, second.client_secret);
    // Neither another game's file nor anything else is replaced, and nothing is done then.
    fails(
        &directory,
        &[&["game", "add", "GameB"][..], &out].concat(),
        73,
        "left as it is",
    )
    .await;
    add_game(data, "GameC", &[]).await;
    fails(
        &directory,
        &[&["game", "rotate", "GameC"][..], &out].concat(),
        73,
        "left",
    )
    .await;
    let foreign = directory.join("foreign");
    std::fs::write(&foreign, "my diary").unwrap();
    let out = ["--out", foreign.to_str().unwrap()];
    fails(
        &directory,
        &[&["game", "add", "GameD"][..], &out].concat(),
        73,
        "left as it is",
    )
    .await;
    assert_eq!(std::fs::read_to_string(&foreign).unwrap(), "my diary");
    let nowhere = directory.join("no/such/place");
    let out = ["--out", nowhere.to_str().unwrap()];
    fails(
        &directory,
        &[&["game", "add", "GameE"][..], &out].concat(),
        73,
        "cannot write",
    )
    .await;
    assert!(well(data, &["game", "list"]).await.ends_with("2 games\n"));
}

#[tokio::test]
async fn regression_a_new_secret_leaves_the_hub_s_address_in_the_file_as_it_is() {
    let directory = Directory::new();
    let file = directory.join("a.toml");
    let out = ["--out", file.to_str().unwrap()];
    let url = ["--url", "wss://hub.example/socket"];
    let read = || {
        let text = std::fs::read_to_string(&file).unwrap();
        belay_gossip::Credentials::parse(&text).unwrap()
    };
    let data = directory.path();
    let add = [&["game", "add", "GameA"][..], &out, &url].concat();
    let printed = well(data, &add).await;
    assert!(printed.contains("signs in at wss://hub.example/socket"));
    let text = std::fs::read_to_string(&file).unwrap() + "ca = \"hub.pem\"\n";
    std::fs::write(&file, text).unwrap();
    let before = read();
    let rotate = [&["game", "rotate", "GameA"][..], &out].concat();
    well(data, &rotate).await;
    let after = read();
    assert_ne!(before.client_secret, after.client_secret);
    assert_eq!(
        belay_gossip::Credentials {
            client_secret: before.client_secret.clone(),
            ..after
        },
        before
    );
    let url = ["--url", "ws://127.0.0.1:5000/socket"];
    well(data, &[&rotate[..], &url].concat()).await;
    assert_eq!(read().url.to_string(), "ws://127.0.0.1:5000/socket");
}

#[tokio::test]
async fn new_credentials_lead_to_the_hub_that_ran_here_last() {
    let directory = Directory::new();
    let data = directory.path();
    let usual = add_game(data, "GameA", &[]).await.url;
    assert_eq!(usual, "ws://127.0.0.1:4110/socket");
    let hub = Hub::start(data, &[]).await;
    let here = format!("ws://{}/socket", hub.address);
    assert_eq!(add_game(data, "GameB", &[]).await.url, here);
    let rotated = well(data, &["game", "rotate", "GameA"]).await;
    assert_eq!(Credentials::printed(&rotated).url, here);
    drop(hub);
    assert_eq!(add_game(data, "GameC", &[]).await.url, here);
}

#[tokio::test]
async fn a_running_hub_closes_what_is_disabled_rotated_banned_or_removed() {
    let directory = Directory::new();
    let data = directory.path();
    let mut credentials = Vec::new();
    for name in ["GameA", "GameB", "GameC", "GameD", "GameE"] {
        credentials.push(add_game(data, name, &[]).await);
    }
    let hub = Hub::start(data, &[]).await;
    let mut games = Vec::new();
    for credentials in &credentials {
        games.push(hub.join(credentials, &[]).await);
    }
    well(data, &["game", "disable", "GameA"]).await;
    let rotated = Credentials::printed(&well(data, &["game", "rotate", "GameB"]).await);
    well(data, &["ban", "add", "@gamec", "--reason", "rude"]).await;
    well(data, &["game", "remove", "GameD"]).await;
    let goodbye = || Ended::Closed(4000, "goodbye".into());
    for game in games.iter_mut().take(4) {
        assert_eq!(game.ended().await, goodbye());
    }
    // The fifth has seen nothing of it.
    games[4].settle().await;
    for credentials in credentials.iter().take(4) {
        let mut game = hub.connect().await;
        game.send(authenticate(credentials, &[])).await;
        assert_eq!(game.frame().await["error"], "invalid credentials");
        assert_eq!(game.ended().await, goodbye());
    }
    hub.join(&rotated, &[]).await;
    well(data, &["game", "enable", "GameA"]).await;
    well(data, &["ban", "remove", "@GameC"]).await;
    for index in [0, 2] {
        until(|| enters(&hub, &credentials[index]), |entered| *entered).await;
    }
}

async fn enters(hub: &Hub, credentials: &Credentials) -> bool {
    let mut game = hub.connect().await;
    game.send(authenticate(credentials, &[])).await;
    game.frame().await["status"] == "success"
}

#[tokio::test]
async fn banned_players_and_addresses_and_paused_channels_are_kept_out() {
    let directory = Directory::new();
    let data = directory.path();
    let first = add_game(data, "GameA", &[]).await;
    let second = add_game(data, "GameB", &[]).await;
    let hub = Hub::start(data, &[]).await;
    let mut speaker = hub.join(&first, &["gossip", "moo"]).await;
    let mut listener = hub.join(&second, &["gossip", "moo"]).await;
    listener.settle().await;
    let listed = || async { well(data, &["channel", "list"]).await };
    until(listed, |list| {
        list.contains("gossip, hidden\nmoo, hidden\n2 channels")
    })
    .await;
    well(data, &["channel", "pause", "gossip", "--for", "1h"]).await;
    // Two notices of the operator are heard, and then nothing.
    let notice = listener.event("channels/broadcast").await;
    assert_eq!(notice["payload"]["name"], "system", "{notice}");
    speaker.send(say("gossip", "swallowed")).await;
    speaker.send(say("moo", "heard")).await;
    loop {
        let heard = listener.event("channels/broadcast").await;
        assert_ne!(heard["payload"]["message"], "swallowed");
        if heard["payload"]["channel"] == "moo" {
            break;
        }
    }
    well(data, &["channel", "resume", "gossip"]).await;
    well(data, &["channel", "describe", "gossip", "For <all>"]).await;
    let page = || hub.get("/");
    until(page, |page| {
        page.contains("<li>gossip: For &lt;all&gt;</li>")
    })
    .await;
    well(data, &["ban", "add", "ana@GameA", "--for", "7d"]).await;
    // Only a fresh directory mutes; it is there with the ban that follows it.
    well(data, &["ban", "add", "127.0.0.1"]).await;
    assert!(matches!(speaker.ended().await, Ended::Closed(4000, _)));
    assert_eq!(
        crate::stand::request(&hub.address, "GET / HTTP/1.1\r\nHost: x\r\n\r\n").await,
        ""
    );
    let bans = well(data, &["ban", "list"]).await;
    assert!(
        bans.contains("127.0.0.1\n") && bans.contains("ana@GameA until "),
        "{bans}"
    );
    well(data, &["ban", "remove", "127.0.0.1"]).await;
    until(|| hub_answers(&hub), |answers| *answers).await;
    let mut speaker = hub.join(&first, &["moo"]).await;
    let mut listener = hub.join(&second, &["moo"]).await;
    listener.settle().await;
    speaker.send(say("moo", "muted")).await;
    let mut other = say("moo", "heard");
    other["payload"]["name"] = json!("Bo");
    speaker.send(other).await;
    assert_eq!(
        listener.event("channels/broadcast").await["payload"]["message"],
        "heard"
    );
}

async fn hub_answers(hub: &Hub) -> bool {
    let answer = crate::stand::request(&hub.address, "GET /_health HTTP/1.1\r\nHost: x\r\n\r\n");
    answer.await.starts_with("HTTP/1.1 200")
}

#[tokio::test]
async fn the_page_shows_who_is_there_as_they_wish() {
    let directory = Directory::new();
    let data = directory.path();
    let flags = [
        "--display-name",
        "A & B <i>",
        "--homepage",
        "https://a.example/?x=1&y=2",
    ];
    let open = add_game(data, "GameA", &flags).await;
    let shy = add_game(data, "GameB", &["--hide-players"]).await;
    let hidden = add_game(data, "GameC", &["--hidden"]).await;
    let hub = Hub::start(data, &[]).await;
    let mut games = Vec::new();
    for credentials in [&open, &shy, &hidden] {
        let mut game = hub.join(credentials, &[]).await;
        // The first beat is answered by then, and the next is far away.
        game.settle().await;
        let players = json!({"players": ["<script>", "Bo"]});
        game.send(json!({"event": "heartbeat", "payload": players}))
            .await;
        game.settle().await;
        games.push(game);
    }
    let shown = |page: &String| page.contains("<p>2 games and 4 players online.</p>");
    until(|| hub.get("/"), shown).await;
    let page = hub.get("/").await;
    assert!(page.contains(">A &amp; B &lt;i&gt;</a></h2>"), "{page}");
    assert!(page.contains("https://a.example/?x=1&amp;y=2"), "{page}");
    assert_eq!(page.matches("<li>&lt;script&gt;</li>").count(), 1, "{page}");
    assert!(
        !page.contains("GameC") && !page.contains("<script"),
        "{page}"
    );
    assert!(page.contains("default-src 'none'"), "{page}");
}

#[tokio::test]
async fn a_mistyped_directory_is_told_and_not_made() {
    let directory = Directory::new();
    let typo = directory.join("typo");
    for arguments in [
        &["game", "list"][..],
        &["ban", "list"],
        &["channel", "list"],
    ] {
        let (code, out, err) = said(&run(&typo, arguments).await);
        assert_eq!((code, out.as_str()), (65, ""), "{arguments:?}");
        assert!(
            err.contains("typo; name its directory with --data"),
            "{err}"
        );
        assert!(!typo.exists(), "{arguments:?}");
    }
}
