//! `[edge]` Runs: players play, something is done to the nodes, and what happened is looked at.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use belay_bots::history::{Bounds, Cut, History, NodeDeed, read_deeds};
use futures_util::future::join_all;
use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};

use super::nemesis::{ALL, Done, NODES, Nemesis, Patient};
use super::network::Network;
use super::operator::Scratch;
use super::player::{Board, PLACES, PLAYERS, Player, now, pause};
use super::rig::{Ground, Rig, skipped, start_server_with, tell};

/// Within this all zones play again, also on a slow machine that does other things.
const BUDGET: Duration = Duration::from_secs(20);

/// How long players play before something happens.
const FIRST_MS: u64 = 700;

/// How long after a deed it may be in the log of its node. Logs are read one after the other: what
/// is younger when that begins might be in one and not in the other.
const WRITTEN_MS: u64 = 300;

/// Which runs, when nobody says it.
const SEED: u64 = 5;

/// What nodes are told beside the rest.
const SETTINGS: [&str; 1] = ["log.level=info,belay_cluster::deeds=trace"];

/// A cluster with its network, and what is known of all runs so far.
struct Bench {
    rig: Rig,
    network: Network,
    /// Where each thing is.
    starts: BTreeMap<String, String>,
    cuts: Vec<Cut>,
    overs: Vec<NodeDeed>,
    _scratch: Scratch,
}

impl Bench {
    /// Nothing where the machine does not allow it.
    async fn start() -> Option<Self> {
        let network = match Network::new(&NODES) {
            Ok(network) => network,
            Err(why) => {
                skipped(&format!(
                    "tests of clusters between machines want a network: {why}"
                ));
                return None;
            }
        };
        let server = start_server_with(&["listen_addresses=*"])?;
        server.create_database("hosts").unwrap();
        let url = server.url_at(&network.own_address(), "hosts");
        let scratch = Scratch::new();
        let content = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cluster_hosts/content");
        let settings = SETTINGS.iter().flat_map(|it| ["--set", it]);
        let ground = Ground {
            content,
            more: settings.map(str::to_owned).collect(),
            homes: network.homes(&NODES, scratch.path()),
        };
        let starts = PLACES.map(|(_, room, thing)| (thing.to_owned(), room.to_owned()));
        Some(Self {
            rig: Rig::elsewhere(NODES.len(), url, (server, ground)).await,
            network,
            starts: starts.into(),
            cuts: Vec::new(),
            overs: Vec::new(),
            _scratch: scratch,
        })
    }

    /// Has a zone on each node.
    async fn spread(&self) {
        for ((zone, ..), node) in PLACES.iter().zip(NODES) {
            self.rig.place(zone, node).await;
        }
    }

    /// One run; what was done, and what happened in it.
    async fn run(&mut self, nemesis: Nemesis, dice: &mut StdRng) -> (Done, History) {
        self.spread().await;
        let doors = NODES.map(|node| Some(self.rig.telnet(node)));
        let board = RefCell::new(Board {
            doors: doors.into(),
            ..Board::default()
        });
        let mut players = PLAYERS.map(|player| Player::new(player, dice.random()));
        let pick = dice.random_range(0..6);
        let playing = join_all(players.iter_mut().map(|player| player.play(&board)));
        let hurting = async {
            let begun = now();
            pause(FIRST_MS).await;
            // Whatever comes must meet a world that plays.
            while !board.borrow().plays_since(begun) {
                pause(20).await;
            }
            let mut patient = Patient {
                rig: &mut self.rig,
                network: &self.network,
                board: &board,
                budget: BUDGET,
            };
            board.borrow_mut().is_hurt = true;
            let done = patient.suffer(nemesis, pick).await;
            while now().since(done.healed) < BUDGET && !board.borrow().plays_since(done.healed) {
                pause(20).await;
            }
            self.rig
                .until("n1", "all are up and at work again", |status| {
                    status.up() == NODES.len() && status.are_all_placed()
                })
                .await;
            let mut now = board.borrow_mut();
            (now.is_hurt, now.over) = (false, true);
            done
        };
        let (_, done) = tokio::join!(playing, hurting);
        let until = now();
        for (player, rounds) in players.iter_mut().zip([6, 1, 1, 1]) {
            player.end(&board, rounds).await;
        }
        // By then every node has written down what was before.
        pause(WRITTEN_MS).await;
        let mut history = self.history(&done, (board.into_inner(), &players));
        history.deeds.retain(|deed| deed.at <= until);
        (done, history)
    }

