//! `[edge]` What PostgreSQL's error codes mean
//! (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).

use crate::store::database::Fault;
use crate::store::outcome::StoreError;

/// Whole codes: five letters and digits, of which the first two are the class.
pub(super) mod code {
    pub(crate) const READ_ONLY: &str = "25006";
    pub(crate) const WRONG_USER: &str = "28000";
    pub(crate) const WRONG_PASSWORD: &str = "28P01";
    pub(crate) const NO_DATABASE: &str = "3D000";
    pub(crate) const NO_SCHEMA: &str = "3F000";
    pub(crate) const NOT_SERIALIZABLE: &str = "40001";
    pub(crate) const DEADLOCK: &str = "40P01";
    pub(crate) const NO_RIGHT: &str = "42501";
    pub(crate) const DISK_FULL: &str = "53100";
    pub(crate) const TOO_MANY: &str = "53300";
    pub(crate) const LOCKED: &str = "55P03";
    pub(crate) const STARTING: &str = "57P03";
}

/// A number that is out of range, such as that of a transaction yet to come.
pub(in crate::store::database) const NUMBER_OF_LATER: &str = "22023";

/// Sorts an error of a request.
pub(in crate::store::database) fn sort(code: &str, reason: String) -> Fault {
    match code {
        code::NOT_SERIALIZABLE | code::DEADLOCK => return Fault::Conflict(reason),
        // Somebody took the right away, and may give it back.
        code::NO_RIGHT => return Fault::Outage(reason),
        _ => {}
    }
    match code.get(..2) {
        // Feature, data, constraint, syntax or name, a limit of the server.
        Some("0A" | "22" | "23" | "42" | "54") => Fault::Request(StoreError::Fault { reason }),
        // Above all 08 (connection), 25 (read-only), 53 (disk, memory, connections), 55 (locks),
        // 57 (shutdown), 58 (IO): nothing that another request would not meet as well.
        _ => Fault::Outage(reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_of_codes_is_the_fault_of_the_request_or_of_the_database() {
        let check = |code: &str, expected: &str| {
            let sorted = match sort(code, "reason".to_owned()) {
                Fault::Outage(_) => "outage",
                Fault::Conflict(_) => "conflict",
                Fault::Request(_) => "request",
            };
            assert_eq!(sorted, expected, "{code}");
        };
        check("22021", "request"); // a character that texts cannot hold
        check("23514", "request"); // a check of the table
        check("42P01", "request"); // a table that is missing
        check("54000", "request");
        check(code::DEADLOCK, "conflict");
        check(code::NOT_SERIALIZABLE, "conflict");
        check(code::NO_RIGHT, "outage");
        check(code::DISK_FULL, "outage");
        check(code::READ_ONLY, "outage");
        check(code::LOCKED, "outage");
        check("57P01", "outage");
        check("08006", "outage");
        check("XX000", "outage");
        check("", "outage");
    }
}
