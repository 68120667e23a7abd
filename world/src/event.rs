//! `[pure]` Everything a player can be shown, as data. Rooms and sessions decide *what* happened;
//! only `view` knows how it reads. An event for the one who acted ("You say") and the event for
//! those who see it ("Ann says") are two variants, so that the second is equal for all of them and
//! can be rendered once.

use crate::bridge::Shown;
use crate::ids::{Direction, RoomId};
use crate::talk::{Speaker, Talk};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A name or short text that many hold.
pub type Text = Arc<str>;

/// One thing that a player is shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// What stands in the room, after `look`, a move or a login.
    RoomSeen(Box<RoomSeen>),
    /// A closer look at a thing, person or feature.
    ThingSeen {
        /// What it is called, as it stands in a sentence ("a brass lantern").
        name: Text,
        /// What one sees.
        description: Text,
    },
    /// A look through an exit.
    WaySeen {
        /// The direction looked in.
        way: Direction,
        /// The room there, or that there is no exit.
        room: Option<RoomId>,
    },
    /// The list of exits with where they lead.
    ExitsListed(Vec<(Direction, RoomId)>),
    /// Something the player did worked; the own view of it.
    Did(Did),
    /// Something that others do, as every bystander reads it.
    Seen(Seen),
    /// A private word or a thing handed over, to the one it is meant for.
    Received(Received),
    /// What is said on channels, and what there is to know of them.
    Talk(Talk),
    /// What is to be told of other games.
    Bridge(Shown),
    /// What was asked cannot be done, and why.
    Refused(Refusal),
    /// Lists and facts on demand.
    Told(Told),
    /// Lines and prompts of the login dialogue and of password changes.
    Login(LoginEvent),
    /// What the node says of itself.
    System(SystemEvent),
}

/// A room as one viewer sees it. Name, description and exits stand in the content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoomSeen {
    /// Which room.
    pub room: RoomId,
    /// Other players, at most [`RoomSeen::PEOPLE_MAX`], in a stable order.
    pub people: Vec<PersonSeen>,
    /// How many more players stand here.
    pub people_more: u32,
    /// Names of mobs ("a harbour cat").
    pub mobs: Vec<Text>,
    /// The lines of things on the floor ("A brass lantern stands here.") with how many of it.
    pub items: Vec<(Text, u32)>,
}

impl RoomSeen {
    /// Players named in one look; the rest is a number.
    pub const PEOPLE_MAX: usize = 15;
}

/// A player in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PersonSeen {
    /// The character's name.
    pub name: Text,
    /// Away from the keyboard.
    pub away: bool,
    /// Without a connection just now.
    pub linkdead: bool,
}

/// What the player did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Did {
    /// Said something.
    Say(Text),
    /// Emoted; the text follows the name.
    Emote(Text),
    /// Told somebody something.
    Tell {
        /// To whom.
        to: Text,
        /// The words.
        text: Text,
        /// The one told is marked away, with this message.
        away: Option<Text>,
    },
    /// Took something.
    Get(Text),
    /// Dropped something.
    Drop(Text),
    /// Gave something to somebody.
    Give {
        /// What.
        item: Text,
        /// To whom.
        to: Text,
    },
    /// Is away now, with this message (empty: none).
    Away(Text),
    /// Is back.
    Back,
    /// Changed the colour setting; its name ("16", "off").
    Color(Text),
    /// Switched the screen-reader mode on or off.
    ScreenReader(bool),
    /// Changed the password.
    Password,
    /// Leaves the game.
    Quit,
    /// Staff: removed a player from the game.
    Kick(Text),
    /// Staff: banned a name, account or address.
    Ban(Text),
    /// Staff: sent a crash to a process.
    Crash(Text),
    /// Staff: asked for the node to stop.
    Shutdown,
}

