//! [pure] Supervised processes in the manner of Erlang/OTP, on tokio.
