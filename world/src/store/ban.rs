//! `[pure]` Bans of accounts, characters and addresses.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;
use std::time::Duration;

use super::record::UnixMillis;
use crate::account::Name;

/// Who or what is banned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BanSubject {
    /// An account with all its characters.
    Account(Name),
    /// One character.
    Character(Name),
    /// One address or a network of addresses.
    Address(Network),
}

impl BanSubject {
    /// What kind of subject it is, as it is stored.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Account(_) => "account",
            Self::Character(_) => "character",
            Self::Address(_) => "address",
        }
    }

    /// The subject, as it is stored.
    pub fn value(&self) -> String {
        match self {
            Self::Account(name) | Self::Character(name) => name.key(),
            Self::Address(network) => network.to_string(),
        }
    }

    /// The subject that was stored; nothing if it cannot be read.
    pub fn from_stored(kind: &str, value: &str) -> Option<Self> {
        match kind {
            "account" => Name::restore(value).ok().map(Self::Account),
            "character" => Name::restore(value).ok().map(Self::Character),
            "address" => value.parse().ok().map(Self::Address),
            _ => None,
        }
    }
}

impl fmt::Display for BanSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Account(name) => write!(f, "account {name}"),
            Self::Character(name) => write!(f, "character {name}"),
            Self::Address(network) => write!(f, "address {network}"),
        }
    }
}

/// An address, or all addresses that start with the same bits: `192.0.2.7`, `2001:db8::/32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    first: IpAddr,
    bits: u8,
}

impl Network {
    /// One address.
    pub fn one(address: IpAddr) -> Self {
        let first = address.to_canonical();
        Self {
            first,
            bits: width(first),
        }
    }

    /// Whether the address is one of these.
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        width(address) == width(self.first) && masked(address, self.bits) == Some(self.first)
    }
}

const fn width(address: IpAddr) -> u8 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

/// The first address of the network; nothing when the address has fewer bits than that.
fn masked(address: IpAddr, bits: u8) -> Option<IpAddr> {
    let tail = u32::from(width(address).checked_sub(bits)?);
    Some(match address {
        IpAddr::V4(v4) => {
            let mask = u32::MAX.checked_shl(tail).unwrap_or(0);
            IpAddr::V4((u32::from(v4) & mask).into())
        }
        IpAddr::V6(v6) => {
            let mask = u128::MAX.checked_shl(tail).unwrap_or(0);
            IpAddr::V6((u128::from(v6) & mask).into())
        }
    })
}

impl FromStr for Network {
    type Err = ParseNetworkError;

    fn from_str(text: &str) -> Result<Self, ParseNetworkError> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let Ok(address) = address.parse::<IpAddr>() else {
            return Err(ParseNetworkError);
        };
        let Some(bits) = bits else {
            return Ok(Self::one(address));
        };
        let Ok(bits) = bits.parse() else {
            return Err(ParseNetworkError);
        };
        let first = masked(address, bits).ok_or(ParseNetworkError)?;
        Ok(Self { first, bits })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.bits == width(self.first) {
            return write!(f, "{}", self.first);
        }
        write!(f, "{}/{}", self.first, self.bits)
    }
}

/// The text is neither an address nor a network. **Refused**: tell who asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an address, nor a network such as 192.0.2.0/24")]
pub struct ParseNetworkError;

/// A ban to be made. One that exists for the same subject is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewBan {
    /// Who or what.
    pub subject: BanSubject,
    /// Why; told to the banned.
    pub reason: String,
    /// By whom.
    pub by: String,
    /// How long; for ever without.
    pub lasts: Option<Duration>,
}

/// A ban as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ban {
    /// Who or what.
    pub subject: BanSubject,
    /// Why; told to the banned.
    pub reason: String,
    /// By whom.
    pub by: String,
    /// Since when.
    pub at: UnixMillis,
    /// Until when; for ever without.
    pub until: Option<UnixMillis>,
}

impl Ban {
    /// Whether it holds at `now`.
    pub fn holds(&self, now: UnixMillis) -> bool {
        self.until.is_none_or(|until| now < until)
    }
}

/// The first ban that holds at `now` and names the address, the account or the character.
pub fn find_ban<'a>(
    bans: &'a [Ban],
    address: IpAddr,
    account: Option<&Name>,
    character: Option<&Name>,
    now: UnixMillis,
) -> Option<&'a Ban> {
    let names = |subject: &BanSubject| match subject {
        BanSubject::Address(network) => network.contains(address),
        BanSubject::Account(name) => account == Some(name),
        BanSubject::Character(name) => character == Some(name),
    };
    bans.iter()
        .find(|ban| ban.holds(now) && names(&ban.subject))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_holds_the_addresses_that_start_like_it() {
        let check = |network: &str, address: &str, expected: bool| {
            let network: Network = network.parse().unwrap();
            assert_eq!(
                network.contains(address.parse().unwrap()),
                expected,
                "{network} {address}"
            );
        };
        check("192.0.2.7", "192.0.2.7", true);
        check("192.0.2.7", "192.0.2.8", false);
        check("192.0.2.7/24", "192.0.2.8", true);
        check("192.0.2.7/24", "192.0.3.8", false);
        check("0.0.0.0/0", "8.8.8.8", true);
        check("0.0.0.0/0", "::1", false);
        check("192.0.2.7", "::ffff:192.0.2.7", true);
        check("2001:db8::/32", "2001:db8:1::1", true);
        check("2001:db8::/32", "2001:db9::1", false);
        check("::/0", "2001:db9::1", true);
    }

    #[test]
    fn a_network_comes_back_from_its_text_and_garbage_does_not() {
        for text in [
            "192.0.2.7",
            "192.0.2.0/24",
            "2001:db8::/32",
            "::1",
            "0.0.0.0/0",
        ] {
            assert_eq!(text.parse::<Network>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "192.0.2",
            "192.0.2.0/33",
            "::/129",
            "1.2.3.4/x",
            "1.2.3.4/",
            "/8",
        ] {
            assert_eq!(text.parse::<Network>(), Err(ParseNetworkError), "{text}");
        }
    }

    #[test]
    fn finds_the_ban_that_names_one_of_the_three_and_holds() {
        let name = |text: &str| Name::parse(text).unwrap();
        let ban = |subject, until| Ban {
            subject,
            reason: "spam".to_owned(),
            by: "Boss".to_owned(),
            at: UnixMillis(0),
            until,
        };
        let bans = [
            ban(BanSubject::Account(name("Ann")), Some(UnixMillis(100))),
            ban(BanSubject::Character(name("Bob")), None),
            ban(BanSubject::Address("192.0.2.0/24".parse().unwrap()), None),
        ];
        let (inside, outside) = (
            "192.0.2.9".parse().unwrap(),
            "198.51.100.1".parse().unwrap(),
        );
        let check = |address, account: Option<&str>, character: Option<&str>, now, place| {
            let (account, character) = (account.map(name), character.map(name));
            let found = find_ban(
                &bans,
                address,
                account.as_ref(),
                character.as_ref(),
                UnixMillis(now),
            );
            assert_eq!(found, place, "{address} {account:?} {character:?} {now}");
        };
        check(outside, Some("ann"), None, 99, Some(&bans[0]));
        check(outside, Some("ann"), None, 100, None);
        check(outside, Some("bob"), None, 0, None);
        check(outside, Some("cat"), Some("bob"), 0, Some(&bans[1]));
        check(inside, None, None, 0, Some(&bans[2]));
        check(outside, None, None, 0, None);
    }
}