    fn history(&mut self, done: &Done, (board, players): (Board, &[Player])) -> History {
        let places = PLACES.iter().filter_map(|(_, _, thing)| {
            let place = board.place_of(thing)?;
            Some(((*thing).to_owned(), place.to_owned()))
        });
        let places = places.collect();
        self.cuts.extend(done.cuts.clone());
        self.overs.extend(done.overs.clone());
        let mut deeds = self.overs.clone();
        for node in NODES {
            let log = std::fs::read(self.rig.log_path(node)).unwrap();
            deeds.extend(read_deeds(node, &String::from_utf8_lossy(&log)).unwrap());
        }
        deeds.sort_by_key(|deed| deed.at);
        let said: BTreeMap<&str, &[u64]> = players.iter().map(Player::said).collect();
        let mut speech = board.speech;
        for it in &mut speech {
            it.said = said[it.speaker.as_str()].to_vec();
        }
        let history = History {
            deeds,
            cuts: self.cuts.clone(),
            starts: self.starts.clone(),
            claims: board.claims,
            speech,
            answers: board.answers,
            zones: PLACES.map(|(zone, ..)| zone.to_owned()).into(),
            healed: done.healed,
        };
        self.starts = places;
        history
    }
}

/// A number from the environment.
#[expect(clippy::disallowed_methods, reason = "a test has no other settings")]
fn number(name: &str, otherwise: u64) -> u64 {
    match std::env::var(name) {
        Ok(given) => given.parse().expect(name),
        Err(_) => otherwise,
    }
}

/// The faults of this many runs: each kind as often as the others, in an order of the seed.
fn faults(runs: usize, dice: &mut StdRng) -> Vec<Nemesis> {
    let mut faults = Vec::new();
    while faults.len() < runs {
        let mut next = ALL;
        next.shuffle(dice);
        faults.extend(next);
    }
    faults.truncate(runs);
    faults
}

#[tokio::test]
async fn a_cluster_between_machines_keeps_its_promises_whatever_is_cut_or_killed() {
    let Some(mut bench) = Bench::start().await else {
        return;
    };
    let seed = number("BELAY_HOST_SEED", SEED);
    let runs = usize::try_from(number("BELAY_HOST_RUNS", 10)).unwrap();
    let mut dice = StdRng::seed_from_u64(seed);
    let faults = faults(runs, &mut dice);
    for (number, nemesis) in (1..).zip(faults) {
        let which = format!("run {number} of {runs}, BELAY_HOST_SEED={seed}: {nemesis:?}");
        tell(&format!("{which} ...\n"));
        let (done, history) = bench.run(nemesis, &mut dice).await;
        let (text, slowest) = describe(&done, history.clone());
        tell(&format!("{which}: {text}\n"));
        let bounds = Bounds {
            lease: belay_cluster::limits::LEASE,
            budget: BUDGET,
        };
        let mut wrong = history.check(&bounds);
        if slowest.is_some_and(|slowest| slowest > BUDGET) {
            wrong.push(format!(
                "zones took too long to play elsewhere: {slowest:?}"
            ));
        }
        assert!(wrong.is_empty(), "{which}: {text}\n{}", wrong.join("\n"));
    }
}

/// What happened, in a line, and how long the slowest zone took to play while the fault lasted.
fn describe(done: &Done, mut history: History) -> (String, Option<Duration>) {
    let slowest = |history: &History| {
        let took = history.recovery();
        let each = took.values().map(|took| took.unwrap_or(Duration::MAX));
        each.max().unwrap_or_default()
    };
    let after = slowest(&history);
    let during = done.struck.map(|struck| {
        history.healed = struck;
        slowest(&history)
    });
    let during_told = during.map_or_else(String::new, |it| {
        format!("all zones played {it:.1?} after it began, ")
    });
    let text = format!(
        "{}; {during_told}{after:.1?} after its end; {} claims, {} answers",
        done.told,
        history.claims.len(),
        history.answers.len()
    );
    (text, during)
}
