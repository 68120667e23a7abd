//! `[pure]` The settings of a node in a cluster, and what must hold between them.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use belay_cluster::NodeName;

use super::checked::Config;
use crate::store::StoreUrl;

/// Most bytes of a host in `HOST:PORT`.
const HOST_BYTES_MAX: usize = 253;

/// The node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Node {
    /// What the node is called in its cluster; nothing for a node that is alone.
    pub name: Option<NodeName>,
}

/// Other nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cluster {
    /// Where this node listens for other nodes; nothing for a node that is alone.
    pub listen: Option<SocketAddr>,
    /// Where others reach it, `HOST:PORT`; empty for the address that it listens on.
    pub advertise: String,
    /// Where members of the cluster are reached; needed to join, and to find nodes that have moved.
    pub join: Vec<String>,
    /// The directory of the certificates; empty for none (see [`Cluster::certificates`]).
    pub certificates: PathBuf,
    /// The file of the token; empty for none (see [`Cluster::token`]).
    pub token: PathBuf,
}

impl Cluster {
    /// The directory of the certificates, if links are encrypted.
    #[must_use]
    pub fn certificates(&self) -> Option<&Path> {
        (!self.certificates.as_os_str().is_empty()).then_some(self.certificates.as_path())
    }

    /// The file of the token, if orders are taken over HTTP.
    #[must_use]
    pub fn token(&self) -> Option<&Path> {
        (!self.token.as_os_str().is_empty()).then_some(self.token.as_path())
    }

    /// Where others reach a node that listens on `bound`, `HOST:PORT`.
    #[must_use]
    pub fn advertised(&self, bound: SocketAddr) -> String {
        if self.advertise.is_empty() {
            bound.to_string()
        } else {
            self.advertise.clone()
        }
    }
}

/// A key at fault, what is wrong with its value, and what would be right.
type Broken = (&'static str, String, String);

/// What does not hold between the cluster's settings and others.
pub(super) fn broken_relations(config: &Config, broken: &mut Vec<Broken>) {
    match config.cluster.listen {
        None => alone(config, broken),
        Some(listen) => member(config, listen, broken),
    }
}

/// A node that is alone has nothing set that only makes sense in a cluster: who forgot where to
/// listen would have a second world instead of one more node.
fn alone(config: &Config, broken: &mut Vec<Broken>) {
    let Cluster {
        listen: _,
        advertise,
        join,
        certificates,
        token,
    } = &config.cluster;
    let useless = [
        ("node.name", config.node.name.is_some()),
        ("cluster.advertise", !advertise.is_empty()),
        ("cluster.join", !join.is_empty()),
        ("cluster.certificates", !certificates.as_os_str().is_empty()),
        ("cluster.token", !token.as_os_str().is_empty()),
    ];
    for (key, set) in useless {
        if set {
            broken.push((
                key,
                "has no use without cluster.listen".to_owned(),
                "nothing, or set cluster.listen too (--cluster ADDR)".to_owned(),
            ));
        }
    }
}

fn member(config: &Config, listen: SocketAddr, broken: &mut Vec<Broken>) {
    let cluster = &config.cluster;
    if config.node.name.is_none() {
        broken.push((
            "node.name",
            "is empty, but cluster.listen is set".to_owned(),
            "a name that no other node has, like n1 (--node NAME)".to_owned(),
        ));
    }
    if config.store.url == StoreUrl::Sqlite {
        broken.push((
            "store.url",
            "is a file of this node alone, but the nodes of a cluster share one database"
                .to_owned(),
            "a PostgreSQL server, like postgres://user:password@host:5432/database".to_owned(),
        ));
    }
    if cluster.certificates().is_none() && !listen.ip().to_canonical().is_loopback() {
        broken.push((
            "cluster.listen",
            "can be reached from other machines, and cluster.certificates is not set".to_owned(),
            "an address of this machine only, like 127.0.0.1:4090, or set cluster.certificates to \
             a directory made with \"belay cluster ca new\" and \"belay cluster cert NODE\""
                .to_owned(),
        ));
    }
    if listen.ip().is_unspecified() && cluster.advertise.is_empty() {
        broken.push((
            "cluster.advertise",
            format!(
                "is empty, but other nodes cannot connect to {}",
                listen.ip()
            ),
            "where they reach this node, like 10.0.0.5:4090".to_owned(),
        ));
    }
    let own = cluster.advertised(listen);
    for place in &cluster.join {
        if *place == own || *place == listen.to_string() {
            broken.push((
                "cluster.join",
                format!("has the entry \"{place}\", which is this node itself"),
                "where another node is reached".to_owned(),
            ));
        }
    }
}

/// A name of a node, or nothing.
pub(super) fn parse_name(text: &str) -> Result<Option<NodeName>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    NodeName::new(text)
        .map(Some)
        .map_err(|_bad| "is not a name of a node".to_owned())
}

