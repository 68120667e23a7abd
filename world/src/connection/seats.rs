//! `[edge]` How many connections there are, in all and of one address.

use super::settings::ConnectionSettings;
use super::stats::stats;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Counts connections. Bounded by the number of connections itself.
#[derive(Debug, Default)]
pub(super) struct Seats {
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    total: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// Why there is no seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoSeat {
    /// The node is full.
    Full,
    /// The address has as many as it may.
    Address,
}

/// The place of one connection; free again when it is dropped.
#[derive(Debug)]
pub(crate) struct Seat {
    seats: Arc<Seats>,
    address: IpAddr,
}

impl Seats {
    /// Takes a seat for a connection from `address`.
    pub(super) fn take(
        self: &Arc<Self>,
        address: IpAddr,
        settings: &ConnectionSettings,
    ) -> Result<Seat, NoSeat> {
        let address = address.to_canonical();
        let most = if address.is_loopback() {
            settings.per_loopback_max.unwrap_or(usize::MAX)
        } else {
            settings.per_address_max
        };
        let mut taken = self.lock();
        if taken.total >= settings.connections_max {
            return Err(NoSeat::Full);
        }
        let here = taken.by_address.entry(address).or_default();
        if *here >= most {
            return Err(NoSeat::Address);
        }
        *here += 1;
        taken.total += 1;
        stats().open.add(1);
        Ok(Seat {
            seats: Arc::clone(self),
            address,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.seats.lock();
        taken.total = taken.total.saturating_sub(1);
        if let Some(here) = taken.by_address.get_mut(&self.address) {
            *here = here.saturating_sub(1);
            if *here == 0 {
                taken.by_address.remove(&self.address);
            }
        }
        stats().open.subtract(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_address_and_in_all_and_frees_on_drop() {
        let settings = ConnectionSettings {
            connections_max: 4,
            per_address_max: 2,
            per_loopback_max: None,
            ..ConnectionSettings::default()
        };
        let seats = Arc::new(Seats::default());
        let far: IpAddr = "192.0.2.1".parse().unwrap();
        let mapped: IpAddr = "::ffff:192.0.2.1".parse().unwrap();
        let near: IpAddr = "127.0.0.1".parse().unwrap();
        let first = seats.take(far, &settings).unwrap();
        let second = seats.take(mapped, &settings).unwrap();
        assert_eq!(seats.take(far, &settings).unwrap_err(), NoSeat::Address);
        let third = seats.take(near, &settings).unwrap();
        let fourth = seats.take(near, &settings).unwrap();
        assert_eq!(seats.take(near, &settings).unwrap_err(), NoSeat::Full);
        drop(first);
        let fifth = seats.take(far, &settings).unwrap();
        drop((second, third, fourth, fifth));
        assert!(seats.lock().by_address.is_empty());
    }

    #[test]
    fn loopback_can_be_limited_too() {
        let settings = ConnectionSettings {
            per_loopback_max: Some(1),
            ..Default::default()
        };
        let seats = Arc::new(Seats::default());
        let near: IpAddr = "::1".parse().unwrap();
        let _first = seats.take(near, &settings).unwrap();
        assert_eq!(seats.take(near, &settings).unwrap_err(), NoSeat::Address);
    }
}
