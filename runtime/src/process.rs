//! `[process]` The trait of processes and the loop that runs them.

use std::future::ready;

use crate::context::{Context, Incoming};
use crate::exit::Exit;
use crate::signal::Signal;

/// What a process does after it handled something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// It waits for the next message.
    Continue,
    /// It ends with [`Exit::Normal`].
    Stop,
}

/// A process: state that handles one message after the other.
///
/// One value is one incarnation; the supervisor makes a new one for each. All callbacks run one
/// at a time, on any worker thread. A panic in any of them, or an `Err`, ends the incarnation;
/// so do an exit of a linked process and a kill, at the next await point.
///
/// ```
/// use std::time::Duration;
/// use belay_runtime::*;
///
/// struct Counter(u64);
///
/// enum Ask {
///     Add(u64),
///     Total(Reply<u64>),
/// }
///
/// impl Process for Counter {
///     type Message = Ask;
///
///     async fn handle(&mut self, _: &mut Context<Ask>, message: Ask) -> Result<Flow, Exit> {
///         match message {
///             Ask::Add(amount) => self.0 += amount,
///             // Who asks may have given up; that is no failure of ours.
///             Ask::Total(reply) => drop(reply.send(self.0)),
///         }
///         Ok(Flow::Continue)
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let mailbox = Mailbox::new(Capacity::new(16));
/// let counter = mailbox.address();
/// let node = Node::start(
///     Supervisor::builder("node").child(ChildSpec::process("counter", &mailbox, || Counter(0))),
/// )
/// .await
/// .unwrap();
/// counter.send(Ask::Add(2)).await.unwrap();
/// assert_eq!(counter.call(Duration::from_secs(1), Ask::Total).await, Ok(2));
/// assert!(node.stop(Duration::from_secs(1)).await.not_stopped.is_empty());
/// # }
/// ```
pub trait Process: Send + Sized + 'static {
    /// What it is sent.
    type Message: Send + 'static;

    /// Runs first. The start is acknowledged when it returns `Ok`.
    ///
    /// An `Err`, whatever the exit in it, is a failed start, as is `{stop, Reason}` in OTP: in the
    /// first incarnation whoever starts the process gets it in
    /// [`StartError::Failed`](crate::StartError::Failed), and the process has ended; in a later one
    /// it is restarted again, which counts as a failure, also when it is
    /// [transient](crate::Restart::Transient) and the exit is [`Exit::Normal`] or
    /// [`Exit::Shutdown`].
    ///
    /// There is no `ignore`. A child that may find nothing to do, which is no failure, is a
    /// [body](crate::ChildSpec::body) that is not restarted after a normal exit and returns `Ok`
    /// before it waits for anything: that is a good start and a normal end.
    fn init(
        &mut self,
        ctx: &mut Context<Self::Message>,
    ) -> impl Future<Output = Result<(), Exit>> + Send {
        let _ = ctx;
        ready(Ok(()))
    }

    /// Handles a message, or the message of a timer.
    fn handle(
        &mut self,
        ctx: &mut Context<Self::Message>,
        message: Self::Message,
    ) -> impl Future<Output = Result<Flow, Exit>> + Send;

    /// Handles a signal. By default nothing is done, as they come only to who asked for them.
    fn signal(
        &mut self,
        ctx: &mut Context<Self::Message>,
        signal: Signal,
    ) -> impl Future<Output = Result<Flow, Exit>> + Send {
        let _ = (ctx, signal);
        ready(Ok(Flow::Continue))
    }

    /// Runs last, unless the process panicked or was ended from outside: OTP's `terminate`. When
    /// the supervisor stops the process it runs within the shutdown deadline. The process need not
    /// trap exits for that, as it must in OTP.
    fn stop(
        &mut self,
        ctx: &mut Context<Self::Message>,
        exit: &Exit,
    ) -> impl Future<Output = ()> + Send {
        let _ = (ctx, exit);
        ready(())
    }

    /// Runs after the last message of a batch, before the process waits or looks for more: the
    /// moment to flush what was gathered.
    fn batch_end(
        &mut self,
        ctx: &mut Context<Self::Message>,
    ) -> impl Future<Output = Result<Flow, Exit>> + Send {
        let _ = ctx;
        ready(Ok(Flow::Continue))
    }
}

/// One incarnation of `process`.
#[expect(
    clippy::manual_async_fn,
    reason = "an async fn holds its arguments twice"
)]
pub(crate) fn run<P: Process>(
    mut process: P,
    mut ctx: Context<P::Message>,
) -> impl Future<Output = Result<(), Exit>> + Send {
    async move {
        process.init(&mut ctx).await?;
        ctx.ready();
        let exit = loop {
            let flow = match ctx.next().await {
                Incoming::Message(message) | Incoming::Timer(message) => {
                    process.handle(&mut ctx, message).await
                }
                Incoming::Signal(signal) => process.signal(&mut ctx, signal).await,
                Incoming::Shutdown => break Exit::Shutdown,
            };
            let flow = match flow {
                Ok(Flow::Continue) if ctx.batch_is_done() => process.batch_end(&mut ctx).await,
                flow => flow,
            };
            match flow {
                Ok(Flow::Continue) => {}
                Ok(Flow::Stop) => break Exit::Normal,
                Err(exit) => break exit,
            }
        };
        process.stop(&mut ctx, &exit).await;
        Err(exit)
    }
}
