//! `[process]` The way to the store for everybody else. Nothing here waits.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::answer::Answer;
use super::ban::{Ban, BanSubject, NewBan};
use super::guard::Guard;
use super::lines::Lines;
use super::outcome::{
    AccountCreation, BackupError, CharacterCreation, Redeemed, StoreError, Transfer,
};
use super::record::{
    AccountRecord, CharacterRecord, CharacterSave, CharacterSheet, ItemRecord, ItemTransfer,
    NewItem, NewToken, Owner, Role, StaffAction, StaffActionRecord, TopUp, UnixMillis,
};
use super::request::{Backup, Read, Write};
use super::status::StoreStatus;
use crate::account::{Name, TokenHash};
use crate::ids::{AccountId, CharacterId, ItemId};

/// Tells the wall clock's time; tests hand in one of their own.
pub type Clock = Arc<dyn Fn() -> UnixMillis + Send + Sync>;

/// Asks the store. Cheap to clone.
///
/// Every method returns at once and calls `reply` exactly once: from the store's own process, or,
/// when the queue is full ([`StoreError::Busy`]) or the store has stopped ([`StoreError::Lost`]),
/// before it returns. A reply should only post the answer to a mailbox: it must not wait or panic.
///
/// The writes of one asker are committed in the order in which they were asked for. Reads see every
/// write that was answered before they were asked.
#[derive(Clone)]
pub struct StorePort {
    pub(super) lines: Arc<Lines>,
    pub(super) guard: Option<Arc<Guard>>,
}

impl std::fmt::Debug for StorePort {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StorePort")
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}

/// Accounts.
impl StorePort {
    /// Makes an account; of several who ask for one name at once, one gets it.
    pub fn create_account(
        &self,
        name: Name,
        password_hash: String,
        reply: impl FnOnce(Result<AccountCreation, StoreError>) + Send + 'static,
    ) {
        self.write(Write::CreateAccount {
            name,
            password_hash,
            answer: Answer::new(reply),
        });
    }

    /// Reads the account of this name.
    pub fn load_account(
        &self,
        name: Name,
        reply: impl FnOnce(Result<Option<AccountRecord>, StoreError>) + Send + 'static,
    ) {
        self.lines.read(Read::LoadAccount {
            name,
            answer: Answer::new(reply),
        });
    }

    /// Reads the account of this number.
    pub fn load_account_by_id(
        &self,
        account: AccountId,
        reply: impl FnOnce(Result<Option<AccountRecord>, StoreError>) + Send + 'static,
    ) {
        self.lines.read(Read::LoadAccountById {
            account,
            answer: Answer::new(reply),
        });
    }

    /// Sets another password and takes back the account's resume tokens.
    pub fn set_password(
        &self,
        account: AccountId,
        password_hash: String,
        reply: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        self.write(Write::SetPassword {
            account,
            password_hash,
            answer: Answer::new(reply),
        });
    }

    /// Notes that somebody logged in.
    pub fn touch_login(
        &self,
        account: AccountId,
        reply: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        self.write(Write::TouchLogin {
            account,
            answer: Answer::new(reply),
        });
    }

    /// Grants or revokes what an account may do; answers nothing when there is no such account.
    pub fn set_role(
        &self,
        name: Name,
        role: Role,
        reply: impl FnOnce(Result<Option<AccountId>, StoreError>) + Send + 'static,
    ) {
        self.write(Write::SetRole {
            name,
            role,
            answer: Answer::new(reply),
        });
    }

    /// Reads the names of all staff accounts.
    pub fn list_staff(&self, reply: impl FnOnce(Result<Vec<Name>, StoreError>) + Send + 'static) {
        self.lines.read(Read::ListStaff {
            answer: Answer::new(reply),
        });
    }

    /// Stores the hash of a resume token, in place of the one that the character had.
    pub fn issue_token(
        &self,
        hash: TokenHash,
        holder: Redeemed,
        lasts: Duration,
        reply: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        let token = NewToken {
            hash,
            holder,
            lasts,
        };
        self.write(Write::IssueToken {
            token,
            answer: Answer::new(reply),
        });
    }

    /// Uses a resume token up; answers nothing when it is unknown, used or expired.
    pub fn redeem_token(
        &self,
        hash: TokenHash,
        reply: impl FnOnce(Result<Option<Redeemed>, StoreError>) + Send + 'static,
    ) {
        self.write(Write::RedeemToken {
            hash,
            answer: Answer::new(reply),
        });
    }

    /// Takes back all resume tokens of an account.
    pub fn revoke_tokens(
        &self,
        account: AccountId,
        reply: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        self.write(Write::RevokeTokens {
            account,
            answer: Answer::new(reply),
        });
    }
}

/// Characters.
impl StorePort {
    /// Makes a character that stands in this room.
    pub fn create_character(
        &self,
        account: AccountId,
        name: Name,
        room_key: String,
        reply: impl FnOnce(Result<CharacterCreation, StoreError>) + Send + 'static,
    ) {
        let answer = Answer::new(reply);
        self.write(Write::CreateCharacter {
            account,
            name,
            room_key,
            answer,
        });
    }

    /// Reads the characters of an account, oldest first.
    pub fn list_characters(
        &self,
        account: AccountId,
        reply: impl FnOnce(Result<Vec<CharacterRecord>, StoreError>) + Send + 'static,
    ) {
        self.lines.read(Read::ListCharacters {
            account,
            answer: Answer::new(reply),
        });
    }

