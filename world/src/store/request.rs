//! `[process]` The requests that travel to the store's processes, each with its answer.

use std::path::PathBuf;
use std::sync::Arc;

use super::answer::{Answer, Deliver};
use super::ban::{Ban, BanSubject, NewBan};
use super::guard::{Claim, Claimed, Guard};
use super::network_rule::{NetworkRule, RuleChange};
use super::outcome::{
    AccountCreation, BackupError, CharacterCreation, Redeemed, StoreError, Transfer,
};
use super::record::{
    AccountRecord, CharacterRecord, CharacterSave, CharacterSheet, ItemRecord, ItemTransfer,
    NewItem, NewToken, Owner, Role, StaffAction, StaffActionRecord, TopUp,
};
use crate::account::{Name, TokenHash};
use crate::ids::{AccountId, CharacterId, ItemId};

/// A request that changes something; it is answered after its commit.
pub(super) enum Write {
    CreateAccount {
        name: Name,
        password_hash: String,
        answer: Answer<AccountCreation>,
    },
    SetPassword {
        account: AccountId,
        password_hash: String,
        answer: Answer<()>,
    },
    TouchLogin {
        account: AccountId,
        answer: Answer<()>,
    },
    SetRole {
        name: Name,
        role: Role,
        answer: Answer<Option<AccountId>>,
    },
    CreateCharacter {
        account: AccountId,
        name: Name,
        room_key: String,
        answer: Answer<CharacterCreation>,
    },
    SaveCharacters {
        saves: Vec<CharacterSave>,
        answer: Answer<()>,
    },
    CreateItems {
        items: Vec<NewItem>,
        answer: Answer<Vec<ItemId>>,
    },
    TopUp {
        promises: Vec<TopUp>,
        answer: Answer<Vec<Vec<ItemId>>>,
    },
    TransferItem {
        transfer: ItemTransfer,
        answer: Answer<Transfer>,
    },
    DestroyItem {
        item: ItemId,
        owner: Owner,
        answer: Answer<Transfer>,
    },
    AddBan {
        ban: NewBan,
        answer: Answer<()>,
    },
    RemoveBan {
        subject: BanSubject,
        answer: Answer<bool>,
    },
    Rule {
        change: RuleChange,
        answer: Answer<bool>,
    },
    IssueToken {
        token: NewToken,
        answer: Answer<()>,
    },
    RedeemToken {
        hash: TokenHash,
        answer: Answer<Option<Redeemed>>,
    },
    RevokeTokens {
        account: AccountId,
        answer: Answer<()>,
    },
    Claim {
        claim: Claim,
        answer: Answer<()>,
    },
    RecordStaffAction {
        action: StaffAction,
        answer: Answer<()>,
    },
}

/// A write, and who may not have been replaced for it to be made.
pub(super) struct GuardedWrite {
    pub(super) guard: Option<Arc<Guard>>,
    pub(super) write: Write,
}

impl GuardedWrite {
    pub(super) fn answer(&mut self) -> &mut dyn Deliver {
        self.write.answer()
    }

    pub(super) fn refuse(self, error: StoreError) {
        self.write.refuse(error);
    }
}

impl Write {
    pub(super) fn answer(&mut self) -> &mut dyn Deliver {
        match self {
            Self::CreateAccount { answer, .. } => answer,
            Self::SetRole { answer, .. } => answer,
            Self::CreateCharacter { answer, .. } => answer,
            Self::CreateItems { answer, .. } => answer,
            Self::TopUp { answer, .. } => answer,
            Self::TransferItem { answer, .. } | Self::DestroyItem { answer, .. } => answer,
            Self::RemoveBan { answer, .. } | Self::Rule { answer, .. } => answer,
            Self::RedeemToken { answer, .. } => answer,
            Self::SetPassword { answer, .. }
            | Self::TouchLogin { answer, .. }
            | Self::SaveCharacters { answer, .. }
            | Self::AddBan { answer, .. }
            | Self::IssueToken { answer, .. }
            | Self::RevokeTokens { answer, .. }
            | Self::Claim { answer, .. }
            | Self::RecordStaffAction { answer, .. } => answer,
        }
    }

