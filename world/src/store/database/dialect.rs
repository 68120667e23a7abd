//! `[pure]` The statements for which the two databases need different words.

/// One database's words. Statements that answer a row answer the same columns in both.
#[derive(Debug)]
pub(in crate::store) struct Dialect {
    /// Opens a transaction that writes.
    pub(in crate::store) begin_write: &'static str,
    /// Opens a transaction whose reads all see the same moment.
    pub(in crate::store) begin_read: &'static str,
    /// Answers a number for the transaction, by which its fate can be asked for later.
    pub(in crate::store) group_number: &'static str,
    /// Answers what became of the transaction with number `$1`: `committed`, `aborted`, `in
    /// progress`, or nothing when that was forgotten.
    pub(in crate::store) group_fate: &'static str,
    /// Whether a statement that fails undoes itself and leaves the transaction usable.
    pub(in crate::store) statements_fail_alone: bool,
    /// Keeps the transactions of other nodes from moving things into containers until this one
    /// ends, so that none can come to lie in itself. Nothing where there are no others.
    pub(in crate::store) hold_containers: Option<&'static str>,
    /// Answers a row when item `$1` exists, and keeps others from destroying it until the
    /// transaction ends.
    pub(in crate::store) hold_item: &'static str,
    /// Answers a row when account `$1` exists, and keeps others from doing the same until the
    /// transaction ends.
    pub(in crate::store) hold_account: &'static str,
    /// Answers the epoch of zone `$1`, and keeps others from raising it until the transaction ends.
    pub(in crate::store) hold_zone: &'static str,
    /// The same for who is about to raise it: others may not even rely on it. Nothing where there
    /// are no others.
    pub(in crate::store) hold_zone_to_claim: Option<&'static str>,
    /// Answers id and session epoch of each character in `$1`, a list of ids with commas, and keeps
    /// others from doing the same until the transaction ends; all of them in the order of their
    /// ids. Nothing where there are no others.
    pub(in crate::store) hold_characters: Option<&'static str>,
    /// Answers the session epoch of character `$1`, and keeps others from raising it until the
    /// transaction ends.
    pub(in crate::store) hold_character: &'static str,
}
