//! `[pure]` What the login dialogue wants done, and what comes back.

use crate::being::Item;
use crate::event::{Event, Text};
use crate::ids::{AccountId, CharacterId, RoomId};
use crate::session::{Secret, Settings};

/// An account as the dialogue needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountFound {
    /// Its number.
    pub id: AccountId,
    /// Its name as it is shown.
    pub name: Text,
    /// The password's hash.
    pub hash: Secret,
    /// Staff rights.
    pub staff: bool,
}

/// A character to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CharacterFound {
    /// Its number.
    pub id: CharacterId,
    /// Its name.
    pub name: Text,
}

/// All that is needed to enter the game.
#[derive(Clone, Debug, PartialEq)]
pub struct Entering {
    /// The character's name.
    pub name: Text,
    /// The account and the character; `None` for a guest.
    pub account: Option<(AccountId, CharacterId)>,
    /// The account's name.
    pub account_name: Text,
    /// Staff rights.
    pub staff: bool,
    /// The room where the character was; `None`: a start room.
    pub room: Option<RoomId>,
    /// What it carries.
    pub items: Vec<Item>,
    /// What the player chose.
    pub settings: Settings,
    /// Seconds in play so far.
    pub played_s: u64,
    /// The character was here before.
    pub back: bool,
}

/// What the dialogue wants done.
#[derive(Clone, Debug, PartialEq)]
pub enum LoginEffect {
    /// Show this.
    Show(Event),
    /// Show or hide what is typed.
    Hide(bool),
    /// Find this account, and whether it is banned.
    FindAccount(Text),
    /// May this account be tried from this address now? The answer is [`LoginAnswer::Wait`].
    MayTry(Text),
    /// Check this password in the login pool.
    Verify(Secret, Secret),
    /// Hash this password in the login pool.
    Hash(Secret),
    /// A wrong password for this account.
    Failed(Text),
    /// Make an account with this hash.
    CreateAccount(Text, Secret),
    /// Find the characters of the account.
    FindCharacters(AccountId),
    /// Make a character.
    CreateCharacter(AccountId, Text),
    /// Find out whose token this is, and use it up.
    Redeem(Secret),
    /// Claim the account for this character, take its session over, or load the character.
    Claim(Box<AccountFound>, CharacterFound),
    /// Enter as a guest.
    EnterGuest,
    /// The player in the queue does not lose time, or does again.
    Clock {
        /// The login deadline runs.
        running: bool,
    },
    /// Switch the connection to screen-reader mode.
    ScreenReader,
    /// Show this and close.
    Close(Event),
}

/// Effects of one step, in order.
pub type LoginEffects = Vec<LoginEffect>;

/// What comes back.
#[derive(Debug)]
pub enum LoginAnswer {
    /// The account, if there is one.
    Account(Option<AccountFound>),
    /// It is banned, with the reason.
    Banned(Text),
    /// It may be tried after so many seconds; 0: now.
    Wait(u64),
    /// Whether the password was right.
    Verified(bool),
    /// The hash.
    Hashed(Secret),
    /// The account is made, or the name was taken meanwhile.
    AccountCreated(Option<AccountFound>),
    /// The characters.
    Characters(Vec<CharacterFound>),
    /// The character is made, or the name was taken.
    CharacterCreated(Option<CharacterFound>),
    /// Whose token it was.
    Redeemed(Option<(AccountFound, CharacterFound)>),
    /// The place in the login pool's queue.
    InLine(u32),
    /// The login pool is full, or the store does not answer.
    Busy,
    /// The character is loaded; this ends the dialogue.
    Loaded(Box<Entering>),
}
