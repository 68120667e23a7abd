//! `[edge]` A game with a client, in a tree that bears no restart.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use belay_gossip::Credentials;
use belay_gossip::client::{Client, ClientOptions, ClientStatus, News, Port};
use belay_runtime::{
    Backoff, Capacity, ChildSpec, Incoming, Intensity, Mailbox, Node, Strategy, Supervisor,
    TreeNode,
};
use tokio::sync::mpsc;

use crate::hub::{Hub, LONG, soon};

pub(crate) struct Scene {
    pub(crate) node: Node,
    pub(crate) client: Client,
    pub(crate) game: Arc<Game>,
    news: mpsc::Receiver<News>,
    /// All that was looked at.
    pub(crate) seen: Vec<News>,
}

pub(crate) struct Game {
    news: mpsc::Sender<News>,
    pub(crate) players: Mutex<Vec<String>>,
}

impl Port for Game {
    fn players(&self) -> Vec<String> {
        self.players.lock().unwrap().clone()
    }

    fn deliver(&self, news: News) {
        self.news.try_send(news).unwrap();
    }
}

/// Has little patience with a hub, and tries again only when it is told to.
pub(crate) fn options() -> ClientOptions {
    let ms = Duration::from_millis;
    ClientOptions {
        backoff: Backoff {
            first: LONG * 10,
            factor: 1.0,
            max: LONG * 10,
            jitter: 0.0,
        },
        connect_within: ms(500),
        authenticate_within: ms(500),
        answer_within: ms(300),
        write_within: ms(300),
        ..ClientOptions::default()
    }
}

impl Scene {
    /// A game with a client of this hub.
    pub(crate) async fn new(options: ClientOptions, credentials: Credentials) -> Self {
        let scene = Self::unconfigured(options).await;
        scene.client.configure(Some(credentials));
        scene
    }

    pub(crate) async fn unconfigured(options: ClientOptions) -> Self {
        let (sender, news) = mpsc::channel(100_000);
        let game = Arc::new(Game {
            news: sender,
            players: Mutex::new(vec!["Ann".to_owned()]),
        });
        let client = Client::new(options, Arc::<Game>::clone(&game));
        let mailbox = Mailbox::<()>::new(Capacity::new(1));
        let sibling = ChildSpec::body("sibling", &mailbox, |mut ctx| async move {
            while !matches!(ctx.next().await, Incoming::Shutdown) {}
            Ok(())
        });
        let tree = Supervisor::builder("node")
            .strategy(Strategy::OneForAll)
            .intensity(Intensity::new(0, LONG))
            .child(sibling)
            .child(client.spec());
        Self {
            node: Node::start(tree).await.unwrap(),
            client,
            game,
            news,
            seen: Vec::new(),
        }
    }

    /// The next news that is as wanted; those before it are kept in `seen`.
    pub(crate) async fn sees(&mut self, what: &str, wanted: impl Fn(&News) -> bool) -> News {
        loop {
            let news = soon(what, self.news.recv()).await.unwrap();
            self.seen.push(news.clone());
            if wanted(&news) {
                return news;
            }
        }
    }

    /// Tries again, and is let in by a hub that is well; the end.
    pub(crate) async fn recovers(mut self, hub: &Hub) {
        self.client.retry();
        let _peer = hub.welcome("").await;
        self.status("online").await;
        self.end().await;
    }

    /// Waits until the client waits for its next try, and for why.
    pub(crate) async fn fails(&mut self, reason: &str) {
        assert_eq!(self.status("waiting").await, reason);
        let detail = self.tether().detail.unwrap();
        assert!(detail.contains("cut, next try in"), "{detail}");
        assert!(detail.contains(reason), "{detail}");
        assert!(!detail.contains("hush"), "{detail}");
    }

    /// Waits for a status of which this is the word, and gives its reason.
    pub(crate) async fn status(&mut self, word: &str) -> String {
        let wanted = |news: &News| matches!(news, News::Status(status) if status.word() == word);
        let news = self.sees(word, wanted).await;
        if let News::Status(
            ClientStatus::Waiting { reason, .. } | ClientStatus::Rejected { reason, .. },
        ) = news
        {
            reason
        } else {
            String::new()
        }
    }

    pub(crate) fn tether(&self) -> TreeNode {
        find(&self.node.tree(), "gossip:tether").expect("there is a tether")
    }

    /// Nothing but the socket ever ended; stops it all.
    pub(crate) async fn end(self) {
        let mut restarts = Vec::new();
        self.node.tree().visit(&mut |node| {
            if node.restarts > 0 {
                restarts.push(node.name.clone());
            }
        });
        assert_eq!(restarts, Vec::<String>::new(), "restarted");
        let report = self.node.stop(LONG).await;
        assert_eq!(report.not_stopped, Vec::<String>::new());
    }
}

fn find(tree: &TreeNode, name: &str) -> Option<TreeNode> {
    let mut found = None;
    tree.visit(&mut |node| {
        if &*node.name == name {
            found = Some(node.clone());
        }
    });
    found
}
