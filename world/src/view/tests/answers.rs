//! `[pure]` Refusals, facts and announcements: exact texts.

use super::sample::*;
use crate::event::*;
use crate::ids::Direction;

#[test]
fn refusals_of_words() {
    let unknown = |near: &[&str]| Refusal::UnknownVerb {
        word: t("loook"),
        near: near.iter().map(|near| t(near)).collect(),
    };
    let help = |near: &[&str]| Refusal::NoHelp {
        topic: t("mooving"),
        near: near.iter().map(|near| t(near)).collect(),
    };
    let bad = Refusal::BadArgument {
        given: t("pink"),
        allowed: t("off or 16"),
    };
    let table = vec![
        (
            unknown(&["look"]),
            "I do not know the word \"loook\". Did you mean look?\n",
        ),
        (
            unknown(&["look", "go", "get"]),
            "I do not know the word \"loook\". Did you mean look, go or get?\n",
        ),
        (
            unknown(&[]),
            "I do not know the word \"loook\". Type help for the list of words.\n",
        ),
        (Refusal::Missing(t("Say what?")), "Say what?\n"),
        (bad, "\"pink\" is not understood. Use off or 16.\n"),
        (
            help(&["moving"]),
            "There is no help on \"mooving\". Did you mean moving?\n",
        ),
        (
            help(&[]),
            "There is no help on \"mooving\". Type help for the list of words.\n",
        ),
    ];
    check_all(table, Event::Refused);
}

#[test]
fn refusals_of_deeds() {
    let table = vec![
        (Refusal::NoExit(Direction::Up), "You cannot go that way.\n"),
        (Refusal::NotHere(t("rope")), "There is no rope here.\n"),
        (Refusal::NotCarried(t("rope")), "You carry no rope.\n"),
        (
            Refusal::NotTakeable(t("the well")),
            "You cannot take the well.\n",
        ),
        (Refusal::HandsFull, "Your hands are full.\n"),
        (
            Refusal::WillNotTake(t("the cat")),
            "The cat cannot take it just now.\n",
        ),
        (
            Refusal::NobodyCalled(t("Ann")),
            "Nobody called Ann plays just now.\n",
        ),
        (
            Refusal::CannotListen(t("Ann")),
            "Ann cannot listen just now. Try again.\n",
        ),
        (
            Refusal::OutOfReach(t("Ann")),
            "Ann cannot be reached just now. Try again.\n",
        ),
        (
            Refusal::ChannelOut,
            "That channel cannot be reached just now. Try again.\n",
        ),
        (
            Refusal::NobodyToReplyTo,
            "Nobody has told you anything yet.\n",
        ),
        (Refusal::TooCrowded, "Too crowded to act just now.\n"),
        (Refusal::WayClosed, "The way is closed just now.\n"),
        (
            Refusal::GotLost,
            "The ground trembles; that did not get through.\n",
        ),
        (
            Refusal::NoAnswer,
            "Nothing came of that in time. Try again.\n",
        ),
        (
            Refusal::NotSaved,
            "That could not be saved, so it did not happen. Try again.\n",
        ),
        (
            Refusal::SomebodyElses,
            "It slips away: somebody else has it by now.\n",
        ),
        (Refusal::GuestsCannot, "Guests cannot do that.\n"),
        (
            Refusal::NotYourPassword,
            "That is not your password. It stays as it is.\n",
        ),
        (Refusal::StaffOnly, "Only staff can do that.\n"),
        (
            Refusal::TooFast,
            "You type faster than can be read. Some lines were dropped.\n",
        ),
        (
            Refusal::LineCut(4096),
            "That line is too long. Only its first 4096 bytes count.\n",
        ),
    ];
    check_all(table, Event::Refused);
}

#[test]
fn facts() {
    let score = Score {
        name: t("Ann"),
        guest: true,
        staff: true,
        room: Some(SQUARE),
        items: 2,
        played_s: 7_500,
    };
    let poor = Score {
        guest: false,
        staff: false,
        room: None,
        items: 0,
        ..score.clone()
    };
    let table = vec![
        (
            Told::Who {
                people: vec![],
                total: 1,
            },
            "Nobody of that name plays here just now.\nOne player in all.\n",
        ),
        (Told::Inventory(vec![]), "You carry nothing.\n"),
        (
            Told::Score(Box::new(score)),
            "You are Ann.\nYou are a guest; nothing is saved.\nYou are staff.\n\
             You are in The Square.\nYou carry two things.\n\
             You have played for 2 hours and 5 minutes.\n",
        ),
        (
            Told::Score(Box::new(poor)),
            "You are Ann.\nYou carry nothing.\nYou have played for 2 hours and 5 minutes.\n",
        ),
        (
            Told::Help(t("exits")),
            "Exits: lists the ways out of the room and where they lead.\n",
        ),
        (
            Told::Help(t("?")),
            "There is no help on this. Type help for the list.\n",
        ),
        (Told::ColorIs(t("true")), "You see all colours.\n"),
        (
            Told::ColorIs(t("auto")),
            "You see the colours that your client can show.\n",
        ),
        (Told::ScreenReaderIs(true), "Screen-reader mode is on.\n"),
        (Told::ScreenReaderIs(false), "Screen-reader mode is off.\n"),
        (
            Told::ResumeToken(t("abc")),
            "To go on from a new connection, type this line at its name prompt:\n\
             resume abc\nIt works once. Keep it to yourself.\n",
        ),
        (Told::Nothing, ""),
    ];
    check_all(table, Event::Told);
}

#[test]
fn announcements() {
    use SystemEvent as S;
    let table = vec![
        (
            S::SessionRestarted,
            "Something broke on your last line. You are back.\n",
        ),
        (
            S::RoomClosed,
            "The place around you closes. You find yourself elsewhere.\n",
        ),
        (
            S::Adrift,
            "No place is open to stand in just now. Please wait.\n",
        ),
        (
            S::PlaceAwaited,
            "The ground trembles; your place in the world is out of reach just now.\n\
             You will stand there as soon as it is back. You can talk on channels, or quit.\n",
        ),
        (
            S::PlaceGivenUp,
            "Your place in the world is still out of reach. You find yourself elsewhere.\n",
        ),
        (
            S::DeedWaits,
            "The ground trembles; what you do waits for it to be still.\n",
        ),
        (
            S::TakenOver,
            "You logged in from elsewhere, so this connection ends.\n",
        ),
        (
            S::Kicked(t("spam")),
            "You are removed from the game: spam.\n",
        ),
        (S::ShuttingDown, "The game stops now. Come back soon.\n"),
        (
            S::NodeStops,
            "This part of the game stops now. Connect again, and go on where you are.\n",
        ),
        (S::Goodbye(t("idle")), "Goodbye: idle.\n"),
        (S::Goodbye(t("")), "Goodbye.\n"),
        (
            S::StoreSlow,
            "Saving is slow just now. What must be saved waits for it.\n",
        ),
    ];
    check_all(table, Event::System);
    check(Event::System(S::Alive), PLAIN, "[alive]\n");
    check(Event::System(S::Alive), ALOUD, "Alive.\n");
    check(
        Event::System(S::LostTrack),
        PLAIN,
        "...you lose track for a moment.\n",
    );
    check(
        Event::System(S::LostTrack),
        ALOUD,
        "You lose track for a moment.\n",
    );
}
