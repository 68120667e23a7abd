//! `[edge]` A network made for one test: a namespace for each node, with one leg on a switch that
//! only nodes are on and that can be cut, and one on a bridge to this machine for players and the
//! database. All of it goes with the value, also when the test is killed.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::operator::{run, stderr};
use super::rig::Home;

/// Where nodes listen for each other. Nobody else has their addresses.
const PORT: u16 = 4090;

/// Waits until its input ends, that is until the test is over, and clears away. Its arguments are
/// the bridge and the namespaces.
const WATCH: &str = "cat >/dev/null; bridge=$1; shift; for space; do \
    ip netns pids $space | xargs -r kill -KILL; ip netns del $space; done; ip link del $bridge";

/// The network. Nodes must be dropped before it.
pub(super) struct Network {
    /// What all names begin with.
    tag: String,
    /// The two numbers in the middle of the addresses on the bridge.
    subnet: String,
    watch: Child,
}

impl Network {
    /// A network for nodes of these names; or why there can be none.
    pub(super) fn new(nodes: &[&str]) -> Result<Self, String> {
        if std::fs::metadata("/proc/self").map_or(1, |own| own.uid()) != 0 {
            return Err("only root may make networks".to_owned());
        }
        let tag = format!("bh{}", std::process::id());
        let spaces = nodes.iter().chain(&["sw"]);
        let spaces: Vec<String> = spaces.map(|name| format!("{tag}-{name}")).collect();
        let watch = Command::new("sh")
            .args(["-c", WATCH, "watch", &tag])
            .args(&spaces)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // What ends the test must not end the watch before it has cleared away.
            .process_group(0)
            .spawn();
        let (high, low) = (std::process::id() / 256 % 64 + 64, std::process::id() % 256);
        let network = Self {
            tag,
            subnet: format!("10.{high}.{low}"),
            watch: watch.map_err(|error| error.to_string())?,
        };
        network.build(nodes)?;
        Ok(network)
    }

    fn build(&self, nodes: &[&str]) -> Result<(), String> {
        let Self { tag, subnet, .. } = self;
        ip(&format!("netns add {tag}-sw"))?;
        ip(&format!("-n {tag}-sw link add switch type bridge"))?;
        ip(&format!("-n {tag}-sw link set switch up"))?;
        ip(&format!("link add {tag} type bridge"))?;
        ip(&format!("addr add {subnet}.254/24 dev {tag}"))?;
        ip(&format!("link set {tag} up"))?;
        for (name, number) in nodes.iter().zip(1..) {
            let back = back(number);
            for command in [
                format!("netns add {tag}-{name}"),
                format!("-n {tag}-{name} link set lo up"),
                format!(
                    "link add {name} netns {tag}-sw type veth peer name back netns {tag}-{name}"
                ),
                format!("-n {tag}-{name} addr add {back}/24 dev back"),
                format!("-n {tag}-{name} link set back up"),
                format!("-n {tag}-sw link set {name} master switch up"),
                format!("link add {tag}{name} type veth peer name front netns {tag}-{name}"),
                format!("-n {tag}-{name} addr add {subnet}.{number}/24 dev front"),
                format!("-n {tag}-{name} link set front up"),
                format!("link set {tag}{name} master {tag} up"),
            ] {
                ip(&command)?;
            }
        }
        Ok(())
    }

    /// Where this machine is for the nodes.
    pub(super) fn own_address(&self) -> String {
        format!("{}.254", self.subnet)
    }

    /// The homes of nodes of these names, with certificates of an authority that is made here.
    pub(super) fn homes(&self, nodes: &[&str], directory: &Path) -> BTreeMap<String, Home> {
        let path = |name: &str| directory.join(name).to_str().unwrap().to_owned();
        let authority = path("ca");
        succeeds(&["cluster", "ca", "new", "--out", &authority]);
        let home = |(name, number): (&&str, u8)| {
            let out = path(name);
            succeeds(&["cluster", "cert", name, "--ca", &authority, "--out", &out]);
            let home = Home {
                namespace: format!("{}-{name}", self.tag),
                front: format!("{}.{number}", self.subnet),
                back: format!("{}:{PORT}", back(number)),
                certificates: out.into(),
            };
            ((*name).to_owned(), home)
        };
        nodes.iter().zip(1..).map(home).collect()
    }

    /// Takes a node off the switch: what it sends reaches no other node, and nothing reaches it.
    pub(super) fn cut(&self, node: &str) {
        self.must(&format!("-n {}-sw link set {node} nomaster", self.tag));
    }

    /// Puts it back.
    pub(super) fn join(&self, node: &str) {
        self.must(&format!("-n {}-sw link set {node} master switch", self.tag));
    }

    /// Takes a node's link to the others down, or up again.
    pub(super) fn link(&self, node: &str, state: &str) {
        self.must(&format!("-n {}-sw link set {node} {state}", self.tag));
    }

    /// What one node sends to the other vanishes from now on (`add`), or no more (`del`).
    pub(super) fn swallow(&self, change: &str, from: &str, to: &str) {
        let number = to.trim_start_matches('n').parse().unwrap();
        let (tag, to) = (&self.tag, back(number));
        self.must(&format!("-n {tag}-{from} route {change} blackhole {to}/32"));
    }

    #[expect(clippy::unused_self, reason = "only who has a network changes it")]
    fn must(&self, arguments: &str) {
        ip(arguments).unwrap();
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        drop(self.watch.stdin.take());
        drop(self.watch.wait());
    }
}

/// The address of a node on the switch.
fn back(number: u8) -> String {
    format!("10.200.77.{number}")
}

fn ip(arguments: &str) -> Result<(), String> {
    let ran = Command::new("ip").args(arguments.split(' ')).output();
    let output = ran.map_err(|error| format!("ip: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("ip {arguments}: {said}"))
}

fn succeeds(arguments: &[&str]) {
    let output = run(arguments);
    assert!(output.status.success(), "{}", stderr(&output));
}
