//! `[pure]` Names of things as numbers that cannot be mixed up, and the directions.

use std::fmt;

/// A room, as the position of its key among all room keys of the content in sorted order, so that
/// nodes with equal content agree. It never goes to disk: there the key stands.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct RoomId(pub u32);

/// A zone, as the position of its key among all zone keys in sorted order.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct ZoneId(pub u16);

/// A mob of the content, as the position of its key among all mob keys in sorted order.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct MobId(pub u32);

/// An item prototype of the content, as the position of its key in sorted order.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct PrototypeId(pub u32);

/// One item instance; the database hands these out and never uses one twice. Items that only a
/// guest session made up do not exist: every item has such a number.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct ItemId(pub i64);

/// A channel of the content, as the position of its name among all of them in sorted order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChannelId(pub u16);

/// An account in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountId(pub i64);

/// A character in the database.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct CharacterId(pub i64);

/// A session (a player who plays): unique in a cluster, and it names the node where it lives. The
/// upper 16 bits are the node (0 for a node that is alone), the next 16 its life.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct SessionId(pub u64);

impl SessionId {
    /// The session of this number on this node, in this life of the node.
    pub const fn on(node: u16, life: u32, number: u32) -> Self {
        Self((node as u64) << 48 | (life as u64 & 0xffff) << 32 | number as u64)
    }

    /// The node where the session lives; 0 where a node is alone.
    pub const fn node(self) -> u16 {
        (self.0 >> 48) as u16
    }

    /// Its number on its node.
    pub const fn number(self) -> u32 {
        (self.0 & 0xffff_ffff) as u32
    }
}

/// A connection (a socket) on this node; unique while the node runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub u64);

/// One command of a session on its way round the ring; the cause of all that follows from it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct LineId(pub u32);

/// The number of a move of one mover. A room refuses a number older than the newest it saw.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct MoveSeq(pub u32);

/// Who can stand in a room.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum Being {
    /// A player's session.
    Session(SessionId),
    /// A mob of the content.
    Mob(MobId),
}

impl fmt::Display for RoomId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "room {}", self.0)
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "session {}", self.0)
    }
}

/// The ways out of a room.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum Direction {
    /// `north`, short `n`.
    North,
    /// `east`, short `e`.
    East,
    /// `south`, short `s`.
    South,
    /// `west`, short `w`.
    West,
    /// `northeast`, short `ne`.
    Northeast,
    /// `northwest`, short `nw`.
    Northwest,
    /// `southeast`, short `se`.
    Southeast,
    /// `southwest`, short `sw`.
    Southwest,
    /// `up`, short `u`.
    Up,
    /// `down`, short `d`.
    Down,
    /// `in`.
    In,
    /// `out`.
    Out,
}

impl Direction {
    /// All directions, in the order in which exits are listed.
    pub const ALL: [Self; 12] = [
        Self::North,
        Self::East,
        Self::South,
        Self::West,
        Self::Northeast,
        Self::Northwest,
        Self::Southeast,
        Self::Southwest,
        Self::Up,
        Self::Down,
        Self::In,
        Self::Out,
    ];

    /// The full name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::North => "north",
            Self::East => "east",
            Self::South => "south",
            Self::West => "west",
            Self::Northeast => "northeast",
            Self::Northwest => "northwest",
            Self::Southeast => "southeast",
            Self::Southwest => "southwest",
            Self::Up => "up",
            Self::Down => "down",
            Self::In => "in",
            Self::Out => "out",
        }
    }

    /// The short form that a player may type; `in` and `out` have none but themselves.
    pub const fn short(self) -> &'static str {
        match self {
            Self::North => "n",
            Self::East => "e",
            Self::South => "s",
            Self::West => "w",
            Self::Northeast => "ne",
            Self::Northwest => "nw",
            Self::Southeast => "se",
            Self::Southwest => "sw",
            Self::Up => "u",
            Self::Down => "d",
            Self::In => "in",
            Self::Out => "out",
        }
    }

    /// The way back.
    pub const fn opposite(self) -> Self {
        match self {
            Self::North => Self::South,
            Self::East => Self::West,
            Self::South => Self::North,
            Self::West => Self::East,
            Self::Northeast => Self::Southwest,
            Self::Northwest => Self::Southeast,
            Self::Southeast => Self::Northwest,
            Self::Southwest => Self::Northeast,
            Self::Up => Self::Down,
            Self::Down => Self::Up,
            Self::In => Self::Out,
            Self::Out => Self::In,
        }
    }

    /// Where somebody comes from who went this way, as it follows "arrives": "from the south",
    /// "from below".
    pub const fn arrival(self) -> &'static str {
        match self {
            Self::North => "from the south",
            Self::East => "from the west",
            Self::South => "from the north",
            Self::West => "from the east",
            Self::Northeast => "from the southwest",
            Self::Northwest => "from the southeast",
            Self::Southeast => "from the northwest",
            Self::Southwest => "from the northeast",
            Self::Up => "from below",
            Self::Down => "from above",
            Self::In => "from outside",
            Self::Out => "from inside",
        }
    }

    /// The direction with exactly this full or short name in lower case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|way| way.name() == name || way.short() == name)
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_direction_comes_back_from_its_names_and_its_opposite() {
        for way in Direction::ALL {
            assert_eq!(Direction::from_name(way.name()), Some(way));
            assert_eq!(Direction::from_name(way.short()), Some(way));
            assert_eq!(way.opposite().opposite(), way);
            assert_ne!(way.opposite(), way);
        }
        assert_eq!(Direction::from_name("sideways"), None);
    }
}
