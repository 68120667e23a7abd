//! `[pure]` Hashing of passwords: argon2id in the PHC string form.
//!
//! One hash takes tens of milliseconds and [`PasswordCost::memory_kib`] of memory: it runs on the
//! login worker pool and never on an async thread. The salt is handed in.

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{Error as ArgonError, PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};

/// Bytes of salt of one hash, to be drawn fresh from the system's random source.
pub const SALT_BYTES: usize = 16;

/// What one hash costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PasswordCost {
    /// Memory in KiB.
    pub memory_kib: u32,
    /// Passes over the memory.
    pub passes: u32,
    /// Lanes.
    pub lanes: u32,
}

impl PasswordCost {
    /// The cost for players: 19 MiB, 2 passes, 1 lane (OWASP's recommendation).
    pub const STANDARD: Self = Self {
        memory_kib: 19 * 1024,
        passes: 2,
        lanes: 1,
    };

    /// The least that argon2id allows. Only for tests and load tests: it protects nobody.
    pub const CHEAP: Self = Self {
        memory_kib: 8,
        passes: 1,
        lanes: 1,
    };

    fn hasher(self) -> Result<Argon2<'static>, HashPasswordError> {
        let params =
            Params::new(self.memory_kib, self.passes, self.lanes, None).map_err(|source| {
                HashPasswordError::Cost {
                    cost: self,
                    reason: source.to_string(),
                }
            })?;
        Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
    }
}

impl Default for PasswordCost {
    fn default() -> Self {
        Self::STANDARD
    }
}

/// Hashes a password into a PHC string (`$argon2id$v=19$m=19456,t=2,p=1$…`).
///
/// # Errors
/// [`HashPasswordError::Cost`] when the cost is outside what argon2id allows.
pub fn hash_password(
    password: &str,
    salt: &[u8; SALT_BYTES],
    cost: PasswordCost,
) -> Result<String, HashPasswordError> {
    let hash: PasswordHash = cost
        .hasher()?
        .hash_password_with_salt(password.as_bytes(), salt)
        .map_err(|source| HashPasswordError::Cost {
            cost,
            reason: source.to_string(),
        })?;
    Ok(hash.to_string())
}

/// Whether the password is the one that was hashed; the cost is read from the hash.
///
/// # Errors
/// [`HashPasswordError::Stored`] when the stored text is not a hash that argon2 can check.
pub fn verify_password(password: &str, stored: &str) -> Result<bool, HashPasswordError> {
    let damaged = |source: &dyn std::fmt::Display| HashPasswordError::Stored {
        reason: source.to_string(),
    };
    let hash = PasswordHash::new(stored).map_err(|source| damaged(&source))?;
    match Argon2::default().verify_password(password.as_bytes(), &hash) {
        Ok(()) => Ok(true),
        Err(ArgonError::PasswordInvalid) => Ok(false),
        Err(other) => Err(damaged(&other)),
    }
}

/// Takes as long as [`verify_password`] and says no: for a name that has no account, so that the
/// time of the answer does not tell which names exist.
///
/// # Errors
/// As [`hash_password`].
pub fn verify_nobody(password: &str, cost: PasswordCost) -> Result<bool, HashPasswordError> {
    hash_password(password, &[0; SALT_BYTES], cost).map(|_| false)
}

/// Whether the stored hash has another cost than `cost`, so that a login should renew it.
pub fn needs_rehash(stored: &str, cost: PasswordCost) -> bool {
    let Ok(hash) = PasswordHash::new(stored) else {
        return true;
    };
    let Ok(params) = Params::try_from(&hash) else {
        return true;
    };
    let same = params.m_cost() == cost.memory_kib
        && params.t_cost() == cost.passes
        && params.p_cost() == cost.lanes;
    !same || hash.algorithm != Algorithm::Argon2id.ident()
}

/// Why a password was not hashed or checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HashPasswordError {
    /// **Bug** or configuration: argon2id does not allow this cost.
    #[error("argon2id does not allow {cost:?}: {reason}")]
    Cost {
        /// What was asked for.
        cost: PasswordCost,
        /// What argon2 says.
        reason: String,
    },
    /// **Refused**, and an operator should know: the stored hash cannot be read, so nobody can log
    /// in to the account until its password is set anew.
    #[error("the stored password hash cannot be read: {reason}")]
    Stored {
        /// What argon2 says. It holds no part of the password.
        reason: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_password_from_another() {
        let stored =
            hash_password("open sesame", b"0123456789abcdef", PasswordCost::CHEAP).unwrap();
        assert!(
            stored.starts_with("$argon2id$v=19$m=8,t=1,p=1$"),
            "{stored}"
        );
        assert_eq!(verify_password("open sesame", &stored), Ok(true));
        assert_eq!(verify_password("open sesam", &stored), Ok(false));
        assert_eq!(verify_nobody("open sesame", PasswordCost::CHEAP), Ok(false));
    }

    #[test]
    fn the_salt_makes_equal_passwords_differ() {
        let one = hash_password("open sesame", &[1; 16], PasswordCost::CHEAP);
        let two = hash_password("open sesame", &[2; 16], PasswordCost::CHEAP);
        assert_ne!(one, two);
    }

    #[test]
    fn the_standard_cost_is_the_agreed_one() {
        let stored = hash_password("open sesame", &[7; 16], PasswordCost::default()).unwrap();
        assert!(
            stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{stored}"
        );
        assert!(!needs_rehash(&stored, PasswordCost::STANDARD));
        assert!(needs_rehash(&stored, PasswordCost::CHEAP));
    }

    #[test]
    fn a_damaged_hash_is_an_error_and_not_a_wrong_password() {
        for stored in ["", "plain", "$argon2id$v=19$m=8,t=1,p=1$", "$md5$abc$def"] {
            let answer = verify_password("open sesame", stored);
            assert!(
                matches!(answer, Err(HashPasswordError::Stored { .. })),
                "{stored}: {answer:?}"
            );
            assert!(needs_rehash(stored, PasswordCost::STANDARD));
        }
    }

    #[test]
    fn an_impossible_cost_is_refused() {
        let cost = PasswordCost {
            memory_kib: 1,
            passes: 0,
            lanes: 1,
        };
        let answer = hash_password("open sesame", &[0; 16], cost);
        assert!(
            matches!(answer, Err(HashPasswordError::Cost { .. })),
            "{answer:?}"
        );
    }
}
