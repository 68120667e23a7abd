//! `[edge]` A listener with its connections and a session that only writes down what it hears.

use crate::connection::{ConnectionSettings, Door, Reception, Refused, acceptor};
use crate::content::World;
use crate::event::{Did, Event, LoginEvent, Seen, Told};
use crate::ring::{
    ConnectionMessage, ConnectionPort, Input, SessionMessage, SessionPort, Shown, TerminalNow,
};
use crate::view::Notice;
use belay_runtime::{
    Address, Capacity, ChildSpec, DynamicOptions, DynamicSupervisor, Incoming, Mailbox, Node,
    Supervisor,
};
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::timeout;

/// Longer than anything takes unless it hangs.
const PATIENCE: Duration = Duration::from_secs(20);

/// A gap that no test lives to see the end of.
pub(crate) const NEVER: Duration = Duration::from_secs(3_600);

pub(crate) struct Rig {
    pub(crate) node: Node,
    pub(crate) address: SocketAddr,
    ports: mpsc::Receiver<ConnectionPort>,
    pub(crate) session: Session,
}

/// A session that a test plays.
pub(crate) struct Session {
    pub(crate) port: SessionPort,
    pub(crate) mailbox: Mailbox<SessionMessage>,
    heard: mpsc::Receiver<SessionMessage>,
}

/// How a test speaks to a connection.
#[derive(Clone)]
pub(crate) struct Line(pub(crate) Address<ConnectionMessage>);

fn session(name: &str) -> (Session, ChildSpec) {
    let mailbox = Mailbox::new(Capacity {
        messages: 256,
        reserved: 80,
    });
    let (to, heard) = mpsc::channel(4_096);
    let spec = ChildSpec::body(name, &mailbox, move |mut ctx| {
        let to = to.clone();
        async move {
            loop {
                match ctx.next().await {
                    Incoming::Message(message) => to.send(message).await.unwrap(),
                    Incoming::Shutdown => return Ok(()),
                    Incoming::Timer(_) | Incoming::Signal(_) => {}
                }
            }
        }
    });
    (
        Session {
            port: mailbox.address(),
            mailbox,
            heard,
        },
        spec,
    )
}

impl Rig {
    pub(crate) async fn start(settings: ConnectionSettings, door: Door) -> Self {
        let (session, spec) = session("session");
        let (to, ports) = mpsc::channel(4_096);
        let port = session.port.clone();
        let start = Arc::new(move |connection| {
            to.try_send(connection)
                .map_or(Err(Refused::Busy), |()| Ok(port.clone()))
        });
        let connections = DynamicSupervisor::new("connections", DynamicOptions::default());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let reception = Reception::new(settings, world(), start, connections.clone());
        let tree = Supervisor::builder("node")
            .child(connections.spec())
            .child(spec)
            .child(acceptor("acceptor", listener, door, Arc::new(reception)));
        let node = Node::start(tree).await.unwrap();
        Self {
            node,
            address,
            ports,
            session,
        }
    }

    pub(crate) async fn telnet(settings: ConnectionSettings) -> Self {
        Self::start(settings, Door::Telnet).await
    }

    /// A client and the connection that serves it.
    pub(crate) async fn connect(&mut self) -> (Client, Line) {
        let client = Client::connect(self.address).await;
        (client, self.line().await)
    }

    /// The connection that came next.
    pub(crate) async fn line(&mut self) -> Line {
        Line(
            timeout(PATIENCE, self.ports.recv())
                .await
                .unwrap()
                .unwrap()
                .address,
        )
    }

    /// From now on nobody gets a session.
    pub(crate) fn fill(&mut self) {
        self.ports.close();
    }

    pub(crate) fn has_no_line(&mut self) -> bool {
        self.ports.try_recv().is_err()
    }
}

impl Session {
    /// The next thing that is not news of the terminal.
    pub(crate) async fn input(&mut self) -> Input {
        loop {
            let next = self.next().await;
            let SessionMessage::Input(_, input) = next else {
                panic!("not an input: {next:?}")
            };
            if !matches!(input, Input::Terminal(_)) {
                return input;
            }
        }
    }

    pub(crate) async fn line(&mut self) -> String {
        let input = self.input().await;
        let Input::Line { text, .. } = input else {
            panic!("not a line: {input:?}")
        };
        text
    }

