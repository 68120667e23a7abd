//! `[pure]` What a client counts.

/// Counters of a client since it was made; none ever falls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientFigures {
    /// Connections that were opened and authenticated.
    pub connects: u64,
    /// Connections that failed or ended otherwise than by our wish.
    pub failures: u64,
    /// Frames received.
    pub received: u64,
    /// Their bytes.
    pub received_bytes: u64,
    /// Frames sent.
    pub sent: u64,
    /// Words sent on channels.
    pub said: u64,
    /// Words and requests dropped because there were too many at once.
    pub dropped_out: u64,
    /// Messages of channels delivered.
    pub heard: u64,
    /// Tells sent to the hub.
    pub tells_out: u64,
    /// Tells delivered.
    pub tells_in: u64,
    /// Heartbeats answered.
    pub beats: u64,
    /// Frames dropped because too many came.
    pub flood_dropped: u64,
    /// Connections cut because far too many came.
    pub flood_cuts: u64,
    /// Broadcasts that had come before, and were dropped.
    pub duplicates: u64,
    /// Times the connection was away and nobody can tell what was said meanwhile.
    pub gaps: u64,
    /// Messages fetched that were said while the connection was away.
    pub missed: u64,
    /// Messages said while the connection was away that the hub has no longer.
    pub lost: u64,
    /// Frames that are no JSON objects, or no text.
    pub garbage: u64,
    /// Events that are not known, or not complete, or were not asked for.
    pub ignored: u64,
    /// Messages, players and games dropped because nothing of them was left after cleaning.
    pub unclean: u64,
    /// Requests that the hub refused.
    pub refused: u64,
    /// Requests that the hub did not answer in time.
    pub timeouts: u64,
    /// Restarts of the hub that it announced.
    pub restarts: u64,
    /// Games and players left out because there are too many.
    pub roster_full: u64,
}
