//! `[process]` The bridge as others use it: sessions, staff, the operator and the tree. Nothing
//! here waits.

use super::joint::{Joint, JointNetwork};
use super::limits;
use super::message::{BridgeMessage, WatchMessage};
use super::network::Network;
use super::port::{Inlet, Lines};
use super::process::BridgeProcess;
use super::remote::{Meant, Other, Remote, game_called};
use super::shared::{BridgeRules, Shared};
use super::shown::{GameAbout, NotTold, Out, Shown};
use super::who::{RemoteWho, everywhere, of_game};
use crate::content::World;
use crate::event::Text;
use crate::ids::ChannelId;
use crate::node::{Found, Player, Players};
use crate::talk::Channels;
use crate::text::name_begins;
use belay_gossip::client::{Port, RemoteGame, Roster, Tell, TellAnswer};
use belay_runtime::{Address, Backoff, Capacity, ChildSpec, Intensity, Mailbox, Supervisor};
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::time::Instant;

/// A bridge that keeps crashing comes back later and later: lines and tells go on without it.
const BACKOFF: Backoff = Backoff {
    first: Duration::from_millis(20),
    factor: 4.0,
    max: Duration::from_secs(5),
    jitter: 0.5,
};

/// The bridge to other games. A clone is the same.
#[derive(Clone)]
pub struct Bridge {
    pub(super) shared: Arc<Shared>,
    pub(super) client: Arc<dyn Network>,
    pub(super) joint: Arc<JointNetwork>,
    pub(super) inlet: Inlet,
    mailbox: Mailbox<BridgeMessage>,
    pub(super) watch: Arc<OnceLock<Address<WatchMessage>>>,
}

/// A tell to a player of another game.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// Who sends.
    pub from: Text,
    /// `Name@Game`.
    pub to: Text,
    /// It is a whole name, not the beginning of one.
    pub whole: bool,
    /// The words.
    pub text: Text,
}

impl Bridge {
    /// A bridge that is on no network; it runs once [`Bridge::spec`] does. `client` makes its
    /// client, which is to bring its news to this port.
    pub fn new(
        world: Arc<World>,
        (players, channels): (Players, Channels),
        rules: BridgeRules,
        client: impl FnOnce(Arc<dyn Port>) -> Arc<dyn Network>,
    ) -> Self {
        let mailbox = Mailbox::with_kinds(Capacity {
            messages: limits::MAILBOX,
            reserved: limits::RESERVED,
        });
        let around = (players, channels.clone());
        let shared = Arc::new(Shared::new(world, around, rules, mailbox.address()));
        let joint = Arc::new(Joint::default());
        let inlet = Inlet::new(shared.clone(), joint.clone());
        let inner = client(Arc::new(inlet.clone()));
        let joint = Arc::new(JointNetwork { inner, joint });
        let client: Arc<dyn Network> = joint.clone();
        inlet.plug(&client);
        shared
            .remote_names()
            .for_each(|name| client.subscribe(name));
        let out = Lines {
            shared: shared.clone(),
            client: client.clone(),
        };
        if !channels.plug(Arc::new(out)) {
            tracing::error!(target: "belay_world", "the channels have an outlet already");
        }
        Self {
            shared,
            client,
            joint,
            inlet,
            mailbox,
            watch: Arc::default(),
        }
    }

    /// The branch of the tree: the bridge's process, what else the caller has (what reads the
    /// credentials), and the client.
    pub fn spec(&self, more: impl Fn() -> Vec<ChildSpec> + Send + 'static) -> ChildSpec {
        let bridge = self.clone();
        ChildSpec::supervisor("bridge", move || {
            let (shared, client) = (bridge.shared.clone(), bridge.client.clone());
            let process = ChildSpec::process("gossip:bridge", &bridge.mailbox, move || {
                BridgeProcess::new(shared.clone(), client.clone())
            });
            Supervisor::builder("bridge")
                .child(process.intensity(Intensity::UNLIMITED).backoff(BACKOFF))
                .children(more())
                .child(bridge.client.spec())
        })
    }
}

/// For sessions.
impl Bridge {
    /// A player came into the game.
    pub fn entered(&self, player: &Player) {
        self.client.sign_in(&player.name);
    }

    /// A player leaves the game. To be called before the entry in the list of players ends.
    pub fn left(&self, name: &str) {
        // A newer session of the character may play on another node.
        if !matches!(self.shared.players.locate(name), Some(Found::There(_))) {
            self.client.sign_out(name);
        }
    }

    /// Whether players are told who comes and goes elsewhere, unless they chose themselves.
    pub fn tells_notices(&self) -> bool {
        self.shared.rules.notices
    }

    /// A player is on this channel from now on; what they have to be told of it.
    pub fn joined(&self, who: &Text, channel: ChannelId) -> Option<Shown> {
        let remote = self.shared.world.channel(channel)?.remote.is_some();
        let now = Instant::now().into_std();
        let told = remote && self.shared.outage().tell_comer(who, now);
        told.then_some(Shown::Out(Out::OfReach))
    }

