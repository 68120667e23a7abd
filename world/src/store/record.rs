//! `[pure]` What is stored, as values: the shapes that cross the disk, apart from any inner state.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

use super::outcome::Redeemed;
use crate::account::{Name, TokenHash};
use crate::ids::{AccountId, CharacterId, ItemId};

/// A time of the wall clock: milliseconds since 1970 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixMillis(pub i64);

impl UnixMillis {
    /// This time and `duration` more; stays at the end of time when that is too far.
    pub fn after(self, duration: Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(millis))
    }
}

/// What an account may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Play.
    Player,
    /// Play, and use the staff's commands.
    Staff,
}

impl Role {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Player => "player",
            Self::Staff => "staff",
        }
    }

    pub(super) fn from_stored(text: &str) -> Option<Self> {
        [Self::Player, Self::Staff]
            .into_iter()
            .find(|role| role.as_str() == text)
    }
}

/// An account as it is stored. The password hash does not print.
#[derive(Clone, PartialEq, Eq)]
pub struct AccountRecord {
    /// Its number.
    pub id: AccountId,
    /// Its name.
    pub name: Name,
    /// The PHC string to check a password against.
    pub password_hash: String,
    /// What it may do.
    pub role: Role,
    /// When it was made.
    pub created_at: UnixMillis,
    /// The last login, if there was one.
    pub last_login: Option<UnixMillis>,
}

impl std::fmt::Debug for AccountRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AccountRecord")
            .field("id", &self.id)
            .field("name", &self.name)
            .field("role", &self.role)
            .finish_non_exhaustive()
    }
}

/// The numbers of a character that `score` shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Rooms walked into.
    pub steps: i64,
    /// Time played, in whole seconds.
    pub played_seconds: i64,
}

/// What a player set for a character. Stored as JSON: a field that is missing or cannot be read has
/// its default, one that is unknown is skipped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Colours.
    #[serde(deserialize_with = "or_default")]
    pub color: ColorSetting,
    /// Output for a screen reader.
    #[serde(deserialize_with = "or_default")]
    pub screen_reader: bool,
    /// Which channels the player chose to be on (true) or not to be on, by name; of others the
    /// content says whether newcomers are on them.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub channels: BTreeMap<String, bool>,
    /// Whom the player ignores: `Ann`, `Bo@Othergame`, `@Othergame`.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
    /// Whether the player wants to read who comes and goes in other games; `None` as the game has
    /// it.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "Option::is_none"
    )]
    pub notices: Option<bool>,
}

/// One field that another version wrote differently must not take the others along.
fn or_default<'d, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'d>,
    T: DeserializeOwned + Default,
{
    let value = serde_json::Value::deserialize(from)?;
    Ok(serde_json::from_value(value).unwrap_or_default())
}

/// The colours that a player asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColorSetting {
    /// Whatever the client can show.
    #[default]
    Auto,
    /// None.
    Off,
    /// The 16 of ANSI.
    Ansi,
    /// The 256 of xterm.
    Xterm,
    /// 24 bits.
    True,
}

/// A character as it is stored, without its items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CharacterRecord {
    /// Its number.
    pub id: CharacterId,
    /// Whose it is.
    pub account: AccountId,
    /// Its name.
    pub name: Name,
    /// The key of the room where it was saved.
    pub room_key: String,
    /// Its numbers.
    pub score: Score,
    /// Its settings.
    pub settings: Settings,
    /// When it was made.
    pub created_at: UnixMillis,
    /// When it was saved last.
    pub saved_at: UnixMillis,
}

/// A character with everything it carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CharacterSheet {
    /// The character.
    pub character: CharacterRecord,
    /// Its items in the order of their numbers, those inside its containers too.
    pub items: Vec<ItemRecord>,
}

/// What a save of a character writes. Items are not part of it: each transfer is its own write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CharacterSave {
    /// Whose state this is.
    pub id: CharacterId,
    /// The key of the room where it stands.
    pub room_key: String,
    /// Its numbers.
    pub score: Score,
    /// Its settings.
    pub settings: Settings,
}

/// Who holds an item: always exactly one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    /// The floor of the room with this key.
    Room(String),
    /// A character carries it.
    Character(CharacterId),
    /// It lies in another item.
    Container(ItemId),
}

