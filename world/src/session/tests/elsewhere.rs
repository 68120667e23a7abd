//! `[pure]` A player speaks to players of other games.

use super::stage::Play;
use crate::bridge::{NotTold, Remote, Shown};
use crate::command::BridgeOrder;
use crate::event::{Event, Refusal};
use crate::ids::LineId;
use crate::ops::metrics::VerbClass;
use crate::room::Answer;
use crate::session::{Effect, NetworkOrder};
use std::time::Duration;

fn tell(line: u32, to: &str, whole: bool) -> Effect {
    Effect::Network(NetworkOrder::Tell {
        line: LineId(line),
        to: to.into(),
        whole,
        text: "hi".into(),
    })
}

fn told(to: &str) -> Event {
    Event::Bridge(Shown::Told {
        to: Remote::parse(to).unwrap(),
        text: "hi".into(),
    })
}

#[test]
fn a_reply_goes_to_whom_the_player_told_something_elsewhere() {
    let mut play = Play::character();
    let sent = play.typed("tell bo@oth hi");
    assert_eq!(sent, [tell(2, "bo@oth", false)]);
    let answer = told("Bo@Othergame");
    let shown = play.answer(2, Answer::Show(Box::new(answer.clone())));
    assert_eq!(shown, [Effect::Show(answer), play.done(VerbClass::Speech)]);
    assert_eq!(play.typed("reply hi"), [tell(3, "Bo@Othergame", true)]);
}

#[test]
fn a_tell_that_failed_changes_nothing_for_a_reply() {
    let mut play = Play::character();
    play.state.reply_to = Some("Ann".into());
    play.typed("tell bo@oth hi");
    let (to, why) = (Remote::parse("bo@oth").unwrap(), NotTold::NoGame);
    let answer = Event::Bridge(Shown::NotTold { to, why });
    play.answer(2, Answer::Show(Box::new(answer)));
    assert_eq!(play.state.reply_to.as_deref(), Some("Ann"));
}

#[test]
fn quotes_keep_names_with_blanks_together_and_any_at_signs_are_input() {
    let mut play = Play::character();
    let sent = play.typed("tell 'Bo Derek@Other' hi");
    assert_eq!(sent, [tell(2, "Bo Derek@Other", false)]);
    for (line, typed) in (3..).zip(["@", "@@", "a@@b", "@b"]) {
        assert_eq!(
            play.typed(&format!("tell {typed} hi")),
            [tell(line, typed, false)]
        );
        play.lost(line);
    }
}

#[test]
fn no_answer_is_told_later_than_that_of_a_room() {
    let mut play = Play::character();
    play.typed("tell bo@oth hi");
    assert!(play.after(Duration::from_secs(6)).is_empty());
    let late = play.after(Duration::from_secs(1));
    assert_eq!(
        late.first(),
        Some(&Effect::Show(Event::Refused(Refusal::NoAnswer)))
    );
}

#[test]
fn what_one_is_told_of_other_games_is_chosen_and_kept() {
    let mut play = Play::character();
    let shown = play.typed("notices");
    let order = NetworkOrder::ShowNotices(None);
    assert_eq!(shown.first(), Some(&Effect::Network(order)));
    play.typed("notices off");
    assert_eq!(play.state.settings.notices, Some(false));
    assert!(play.state.save_due.is_some());
}

#[test]
fn the_bridge_is_for_staff() {
    let mut play = Play::character();
    let refused = play.typed("bridge off");
    assert_eq!(
        refused.first(),
        Some(&Effect::Show(Event::Refused(Refusal::StaffOnly)))
    );
    play.state.rights.staff = true;
    let order = NetworkOrder::Bridge(LineId(3), BridgeOrder::Off);
    assert_eq!(play.typed("bridge off"), [Effect::Network(order)]);
}
