//! `[pure]` The rules of accounts: what a name and a password may be, how failed logins are slowed
//! down, what a resume token looks like, and the hashing of passwords.
//!
//! Nothing here reads a clock, draws a random number or touches storage: times and random bytes
//! are arguments. Hashing is slow by design and belongs on the login worker pool.

pub mod limits;
mod name;
mod password;
mod password_rule;
mod throttle;
mod token;

pub use name::{Name, NameError};
pub use password::{
    HashPasswordError, PasswordCost, SALT_BYTES, hash_password, needs_rehash, verify_nobody,
    verify_password,
};
pub use password_rule::{Password, PasswordError};
pub use throttle::{Throttle, Wait};
pub use token::{ParseTokenError, ResumeToken, TOKEN_BYTES, TokenHash};
