//! `[process]` The options of a tether.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::backoff::Backoff;
use crate::exit::Exit;
use crate::guard;
use crate::limits::{TETHER_PROVEN_DEFAULT, TETHER_START_DEFAULT};
use crate::window::Intensity;

type DelayFor = Arc<dyn Fn(&Exit) -> Option<Duration> + Send + Sync>;

/// How a tether behaves.
#[derive(Clone)]
pub struct TetherOptions {
    /// How many quick restarts the child gets; one more is a storm, and cuts it.
    pub intensity: Intensity,
    /// How long a tether that was cut waits before it tries again. Begins anew when the child has
    /// proven itself.
    pub backoff: Backoff,
    /// After running so long, and as long as the back-off before it was, a child has proven
    /// itself; `None` when only its own word counts
    /// ([`Attachment::proven`](crate::Attachment::proven)).
    pub proven_after: Option<Duration>,
    /// How long a start may take. When it is over the child is killed, which counts as a failed
    /// start.
    pub start_within: Duration,
    /// Whether it attaches as soon as it runs; else it stays slack until it is
    /// [attached](crate::Tether::attach) by hand.
    pub attaches_at_start: bool,
    /// Set by [`delay_for`](Self::delay_for).
    pub delay_for: Option<DelayFor>,
}

impl TetherOptions {
    /// Asks `delay_for` about each exit of the child, and each failed start.
    ///
    /// `Some(delay)` is a refusal that trying again soon would not change, such as bad credentials:
    /// the tether is cut at once, whatever the intensity is, and does not try before `delay` is
    /// over (nor before its back-off is). It must not block; when it panics it said `None`.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use belay_runtime::TetherOptions;
    /// let hour = Duration::from_secs(3_600);
    /// let options = TetherOptions::default()
    ///     .delay_for(move |exit| (exit.code() == Some("bad-credentials")).then_some(hour));
    /// ```
    #[must_use]
    pub fn delay_for(
        mut self,
        delay_for: impl Fn(&Exit) -> Option<Duration> + Send + Sync + 'static,
    ) -> Self {
        self.delay_for = Some(Arc::new(delay_for));
        self
    }

    pub(super) fn ask(&self, exit: &Exit) -> Option<Duration> {
        let delay_for = self.delay_for.as_ref()?;
        guard::call(|| delay_for(exit)).ok().flatten()
    }
}

impl Default for TetherOptions {
    /// Three quick restarts in five seconds, the [default back-off](Backoff::default), proven
    /// after [`TETHER_PROVEN_DEFAULT`], started within [`TETHER_START_DEFAULT`], attached at start.
    fn default() -> Self {
        Self {
            intensity: Intensity::new(3, Duration::from_secs(5)),
            backoff: Backoff::default(),
            proven_after: Some(TETHER_PROVEN_DEFAULT),
            start_within: TETHER_START_DEFAULT,
            attaches_at_start: true,
            delay_for: None,
        }
    }
}

impl fmt::Debug for TetherOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TetherOptions")
            .field("intensity", &self.intensity)
            .field("backoff", &self.backoff)
            .field("proven_after", &self.proven_after)
            .field("start_within", &self.start_within)
            .field("attaches_at_start", &self.attaches_at_start)
            .finish_non_exhaustive()
    }
}
