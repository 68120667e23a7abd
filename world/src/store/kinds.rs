//! `[process]` The kinds of the store's requests, as crash reports and traces name them.

use belay_runtime::Kind;

use super::request::{Read, Write, WriterMessage};

impl Kind for WriterMessage {
    const KINDS: &'static [&'static str] = &[
        "create account",
        "set password",
        "touch login",
        "set role",
        "create character",
        "save characters",
        "create items",
        "top up",
        "transfer item",
        "destroy item",
        "add ban",
        "remove ban",
        "network rule",
        "issue token",
        "redeem token",
        "revoke tokens",
        "claim",
        "record staff action",
        "retry",
    ];

    fn kind(&self) -> u8 {
        match self {
            Self::Write(guarded) => match guarded.write {
                Write::CreateAccount { .. } => 0,
                Write::SetPassword { .. } => 1,
                Write::TouchLogin { .. } => 2,
                Write::SetRole { .. } => 3,
                Write::CreateCharacter { .. } => 4,
                Write::SaveCharacters { .. } => 5,
                Write::CreateItems { .. } => 6,
                Write::TopUp { .. } => 7,
                Write::TransferItem { .. } => 8,
                Write::DestroyItem { .. } => 9,
                Write::AddBan { .. } => 10,
                Write::RemoveBan { .. } => 11,
                Write::Rule { .. } => 12,
                Write::IssueToken { .. } => 13,
                Write::RedeemToken { .. } => 14,
                Write::RevokeTokens { .. } => 15,
                Write::Claim { .. } => 16,
                Write::RecordStaffAction { .. } => 17,
            },
            Self::Retry => 18,
        }
    }
}

impl Kind for Read {
    const KINDS: &'static [&'static str] = &[
        "load account",
        "load account by id",
        "list staff",
        "list characters",
        "find character",
        "load character",
        "room items",
        "zone items",
        "all room items",
        "list bans",
        "list network rules",
        "list staff actions",
    ];

    fn kind(&self) -> u8 {
        match self {
            Self::LoadAccount { .. } => 0,
            Self::LoadAccountById { .. } => 1,
            Self::ListStaff { .. } => 2,
            Self::ListCharacters { .. } => 3,
            Self::FindCharacter { .. } => 4,
            Self::LoadCharacter { .. } => 5,
            Self::RoomItems { .. } => 6,
            Self::ZoneItems { .. } => 7,
            Self::AllRoomItems { .. } => 8,
            Self::ListBans { .. } => 9,
            Self::ListNetworkRules { .. } => 10,
            Self::ListStaffActions { .. } => 11,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_kind_of_each_is_the_last_in_its_list() {
        let last = |kinds: &[&'static str], kind: u8| kinds.get(usize::from(kind)).copied();
        let kind = WriterMessage::Retry.kind();
        assert_eq!(last(WriterMessage::KINDS, kind), Some("retry"));
        assert_eq!(WriterMessage::KINDS.len(), usize::from(kind) + 1);
        assert_eq!(last(Read::KINDS, 11), Some("list staff actions"));
        assert_eq!(Read::KINDS.len(), 12);
    }
}