impl Owner {
    pub(super) const fn kind(&self) -> &'static str {
        match self {
            Self::Room(_) => "room",
            Self::Character(_) => "character",
            Self::Container(_) => "container",
        }
    }

    pub(super) fn key(&self) -> String {
        match self {
            Self::Room(key) => key.clone(),
            Self::Character(id) => id.0.to_string(),
            Self::Container(id) => id.0.to_string(),
        }
    }

    pub(super) fn from_stored(kind: &str, key: String) -> Option<Self> {
        match kind {
            "room" => Some(Self::Room(key)),
            "character" => key.parse().ok().map(|id| Self::Character(CharacterId(id))),
            "container" => key.parse().ok().map(|id| Self::Container(ItemId(id))),
            _ => None,
        }
    }
}

/// One item instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemRecord {
    /// Its number, never used twice.
    pub id: ItemId,
    /// The key of its prototype in the content.
    pub prototype: String,
    /// Who holds it.
    pub owner: Owner,
    /// The key of the room whose reset made it, if one did: a reset tops up only its own.
    pub origin: Option<String>,
}

/// An item to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewItem {
    /// The key of its prototype in the content.
    pub prototype: String,
    /// Who holds it first.
    pub owner: Owner,
    /// The key of the room whose reset makes it, if one does.
    pub origin: Option<String>,
}

/// What a room's reset promises of one kind of item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopUp {
    /// The key of the kind in the content.
    pub prototype: String,
    /// The key of the room: the origin of what is made, and where it comes to lie.
    pub room_key: String,
    /// How many of this origin and kind there may be in the world, whoever holds them.
    pub at_most: u16,
}

/// An item that changes hands, if it is still where the asker thinks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemTransfer {
    /// Which item.
    pub item: ItemId,
    /// Who must hold it for the transfer to happen.
    pub from: Owner,
    /// Who holds it afterwards.
    pub to: Owner,
}

/// A resume token to be issued.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewToken {
    pub(super) hash: TokenHash,
    pub(super) holder: Redeemed,
    pub(super) lasts: Duration,
}

/// Something that a member of the staff did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaffAction {
    /// Who.
    pub staff: Name,
    /// What: the command's word.
    pub action: String,
    /// To whom or what.
    pub target: String,
    /// Why.
    pub reason: String,
}

/// A staff action and when it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaffActionRecord {
    /// What was done.
    pub action: StaffAction,
    /// When.
    pub at: UnixMillis,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_another_version_are_read() {
        let check = |text: &str, expected: Settings| {
            assert_eq!(
                serde_json::from_str::<Settings>(text).unwrap(),
                expected,
                "{text}"
            );
        };
        check("{}", Settings::default());
        let both = Settings {
            color: ColorSetting::Xterm,
            screen_reader: true,
            ..Settings::default()
        };
        check(
            r#"{"color":"xterm","screen_reader":true,"later":[1]}"#,
            both.clone(),
        );
        check(&serde_json::to_string(&both).unwrap(), both);
        let most = Settings {
            screen_reader: true,
            ignored: vec!["Ann".to_owned()],
            ..Settings::default()
        };
        check(
            r#"{"color":"of later","screen_reader":true,"channels":null,
                "ignored":["Ann"],"notices":7}"#,
            most,
        );
        let talks = Settings {
            channels: BTreeMap::from([("chat".to_owned(), false), ("gone".to_owned(), true)]),
            ignored: vec!["Ann".to_owned(), "@Other".to_owned()],
            notices: Some(false),
            ..Settings::default()
        };
        check(&serde_json::to_string(&talks).unwrap(), talks);
    }

    #[test]
    fn every_owner_and_role_comes_back_from_its_stored_form() {
        let owners = [
            Owner::Room("town/square".to_owned()),
            Owner::Character(CharacterId(7)),
            Owner::Container(ItemId(9)),
        ];
        for owner in owners {
            assert_eq!(Owner::from_stored(owner.kind(), owner.key()), Some(owner));
        }
        assert_eq!(Owner::from_stored("character", "seven".to_owned()), None);
        assert_eq!(Owner::from_stored("shelf", "1".to_owned()), None);
        assert_eq!(Role::from_stored(Role::Staff.as_str()), Some(Role::Staff));
        assert_eq!(Role::from_stored("god"), None);
    }

    #[test]
    fn a_password_hash_does_not_print() {
        let account = AccountRecord {
            id: AccountId(1),
            name: Name::parse("Ann").unwrap(),
            password_hash: "$argon2id$secret".to_owned(),
            role: Role::Player,
            created_at: UnixMillis(0),
            last_login: None,
        };
        assert!(!format!("{account:?}").contains("argon2id"));
    }
}
