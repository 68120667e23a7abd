//! `[edge]` How many connections there are, in all and of one address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::hub::neighbours::network;

/// How many connections there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeatLimits {
    /// In all.
    pub total: usize,
    /// Of one address; of IPv6, of its first 64 bits.
    pub per_address: usize,
    /// Of this machine itself; `None` = as many as there may be in all.
    pub per_loopback: Option<usize>,
}

/// Counts connections. Bounded by the number of connections itself.
#[derive(Debug)]
pub(super) struct Seats {
    limits: SeatLimits,
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
    /// The hub is full.
    Full,
    /// The address has as many as it may.
    Address,
}

/// The place of one connection; free again when it is dropped.
#[derive(Debug)]
pub(super) struct Seat {
    seats: Arc<Seats>,
    address: IpAddr,
}

impl Seat {
    /// Where the connection comes from, an IPv4 address as such.
    pub(super) fn address(&self) -> IpAddr {
        self.address
    }
}

impl Seats {
    pub(super) fn new(limits: SeatLimits) -> Arc<Self> {
        Arc::new(Self {
            limits,
            taken: Mutex::default(),
        })
    }

    /// Takes a seat for a connection from `address`.
    pub(super) fn take(self: &Arc<Self>, address: IpAddr) -> Result<Seat, NoSeat> {
        let address = address.to_canonical();
        let most = if address.is_loopback() {
            self.limits.per_loopback.unwrap_or(usize::MAX)
        } else {
            self.limits.per_address
        };
        let mut taken = self.lock();
        if taken.total >= self.limits.total {
            return Err(NoSeat::Full);
        }
        let network = network(address);
        let here = taken.by_address.get(&network).copied().unwrap_or(0);
        if here >= most {
            return Err(NoSeat::Address);
        }
        taken.by_address.insert(network, here + 1);
        taken.total += 1;
        Ok(Seat {
            seats: Arc::clone(self),
            address,
        })
    }

    /// Connections that are open now.
    pub(super) fn open(&self) -> usize {
        self.lock().total
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.seats.lock();
        taken.total = taken.total.saturating_sub(1);
        let network = network(self.address);
        if let Some(here) = taken.by_address.get_mut(&network) {
            *here = here.saturating_sub(1);
            if *here == 0 {
                taken.by_address.remove(&network);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_address_and_in_all_and_frees_on_drop() {
        let seats = Seats::new(SeatLimits {
            total: 4,
            per_address: 2,
            per_loopback: None,
        });
        let far: IpAddr = "192.0.2.1".parse().unwrap();
        let mapped: IpAddr = "::ffff:192.0.2.1".parse().unwrap();
        let near: IpAddr = "127.0.0.1".parse().unwrap();
        let first = seats.take(far).unwrap();
        let second = seats.take(mapped).unwrap();
        assert_eq!(seats.take(far).unwrap_err(), NoSeat::Address);
        let third = seats.take(near).unwrap();
        let fourth = seats.take(near).unwrap();
        assert_eq!(seats.take(near).unwrap_err(), NoSeat::Full);
        drop(first);
        let fifth = seats.take(far).unwrap();
        drop((second, third, fourth, fifth));
        assert!(seats.lock().by_address.is_empty());
        assert_eq!(seats.open(), 0);
    }

    #[test]
    fn regression_neighbours_in_ipv6_are_one_and_who_gets_no_seat_leaves_no_trace() {
        let limits = |per_address| SeatLimits {
            total: 4,
            per_address,
            per_loopback: None,
        };
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        let seats = Seats::new(limits(1));
        let first = seats.take(address("2001:db8::1")).unwrap();
        assert_eq!(first.address(), address("2001:db8::1"));
        let second = seats.take(address("2001:db8::2"));
        assert_eq!(second.unwrap_err(), NoSeat::Address);
        seats.take(address("2001:db8:0:1::1")).unwrap();
        drop(first);
        seats.take(address("2001:db8::2")).unwrap();
        let none = Seats::new(limits(0));
        assert_eq!(
            none.take(address("192.0.2.1")).unwrap_err(),
            NoSeat::Address
        );
        assert!(none.lock().by_address.is_empty());
    }

    #[test]
    fn loopback_can_be_limited_too() {
        let seats = Seats::new(SeatLimits {
            total: 4,
            per_address: 2,
            per_loopback: Some(1),
        });
        let near: IpAddr = "::1".parse().unwrap();
        let _first = seats.take(near).unwrap();
        assert_eq!(seats.take(near).unwrap_err(), NoSeat::Address);
    }
}
