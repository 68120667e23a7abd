//! `[pure]` Which addresses are one visitor's.

use std::net::{IpAddr, Ipv6Addr};

/// The address under which a visitor is counted: who has one IPv6 address has the 2^64 beside it.
pub(super) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) if address.is_loopback() => IpAddr::V6(address),
        IpAddr::V6(address) => {
            let bits = address.to_bits() >> 64 << 64;
            IpAddr::V6(Ipv6Addr::from_bits(bits))
        }
    }
}
