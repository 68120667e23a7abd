//! `[pure]` The queue inside a mailbox: two bounds, batches, and putting a batch back.

use std::collections::VecDeque;

/// How many messages a mailbox holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Messages of any kind. A mailbox that should take any must have at least 1.
    pub messages: u32,
    /// Further slots that only *owed* messages may use
    /// ([`Address::try_send_owed`](crate::Address::try_send_owed)): answers to one's own
    /// requests, which must not be lost because of what others send.
    pub reserved: u32,
}

impl Capacity {
    /// Room for `messages`, none reserved.
    pub const fn new(messages: u32) -> Self {
        Self {
            messages,
            reserved: 0,
        }
    }
}

/// Which bound a message is held to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Ambient,
    Owed,
    /// None: the one message that says that there will be no more from somewhere.
    Last,
}

/// Why a message was not taken.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refused<M> {
    Full(M),
    Closed(M),
}

/// A first-in first-out queue with the two bounds of [`Capacity`].
///
/// Allocates nothing while empty and never used.
#[derive(Debug)]
pub(crate) struct Lane<M> {
    messages: VecDeque<M>,
    capacity: Capacity,
    high_water: u32,
    closed: bool,
    refused: u32,
    taken: u64,
}

impl<M> Lane<M> {
    pub(crate) const fn new(capacity: Capacity) -> Self {
        Self {
            messages: VecDeque::new(),
            capacity,
            high_water: 0,
            closed: false,
            refused: 0,
            taken: 0,
        }
    }

    pub(crate) fn push(&mut self, message: M, class: Class) -> Result<(), Refused<M>> {
        if self.closed {
            return Err(Refused::Closed(message));
        }
        if self.messages.len() >= self.bound(class) {
            self.refused = self.refused.saturating_add(1);
            return Err(Refused::Full(message));
        }
        self.messages.push_back(message);
        self.note_depth();
        Ok(())
    }

    /// Swaps the whole queue into `batch`, which must be empty; true when that is not nothing.
    pub(crate) fn take(&mut self, batch: &mut VecDeque<M>) -> bool {
        assert!(
            batch.is_empty(),
            "a batch is taken when the last one is done"
        );
        if self.messages.is_empty() {
            return false;
        }
        std::mem::swap(&mut self.messages, batch);
        self.taken += batch.len() as u64;
        true
    }

    /// Puts what is left of a taken batch back in front, over the bound if need be.
    ///
    /// Returns the batch when the lane is closed, so that the caller drops it outside its lock.
    pub(crate) fn put_back(&mut self, mut batch: VecDeque<M>) -> Option<VecDeque<M>> {
        if self.closed {
            return Some(batch);
        }
        self.taken -= batch.len() as u64;
        batch.append(&mut self.messages);
        self.messages = batch;
        self.note_depth();
        None
    }

    /// Refuses messages from now on and returns those that are queued.
    pub(crate) fn close(&mut self) -> VecDeque<M> {
        self.closed = true;
        self.clear()
    }

    pub(crate) fn reopen(&mut self) {
        self.closed = false;
    }

