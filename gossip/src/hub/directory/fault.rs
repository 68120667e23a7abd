//! `[pure]` What is wrong with something an operator wants to register.

use crate::limits::{
    DESCRIPTION_MAX, DISPLAY_NAME_MAX, PLAYER_NAME_MAX, REASON_MAX, SHORT_NAME_MAX, URL_BYTES_MAX,
};

/// A refusal; its text is for the operator. All of them are **refused**: the input's fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Not a short name.
    #[error("a game's name is 1 to {SHORT_NAME_MAX} letters and digits (A-Z a-z 0-9)")]
    ShortName,
    /// The network keeps this name for itself.
    #[error("this name is reserved")]
    ReservedName,
    /// Another game has it, perhaps in another case.
    #[error("another game has this name")]
    NameTaken,
    /// Not a display name.
    #[error("a display name is 1 to {DISPLAY_NAME_MAX} characters in one line")]
    DisplayName,
    /// Not a description.
    #[error("a description is at most {DESCRIPTION_MAX} characters without control characters")]
    Description,
    /// Not the address of a page.
    #[error(
        "a page's address starts with http:// or https:// and has at most {URL_BYTES_MAX} bytes"
    )]
    Url,
    /// Not a host and a port.
    #[error("an address to connect to is HOST:PORT, for example mud.example.org:4000")]
    HostPort,
    /// A port of the web.
    #[error("ports 80 and 443 are not for telnet")]
    WebPort,
    /// Two ways to connect of one type.
    #[error("a game has at most one address of each type: telnet, secure telnet, web")]
    ConnectionTwice,
    /// Not something to ban.
    #[error(
        "ban a game as @Game, a player as Name@Game, a name in all games as Name, \
         an address as 192.0.2.7 or a network as 192.0.2.0/24"
    )]
    Ban,
    /// Not a player's name.
    #[error(
        "a player's name has 1 to {PLAYER_NAME_MAX} characters, without @ or control characters"
    )]
    PlayerName,
    /// Not a reason.
    #[error("a reason is at most {REASON_MAX} characters in one line")]
    Reason,
    /// The bound of the named things is reached.
    #[error("there are too many {0}")]
    TooMany(&'static str),
}
