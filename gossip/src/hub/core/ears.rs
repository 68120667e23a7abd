//! `[pure]` A list of sockets that hear the same, kept ready for the next message.

use super::input::SocketId;
use crate::hub::directory::GameId;

/// One listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ear {
    pub(super) socket: SocketId,
    pub(super) game: GameId,
    /// Whether it gets numbered frames (extension `history`).
    pub(super) numbered: bool,
}

/// Listeners, each socket once, sorted by socket.
#[derive(Debug, Default)]
pub(super) struct Ears(Vec<Ear>);

impl Ears {
    pub(super) fn add(&mut self, ear: Ear) {
        match self.find(ear.socket) {
            Ok(at) => debug_assert_eq!(self.0.get(at), Some(&ear), "a socket changed its game"),
            Err(at) => self.0.insert(at, ear),
        }
    }

    pub(super) fn remove(&mut self, socket: SocketId) {
        if let Ok(at) = self.find(socket) {
            self.0.remove(at);
        }
    }

    pub(super) fn has(&self, socket: SocketId) -> bool {
        self.find(socket).is_ok()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Ear> {
        self.0.iter()
    }

    /// The sockets of all games but this one.
    pub(super) fn outside(&self, game: GameId) -> Vec<SocketId> {
        let mut sockets = Vec::with_capacity(self.0.len());
        let outside = self.0.iter().filter(|ear| ear.game != game);
        sockets.extend(outside.map(|ear| ear.socket));
        sockets
    }

    /// The same, those with plain frames apart from those with numbered ones.
    pub(super) fn outside_by_kind(&self, game: GameId) -> (Vec<SocketId>, Vec<SocketId>) {
        let (mut plain, mut numbered) = (Vec::with_capacity(self.0.len()), Vec::new());
        for ear in self.0.iter().filter(|ear| ear.game != game) {
            if ear.numbered {
                numbered.push(ear.socket);
            } else {
                plain.push(ear.socket);
            }
        }
        (plain, numbered)
    }

    fn find(&self, socket: SocketId) -> Result<usize, usize> {
        self.0.binary_search_by_key(&socket, |ear| ear.socket)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ear(socket: u64, game: i64, numbered: bool) -> Ear {
        Ear {
            socket: SocketId(socket),
            game: GameId(game),
            numbered,
        }
    }

    #[test]
    fn each_listener_of_other_games_is_named_once() {
        let mut ears = Ears::default();
        for (socket, game) in [(3, 1), (1, 2), (2, 3), (1, 2)] {
            ears.add(ear(socket, game, socket == 2));
        }
        assert_eq!(ears.outside(GameId(1)), [SocketId(1), SocketId(2)]);
        let (plain, numbered) = ears.outside_by_kind(GameId(2));
        assert_eq!((plain, numbered), (vec![SocketId(3)], vec![SocketId(2)]));
        ears.remove(SocketId(1));
        ears.remove(SocketId(9));
        assert!(!ears.has(SocketId(1)) && ears.has(SocketId(3)));
        assert_eq!(ears.iter().count(), 2);
    }
}