/// What bystanders see. Each reads the same for everybody who is not part of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Seen {
    /// Somebody speaks.
    Says {
        /// Who.
        who: Text,
        /// The words.
        text: Text,
    },
    /// Somebody emotes.
    Emotes {
        /// Who.
        who: Text,
        /// What follows the name.
        text: Text,
    },
    /// Somebody walks in. `None`: by no exit that could be named.
    Arrives {
        /// Who.
        who: Text,
        /// The way they went to get here.
        went: Option<Direction>,
    },
    /// Somebody walks out.
    Leaves {
        /// Who.
        who: Text,
        /// Which way.
        went: Option<Direction>,
    },
    /// Somebody comes into the game here.
    Wakes(Text),
    /// Somebody leaves the game here.
    Sleeps(Text),
    /// Somebody appears from nowhere (recall, staff).
    Appears(Text),
    /// Somebody vanishes (recall, staff).
    Vanishes(Text),
    /// Somebody's connection broke.
    LosesLink(Text),
    /// Somebody's connection is back.
    RegainsLink(Text),
    /// Many came within one tick of a crowded room: some names and how many more.
    ManyArrive(Vec<Text>, u32),
    /// Many left within one tick of a crowded room.
    ManyLeave(Vec<Text>, u32),
    /// Somebody takes something.
    Gets {
        /// Who.
        who: Text,
        /// What.
        item: Text,
    },
    /// Somebody drops something.
    Drops {
        /// Who.
        who: Text,
        /// What.
        item: Text,
    },
    /// Somebody gives something to somebody else.
    Gives {
        /// Who.
        who: Text,
        /// What.
        item: Text,
        /// To whom.
        to: Text,
    },
    /// Something appears on the floor by itself.
    ItemAppears(Text),
    /// The room was restarted after a fault.
    Trembles,
}

/// What reaches one player alone.
#[derive(Clone, Debug, PartialEq)]
pub enum Received {
    /// A private word.
    Tell {
        /// From whom.
        from: Speaker,
        /// The words.
        text: Text,
    },
    /// A thing.
    Item {
        /// From whom.
        from: Text,
        /// What.
        item: Text,
    },
}

/// Why something was not done. Each reads as one helpful line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Refusal {
    /// No such word; words that are near it.
    UnknownVerb {
        /// What was typed.
        word: Text,
        /// Near words.
        near: Vec<Text>,
    },
    /// The verb wants more words ("Say what?").
    Missing(Text),
    /// There is no exit that way.
    NoExit(Direction),
    /// Nothing of that name is here.
    NotHere(Text),
    /// The player carries nothing of that name.
    NotCarried(Text),
    /// It cannot be taken.
    NotTakeable(Text),
    /// The hands are full.
    HandsFull,
    /// The receiver's hands are full or they want nothing.
    WillNotTake(Text),
    /// Nobody of that name plays.
    NobodyCalled(Text),
    /// They cannot listen just now (their queue is full).
    CannotListen(Text),
    /// The node on which they play cannot be reached just now.
    OutOfReach(Text),
    /// Nobody has told the player anything yet.
    NobodyToReplyTo,
    /// There is no channel of that name.
    NoChannel(Text),
    /// Said more on channels than others can read.
    TalksTooFast,
    /// The channel has too much to tell.
    ChannelBusy,
    /// The node that looks after the channel cannot be reached just now.
    ChannelOut,
    /// The message met a crash of the channel and is lost.
    ChannelBroke,
    /// The player ignores them already.
    IgnoredAlready,
    /// The ignore list is full; it holds so many.
    IgnoresTooMany(u32),
    /// The player does not ignore them.
    NotIgnored,
    /// The room has too much to do.
    TooCrowded,
    /// The room on the other side is closed.
    WayClosed,
    /// The message met a crash and is lost.
    GotLost,
    /// No answer came in time.
    NoAnswer,
    /// It could not be saved, so it did not happen.
    NotSaved,
    /// Guests cannot do that.
    GuestsCannot,
    /// The present password that was typed is another.
    NotYourPassword,
    /// Only staff may.
    StaffOnly,
    /// Typed faster than the node reads; lines were dropped.
    TooFast,
    /// The line was too long and was cut to this many bytes.
    LineCut(u32),
    /// An address, name or number that cannot be read, with what is allowed.
    BadArgument {
        /// What was given.
        given: Text,
        /// What would be right.
        allowed: Text,
    },
    /// There is no help on this; near topics.
    NoHelp {
        /// What was asked for.
        topic: Text,
        /// Near topics.
        near: Vec<Text>,
    },
    /// Nobody knows just now on which node the place is.
    PlaceOutOfReach,
    /// The thing is on record as somebody else's.
    SomebodyElses,
}

