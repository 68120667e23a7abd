//! Goal: what a play wire carries, and how long a control message takes there and back while it
//! does. Method: two nodes in one process over loopback, with and without certificates; the sender
//! keeps some thousand messages of 100 bytes under way, which the receiver counts. It fails when
//! one is missing. `cargo bench -p belay-cluster --bench wires`

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a bench prints, reads the clock, and ends when something is wrong"
)]

use belay_cluster::cert::{self, Tls};
use belay_cluster::wire::{Hello, Inbox, JoinAnswer, WireConfig, WireTransport, Wires};
use belay_cluster::{
    Class, ContentHash, Inbound, Incarnation, Lane, Member, NodeId, NodeName, Transport as _,
};
use belay_runtime::{Node, Supervisor};
use bytes::Bytes;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{Receiver, Sender, channel};

const UNDER_WAY: usize = 8_000;
const BODY: [u8; 100] = [7; 100];
const PINGS: usize = 2_000;

struct Peer {
    wires: Wires,
    member: Member,
    node: Node,
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let dir = std::env::temp_dir().join(format!("belay-wires-{}", std::process::id()));
    let ca = dir.join("ca");
    cert::new_ca(&ca).expect("an authority");
    let [one, two] = [1, 2].map(|number| {
        let node = dir.join(number.to_string());
        cert::new_certificate(&ca, &name(number), &node).expect("a certificate");
        node
    });
    // Not asked for by "cargo bench", it only shows that it runs.
    let is_asked = std::env::args().any(|arg| arg == "--bench");
    let messages = if is_asked { 1_000_000 } else { 10_000 };
    for run in 1..=3 {
        runtime.block_on(measure(&format!("TCP {run}"), [None, None], messages));
        let tls = [&one, &two].map(|node: &std::path::PathBuf| Some(load(node)));
        runtime.block_on(measure(&format!("mTLS {run}"), tls, messages));
    }
    drop(std::fs::remove_dir_all(dir));
}

fn load(node: &Path) -> Tls {
    cert::load(node).expect("certificates")
}

fn name(number: u16) -> NodeName {
    NodeName::new(&format!("n{number}")).expect("a name")
}

async fn start(number: u16, tls: Option<Tls>, inboxes: [Inbox; 2]) -> Peer {
    let me = Hello {
        cluster: "bench".to_owned(),
        node: Some(NodeId(number)),
        name: name(number),
        incarnation: Incarnation(1),
        boot_ms: u64::from(number),
        content: ContentHash::default(),
    };
    let listen = "127.0.0.1:0".parse().expect("an address");
    let wires = Wires::open(WireConfig {
        me,
        listen,
        advertise: None,
        seeds: Vec::new(),
        tls,
    })
    .expect("wires");
    let member = Member {
        node: NodeId(number),
        name: name(number),
        address: wires.address().to_string(),
        incarnation: Incarnation(1),
    };
    let [control, play] = inboxes;
    let why = "no door".to_owned();
    let door = Arc::new(move |_, reply: belay_cluster::wire::JoinReply| {
        reply.answer(JoinAnswer::Refused { why: why.clone() });
    });
    let tree = Supervisor::builder("bench")
        .child(wires.control(control, door).on_thread())
        .child(wires.play(play));
    let node = Node::start(tree).await.expect("a tree");
    Peer {
        wires,
        member,
        node,
    }
}

fn put_in(sender: Sender<Inbound>) -> Inbox {
    Arc::new(move |inbound| drop(sender.try_send(inbound)))
}

async fn measure(what: &str, tls: [Option<Tls>; 2], messages: usize) {
    let [tls_one, tls_two] = tls;
    let (control_in, mut control) = channel(16);
    let (up_in, mut up) = channel(16);
    let one = start(1, tls_one, [put_in(control_in), put_in(up_in)]).await;
    let came = Arc::new(AtomicUsize::new(0));
    let counts = Arc::clone(&came);
    let count: Inbox = Arc::new(move |inbound| {
        if let Inbound::Message { body, .. } = inbound {
            assert_eq!(body.len(), BODY.len(), "a message came whole");
            counts.fetch_add(1, Ordering::Relaxed);
        }
    });
    // What comes in the control lane of n2 goes back at once.
    let back: Arc<std::sync::OnceLock<WireTransport>> = Arc::default();
    let sends = Arc::clone(&back);
    let echo: Inbox = Arc::new(move |inbound| {
        if let Inbound::Message { from, body, .. } = inbound
            && let Some(transport) = sends.get()
        {
            let _sent = transport.send(from, Lane::Control, Class::Owed, body);
        }
    });
    let two = start(2, tls_two, [echo, count]).await;
    drop(back.set(two.wires.transport()));
    let members = [one.member.clone(), two.member.clone()];
    for peer in [&one, &two] {
        peer.wires.transport().members(&members);
    }
    up.recv().await.expect("a play wire");
    control.recv().await.expect("a control wire");
    let transport = one.wires.transport();
    let quiet = ping(&transport, &mut control).await;
    let sender = transport.clone();
    let send = std::thread::Builder::new().spawn(move || send_all(&sender, &came, messages));
    let busy = ping(&transport, &mut control).await;
    let took = send.expect("a thread").join().expect("no panic");
    let figures = transport.figures(Lane::Play);
    let rate = messages as f64 / took.as_secs_f64() / 1e6;
    let gathered = figures.frames_out as f64 / figures.writes as f64;
    println!(
        "{what}: {rate:.2} million messages/s, {gathered:.0} a write; control there and back \
         p50 {:?} p99 {:?}, beside it p50 {:?} p99 {:?}",
        quiet[0], quiet[1], busy[0], busy[1]
    );
    for peer in [one, two] {
        peer.node.stop(Duration::from_secs(5)).await;
    }
}

/// Sends all messages, and waits until they are there.
fn send_all(transport: &WireTransport, came: &AtomicUsize, messages: usize) -> Duration {
    let began = Instant::now();
    let body = Bytes::from_static(&BODY);
    let mut sent = 0;
    while came.load(Ordering::Relaxed) < messages {
        let room = sent < messages && sent - came.load(Ordering::Relaxed) < UNDER_WAY;
        if room {
            let sending = transport.send(NodeId(2), Lane::Play, Class::Owed, body.clone());
            sending.expect("there is room");
            sent += 1;
        } else {
            std::thread::yield_now();
        }
    }
    began.elapsed()
}

/// Median and 99th percentile of a message there and back.
async fn ping(transport: &WireTransport, control: &mut Receiver<Inbound>) -> [Duration; 2] {
    let mut times = Vec::new();
    for _ in 0..PINGS {
        let began = Instant::now();
        let body = Bytes::from_static(b"ping");
        let sent = transport.send(NodeId(2), Lane::Control, Class::Owed, body);
        sent.expect("there is room");
        control.recv().await.expect("an answer");
        times.push(began.elapsed());
    }
    times.sort_unstable();
    [PINGS / 2, PINGS * 99 / 100].map(|at| times[at])
}
