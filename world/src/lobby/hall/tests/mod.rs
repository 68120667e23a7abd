//! `[process]` Goal: nobody is refused while a room can open, seats are never given twice, and the
//! list of rooms is what there is. Method: the state by itself; and a hall with real rooms, guests
//! and sockets that run at once.

mod live;
mod rooms;