    /// Whether this takes several statements, so that it needs a savepoint to fail alone.
    pub(super) fn is_composed(&self) -> bool {
        match self {
            Self::SetPassword { .. } | Self::DestroyItem { .. } => true,
            Self::SaveCharacters { saves, .. } => saves.len() > 1,
            Self::CreateItems { items, .. } => items.len() > 1,
            Self::TopUp { promises, .. } => promises.len() > 1,
            Self::CreateAccount { .. }
            | Self::TouchLogin { .. }
            | Self::SetRole { .. }
            | Self::CreateCharacter { .. }
            | Self::TransferItem { .. }
            | Self::AddBan { .. }
            | Self::RemoveBan { .. }
            | Self::Rule { .. }
            | Self::IssueToken { .. }
            | Self::RedeemToken { .. }
            | Self::RevokeTokens { .. }
            | Self::Claim { .. }
            | Self::RecordStaffAction { .. } => false,
        }
    }

    /// What this claims.
    pub(super) fn claimed(&self) -> Option<&Claimed> {
        if let Self::Claim { claim, .. } = self {
            Some(&claim.what)
        } else {
            None
        }
    }

    /// The characters that this saves.
    pub(super) fn saved(&self) -> impl Iterator<Item = CharacterId> {
        let saves = if let Self::SaveCharacters { saves, .. } = self {
            saves.as_slice()
        } else {
            &[]
        };
        saves.iter().map(|save| save.id)
    }

    pub(super) fn refuse(mut self, error: StoreError) {
        self.answer().stage_error(error);
        self.answer().deliver();
    }
}

/// What the writer's mailbox holds.
pub(super) enum WriterMessage {
    Write(GuardedWrite),
    /// The pause after a failure is over.
    Retry,
}

/// A request that changes nothing.
pub(super) enum Read {
    LoadAccount {
        name: Name,
        answer: Answer<Option<AccountRecord>>,
    },
    LoadAccountById {
        account: AccountId,
        answer: Answer<Option<AccountRecord>>,
    },
    ListStaff {
        answer: Answer<Vec<Name>>,
    },
    ListCharacters {
        account: AccountId,
        answer: Answer<Vec<CharacterRecord>>,
    },
    FindCharacter {
        name: Name,
        answer: Answer<Option<CharacterRecord>>,
    },
    LoadCharacter {
        character: CharacterId,
        answer: Answer<Option<CharacterSheet>>,
    },
    RoomItems {
        room_key: String,
        answer: Answer<Vec<ItemRecord>>,
    },
    ZoneItems {
        zone_key: String,
        answer: Answer<Vec<ItemRecord>>,
    },
    AllRoomItems {
        answer: Answer<Vec<ItemRecord>>,
    },
    ListBans {
        answer: Answer<Vec<Ban>>,
    },
    ListNetworkRules {
        answer: Answer<Vec<NetworkRule>>,
    },
    ListStaffActions {
        answer: Answer<Vec<StaffActionRecord>>,
    },
}

impl Read {
    pub(super) fn answer(&mut self) -> &mut dyn Deliver {
        match self {
            Self::LoadAccount { answer, .. } | Self::LoadAccountById { answer, .. } => answer,
            Self::ListStaff { answer } => answer,
            Self::ListCharacters { answer, .. } => answer,
            Self::FindCharacter { answer, .. } => answer,
            Self::LoadCharacter { answer, .. } => answer,
            Self::RoomItems { answer, .. }
            | Self::ZoneItems { answer, .. }
            | Self::AllRoomItems { answer } => answer,
            Self::ListBans { answer } => answer,
            Self::ListNetworkRules { answer } => answer,
            Self::ListStaffActions { answer } => answer,
        }
    }

    pub(super) fn refuse(mut self, error: StoreError) {
        self.answer().stage_error(error);
        self.answer().deliver();
    }
}

/// A copy of the database to be made at `path`.
pub(super) struct Backup {
    pub(super) path: PathBuf,
    pub(super) answer: Answer<Result<(), BackupError>>,
}

impl Backup {
    pub(super) fn refuse(mut self, error: StoreError) {
        self.answer.stage_error(error);
        self.answer.deliver();
    }
}
