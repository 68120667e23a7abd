//! `[pure]` What is ordered of a tether by hand.

/// What was ordered from outside since the last step. Orders combine, so that any number of them
/// takes no more room than one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Orders {
    pub(super) switch: Option<Switch>,
    /// A child that is attached is stopped, and made anew.
    pub(super) stops_first: bool,
    /// The next try is due.
    pub(super) now: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Switch {
    On,
    Off,
}

impl Orders {
    pub(super) fn cut(&mut self) {
        *self = Self {
            switch: Some(Switch::Off),
            ..Self::default()
        };
    }

    pub(super) fn attach(&mut self) {
        // A cut that was not carried out yet is not forgotten: the child is stopped in between.
        self.stops_first |= self.switch == Some(Switch::Off);
        self.switch = Some(Switch::On);
        self.now = true;
    }

    pub(super) fn attach_now(&mut self) {
        self.now = true;
    }

    pub(super) fn reattach(&mut self) {
        self.stops_first = true;
        self.now = true;
    }

    /// Whether the tether is switched off after these, when it was `off` before.
    pub(super) fn leave_off(self, off: bool) -> bool {
        match self.switch {
            Some(Switch::Off) => true,
            Some(Switch::On) => false,
            None => off,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_combine_without_losing_a_cut() {
        fn combined(give: &[fn(&mut Orders)]) -> Orders {
            let mut orders = Orders::default();
            give.iter().for_each(|give| give(&mut orders));
            orders
        }
        let again = combined(&[Orders::cut, Orders::attach_now, Orders::attach]);
        assert!(again.stops_first && again.now && !again.leave_off(true));
        let off = combined(&[Orders::reattach, Orders::attach, Orders::cut]);
        assert_eq!(off, combined(&[Orders::cut]));
        assert!(off.leave_off(false) && combined(&[Orders::attach_now]).leave_off(true));
    }
}
