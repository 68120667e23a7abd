//! `[process]` What is wrong with a child spec, or with several under one supervisor.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use crate::policy::{AutoShutdown, Restart};
use crate::spec::ChildSpec;
use crate::supervisor::SupervisorBuilder;

/// A child spec, or a supervisor, that contradicts itself. Always a bug of who wrote it; nothing
/// was started.
///
/// The first five are refused by OTP's `supervisor:check_childspecs` and by its check of the
/// supervisor flags as well.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// Two children of a static supervisor have one name. (`duplicate_child_name`)
    #[error("two children are named {name}")]
    DuplicateName {
        /// Their name.
        name: Arc<str>,
    },
    /// The child is [significant](ChildSpec::significant), which says that it may end, and
    /// [permanent](Restart::Permanent), which says that it never does. (`bad_combination`)
    #[error("child {name} is significant and permanent")]
    SignificantPermanent {
        /// The child.
        name: Arc<str>,
    },
    /// The child is [significant](ChildSpec::significant) for a supervisor that
    /// [never](AutoShutdown::Never) stops by itself, as dynamic ones do not. (`bad_combination`)
    #[error("child {name} is significant for a supervisor that never stops by itself")]
    SignificantForNothing {
        /// The child.
        name: Arc<str>,
    },
    /// The [intensity](crate::Intensity) of a supervisor has a period of no length.
    /// (`invalid_period`)
    #[error("the intensity of supervisor {name} has no period")]
    NoPeriod {
        /// The supervisor.
        name: Arc<str>,
    },
    /// The [intensity of a child](ChildSpec::intensity) has a period of no length.
    #[error("the intensity of child {name} has no period")]
    NoPeriodOfChild {
        /// The child.
        name: Arc<str>,
    },
    /// The child can [run only once](ChildSpec::once_body) and is to be restarted.
    #[error("child {name} can run only once and is not temporary")]
    RunsOnce {
        /// The child.
        name: Arc<str>,
    },
    /// The child is [temporary](Restart::Temporary), which says that it is never restarted, and
    /// has a [back-off](ChildSpec::backoff) or an [intensity](ChildSpec::intensity) of its own,
    /// which say how it is.
    #[error("child {name} is temporary and has a back-off or an intensity of its own")]
    NeverRestarted {
        /// The child.
        name: Arc<str>,
    },
    /// The child has [no time](ChildSpec::start_within) to start in.
    #[error("child {name} has no time to start in")]
    NoTimeToStart {
        /// The child.
        name: Arc<str>,
    },
    /// Two children of a static supervisor would run on one mailbox.
    #[error("children {first} and {second} have one mailbox")]
    SharedMailbox {
        /// The one that is started first.
        first: Arc<str>,
        /// The other.
        second: Arc<str>,
    },
}

impl ChildSpec {
    /// Says whether the spec contradicts itself; starts nothing. Every start does this first.
    ///
    /// # Errors
    /// [`SpecError`] (bug): the first contradiction found.
    pub fn check(&self) -> Result<(), SpecError> {
        let name = || Arc::clone(&self.name);
        let temporary = self.terms.restart == Restart::Temporary;
        if self.once && !temporary {
            return Err(SpecError::RunsOnce { name: name() });
        }
        if self.terms.significant && self.terms.restart == Restart::Permanent {
            return Err(SpecError::SignificantPermanent { name: name() });
        }
        if temporary && self.terms.rare.is_some() {
            return Err(SpecError::NeverRestarted { name: name() });
        }
        if let Some(limit) = self.terms.own_limit()
            && limit.intensity.has_no_period()
        {
            return Err(SpecError::NoPeriodOfChild { name: name() });
        }
        if self.start_within == Some(Duration::ZERO) {
            return Err(SpecError::NoTimeToStart { name: name() });
        }
        Ok(())
    }

    /// As [`check`](Self::check), for a supervisor that stops by itself like this.
    pub(crate) fn check_under(&self, auto_shutdown: AutoShutdown) -> Result<(), SpecError> {
        if self.terms.significant && auto_shutdown == AutoShutdown::Never {
            let name = Arc::clone(&self.name);
            return Err(SpecError::SignificantForNothing { name });
        }
        self.check()
    }
}

impl SupervisorBuilder {
    /// Says whether the supervisor or one of its children contradicts itself; starts nothing.
    /// OTP's `supervisor:check_childspecs`.
    ///
    /// Every start does this first. Of a child that is a supervisor itself only the spec can be
    /// seen here; its own children are checked when it starts.
    ///
    /// ```
    /// use belay_runtime::*;
    ///
    /// let twin = || ChildSpec::task("twin", |_| async { Ok(()) });
    /// let builder = Supervisor::builder("node").child(twin()).child(twin());
    /// assert_eq!(builder.check(), Err(SpecError::DuplicateName { name: "twin".into() }));
    /// ```
    ///
    /// # Errors
    /// [`SpecError`] (bug): the first contradiction found.
    #[doc(alias = "check_childspecs")]
    pub fn check(&self) -> Result<(), SpecError> {
        if self.intensity.has_no_period() {
            let name = Arc::clone(&self.name);
            return Err(SpecError::NoPeriod { name });
        }
        let mut names = BTreeSet::new();
        let mut mailboxes = BTreeMap::new();
        for spec in &self.children {
            spec.check_under(self.auto_shutdown)?;
            if !names.insert(&spec.name) {
                let name = Arc::clone(&spec.name);
                return Err(SpecError::DuplicateName { name });
            }
            let mailbox = Arc::as_ptr(&spec.launch.slot()).addr();
            if let Some(first) = mailboxes.insert(mailbox, &spec.name) {
                return Err(SpecError::SharedMailbox {
                    first: Arc::clone(first),
                    second: Arc::clone(&spec.name),
                });
            }
        }
        Ok(())
    }
}