/// Checks `HOST:PORT`: a name or an address, and a port that is not 0.
pub(super) fn check_place(text: &str) -> Result<(), String> {
    let Some((host, port)) = text.rsplit_once(':') else {
        return Err("has no port".to_owned());
    };
    let bracketed = host.strip_prefix('[').and_then(|h| h.strip_suffix(']'));
    let host_fits = match bracketed {
        Some(v6) => v6.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
            !host.is_empty() && host.len() <= HOST_BYTES_MAX && host.bytes().all(allowed)
        }
    };
    if !host_fits {
        return Err("has no host before the port".to_owned());
    }
    match port.parse::<u16>() {
        Ok(0) => Err("has port 0, which nobody can connect to".to_owned()),
        Ok(_) => Ok(()),
        Err(_) => Err("has no port".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::config::{RawConfig, Report};

    /// A database that a cluster can have.
    const SHARED: &str = "store.url=postgres://belay@db/belay";

    /// A configuration that is a cluster's, for the keys after it to change.
    const GOOD: &[&str] = &["node.name=n1", "cluster.listen=127.0.0.1:4090", SHARED];

    fn checked(sets: &[&str]) -> Result<Config, Report> {
        let mut raw = RawConfig::default();
        sets.iter().for_each(|set| raw.add_set(set));
        raw.check()
    }

    #[track_caller]
    fn check(sets: &[&str], faults: &[&str]) {
        let told = match checked(sets) {
            Ok(_) => Vec::new(),
            Err(report) => report.0.iter().map(ToString::to_string).collect(),
        };
        assert_eq!(told.len(), faults.len(), "{sets:?}: {told:#?}");
        for (line, fault) in told.iter().zip(faults) {
            assert!(line.contains(fault), "{fault}\nnot in\n{line}");
        }
    }

    #[test]
    fn a_node_without_either_is_alone() {
        let config = checked(&[]).unwrap();
        assert_eq!(config.node.name, None);
        assert_eq!(config.cluster, Cluster::default());
        assert_eq!(config.cluster.certificates(), None);
        assert_eq!(config.cluster.token(), None);
    }

    #[test]
    fn a_node_of_a_cluster_has_all_that_it_needs() {
        let more = [
            "cluster.listen=0.0.0.0:0",
            "cluster.advertise=north.example:4090",
            "cluster.join=10.0.0.6:4090, [2001:db8::7]:4090",
            "cluster.certificates=certs",
            "cluster.token=token",
        ];
        let config = checked(&[GOOD, &more].concat()).unwrap();
        let cluster = config.cluster;
        assert_eq!(config.node.name.unwrap().as_str(), "n1");
        assert_eq!(cluster.join, ["10.0.0.6:4090", "[2001:db8::7]:4090"]);
        assert_eq!(cluster.certificates(), Some(Path::new("certs")));
        assert_eq!(cluster.token(), Some(Path::new("token")));
        let bound = "0.0.0.0:41000".parse().unwrap();
        assert_eq!(cluster.advertised(bound), "north.example:4090");
        let plain = checked(GOOD).unwrap().cluster;
        assert_eq!(plain.advertised(bound), "0.0.0.0:41000");
    }

    #[test]
    fn values_that_cannot_be_are_refused() {
        for (set, fault) in [
            ("node.name=N1", "node.name = \"N1\" is not a name of a node"),
            ("node.name=1n", "1 to 32 of a-z, 0-9 and -, a letter first"),
            ("cluster.listen=4090", "is not an address with a port"),
            ("cluster.advertise=north", "has no port"),
            ("cluster.advertise=north:", "has no port"),
            ("cluster.advertise=north:0", "has port 0"),
            ("cluster.advertise=:4090", "has no host"),
            ("cluster.advertise=a/b:4090", "has no host"),
            ("cluster.advertise=[::g]:4090", "has no host"),
            ("cluster.advertise=2001:db8::7:4090", "has no host"),
            (
                "cluster.join=10.0.0.6:4090, 10.0.0.7",
                "has the entry \"10.0.0.7\", which has no port",
            ),
        ] {
            check(&[GOOD, &[set]].concat(), &[fault]);
        }
    }

    #[test]
    fn what_only_a_cluster_uses_is_refused_without_one_and_all_at_once() {
        let sets = [
            "node.name=n2",
            "cluster.advertise=10.0.0.6:4090",
            "cluster.join=10.0.0.5:4090",
            "cluster.certificates=certs",
            "cluster.token=token",
        ];
        check(
            &sets,
            &[
                "node.name = \"n2\" has no use without cluster.listen; allowed: nothing, or set \
                 cluster.listen too (--cluster ADDR)",
                "cluster.advertise",
                "cluster.join",
                "cluster.certificates",
                "cluster.token",
            ],
        );
    }

    #[test]
    fn a_node_of_a_cluster_needs_a_name() {
        check(
            &["cluster.listen=127.0.0.1:4090", SHARED],
            &["node.name = \"\" is empty, but cluster.listen is set"],
        );
    }

    #[test]
    fn a_cluster_has_one_database_for_all() {
        let own_file = "store.url = \"sqlite\" is a file of this node alone, but the nodes of a \
                        cluster share one database; allowed: a PostgreSQL server, like postgres://";
        let without = ["node.name=n1", "cluster.listen=127.0.0.1:4090"];
        check(&without, &[own_file]);
        check(
            &["cluster.listen=0.0.0.0:4090"],
            &[
                "node.name",
                "store.url",
                "cluster.listen",
                "cluster.advertise",
            ],
        );
    }

    #[test]
    fn without_certificates_only_this_machine_may_connect() {
        for (listen, fine) in [
            ("127.0.0.1:0", true),
            ("127.9.9.9:4090", true),
            ("[::1]:4090", true),
            ("[::ffff:127.0.0.1]:4090", true),
            ("10.0.0.5:4090", false),
            ("[2001:db8::5]:4090", false),
        ] {
            let set = format!("cluster.listen={listen}");
            let faults: &[&str] = if fine {
                &[]
            } else {
                &["can be reached from other machines, and cluster.certificates is not set"]
            };
            check(&["node.name=n1", SHARED, &set], faults);
            check(
                &["node.name=n1", SHARED, &set, "cluster.certificates=certs"],
                &[],
            );
        }
    }

    #[test]
    fn who_listens_everywhere_says_where_to_connect() {
        let everywhere = [
            "node.name=n1",
            "cluster.listen=[::]:4090",
            "cluster.certificates=certs",
            SHARED,
        ];
        check(&everywhere, &["cluster.advertise = \"\" is empty"]);
    }

    #[test]
    fn a_join_to_itself_is_refused() {
        check(
            &[GOOD, &["cluster.join=127.0.0.1:4090,10.0.0.6:4090"]].concat(),
            &["has the entry \"127.0.0.1:4090\", which is this node itself"],
        );
        let advertised = [
            "cluster.advertise=n1.example:1",
            "cluster.join=n1.example:1",
        ];
        check(
            &[GOOD, &advertised].concat(),
            &["has the entry \"n1.example:1\", which is this node itself"],
        );
    }

    #[test]
    fn the_cluster_has_a_port_of_its_own() {
        check(
            &[GOOD, &["cluster.listen=127.0.0.1:4081"]].concat(),
            &["is also the address of ops.listen"],
        );
    }
}
