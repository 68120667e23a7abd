//! `[edge]` Goal: what games, browsers and operators see of a hub is what the protocol and the help
//! promise, whatever they do to it. Method: the real executable in a directory of its own, real
//! sockets, real commands; the core has its own tests.

#[cfg(test)]
mod command;
#[cfg(test)]
mod ensure;
#[cfg(test)]
mod gossiphaus;
#[cfg(test)]
mod inside;
#[cfg(test)]
mod stand;
#[cfg(test)]
mod stop;
#[cfg(test)]
mod store;
#[cfg(test)]
mod tls;
#[cfg(test)]
mod wire;
