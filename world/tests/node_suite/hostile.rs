//! Clients that speak something else, never read, never end a line or never log in harm nobody.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use belay_bots::Bot;
use futures_util::future::join_all;
use serde_json::json;

use super::rig::Rig;

fn raw(rig: &Rig) -> TcpStream {
    TcpStream::connect(rig.telnet().address).unwrap()
}

/// Everything the node says until it closes.
fn to_the_end(mut stream: TcpStream) -> Vec<u8> {
    let mut said = Vec::new();
    // A reset after the last word is an end as well.
    drop(stream.read_to_end(&mut said));
    said
}

#[tokio::test]
async fn what_is_no_telnet_is_answered_and_closed() {
    let rig = Rig::start();
    let mut http = raw(&rig);
    http.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        .unwrap();
    let said = String::from_utf8_lossy(&to_the_end(http)).into_owned();
    assert!(
        said.contains("This port speaks telnet, not HTTP."),
        "{said}"
    );
    let mut tls = raw(&rig);
    tls.write_all(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
        .unwrap();
    to_the_end(tls);
    rig.guest().await;
}

#[tokio::test]
async fn the_first_line_in_the_packet_of_a_telnet_answer_is_not_lost() {
    let rig = Rig::start();
    let mut bot = Bot::connect(rig.telnet()).await.unwrap();
    bot.prompt().await.unwrap();
    bot.send_bytes(b"\xff\xfb\x18guest\r\n").await;
    bot.expect("Welcome, Guest").await.unwrap();
    // And before the greeting was read at all.
    let mut stream = raw(&rig);
    stream
        .write_all(b"\xff\xfb\x18\xff\xfd\x03guest\r\nquit\r\n")
        .unwrap();
    let said = String::from_utf8_lossy(&to_the_end(stream)).into_owned();
    assert!(
        said.contains("Welcome, Guest") && said.contains("Goodbye."),
        "{said}"
    );
}

#[tokio::test]
async fn who_does_not_log_in_is_cut_at_the_deadline() {
    let rig = Rig::with(&["players.login_deadline=1s"]);
    let (mut guest, _) = rig.guest().await;
    let mut idle = Bot::connect(rig.telnet()).await.unwrap();
    let mut halfway = Bot::connect(rig.telnet()).await.unwrap();
    halfway.prompt().await.unwrap();
    halfway.send_line("Ann").await;
    for bot in [&mut idle, &mut halfway] {
        let (last, _) = bot.closed().await.unwrap();
        assert!(last.contains("That took too long. Goodbye."), "{last}");
    }
    guest.ask("say I may stay", "You say").await.unwrap();
}

#[tokio::test]
async fn a_line_without_end_is_cut_and_its_writer_told() {
    let rig = Rig::start();
    let (mut guest, _) = rig.guest().await;
    let mut endless = Bot::connect(rig.telnet()).await.unwrap();
    endless.prompt().await.unwrap();
    let megabyte = vec![b'x'; 1 << 20];
    endless.send_bytes(&megabyte).await;
    endless.send_bytes(b"\r\nguest\r\n").await;
    endless.expect("Welcome, Guest").await.unwrap();
    endless.send_bytes(b"say ").await;
    endless.send_bytes(&megabyte).await;
    endless.send_bytes(b"\r\n").await;
    endless.expect("That line is too long.").await.unwrap();
    endless.expect("is not understood.").await.unwrap();
    endless.ask("look", "The Hall").await.unwrap();
    guest.ask("look", "The Hall").await.unwrap();
}

#[tokio::test]
async fn who_never_reads_is_cut_and_slows_nobody() {
    let rig = Rig::with(&[
        "players.commands_per_s=10000",
        "players.commands_burst=10000",
    ]);
    let mut deaf =
        socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    // Little room on the way, so that the node is the one who has to hold what is not read.
    deaf.set_recv_buffer_size(4096).unwrap();
    deaf.connect(&rig.telnet().address.into()).unwrap();
    deaf.write_all(b"guest\r\n").unwrap();
    super::rig::until("the deaf one plays", || rig.status("players") == 1).await;
    let mut bots = Vec::new();
    for _ in 0..4 {
        let (mut bot, _) = rig.guest().await;
        bot.set_deadline(std::time::Duration::from_secs(2));
        bots.push(bot);
    }
    let long = format!("say {}", "word ".repeat(190));
    // What others say is dropped for who does not take it; own answers that pile up end it.
    let talking = bots.iter_mut().map(|bot| async {
        for _ in 0..200 {
            bot.ask(&long, "You say").await.unwrap();
            bot.discard_unread();
        }
    });
    join_all(talking).await;
    assert_eq!(rig.status("players"), 5);
    deaf.write_all(&b"help\r\n".repeat(1_000)).unwrap();
    super::rig::until("the deaf one is cut", || rig.status("players") == 4).await;
    for bot in &mut bots {
        bot.ask("who", "Four players in all.").await.unwrap();
    }
}

#[tokio::test]
async fn a_thousand_connections_that_come_and_go_leave_nothing_behind() {
    let rig = Rig::start();
    let (mut guest, _) = rig.guest().await;
    let before = rig.status("processes");
    for round in 0..500 {
        let mut stream = raw(&rig);
        if round % 2 == 0 {
            drop(stream.write_all(b"guest\r\n"));
        }
    }
    guest.ask("say still here", "You say").await.unwrap();
    super::rig::until("all are gone", || {
        rig.status("connections") == 1 && rig.status("players") == 1
    })
    .await;
    super::rig::until("their processes too", || rig.status("processes") == before).await;
    assert_eq!(
        rig.control(&json!({"command": "status"}))["outcome"],
        "done"
    );
}
