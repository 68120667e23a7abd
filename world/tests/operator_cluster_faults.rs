//! `[edge]` Goal: what an operator does wrong with a node, or somebody else with its port, is told
//! in words that say what and where, and harms nobody who plays.
//!
//! Method: real nodes on loopback with a database of their own, and a player who plays on after
//! each fault. Without PostgreSQL it is skipped and says so. Certificates that do not fit are in
//! `operator_cluster_node`. Clock jumps are left to simulations: the machine's clock is
//! everybody's, and leases are counted with the monotonic one, which cannot be set.

#[cfg(test)]
mod operator;
#[cfg(test)]
#[path = "cluster_suite/rig.rs"]
mod rig;

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};
    use std::path::Path;
    use std::process::{Child, Command};
    use std::time::Duration;

    use tokio::time::{Instant, interval};

    use super::operator::{belay, run, stderr};
    use super::rig::{Rig, other_database, until_it_plays};

    /// How long a node may take to say what is wrong.
    const SAYS: Duration = Duration::from_secs(30);

    /// Other areas than those of the rig.
    const OTHER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cluster_hosts/content");

    /// A node that is not to come up, or not to stay.
    struct Stray {
        child: Child,
        log: std::path::PathBuf,
    }

    impl Stray {
        /// Starts it in this directory.
        fn start(data: &Path, arguments: &[String]) -> Self {
            let log = data.with_extension("stray");
            let mut command = belay(&["serve", "--telnet", "127.0.0.1:0"]);
            command
                .args(["--http", "127.0.0.1:0", "--ops", "127.0.0.1:0", "--data"])
                .arg(data)
                .args(arguments)
                .stdout(File::create(data.with_extension("banner")).unwrap())
                .stderr(File::create(&log).unwrap());
            let child = command.spawn().unwrap();
            Self { child, log }
        }

        fn said(&self) -> String {
            std::fs::read_to_string(&self.log).unwrap()
        }

        /// Waits until one line of its log has all these words.
        async fn says(&self, words: &[&str]) {
            said(&self.log, words).await;
        }

        /// Waits for its end; its exit status.
        async fn ends(&mut self) -> Option<i32> {
            let mut looks = interval(Duration::from_millis(20));
            let end = Instant::now() + SAYS;
            loop {
                looks.tick().await;
                if let Some(status) = self.child.try_wait().unwrap() {
                    return status.code();
                }
                assert!(Instant::now() < end, "it goes on: {}", self.said());
            }
        }
    }

    impl Drop for Stray {
        fn drop(&mut self) {
            drop(self.child.kill());
            drop(self.child.wait());
        }
    }

    /// Waits until one line of a log has all these words.
    async fn said(log: &Path, words: &[&str]) {
        let mut looks = interval(Duration::from_millis(20));
        let end = Instant::now() + SAYS;
        loop {
            looks.tick().await;
            let text = std::fs::read_to_string(log).unwrap();
            let has = |line: &str| words.iter().all(|word| line.contains(word));
            if text.lines().any(has) {
                return;
            }
            assert!(Instant::now() < end, "{words:?} is not said in:\n{text}");
        }
    }

    /// The arguments of a node of the rig with one of them changed.
    fn with(mut arguments: Vec<String>, key: &str, value: &str) -> Vec<String> {
        let at = arguments.iter().position(|it| it == key).unwrap();
        value.clone_into(&mut arguments[at + 1]);
        arguments
    }

    fn value<'a>(arguments: &'a [String], key: &str) -> &'a str {
        let at = arguments.iter().position(|it| it == key).unwrap();
        &arguments[at + 1]
    }

    /// A port that nobody has.
    fn free_address() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().to_string()
    }

    #[tokio::test]
    async fn who_does_not_belong_to_the_cluster_is_told_why_and_harms_nobody() {
        let Some(rig) = Rig::start(2).await else {
            return;
        };
        let mut ann = rig.player("n2", "Ann").await;
        let arguments = rig.arguments("n3");
        let address = value(&arguments, "--join").to_owned();
        // Other areas.
        let other = with(arguments.clone(), "--content", OTHER);
        let stray = Stray::start(&rig.data("n3"), &other);
        let words = ["cannot join yet", &address, "the content (areas)"];
        stray.says(&words).await;
        drop(stray);
        // The name of another member, in another directory.
        let same = with(arguments.clone(), "--node", "n2");
        let stray = Stray::start(&rig.data("n4"), &same);
        let words = ["cannot join yet", &address, "a node of this name is up"];
        stray.says(&words).await;
        drop(stray);
        // Its own address.
        let own = free_address();
        let itself = with(arguments.clone(), "--cluster", &own);
        let itself = with(itself, "--join", &own);
        let stray = Stray::start(&rig.data("n5"), &itself);
        stray
            .says(&["--join", &own, "which is this node itself"])
            .await;
        drop(stray);
        // A node of another cluster, which finds nobody there and is sent here.
        let store = format!("store.url={}", other_database());
        let mut foreign = with(with(arguments, "--node", "n6"), "--set", &store);
        let data = rig.data("n6");
        let founds = ["cluster", "init", "--node", "n6", "--name", "elsewhere"];
        let output = run(&[&founds, &["--data", data.to_str().unwrap()][..]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        let own = free_address();
        let founder = Stray::start(&data, &with(foreign.clone(), "--cluster", &own));
        founder.says(&["node is up"]).await;
        foreign = with(foreign, "--node", "n7");
        let data = rig.data("n7");
        let member = Stray::start(&data, &with(foreign.clone(), "--join", &own));
        member.says(&["joined"]).await;
        drop((founder, member));
        let stray = Stray::start(&data, &foreign);
        let words = ["n7", "skerry", "elsewhere"];
        stray.says(&words).await;
        said(&rig.log_path("n1"), &words).await;
        drop(stray);
        until_it_plays(&mut ann, "still here").await;
        let status = rig.status("n1");
        assert_eq!(
            (status.up(), status.lives().len()),
            (2, 2),
            "{:#}",
            status.0
        );
    }

    /// A first frame of these versions.
    fn first_frame(min: u16, max: u16) -> Vec<u8> {
        let mut body = vec![1];
        body.extend(b"belay");
        body.extend(min.to_be_bytes());
        body.extend(max.to_be_bytes());
        body.extend(b"C and what no earlier version knows");
        let mut bytes = vec![b'C'];
        bytes.extend(u32::try_from(body.len()).unwrap().to_be_bytes());
        bytes.extend(body);
        bytes
    }

    fn connect(address: &str) -> TcpStream {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(SAYS)).unwrap();
        stream
    }

    #[tokio::test]
    async fn garbage_other_versions_and_silence_at_the_port_of_a_node_harm_nobody() {
        let Some(rig) = Rig::start(2).await else {
            return;
        };
        let arguments = rig.arguments("n3");
        let address = value(&arguments, "--join");
        let log = rig.log_path("n1");
        let mut ann = rig.player("n1", "Ann").await;
        let mut bob = rig.player("n2", "Bob").await;
        ann.expect("Bob comes into the game.").await.unwrap();
        for (min, max) in [(0, 0), (999, 1_000)] {
            let mut stream = connect(address);
            stream.write_all(&first_frame(min, max)).unwrap();
            let mut answer = Vec::new();
            drop(stream.read_to_end(&mut answer));
            let answer = String::from_utf8_lossy(&answer);
            let told = "share no version of the protocol";
            assert!(answer.contains(told), "{answer:?}");
        }
        said(&log, &["no wire", "127.0.0.1", "versions 999 to 1000"]).await;
        let half_open: Vec<TcpStream> = (0..20).map(|_| connect(address)).collect();
        let mut begun = connect(address);
        begun.write_all(&first_frame(1, 1)[..9]).unwrap();
        for garbage in [
            &b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"[..],
            &[0xff; 4_096],
            b"C\0\0\0\x01\xee",
            &[&b"C\x16\x03\x01"[..], &[7; 600]].concat(),
        ] {
            let mut stream = connect(address);
            drop(stream.write_all(garbage));
            // Closed, however much of it was read.
            drop(stream.read_to_end(&mut Vec::new()));
        }
        said(&log, &["no wire", "127.0.0.1", "garbage"]).await;
        for number in 0..20 {
            let line = format!("line {number}");
            let answer = format!("You say, \"{line}\"");
            bob.ask(&format!("say {line}"), &answer).await.unwrap();
            ann.expect(&format!("Bob says, \"{line}\"")).await.unwrap();
        }
        drop((half_open, begun));
        let status = rig.status("n2");
        assert_eq!(
            (status.up(), status.lives()),
            (2, vec![1, 1]),
            "{:#}",
            status.0
        );
    }

    #[tokio::test]
    async fn of_a_data_directory_that_was_copied_one_process_stays_and_the_other_says_why_not() {
        let Some(rig) = Rig::start(3).await else {
            return;
        };
        let status = rig.until("n1", "a leader", |it| it.leader().is_some());
        let leader = status.await.leader().unwrap().to_owned();
        let mut followers = ["n1", "n2", "n3"].into_iter().filter(|it| *it != leader);
        let (copied, near) = (followers.next().unwrap(), followers.next().unwrap());
        rig.place("zone:isle", copied).await;
        let mut ann = rig.player(near, "Ann").await;
        let data = rig.data("copy");
        rig.signal(copied, "-STOP");
        let mut copying = Command::new("cp");
        copying.arg("-r").args([rig.data(copied), data.clone()]);
        let copying = copying.status();
        assert!(copying.unwrap().success());
        let arguments = with(rig.arguments(copied), "--cluster", "127.0.0.1:0");
        let _copy = Stray::start(&data, &arguments);
        rig.until(near, "the copy is known", |status| {
            status.lives().iter().sum::<u64>() == 4
        })
        .await;
        rig.signal(copied, "-CONT");
        // Whoever started later is the node; nobody listens to the other any more.
        let log = rig.log_path(copied);
        let told = format!("a later start of node {copied} is known (2 against 1)");
        said(&log, &["no wire", &told]).await;
        said(&log, &["the lease has lapsed: all shards are stopped"]).await;
        rig.until(near, "all are up and at work", |status| {
            status.up() == 3 && status.are_all_placed()
        })
        .await;
        until_it_plays(&mut ann, "still here").await;
    }

    #[tokio::test]
    async fn a_node_whose_log_is_torn_stops_and_comes_back_as_another_member() {
        let Some(mut rig) = Rig::start(2).await else {
            return;
        };
        let mut ann = rig.player("n1", "Ann").await;
        let arguments = rig.arguments("n2");
        let torn = rig.data("n2").join("cluster/raft.redb");
        rig.kill("n2");
        let whole = std::fs::read(&torn).unwrap();
        let half = whole.len() / 2;
        let garbled: Vec<u8> = whole[..half].iter().map(|byte| !byte).collect();
        for contents in [&whole[..half], &garbled, b""] {
            std::fs::write(&torn, contents).unwrap();
            let mut stray = Stray::start(&rig.data("n2"), &arguments);
            assert_ne!(stray.ends().await, Some(0));
            let path = torn.to_str().unwrap();
            let words = ["belay: ", path, "let it join as a new node"];
            stray.says(&words).await;
        }
        until_it_plays(&mut ann, "still here").await;
        // As it was told to the operator.
        std::fs::rename(rig.data("n2"), rig.data("old")).unwrap();
        rig.until("n1", "n2 is given up", |it| it.phase("n2") != Some("Up"))
            .await;
        let output = rig.belay("n1", &["cluster", "forget", "n2"]);
        assert!(output.status.success(), "{}", stderr(&output));
        rig.start_node("n2");
        let status = rig
            .until("n1", "n2 is up again", |it| it.phase("n2") == Some("Up"))
            .await;
        let nodes = status.0["nodes"].as_array().unwrap().iter();
        let numbers: Vec<_> = nodes.map(|node| node["number"].as_u64()).collect();
        assert_eq!(numbers, [Some(1), Some(3)], "never under its old number");
        until_it_plays(&mut ann, "again").await;
    }
}
