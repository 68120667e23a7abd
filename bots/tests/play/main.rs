//! The bots against a pretended node on port 0: the scriptable client, the crowd, the executable.

#[cfg(test)]
mod bot;
#[cfg(test)]
mod command_line;
#[cfg(test)]
mod fake;
#[cfg(test)]
mod gossip;
#[cfg(test)]
mod hub;
#[cfg(test)]
mod trial;
#[cfg(test)]
mod wander;