    /// Returns those that are queued.
    pub(crate) fn clear(&mut self) -> VecDeque<M> {
        std::mem::take(&mut self.messages)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    pub(crate) fn len(&self) -> usize {
        self.messages.len()
    }

    /// Ambient messages that fit now.
    pub(crate) fn room(&self) -> usize {
        self.bound(Class::Ambient)
            .saturating_sub(self.messages.len())
    }

    /// Messages refused for lack of room since the beginning.
    pub(crate) fn refused(&self) -> u32 {
        self.refused
    }

    pub(crate) fn high_water(&self) -> u32 {
        self.high_water
    }

    pub(crate) fn capacity(&self) -> Capacity {
        self.capacity
    }

    /// Messages taken for handling since the beginning.
    pub(crate) fn taken(&self) -> u64 {
        self.taken
    }

    fn bound(&self, class: Class) -> usize {
        let reserved = match class {
            Class::Ambient => 0,
            Class::Owed => self.capacity.reserved as usize,
            Class::Last => return usize::MAX,
        };
        self.capacity.messages as usize + reserved
    }

    fn note_depth(&mut self) {
        let depth = u32::try_from(self.messages.len()).unwrap_or(u32::MAX);
        self.high_water = self.high_water.max(depth);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Step {
        Push(Class),
        Take,
        Handle(usize),
        PutBack,
        Clear,
        Close,
        Reopen,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            8 => Just(Step::Push(Class::Ambient)),
            4 => Just(Step::Push(Class::Owed)),
            3 => Just(Step::Take),
            3 => (0usize..4).prop_map(Step::Handle),
            2 => Just(Step::PutBack),
            1 => Just(Step::Clear),
            1 => Just(Step::Close),
            1 => Just(Step::Reopen),
        ]
    }

    /// The model: one plain list, what is queued and what is in the taken batch.
    #[derive(Default)]
    struct Model {
        queued: Vec<u32>,
        batch: Vec<u32>,
        closed: bool,
    }

    proptest! {
        #[test]
        fn agrees_with_a_plain_list(
            messages in 0u32..5, reserved in 0u32..3, steps in prop::collection::vec(step(), 1..80),
        ) {
            let mut lane = Lane::new(Capacity { messages, reserved });
            let (mut batch, mut model) = (VecDeque::new(), Model::default());
            for (number, step) in (0u32..).zip(steps) {
                match step {
                    Step::Push(class) => {
                        let bound = messages + if class == Class::Owed { reserved } else { 0 };
                        let expected = if model.closed {
                            Err(Refused::Closed(number))
                        } else if model.queued.len() >= bound as usize {
                            Err(Refused::Full(number))
                        } else {
                            model.queued.push(number);
                            Ok(())
                        };
                        prop_assert_eq!(lane.push(number, class), expected);
                    }
                    Step::Take if batch.is_empty() => {
                        prop_assert_eq!(lane.take(&mut batch), !model.queued.is_empty());
                        model.batch = std::mem::take(&mut model.queued);
                    }
                    Step::Take => {}
                    Step::Handle(count) => {
                        let count = count.min(batch.len());
                        batch.drain(..count);
                        model.batch.drain(..count);
                    }
                    Step::PutBack => {
                        let refused = lane.put_back(std::mem::take(&mut batch));
                        prop_assert_eq!(refused.is_some(), model.closed);
                        let back = std::mem::take(&mut model.batch);
                        if !model.closed {
                            model.queued.splice(0..0, back);
                        }
                    }
                    Step::Clear => {
                        prop_assert_eq!(Vec::from(lane.clear()), std::mem::take(&mut model.queued));
                    }
                    Step::Close => {
                        prop_assert_eq!(Vec::from(lane.close()), std::mem::take(&mut model.queued));
                        model.closed = true;
                    }
                    Step::Reopen => {
                        lane.reopen();
                        model.closed = false;
                    }
                }
                prop_assert_eq!(lane.len(), model.queued.len());
                prop_assert_eq!(lane.is_closed(), model.closed);
                prop_assert_eq!(&Vec::from(batch.clone()), &model.batch);
                let room = (messages as usize).saturating_sub(model.queued.len());
                prop_assert_eq!(lane.room(), room);
                prop_assert!(lane.high_water() as usize >= lane.len());
            }
        }
    }

    #[test]
    fn owed_messages_use_the_reserved_slots() {
        let mut lane = Lane::new(Capacity {
            messages: 1,
            reserved: 1,
        });
        assert_eq!(lane.push(1, Class::Ambient), Ok(()));
        assert_eq!(lane.push(2, Class::Ambient), Err(Refused::Full(2)));
        assert_eq!(lane.push(3, Class::Owed), Ok(()));
        assert_eq!(lane.push(4, Class::Owed), Err(Refused::Full(4)));
    }

    #[test]
    fn allocates_nothing_before_the_first_message() {
        let lane = Lane::<u64>::new(Capacity::new(1_000));
        assert_eq!(lane.messages.capacity(), 0);
    }
}