    pub(crate) async fn closed(&mut self) {
        let input = self.input().await;
        assert!(matches!(input, Input::Closed), "not closed: {input:?}");
    }

    pub(crate) async fn terminal(&mut self) -> TerminalNow {
        let next = self.next().await;
        let SessionMessage::Input(_, Input::Terminal(now)) = next else {
            panic!("not a terminal: {next:?}")
        };
        now
    }

    /// Asserts that everything sent before this call was read: what comes next is our own mark.
    pub(crate) async fn nothing_more(&mut self) {
        self.port.send(SessionMessage::Crash).await.unwrap();
        let next = self.next().await;
        assert!(
            matches!(next, SessionMessage::Crash),
            "there is more: {next:?}"
        );
    }

    async fn next(&mut self) -> SessionMessage {
        timeout(PATIENCE, self.heard.recv())
            .await
            .expect("input comes")
            .unwrap()
    }
}

impl Line {
    pub(crate) fn send(&self, message: ConnectionMessage) {
        self.0.try_send_owed(message).unwrap();
    }

    pub(crate) fn show(&self, event: Event, lines_done: u16, prompt: bool) {
        self.send(ConnectionMessage::Show(Box::new(Shown {
            event,
            lines_done,
            prompt,
        })));
    }

    pub(crate) fn say(&self, text: &str, lines_done: u16) {
        self.show(Event::Did(Did::Say(text.into())), lines_done, true);
    }

    pub(crate) fn notice(&self, text: &str) {
        self.0.try_send(notice(text)).unwrap();
    }

    pub(crate) fn ask_name(&self) {
        self.show(Event::Login(LoginEvent::AskName { guests: true }), 0, false);
    }

    pub(crate) fn nothing(&self, lines_done: u16) {
        self.show(Event::Told(Told::Nothing), lines_done, false);
    }
}

pub(crate) fn notice(text: &str) -> ConnectionMessage {
    let seen = Seen::Says {
        who: "Bob".into(),
        text: text.into(),
    };
    ConnectionMessage::Notice(Arc::new(Notice::new(Event::Seen(seen))))
}

/// The player's end.
pub(crate) struct Client(pub(crate) BufReader<TcpStream>);

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        Self::over(TcpStream::connect(address).await.unwrap())
    }

    pub(crate) fn over(socket: TcpStream) -> Self {
        Self(BufReader::new(socket))
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).await.unwrap();
    }

    /// Reads until this was read; gives everything up to there.
    pub(crate) async fn until(&mut self, wanted: &[u8]) -> Vec<u8> {
        let mut all = Vec::new();
        while !all.ends_with(wanted) {
            let Ok(byte) = timeout(PATIENCE, self.0.read_u8()).await else {
                panic!(
                    "waits for {wanted:?}, has {:?}",
                    String::from_utf8_lossy(&all)
                );
            };
            all.push(byte.unwrap());
        }
        all
    }

    /// Reads to the end; a reset counts as the end.
    pub(crate) async fn rest(&mut self) -> Vec<u8> {
        let mut all = Vec::new();
        drop(
            timeout(PATIENCE, self.0.read_to_end(&mut all))
                .await
                .expect("the stream ends"),
        );
        all
    }

    /// Reads to the end, which must not be a reset.
    pub(crate) async fn clean_rest(&mut self) -> Vec<u8> {
        let mut all = Vec::new();
        let end = timeout(PATIENCE, self.0.read_to_end(&mut all))
            .await
            .expect("the stream ends");
        end.expect("the stream ends without a reset");
        all
    }

    /// Reads the offers of telnet.
    pub(crate) async fn opening(&mut self) {
        let offers = self.until(&[0xff, 0xfb, 0x19]).await;
        assert!(
            offers.starts_with(&[0xff]),
            "nothing comes before the offers"
        );
    }
}

pub(crate) fn world() -> Arc<World> {
    static WORLD: LazyLock<Arc<World>> = LazyLock::new(|| {
        let loaded = crate::content::load(&crate::content::embedded());
        Arc::new(loaded.map(|loaded| loaded.world).unwrap())
    });
    Arc::clone(&WORLD)
}