/// Lists and facts.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// Who plays: a part of the list and how many in all.
    Who {
        /// The players named.
        people: Vec<PersonSeen>,
        /// All who play.
        total: u32,
    },
    /// What the player carries, with how many of it.
    Inventory(Vec<(Text, u32)>),
    /// The player's sheet.
    Score(Box<Score>),
    /// A help text by topic; the text stands in `command::help`.
    Help(Text),
    /// The present colour setting and whether the client or the player chose it.
    ColorIs(Text),
    /// Whether the screen-reader mode is on.
    ScreenReaderIs(bool),
    /// The token with which this session can be resumed.
    ResumeToken(Text),
    /// That nothing happened (an empty line): only the prompt.
    Nothing,
}

/// What `score` shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// The name.
    pub name: Text,
    /// A guest: nothing is saved.
    pub guest: bool,
    /// Staff rights.
    pub staff: bool,
    /// Where.
    pub room: Option<RoomId>,
    /// Things carried.
    pub items: u32,
    /// Seconds in play, in all sessions of this character.
    pub played_s: u64,
}

/// The login dialogue.
#[derive(Clone, Debug, PartialEq)]
pub enum LoginEvent {
    /// The first text of a connection.
    Greeting,
    /// `Name (or "guest"): `, or without the hint where guests are not let in.
    AskName {
        /// Guests are let in.
        guests: bool,
    },
    /// No account of that name: create it?
    AskCreate(Text),
    /// `Password: `
    AskPassword,
    /// `New password: `
    AskNewPassword,
    /// `Repeat the password: `
    AskRepeat,
    /// `Character name: `
    AskCharacterName,
    /// The list of characters and the question which.
    AskCharacter(Vec<Text>),
    /// Answer yes or no.
    YesOrNo,
    /// The name cannot be used, and why.
    BadName(Text),
    /// The password cannot be used, and why.
    BadPassword(Text),
    /// The two passwords differ.
    PasswordsDiffer,
    /// That name or password is wrong.
    Wrong,
    /// The name was taken meanwhile.
    NameTaken(Text),
    /// No such character in the list.
    NoSuchCharacter,
    /// The resume token is unknown, used or too old.
    BadToken,
    /// Too many failures: wait this many seconds.
    SlowDown(u64),
    /// The place in the login queue; 1 is the next.
    InLine(u32),
    /// The account is being looked after elsewhere, which takes a while.
    Waiting,
    /// The login queue or the game is full.
    Busy,
    /// No guests here.
    NoGuests,
    /// Banned, with the reason.
    Banned(Text),
    /// The client shows what is typed at a password prompt.
    EchoWarning,
    /// Took too long.
    TooSlow,
    /// In: the name, and whether they were here before.
    Welcome {
        /// The character's name.
        name: Text,
        /// Was here before.
        back: bool,
    },
    /// The session goes on, on this connection.
    Resumed {
        /// The character's name.
        name: Text,
        /// How many texts were missed and are not shown.
        missed_more: u32,
    },
}

/// What the node says of itself.
#[derive(Clone, Debug, PartialEq)]
pub enum SystemEvent {
    /// Ambient texts were dropped.
    LostTrack,
    /// The session crashed on the last line and is back.
    SessionRestarted,
    /// The room the player stood in closed; they are elsewhere.
    RoomClosed,
    /// No open room is left to stand in; the session tries again.
    Adrift,
    /// The connection was taken over by another login.
    TakenOver,
    /// Removed by staff, with the reason.
    Kicked(Text),
    /// The node stops.
    ShuttingDown,
    /// The node stops, and others go on.
    NodeStops,
    /// Too idle or otherwise cut off, with the reason.
    Goodbye(Text),
    /// Answer to AYT.
    Alive,
    /// The database is out of reach; what cannot be lost waits.
    StoreSlow,
    /// The room where the player comes into the game is out of reach; they wait for it.
    PlaceAwaited,
    /// They have waited too long, and come in elsewhere.
    PlaceGivenUp,
    /// What the player did waits for a zone that is out of reach.
    DeedWaits,
}
