//! `[pure]` What a node prints when it is up: every address, and how to connect.

use std::net::SocketAddr;

use super::config::Config;

/// The lines for the operator's terminal.
///
/// `content` says where the world came from.
pub(super) fn banner(config: &Config, content: &str, addresses: &Addresses) -> String {
    let Addresses {
        telnet,
        http,
        ops,
        cluster,
    } = addresses;
    let data = config.data.dir.display();
    let data_flag = match config.data.dir.to_str() {
        Some("./belay-data") => String::new(),
        Some(_) | None => format!(" --data {data}"),
    };
    let gossip = config
        .gossip
        .credentials()
        .map_or_else(String::new, |file| {
            format!(
                "  gossip      {}    belay gossip status{data_flag}\n",
                file.display()
            )
        });
    let cluster = match (cluster, &config.node.name) {
        (Some(address), Some(name)) => {
            format!("  cluster     {address}    {name}: belay cluster status{data_flag}\n")
        }
        (Some(_), None) | (None, _) => String::new(),
    };
    format!(
        "belay {version} is up\n\
         \x20 telnet      {telnet}    telnet {host} {port}\n\
         \x20 websocket   ws://{http}/ws\n\
         \x20 operations  http://{ops}/healthz  http://{ops}/metrics\n\
         \x20 data        {data}    belay tree{data_flag}\n\
         \x20 content     {content}\n\
         {cluster}\
         {gossip}\
         \x20 first staff account: log in, create it, then: belay staff add NAME{data_flag}\n\
         \x20 stop: Ctrl-C or SIGTERM; Ctrl-C again stops at once\n",
        version = env!("CARGO_PKG_VERSION"),
        host = reachable(telnet).ip(),
        port = telnet.port(),
        http = reachable(http),
        ops = reachable(ops),
    )
}

/// The addresses that listeners have: a port 0 of the configuration is a real one here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Addresses {
    /// Telnet players.
    pub telnet: SocketAddr,
    /// Browsers and WebSocket clients.
    pub http: SocketAddr,
    /// Metrics and health.
    pub ops: SocketAddr,
    /// Other nodes, if there may be some.
    pub cluster: Option<SocketAddr>,
}

/// An address that a client on this machine can use: not the wildcard.
fn reachable(address: &SocketAddr) -> SocketAddr {
    let mut reachable = *address;
    if address.ip().is_unspecified() {
        let loopback = match address {
            SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
        };
        reachable.set_ip(loopback);
    }
    reachable
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::config::RawConfig;

    #[test]
    fn says_how_to_connect_also_when_all_interfaces_are_listened_on() {
        let config = RawConfig::default().check().expect("defaults");
        let addresses = Addresses {
            telnet: "0.0.0.0:4000".parse().unwrap(),
            http: "[::]:4080".parse().unwrap(),
            ops: "127.0.0.1:4081".parse().unwrap(),
            cluster: None,
        };
        let text = banner(&config, "the built-in world", &addresses);
        for part in [
            "0.0.0.0:4000    telnet 127.0.0.1 4000\n",
            "ws://[::1]:4080/ws\n",
            "http://127.0.0.1:4081/metrics\n",
            "belay staff add NAME\n",
            "the built-in world\n",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn a_node_of_a_cluster_shows_where_others_connect() {
        let mut raw = RawConfig::default();
        raw.add_flag("--node", "n2");
        raw.add_flag("--cluster", "127.0.0.1:0");
        raw.add_flag("--data", "d2");
        raw.add_set("store.url=postgres://belay@db/belay");
        let address = "127.0.0.1:4000".parse().unwrap();
        let addresses = Addresses {
            telnet: address,
            http: address,
            ops: address,
            cluster: Some("127.0.0.1:40123".parse().unwrap()),
        };
        let text = banner(&raw.check().expect("fine"), "content", &addresses);
        let line = "  cluster     127.0.0.1:40123    n2: belay cluster status --data d2\n";
        assert!(text.contains(line), "{text}");
    }
}
