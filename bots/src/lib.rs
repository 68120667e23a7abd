//! [pure] Load bots.