    /// Tells a player of another game something. The answer comes once: at once, or when the
    /// network has said what became of it.
    pub fn tell(
        &self,
        sender: &Player,
        tell: Outgoing,
        ignores: impl Fn(&Remote) -> bool,
        answer: impl FnOnce(Shown) + Send + 'static,
    ) {
        let Some(to) = Remote::parse(&tell.to) else {
            let why = "name a player and a game, as in tell bo@othergame hello";
            return answer(Shown::NotDone(why.into()));
        };
        // The network would bring it back, past what players here ignore.
        if self.shared.is_ours(&to.game) {
            let why = NotTold::Here;
            return answer(Shown::NotTold { to, why });
        }
        let to = match self.meant(to, tell.whole) {
            Ok(to) => to,
            Err(several) => return answer(several),
        };
        if let Some(why) = self.refusal(sender, &to, ignores) {
            return answer(Shown::NotTold { to, why });
        }
        let message = Tell {
            from_name: tell.from.to_string(),
            to_name: to.name.to_string(),
            to_game: to.game.to_string(),
            message: tell.text.to_string(),
        };
        let (shared, text) = (self.shared.clone(), tell.text);
        let told = move |outcome| {
            answer(match not_told(&shared, outcome) {
                None => {
                    shared.counts.tells_out.add();
                    Shown::Told { to, text }
                }
                Some(why) => Shown::NotTold { to, why },
            });
        };
        self.client.tell(message, Box::new(told));
    }

    /// Who plays elsewhere: everywhere, those whose name begins so, or in one game (`@game`,
    /// `an@game`).
    pub fn who(&self, asked: Option<&str>) -> Option<Shown> {
        let roster = self.client.roster();
        let others = others(&roster);
        let staff = self.shared.staff();
        let (prefix, game) = match asked.and_then(|asked| asked.rsplit_once('@')) {
            Some((prefix, game)) => (Some(prefix), Some(game)),
            None => (asked, None),
        };
        let Some(game) = game.filter(|game| !game.is_empty()) else {
            let list = everywhere(&others, prefix, &staff);
            let asked_for = game.map(|_| RemoteWho::default());
            return list.or(asked_for).map(Shown::Who);
        };
        Some(match game_called(&others, game) {
            Err(several) => Shown::Several(several),
            Ok(found) => {
                let found = found.filter(|found| !staff.blocks(found));
                let other = others
                    .iter()
                    .find(|other| Some(other.game) == found.as_deref());
                match other {
                    Some(other) => {
                        let prefix = prefix.unwrap_or_default();
                        let begins = |name: &&String| name_begins(name, prefix);
                        let players: Vec<&String> = other.players.iter().filter(begins).collect();
                        Shown::Who(of_game(&Other {
                            game: other.game,
                            players: &players,
                        }))
                    }
                    None => Shown::NoGame(super::shorten(game)),
                }
            }
        })
    }

    /// The games of the network, those whose name begins so.
    pub fn games(&self, prefix: Option<&str>) -> Shown {
        let roster = self.client.roster();
        let staff = self.shared.staff();
        let prefix = prefix.unwrap_or_default();
        let wanted = roster
            .games()
            .iter()
            .filter(|game| !staff.blocks(&game.name) && name_begins(&game.name, prefix));
        let all: Vec<&Arc<RemoteGame>> = wanted.collect();
        if let Some(out) = self.shared.out().filter(|_| all.is_empty()) {
            return Shown::Unknown(out);
        }
        if all.is_empty() && !prefix.is_empty() {
            return Shown::NoGame(super::shorten(prefix));
        }
        let more = all.len().saturating_sub(limits::WHO_GAMES_MAX);
        let named = all.iter().take(limits::WHO_GAMES_MAX);
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        Shown::Games(named.map(|game| about(game)).collect(), more)
    }

    fn meant(&self, typed: Remote, whole: bool) -> Result<Remote, Shown> {
        if whole {
            return Ok(typed);
        }
        let roster = self.client.roster();
        match typed.complete(&others(&roster)) {
            Meant::One(to) => Ok(to),
            Meant::Games(games) => Err(Shown::Several(games)),
            Meant::Players(players) => {
                let names = players.iter().map(|player| player.to_string().into());
                Err(Shown::Several(names.collect()))
            }
        }
    }

    fn refusal(
        &self,
        sender: &Player,
        to: &Remote,
        ignores: impl Fn(&Remote) -> bool,
    ) -> Option<NotTold> {
        let shared = &self.shared;
        if let Some(out) = shared.out() {
            return Some(NotTold::Out(out));
        }
        if let Some(reason) = shared.muted(&sender.name) {
            return Some(NotTold::Muted(reason));
        }
        if sender.is_guest() && !shared.rules.guests_speak {
            return Some(NotTold::Guest);
        }
        if shared.staff().blocks_player(to) {
            return Some(NotTold::Blocked);
        }
        ignores(to).then_some(NotTold::Ignored)
    }
}

impl fmt::Debug for Bridge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bridge").finish_non_exhaustive()
    }
}

fn others(roster: &Roster) -> Vec<Other<'_, String>> {
    let games = roster.games().iter();
    games
        .map(|game| Other {
            game: &game.name,
            players: &game.players,
        })
        .collect()
}

fn about(game: &RemoteGame) -> GameAbout {
    let players = u64::try_from(game.players.len()).unwrap_or(u64::MAX);
    GameAbout {
        game: super::shorten(&game.name),
        title: game.display_name.as_deref().map(super::shorten),
        address: game.address.as_deref().map(Text::from),
        players: game.count.max(players),
    }
}

/// Why the tell was not told, in our words.
fn not_told(shared: &Shared, answer: TellAnswer) -> Option<NotTold> {
    Some(match answer {
        TellAnswer::Sent => return None,
        TellAnswer::UnknownGame | TellAnswer::GameOffline => NotTold::NoGame,
        TellAnswer::NotSupported => NotTold::NotSupported,
        TellAnswer::PlayerOffline => NotTold::NotThere,
        TellAnswer::SenderOffline => NotTold::SenderUnknown,
        TellAnswer::Offline => NotTold::Out(shared.out().unwrap_or(Out::OfReach)),
        TellAnswer::TimedOut => NotTold::TimedOut,
        TellAnswer::Refused(reason) => NotTold::Refused(reason.as_str().into()),
    })
}