    /// Reads the character of this name, whoever's it is.
    pub fn find_character(
        &self,
        name: Name,
        reply: impl FnOnce(Result<Option<CharacterRecord>, StoreError>) + Send + 'static,
    ) {
        self.lines.read(Read::FindCharacter {
            name,
            answer: Answer::new(reply),
        });
    }

    /// Reads a character and its items.
    pub fn load_character(
        &self,
        character: CharacterId,
        reply: impl FnOnce(Result<Option<CharacterSheet>, StoreError>) + Send + 'static,
    ) {
        self.lines.read(Read::LoadCharacter {
            character,
            answer: Answer::new(reply),
        });
    }

    /// Saves characters, all or none.
    pub fn save_characters(
        &self,
        saves: Vec<CharacterSave>,
        reply: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        self.write(Write::SaveCharacters {
            saves,
            answer: Answer::new(reply),
        });
    }
}

/// Items.
impl StorePort {
    /// Reads the items on the floor of one room, those inside its containers too.
    pub fn room_items(
        &self,
        room_key: String,
        reply: impl FnOnce(Result<Vec<ItemRecord>, StoreError>) + Send + 'static,
    ) {
        self.lines.read(Read::RoomItems {
            room_key,
            answer: Answer::new(reply),
        });
    }

    /// Reads the items on all floors, those inside containers too, in the order of their numbers.
    pub fn all_room_items(
        &self,
        reply: impl FnOnce(Result<Vec<ItemRecord>, StoreError>) + Send + 'static,
    ) {
        self.lines.read(Read::AllRoomItems {
            answer: Answer::new(reply),
        });
    }

    /// Makes items, all or none, and answers their numbers in the same order.
    pub fn create_items(
        &self,
        items: Vec<NewItem>,
        reply: impl FnOnce(Result<Vec<ItemId>, StoreError>) + Send + 'static,
    ) {
        let answer = Answer::new(reply);
        self.write(Write::CreateItems { items, answer });
    }

    /// Makes what is missing of what resets promise, all or none, and answers the numbers of the
    /// new items, a list for each promise in the same order. What is there is counted in the same
    /// write, so however often this is asked there are never more than promised.
    pub fn top_up(
        &self,
        promises: Vec<TopUp>,
        reply: impl FnOnce(Result<Vec<Vec<ItemId>>, StoreError>) + Send + 'static,
    ) {
        let answer = Answer::new(reply);
        self.write(Write::TopUp { promises, answer });
    }

    /// Hands an item over, if it is with the expected owner: of several who ask exactly one gets
    /// it.
    pub fn transfer_item(
        &self,
        transfer: ItemTransfer,
        reply: impl FnOnce(Result<Transfer, StoreError>) + Send + 'static,
    ) {
        let answer = Answer::new(reply);
        self.write(Write::TransferItem { transfer, answer });
    }

    /// Destroys an item, if it is with the expected owner; what lies in it falls to that owner.
    pub fn destroy_item(
        &self,
        item: ItemId,
        owner: Owner,
        reply: impl FnOnce(Result<Transfer, StoreError>) + Send + 'static,
    ) {
        self.write(Write::DestroyItem {
            item,
            owner,
            answer: Answer::new(reply),
        });
    }
}

/// Bans, the staff's record, backup, figures.
impl StorePort {
    /// Adds a ban in place of the one that the subject may have.
    pub fn add_ban(
        &self,
        ban: NewBan,
        reply: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        self.write(Write::AddBan {
            ban,
            answer: Answer::new(reply),
        });
    }

    /// Lifts a ban; answers whether there was one.
    pub fn remove_ban(
        &self,
        subject: BanSubject,
        reply: impl FnOnce(Result<bool, StoreError>) + Send + 'static,
    ) {
        self.write(Write::RemoveBan {
            subject,
            answer: Answer::new(reply),
        });
    }

    /// Reads the bans that hold, newest first; check them with [`find_ban`](super::find_ban).
    pub fn list_bans(&self, reply: impl FnOnce(Result<Vec<Ban>, StoreError>) + Send + 'static) {
        self.lines.read(Read::ListBans {
            answer: Answer::new(reply),
        });
    }

    /// Records what a member of the staff did.
    pub fn record_staff_action(
        &self,
        action: StaffAction,
        reply: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        self.write(Write::RecordStaffAction {
            action,
            answer: Answer::new(reply),
        });
    }

    /// Reads what the staff did, newest first.
    pub fn list_staff_actions(
        &self,
        reply: impl FnOnce(Result<Vec<StaffActionRecord>, StoreError>) + Send + 'static,
    ) {
        self.lines.read(Read::ListStaffActions {
            answer: Answer::new(reply),
        });
    }

    /// Copies the database into a new file while everybody goes on.
    pub fn backup(
        &self,
        path: PathBuf,
        reply: impl FnOnce(Result<(), BackupError>) + Send + 'static,
    ) {
        let answer = Answer::new(|outcome: Result<Result<(), BackupError>, StoreError>| {
            reply(match outcome {
                Ok(outcome) => outcome,
                Err(StoreError::Busy) => Err(BackupError::Busy),
                Err(_) => Err(BackupError::Stopped),
            });
        });
        self.lines.back_up(Backup { path, answer });
    }

    /// The store's figures at this moment.
    pub fn status(&self) -> StoreStatus {
        self.lines.status()
    }
}
