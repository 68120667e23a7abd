//! Goal: belay-runtime beside its peers in one run, so that ratios hold on any machine.
//! Method: the same workloads and sizes for all; each workload of each system in a process of its
//! own, on two worker threads; the order of the systems rotates from round to round; medians of
//! five rounds, or of as many as the first number among the arguments says.
//! `README.md` says how each system is set up and why.

#[path = "../../benches/workload/mod.rs"]
mod workload;

mod actix;
#[cfg(feature = "bastion")]
mod bastion;
mod elixir;
mod floor;
mod kameo;
mod lean;
mod peer;
mod ractor;
mod table;

use std::process::Command;

use workload::measure::{Figures, Workload};
use workload::{apart, belay, memory};

#[cfg(not(feature = "mimalloc"))]
#[global_allocator]
static ALLOCATOR: memory::Counting<std::alloc::System> = memory::Counting(std::alloc::System);
#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: memory::Counting<mimalloc::MiMalloc> = memory::Counting(mimalloc::MiMalloc);

/// One that is measured.
#[derive(Clone, Copy)]
pub struct System {
    name: &'static str,
    title: &'static str,
    /// Measures in this process; `None` for another program.
    run: Option<fn(Workload) -> Figures>,
}

impl System {
    const fn new(
        name: &'static str,
        title: &'static str,
        run: Option<fn(Workload) -> Figures>,
    ) -> Self {
        Self { name, title, run }
    }
}

const SYSTEMS: &[System] = &[
    System::new(
        "belay",
        "belay",
        Some(|workload| on_tokio(belay::run(workload))),
    ),
    System::new("floor", "tokio floor", Some(on_tokio_peer::<floor::Floor>)),
    System::new(
        "lean",
        "tokio, lean, unsupervised",
        Some(on_tokio_peer::<lean::Lean>),
    ),
    System::new("ractor", "ractor", Some(on_tokio_peer::<ractor::Ractor>)),
    System::new(
        "kameo",
        "kameo",
        Some(on_tokio_peer::<::kameo::actor::ActorRef<kameo::Parent>>),
    ),
    System::new("actix", "actix (no restart)", Some(actix::run)),
    #[cfg(feature = "bastion")]
    System::new("bastion", "bastion", Some(bastion::run)),
    System::new("elixir", "Elixir", None),
];

fn on_tokio_peer<P: peer::Peer>(workload: Workload) -> Figures {
    on_tokio(peer::run::<P>(workload))
}

fn on_tokio(work: impl Future<Output = Figures> + Send + 'static) -> Figures {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    // All of it on the workers; this thread only waits.
    let figures = runtime.block_on(runtime.spawn(work)).unwrap();
    // Nothing is cleaned up: the process ends.
    std::mem::forget(runtime);
    figures
}

fn main() {
    if let Some((name, workload)) = apart::asked() {
        apart::limit();
        apart::answer(&measured(&name, workload));
    }
    let wanted = Wanted::read();
    let mut columns: Vec<table::Column> = SYSTEMS
        .iter()
        .filter(|system| wanted.has(system) && (system.run.is_some() || elixir::is_there()))
        .map(|system| (*system, Vec::new()))
        .collect();
    let before = apart::load();
    for round in 0..wanted.rounds {
        for (workload, name) in Workload::ALL {
            if !wanted.workloads.is_empty() && !wanted.workloads.iter().any(|w| name.contains(&**w))
            {
                continue;
            }
            eprintln!("round {} of {}: {name}", round + 1, wanted.rounds);
            for turn in 0..columns.len() {
                let turn = (turn + round) % columns.len();
                let (system, runs) = &mut columns[turn];
                runs.push(match system.run {
                    Some(_) => apart::run(system.name, workload),
                    None => elixir::run(workload),
                });
            }
        }
    }
    println!("{}\n", heading(wanted.rounds));
    table::print(&columns);
    println!("\nBefore: {before}. After: {}.", apart::load());
}

/// Measures in this process.
fn measured(name: &str, workload: Workload) -> Figures {
    // A crash that was told to would print, and that would be measured.
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if info.payload().downcast_ref() != Some(&"told to") {
            before(info);
        }
    }));
    if matches!(workload, Workload::Idle | Workload::Known) {
        memory::Held::count();
    }
    let run = SYSTEMS
        .iter()
        .find(|system| system.name == name)
        .and_then(|system| system.run);
    run.expect("there is such a system")(workload)
}

/// What the arguments ask for: `3 --only belay,ractor --work call,stop`.
#[derive(Default)]
struct Wanted {
    rounds: usize,
    systems: Vec<String>,
    /// Parts of names.
    workloads: Vec<String>,
}

impl Wanted {
    fn read() -> Self {
        let mut wanted = Self {
            rounds: 5,
            ..Self::default()
        };
        let mut arguments = std::env::args().skip(1);
        let list = |text: Option<String>| -> Vec<String> {
            let text = text.unwrap_or_default();
            text.split(',').map(str::to_owned).collect()
        };
        while let Some(argument) = arguments.next() {
            match (argument.as_str(), argument.parse()) {
                (_, Ok(rounds)) => wanted.rounds = rounds,
                ("--only", _) => wanted.systems = list(arguments.next()),
                ("--work", _) => wanted.workloads = list(arguments.next()),
                _ => {
                    let names: Vec<_> = SYSTEMS.iter().map(|system| system.name).collect();
                    eprintln!(
                        "usage: [ROUNDS] [--only {}] [--work PART,…]",
                        names.join(",")
                    );
                    std::process::exit(64);
                }
            }
        }
        wanted
    }

    fn has(&self, system: &System) -> bool {
        self.systems.is_empty() || self.systems.iter().any(|name| name == system.name)
    }
}

/// When, how often, and with which versions.
fn heading(rounds: usize) -> String {
    let date = said("date", &["-u", "+%F %R UTC"]);
    let compiler = said("rustc", &["--version"]);
    let versions: Vec<String> = ["tokio", "ractor", "kameo", "actix", "bastion"]
        .into_iter()
        .filter_map(|name| Some(format!("{name} {}", version(name)?)))
        .collect();
    let elixir = elixir::version();
    format!(
        "{date}; medians of {rounds}; 2 worker threads; allocator: {}; {compiler}; {}{elixir}",
        if cfg!(feature = "mimalloc") {
            "mimalloc"
        } else {
            "the system's"
        },
        versions.join(", ")
    )
}

/// The version that the lock file holds.
fn version(name: &str) -> Option<&'static str> {
    let entry = format!("name = \"{name}\"\nversion = \"");
    let (_, rest) = include_str!("../Cargo.lock").split_once(&entry)?;
    rest.split('"').next()
}

/// The first line that a program prints; nothing when it is not there.
fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output.map_or_else(|_| Vec::new(), |output| output.stdout);
    let text = String::from_utf8_lossy(&text);
    text.lines().next().unwrap_or_default().to_owned()
}
