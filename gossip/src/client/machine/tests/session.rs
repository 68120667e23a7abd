//! `[pure]` Goal: a connection behaves as the protocol wants and bears what hubs do. Method: frames
//! as text against the effects, with time as an argument; at the end random hubs.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test looks for one of them"
)]

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::machine::*;
use crate::client::memory::Memory;
use crate::client::news::{News, Receipt, Tell, TellAnswer, TellOutcome};
use crate::client::options::ClientOptions;
use crate::limits::{
    CHANNELS_HEARD_MAX, HISTORY_PAGE, PENDING_MAX, SAY_QUEUE_MAX, SAY_RATE, SUBSCRIBE_RATE,
};
use crate::protocol::{ChannelName, Decoded};

const SECOND: Duration = Duration::from_secs(1);

/// A connection, its time, and what it wanted.
struct Bench {
    machine: Machine,
    now: Instant,
    out: Vec<Effect>,
}

fn channels(names: &[&str]) -> BTreeSet<ChannelName> {
    let names = names.iter().map(|name| ChannelName::parse(name).unwrap());
    names.collect()
}

impl Bench {
    #[expect(clippy::disallowed_methods, reason = "any base does")]
    fn new(names: &[&str]) -> Self {
        Self::with(Memory::default(), names, Instant::now())
    }

    fn with(memory: Memory, names: &[&str], now: Instant) -> Self {
        let identity = Identity {
            client_id: "id".to_owned(),
            client_secret: "hush".to_owned(),
            game: None,
            user_agent: "Test".to_owned(),
            seed: 7,
        };
        let rules = ClientOptions::default().rules();
        let (machine, first) = Machine::open(rules, identity, memory, channels(names), now);
        Self {
            machine,
            now,
            out: vec![first],
        }
    }

    fn online(names: &[&str], extensions: &[&str]) -> Self {
        let mut bench = Self::new(names);
        bench.let_in(extensions);
        bench
    }

    /// Lets it in, and forgets what it did until then, except for questions about histories.
    fn let_in(&mut self, extensions: &[&str]) {
        self.hear(json!({"event":"authenticate","status":"success",
            "payload":{"version":"2.3.0","extensions":extensions}}));
        self.out.retain(|effect| match effect {
            Effect::Send(text) => text.contains("channels/history"),
            _ => false,
        });
    }

    /// The next connection, as long after this one.
    fn again(self, away: Duration, names: &[&str], extensions: &[&str]) -> Self {
        let now = self.now + away;
        let mut bench = Self::with(self.machine.into_memory(), names, now);
        bench.let_in(extensions);
        bench
    }

    fn step(&mut self, input: Input<'_>) {
        self.machine.step(input, self.now, &mut self.out);
    }

    fn hear(&mut self, frame: Value) {
        self.step(Input::Text(&frame.to_string()));
    }

    /// Lets time pass, as one who obeys `wake_at`.
    fn pass(&mut self, time: Duration) {
        let end = self.now + time;
        while let Some(at) = self.machine.wake_at(self.now).filter(|at| *at <= end) {
            self.now = at;
            self.step(Input::Time);
        }
        self.now = end;
        self.step(Input::Time);
    }

    fn take(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.out)
    }

    /// The frames of this event that were sent.
    fn sent(&mut self, event: &str) -> Vec<Value> {
        let is = |effect: &mut Effect| matches!(effect, Effect::Send(text) if text.contains(event));
        let sent = self.out.extract_if(.., is);
        let frames = sent.map(|effect| match effect {
            Effect::Send(text) => serde_json::from_str(&text).unwrap(),
            other => panic!("{other:?}"),
        });
        frames.collect()
    }

    fn news(&mut self) -> Vec<News> {
        let effects = self.take().into_iter();
        let news = effects.filter_map(|effect| match effect {
            Effect::Deliver(news) => Some(news),
            _ => None,
        });
        news.collect()
    }

    fn ending(&mut self) -> Option<Ending> {
        self.take().into_iter().find_map(|effect| match effect {
            Effect::End(ending) => Some(ending),
            _ => None,
        })
    }

    fn say(&mut self, message: &str) {
        self.step(Input::Order(Order::Say {
            channel: "gossip".to_owned(),
            name: "Ann".to_owned(),
            message: message.to_owned(),
        }));
    }

    fn tell(&mut self, id: u64) {
        self.step(Input::Order(Order::Tell(TellOrder {
            id: TellId(id),
            tell: a_tell(),
            sent_at: "2026-01-02T03:04:05Z".to_owned(),
        })));
    }
}

fn a_tell() -> Tell {
    Tell {
        from_name: "Ann".to_owned(),
        to_name: "Bo".to_owned(),
        to_game: "There".to_owned(),
        message: "hi".to_owned(),
    }
}

fn chat(reference: &str, message: &str) -> Value {
    json!({"event":"channels/broadcast","ref":reference,
        "payload":{"channel":"gossip","game":"There","name":"Bo","message":message}})
}

fn numbered(seq: u64, message: &str) -> Value {
    let mut frame = chat(&format!("r{seq}"), message);
    frame["payload"]["seq"] = json!(seq);
    frame
}

fn words(news: &[News]) -> Vec<(&str, bool)> {
    let words = news.iter().filter_map(|news| match news {
        News::Channel {
            message, missed, ..
        } => Some((message.as_str(), *missed)),
        _ => None,
    });
    words.collect()
}

#[test]
fn asks_to_be_let_in_and_then_says_and_asks_who_plays() {
    let mut bench = Bench::new(&["gossip"]);
    let login = bench.sent("authenticate").remove(0);
    let supports = json!(["channels", "players", "tells", "games"]);
    assert_eq!(login["payload"]["supports"], supports);
    assert_eq!(login["payload"]["channels"], json!(["gossip"]));
    assert!(!bench.machine.is_online());
    bench.hear(json!({"event":"authenticate","status":"success"}));
    assert!(bench.machine.is_online());
    let effects = bench.take();
    assert_eq!(effects[..2], [Effect::Online, Effect::Beat]);
    let sent = effects[2..].iter().map(|effect| match effect {
        Effect::Send(text) => serde_json::from_str::<Value>(text).unwrap()["event"].clone(),
        other => panic!("{other:?}"),
    });
    assert_eq!(sent.collect::<Vec<_>>(), ["players/status", "games/status"]);
    bench.hear(json!({"event":"heartbeat"}));
    assert_eq!(bench.take(), [Effect::Beat, Effect::Proven]);
    bench.hear(json!({"event":"heartbeat","payload":{"x":1},"ref":"q"}));
    assert_eq!(bench.take(), [Effect::Beat]);
}

#[test]
fn a_refusal_is_a_rejection_unless_it_is_about_being_too_fast() {
    let rejected = (BAD_CREDENTIALS, Some(600));
    let limited = ("rate-limited", Some(60));
    let table = [
        ("invalid credentials", rejected),
        ("", rejected),
        ("\u{1b}[31mmissing supports\u{202e}", rejected),
        ("disconnected due to rate limit abuse", limited),
    ];
    for (error, (code, wait)) in table {
        let mut bench = Bench::new(&[]);
        bench.hear(json!({"event":"authenticate","status":"failure","error":error}));
        let ending = bench.ending().unwrap();
        assert_eq!(
            (ending.code, ending.wait.map(|wait| wait.as_secs())),
            (code, wait),
            "{error}"
        );
        assert!(
            !ending.reason.contains(['\u{1b}', '\u{202e}']),
            "{}",
            ending.reason
        );
        bench.step(Input::Closed(Some(4000)));
        bench.pass(SECOND);
        assert_eq!(bench.take(), [], "nothing after the end");
    }
    let mut bench = Bench::online(&[], &[]);
    bench.hear(json!({"event":"authenticate","status":"failure","error":"invalid credentials"}));
    assert_eq!(
        bench.ending().unwrap().code,
        "closed",
        "the next try shows it"
    );
}

#[test]
fn an_end_has_its_reason_and_its_wait() {
    let closed = |online: bool, frame: Value, code: Option<u16>| {
        let mut bench = Bench::new(&[]);
        if online {
            bench.let_in(&[]);
        }
        bench.hear(frame);
        bench.step(Input::Closed(code));
        let ending = bench.ending().unwrap();
        let wait = ending.wait.map_or(0..=0, |wait| {
            let ms = wait.as_millis();
            ms * 10 / 12 - 1..=ms
        });
        (ending.code, wait)
    };
    let restart = |downtime: Value| json!({"event":"restart","payload":{"downtime":downtime}});
    let too_fast = json!({"status":"failure","error":"rate limit exceeded, goodbye"});
    let nothing = json!({"event":"heartbeat"});
    let table = [
        (true, nothing.clone(), None, "closed", 0),
        (true, nothing.clone(), Some(4001), "closed", 0),
        (true, nothing.clone(), Some(4000), "closed", 0),
        (false, nothing, Some(4000), "rate-limited", 60_000),
        (true, too_fast, Some(4000), "rate-limited", 60_000),
        (true, restart(json!(3)), Some(1001), "restart", 3_000),
        (true, restart(json!(3)), None, "restart", 3_000),
        (true, restart(json!(0)), None, "restart", 1_000),
        (true, restart(json!(-5)), None, "restart", 1_000),
        (true, restart(json!("x")), None, "restart", 1_000),
        (true, restart(json!(u64::MAX)), None, "restart", 120_000),
        (false, restart(json!(2)), None, "restart", 2_000),
    ];
    for (online, frame, code, expected, ms) in table {
        let (ended, wait) = closed(online, frame.clone(), code);
        assert_eq!(ended, expected, "{frame} {code:?}");
        assert!(wait.contains(&ms), "{frame} {code:?}: {wait:?}");
    }
    let mut bench = Bench::online(&[], &[]);
    bench.hear(restart(json!(30)));
    for _ in 0..31 {
        bench.pass(10 * SECOND);
        bench.hear(json!({"event":"heartbeat"}));
    }
    bench.step(Input::Lost("the connection broke: reset".to_owned()));
    let ending = bench.ending().unwrap();
    assert_eq!(
        (ending.code, ending.reason.as_str()),
        ("closed", "the connection broke: reset")
    );
}

#[test]
fn a_hub_that_does_not_answer_or_falls_silent_is_given_up() {
    let mut bench = Bench::new(&[]);
    bench.hear(json!({"event":"heartbeat"}));
    bench.pass(9 * SECOND);
    assert_eq!(bench.sent("heartbeat").len(), 0);
    assert_eq!(bench.ending(), None);
    bench.pass(SECOND);
    assert_eq!(
        bench.ending().unwrap().reason,
        "the hub does not answer our login"
    );

    let mut bench = Bench::online(&[], &[]);
    bench.pass(49 * SECOND);
    bench.hear(json!({"event":"heartbeat"}));
    bench.pass(49 * SECOND);
    assert_eq!(bench.ending(), None);
    bench.pass(SECOND);
    assert_eq!(
        bench.ending().unwrap().reason,
        "the hub was silent for 50 seconds"
    );
}

#[test]
fn a_tell_is_answered_once_with_what_the_hub_says() {
    let ack = json!({"event":"tells/send","status":"success"});
    let failure = |error: &str| json!({"event":"tells/send","status":"failure","error":error});
    let refused = |reason: &str| TellAnswer::Refused(reason.to_owned());
    let table = [
        (ack, TellAnswer::Sent),
        (failure("game offline"), TellAnswer::UnknownGame),
        (failure("not supported"), TellAnswer::NotSupported),
        (
            failure("receiving player offline"),
            TellAnswer::PlayerOffline,
        ),
        (failure("player offline"), TellAnswer::PlayerOffline),
        (failure("sending player offline"), TellAnswer::SenderOffline),
        (
            failure("rate limit exceeded"),
            refused("too many tells at once"),
        ),
        (
            failure("missing support for \"tells\""),
            refused("this game may not send tells"),
        ),
        (failure("so\u{7} there"), refused("so there")),
        (failure(""), refused("no reason given")),
    ];
    for (mut answer, expected) in table {
        let mut bench = Bench::online(&[], &[]);
        bench.tell(3);
        let sent = bench.sent("tells/send").remove(0);
        assert_eq!(sent["payload"].as_object().unwrap().len(), 5);
        answer["ref"] = sent["ref"].clone();
        bench.hear(answer.clone());
        assert_eq!(bench.take(), [Effect::Answer(TellId(3), expected)]);
        bench.hear(answer);
        bench.pass(10 * SECOND);
        assert_eq!(bench.take(), []);
    }
    let mut bench = Bench::online(&[], &[]);
    bench.hear(json!({"event":"games/connect","payload":{"game":"THERE"}}));
    bench.tell(1);
    let reference = bench.sent("tells/send").remove(0)["ref"].clone();
    bench.take();
    bench.hear(
        json!({"event":"tells/send","ref":reference,"status":"failure",
        "error":"game offline"}),
    );
    assert_eq!(
        bench.take(),
        [Effect::Answer(TellId(1), TellAnswer::GameOffline)]
    );
}

#[test]
fn a_tell_without_an_answer_is_given_up_and_too_many_are_refused() {
    let mut bench = Bench::new(&[]);
    bench.take();
    bench.tell(1);
    assert_eq!(
        bench.take(),
        [Effect::Answer(TellId(1), TellAnswer::Offline)]
    );
    bench.let_in(&[]);
    bench.tell(2);
    bench.pass(4 * SECOND);
    assert_eq!(bench.sent("tells/send").len(), 1);
    assert_eq!(bench.take(), []);
    bench.pass(SECOND);
    assert_eq!(
        bench.take(),
        [Effect::Answer(TellId(2), TellAnswer::TimedOut)]
    );
    for id in 0..1_000 {
        bench.tell(id);
    }
    let sent = bench.sent("tells/send").len();
    let refused = bench.take();
    assert!((20..PENDING_MAX).contains(&sent), "{sent}");
    assert_eq!(sent + refused.len(), 1_000);
    bench.pass(5 * SECOND);
    assert_eq!(bench.take().len(), sent);
    assert_eq!(
        bench.machine.figures().timeouts,
        u64::try_from(sent).unwrap() + 1
    );
}

#[test]
fn a_receipt_says_what_became_of_a_tell() {
    let mut bench = Bench::online(&[], &["receipts"]);
    bench.tell(1);
    let reference = bench.sent("tells/send").remove(0)["ref"].clone();
    let receipt = json!({"event":"tells/receipt","ref":reference,"payload":{"status":"ignored"}});
    bench.hear(receipt.clone());
    assert_eq!(
        bench.take(),
        [],
        "before the acknowledgement it is of nothing"
    );
    bench.hear(json!({"event":"tells/send","ref":reference,"status":"success"}));
    bench.hear(receipt.clone());
    let expected = News::TellReceipt {
        from_name: "Ann".to_owned(),
        to_name: "Bo".to_owned(),
        to_game: "There".to_owned(),
        outcome: TellOutcome::Ignored,
    };
    assert_eq!(bench.news(), [expected]);
    bench.hear(receipt);
    assert_eq!(bench.news(), [], "once");

    let told = json!({"event":"tells/receive","ref":"hub's","payload":{"from_game":"There",
        "from_name":"Bo","to_name":"ann","sent_at":"2026-01-02T03:04:05Z","message":"hi"}});
    bench.hear(told.clone());
    bench.hear(told.clone());
    let news = bench.news();
    let [
        News::Tell {
            receipt: Some(receipt),
            ..
        },
    ] = news.as_slice()
    else {
        panic!("not one tell: {news:?}");
    };
    assert_eq!(*receipt, Receipt("hub's".to_owned()));
    bench.step(Input::Order(Order::Receipt(
        receipt.clone(),
        TellOutcome::Shown,
    )));
    let sent = bench.sent("tells/receipt").remove(0);
    assert_eq!(sent["payload"], json!({"tell":"hub's","status":"shown"}));
    let mut bench = Bench::online(&[], &[]);
    bench.hear(told);
    assert!(matches!(
        bench.news().as_slice(),
        [News::Tell { receipt: None, .. }]
    ));
}

#[test]
fn words_are_sent_no_faster_than_hubs_allow_and_the_oldest_are_dropped() {
    let mut bench = Bench::online(&["gossip"], &[]);
    for number in 0..70 {
        bench.say(&format!("word {number}"));
    }
    let message = |frame: &Value| frame["payload"]["message"].as_str().unwrap().to_owned();
    let burst = usize::try_from(SAY_RATE.burst).unwrap();
    let at_once = bench.sent("channels/send");
    assert_eq!(at_once.len(), burst);
    assert_eq!(at_once[0]["ref"], Value::Null);
    bench.pass(10 * SECOND);
    assert_eq!(bench.sent("channels/send").len(), 20);
    bench.hear(json!({"event":"heartbeat"}));
    bench.pass(20 * SECOND);
    let rest = bench.sent("channels/send");
    assert_eq!(rest.len(), SAY_QUEUE_MAX - 20);
    assert_eq!(message(rest.last().unwrap()), "word 69");
    let dropped = 70 - burst - SAY_QUEUE_MAX;
    assert_eq!(
        bench.machine.figures().dropped_out,
        u64::try_from(dropped).unwrap()
    );
    assert_eq!(message(&rest[0]), format!("word {}", burst + dropped + 20));
}

#[test]
fn regression_words_that_wait_when_the_connection_ends_are_counted() {
    let mut bench = Bench::online(&["gossip"], &[]);
    for number in 0..20 {
        bench.say(&format!("word {number}"));
    }
    bench.step(Input::Closed(None));
    let waiting = 20 - SAY_RATE.burst;
    assert_eq!(bench.machine.figures().dropped_out, u64::from(waiting));
}

#[test]
fn channels_become_what_is_wished_not_too_fast() {
    let mut bench = Bench::new(&["gossip", "testing", "moo"]);
    bench.hear(json!({"event":"authenticate","status":"success",
        "payload":{"rejected_channels":["moo"]}}));
    bench.take();
    assert_eq!(
        bench.machine.take_joined(),
        Some(channels(&["gossip", "testing"]))
    );
    bench.step(Input::Wish(channels(&["gossip", "abc", "def", "moo"])));
    let ended = bench.sent("channels/unsubscribe");
    assert_eq!(ended[0]["payload"]["channel"], "testing");
    let asked = bench.sent("channels/subscribe");
    assert_eq!(asked.len(), 2, "the rejected one is not asked for again");
    assert_eq!(bench.machine.take_joined(), Some(channels(&["gossip"])));
    let answer = |frame: &Value, error: &str| {
        json!({"event":"channels/subscribe","ref":frame["ref"],
            "status":"failure","error":error})
    };
    bench.hear(json!({"event":"channels/subscribe","ref":asked[0]["ref"],"status":"success"}));
    assert_eq!(
        bench.machine.take_joined(),
        Some(channels(&["abc", "gossip"]))
    );
    bench.hear(answer(&asked[1], "rate limit exceeded"));
    let asked = bench.sent("channels/subscribe");
    assert_eq!(asked[0]["payload"]["channel"], "def", "asked for again");
    bench.hear(answer(&asked[0], "Could not subscribe to \"def\""));
    bench.pass(30 * SECOND);
    assert_eq!(bench.sent("channels/subscribe").len(), 0);
    assert_eq!(bench.machine.take_joined(), None);

    let letter = |number: usize| char::from(b'a' + u8::try_from(number).unwrap());
    let many = (0..150).map(|number| format!("ch{}{}", letter(number / 26), letter(number % 26)));
    let many = many
        .map(|name| ChannelName::parse(&name).unwrap())
        .collect();
    bench.hear(json!({"event":"heartbeat"}));
    bench.step(Input::Wish(many));
    let burst = usize::try_from(SUBSCRIBE_RATE.burst).unwrap();
    let sent = bench.sent("subscribe").len();
    assert_eq!(sent, burst);
    bench.pass(10 * SECOND);
    assert_eq!(bench.sent("subscribe").len(), 10);
    assert_eq!(bench.machine.wished.len(), CHANNELS_HEARD_MAX);
}

#[test]
fn an_old_hub_tells_of_a_bad_channel_in_a_frame_of_its_own() {
    let mut bench = Bench::online(&["gossip", "testing"], &[]);
    bench.hear(json!({"event":"channels/subscribe","status":"failure",
        "error":"Could not subscribe to 'testing'"}));
    assert_eq!(bench.machine.take_joined(), Some(channels(&["gossip"])));
}

#[test]
fn what_comes_twice_is_delivered_once_over_a_reconnect_too() {
    let mut bench = Bench::online(&["gossip"], &[]);
    bench.hear(chat("r1", "one"));
    bench.hear(chat("r1", "one"));
    bench.hear(chat("r2", "two"));
    assert_eq!(words(&bench.news()), [("one", false), ("two", false)]);
    let mut bench = bench.again(SECOND, &["gossip"], &[]);
    bench.hear(chat("r2", "two"));
    bench.hear(chat("r3", "two"));
    assert_eq!(words(&bench.news()), [("two", false)]);
    assert_eq!(bench.machine.figures().duplicates, 2);
    assert_eq!(bench.machine.figures().gaps, 1);
    // A hub without references of its own.
    bench.hear(chat("", "a"));
    bench.hear(chat("", "b"));
    let mut bare = chat("", "c");
    bare["ref"] = Value::Null;
    bench.hear(bare.clone());
    bench.hear(bare);
    assert_eq!(bench.news().len(), 4);
}

#[test]
fn only_what_is_heard_and_clean_is_delivered() {
    let mut bench = Bench::online(&["gossip"], &[]);
    let said = |channel: &str, game: &str, name: &str, message: &str| {
        json!({"event":"channels/broadcast","payload":{"channel":channel,"game":game,
            "name":name,"message":message}})
    };
    bench.hear(said("other", "There", "Bo", "x"));
    bench.hear(said("Gossip", "There", "Bo", "x"));
    bench.hear(said("gossip", "There", "\u{200b}", "x"));
    bench.hear(said("gossip", "", "Bo", "x"));
    bench.hear(said("gossip", "There", "Bo", "\u{1b}[2J"));
    assert_eq!(bench.news(), []);
    bench.hear(said(
        "gossip",
        "The\u{202e}re",
        "B@o\n",
        "\u{1b}[31mred\u{7}",
    ));
    let expected = News::Channel {
        channel: "gossip".to_owned(),
        game: "There".to_owned(),
        name: "B o".to_owned(),
        message: "red".to_owned(),
        missed: false,
    };
    assert_eq!(bench.news(), [expected]);
    assert_eq!(bench.machine.figures().unclean, 3);
}

#[test]
fn what_was_missed_is_fetched_page_by_page_and_nothing_comes_twice() {
    let mut bench = Bench::online(&["gossip"], &["history"]);
    let asked = bench.sent("channels/history").remove(0);
    assert_eq!(asked["payload"], json!({"channel":"gossip","limit":1}));
    let page = |asked: &Value, missed: u64, messages: &[(u64, &str, &str)]| {
        let messages = messages.iter().map(
            |(seq, game, message)| json!({"game":game,"name":"Bo","message":message,"seq":seq}),
        );
        json!({"event":"channels/history","ref":asked["ref"],"payload":{"channel":"gossip",
            "missed":missed,"messages":messages.collect::<Vec<_>>()}})
    };
    bench.hear(page(&asked, 0, &[(10, "There", "before us")]));
    bench.hear(numbered(11, "eleven"));
    assert_eq!(words(&bench.news()), [("eleven", false)]);

    let mut bench = bench.again(SECOND, &["gossip"], &["history"]);
    let asked = bench.sent("channels/history").remove(0);
    assert_eq!(asked["payload"]["after"], 11);
    bench.hear(numbered(16, "live"));
    let first = [(13, "There", "thirteen"), (14, "There", "fourteen")];
    bench.hear(page(&asked, 1, &first));
    let asked = bench.sent("channels/history").remove(0);
    assert_eq!(asked["payload"]["after"], 14);
    let news = bench.news();
    let lost = News::Missed {
        channel: "gossip".to_owned(),
        count: 1,
    };
    assert!(news.contains(&lost));
    assert_eq!(
        words(&news),
        [("live", false), ("thirteen", true), ("fourteen", true)]
    );

    // The connection breaks in the middle; nothing of it is lost, and nothing doubled.
    let mut bench = bench.again(SECOND, &["gossip"], &["history"]);
    let asked = bench.sent("channels/history").remove(0);
    assert_eq!(asked["payload"]["after"], 14);
    bench.hear(page(
        &asked,
        0,
        &[(15, "There", "fifteen"), (16, "There", "live")],
    ));
    assert_eq!(
        words(&bench.news()),
        [("fifteen", true)],
        "no second \"live\""
    );
    let figures = bench.machine.figures();
    assert_eq!((figures.missed, figures.lost, figures.gaps), (3, 1, 0));
}

#[test]
fn regression_a_page_that_is_longer_than_was_asked_for_is_cut() {
    let mut bench = Bench::online(&["gossip"], &["history"]);
    let asked = bench.sent("channels/history").remove(0);
    bench.hear(json!({"event":"channels/history","ref":asked["ref"],
        "payload":{"channel":"gossip","messages":[]}}));
    bench.hear(numbered(1, "one"));
    let mut bench = bench.again(SECOND, &["gossip"], &["history"]);
    let asked = bench.sent("channels/history").remove(0);
    let past = |seq| json!({"game":"There","name":"Bo","message":format!("{seq}"),"seq":seq});
    let messages: Vec<_> = (2..1_000).map(past).collect();
    bench.hear(json!({"event":"channels/history","ref":asked["ref"],
        "payload":{"channel":"gossip","messages":messages}}));
    let asked = bench.sent("channels/history").remove(0);
    assert_eq!(asked["payload"]["after"], 1 + HISTORY_PAGE);
    assert_eq!(words(&bench.news()).len(), HISTORY_PAGE);
}

#[test]
fn our_own_words_in_a_history_are_known_again_and_tell_our_name() {
    let mut bench = Bench::online(&["gossip"], &["history"]);
    let asked = bench.sent("channels/history").remove(0);
    bench.hear(json!({"event":"channels/history","ref":asked["ref"],
        "payload":{"channel":"gossip","messages":[]}}));
    bench.say("my <b>words</b>");
    let mut bench = bench.again(SECOND, &["gossip"], &["history"]);
    let asked = bench.sent("channels/history").remove(0);
    assert_eq!(asked["payload"]["after"], 0);
    bench.hear(
        json!({"event":"channels/history","ref":asked["ref"],"payload":{
        "channel":"gossip","messages":[
            {"game":"Us","name":"Ann","message":"my words","seq":1},
            {"game":"Us","name":"Ann","message":"others of ours","seq":2},
            {"game":"There","name":"Ann","message":"theirs","seq":3}]}}),
    );
    assert_eq!(words(&bench.news()), [("theirs", true)]);
    bench.hear(json!({"event":"players/status","payload":{"game":"us","players":["Ann"]}}));
    assert_eq!(
        bench.machine.take_roster(),
        None,
        "our own game is no other game"
    );
}

#[test]
fn a_hub_that_does_not_tell_what_was_missed_is_a_gap() {
    for fails in [true, false] {
        let mut bench = Bench::online(&["gossip"], &["history"]);
        let asked = bench.sent("channels/history").remove(0);
        if fails {
            bench.hear(json!({"event":"channels/history","ref":asked["ref"],
                "status":"failure","error":"not subscribed"}));
        } else {
            bench.pass(5 * SECOND);
        }
        assert_eq!(bench.machine.figures().gaps, 1);
        bench.hear(numbered(7, "seven"));
        let mut bench = bench.again(SECOND, &["gossip"], &["history"]);
        let asked = bench.sent("channels/history").remove(0);
        assert_eq!(asked["payload"]["after"], 7);
    }
}

#[test]
fn the_roster_follows_status_and_signs_and_forgets_who_is_gone() {
    let mut bench = Bench::online(&[], &[]);
    let players = |game: &str, players: Value| {
        json!({"event":"players/status","ref":"x",
            "payload":{"game":game,"players":players}})
    };
    let sign =
        |event: &str, name: &str| json!({"event":event,"payload":{"game":"There","name":name}});
    bench.hear(players("There", json!(["Bo", "bo", "", 7, "C\u{200b}y"])));
    bench.hear(
        json!({"event":"games/status","status":"success","payload":{"game":"there",
        "display_name":"Over There","players_online_count":9,
        "connections":[{"type":"telnet","host":"h.example","port":4000}]}}),
    );
    assert_eq!(bench.news(), [], "no flood of news at the beginning");
    let roster = bench.machine.take_roster().unwrap();
    let game = roster.game("THERE").unwrap();
    assert_eq!(game.players, ["Bo", "Cy"]);
    assert_eq!(game.display_name.as_deref(), Some("Over There"));
    assert_eq!(game.address.as_deref(), Some("telnet h.example 4000"));
    bench.hear(sign("players/sign-in", "Bo"));
    bench.hear(sign("players/sign-in", "Dee"));
    bench.hear(sign("players/sign-out", "Nobody"));
    bench.hear(sign("players/sign-out", "bo"));
    let (game, name) = ("There".to_owned(), "Dee".to_owned());
    let out = News::SignOut {
        game: game.clone(),
        name: "bo".to_owned(),
    };
    assert_eq!(bench.news(), [News::SignIn { game, name }, out]);
    bench.hear(json!({"event":"games/connect","payload":{"game":"there"}}));
    bench.hear(json!({"event":"games/connect","payload":{"game":"New"}}));
    bench.hear(json!({"event":"games/disconnect","payload":{"game":"Never"}}));
    bench.hear(json!({"event":"games/disconnect","payload":{"game":"new"}}));
    let expected = [
        News::GameUp("New".to_owned()),
        News::GameDown("new".to_owned()),
    ];
    assert_eq!(bench.news(), expected);
    for _ in 0..6 {
        bench.pass(30 * SECOND - Duration::from_millis(1));
        bench.hear(json!({"event":"heartbeat"}));
    }
    assert_eq!(bench.machine.book.count(), (1, 2));
    bench.pass(SECOND);
    assert_eq!(
        bench.machine.book.count(),
        (0, 0),
        "not heard of for three minutes"
    );
    assert_eq!(bench.sent("players/status").len(), 3, "asked each minute");
}

#[test]
fn with_a_mark_at_the_end_who_is_gone_is_gone_at_once() {
    let mut bench = Bench::new(&[]);
    bench.hear(json!({"event":"authenticate","status":"success",
        "payload":{"extensions":["marks"]}}));
    let first = bench.sent("players/status").remove(0)["ref"].clone();
    let players = |reference: &Value, game: &str| {
        json!({"event":"players/status","ref":reference,
            "payload":{"game":game,"players":["A"]}})
    };
    let end = |reference: &Value, games: usize| {
        json!({"event":"players/status-end","ref":reference,
            "payload":{"games":games}})
    };
    bench.hear(players(&first, "One"));
    bench.hear(players(&first, "Two"));
    bench.hear(end(&first, 2));
    bench.pass(30 * SECOND);
    bench.hear(json!({"event":"heartbeat"}));
    bench.pass(31 * SECOND);
    let second = bench.sent("players/status").remove(0)["ref"].clone();
    bench.hear(players(&second, "Two"));
    assert_eq!(bench.machine.book.count().0, 2);
    bench.hear(end(&second, 1));
    assert_eq!(bench.machine.book.count().0, 1);
    bench.hear(end(&second, 0));
    assert_eq!(bench.machine.book.count().0, 1, "a mark counts once");
}

#[test]
fn what_is_of_no_use_is_counted_and_passed_over() {
    let mut bench = Bench::online(&["gossip"], &[]);
    let before = bench.machine.figures();
    for text in ["", "nonsense", "[]", "null", "{\"event\":", "\u{1f600}"] {
        bench.step(Input::Text(text));
    }
    bench.step(Input::Text(&"[".repeat(60_000)));
    bench.step(Input::Other(5));
    assert_eq!(bench.machine.figures().garbage, before.garbage + 8);
    let frames = [
        json!({}),
        json!({"event":"mystery"}),
        json!({"event":7,"payload":[]}),
        json!({"event":"channels/broadcast"}),
        json!({"event":"channels/broadcast","payload":{"channel":1}}),
        json!({"event":"tells/receive","payload":{"from_game":"x"}}),
        json!({"event":"players/sign-in","status":"success"}),
        json!({"event":"tells/send","ref":"never asked","status":"success"}),
        json!({"event":"channels/history","ref":"no","payload":{"channel":"gossip"}}),
        json!({"event":"authenticate","status":"success"}),
        json!({"event":"achievements/sync","payload":{"total":0,"achievements":[]}}),
    ];
    let count = u64::try_from(frames.len()).unwrap();
    for frame in frames {
        bench.hear(frame);
    }
    assert_eq!(bench.machine.figures().ignored, before.ignored + count);
    bench.hear(json!({"status":"failure","error":"unknown"}));
    bench.hear(json!({"event":"mystery","ref":[1],"status":"failure"}));
    assert_eq!(bench.machine.figures().refused, before.refused + 2);
    assert_eq!(bench.take(), []);
    assert!(bench.machine.is_online());
}

#[test]
fn a_flood_is_dropped_and_then_cut() {
    let mut bench = Bench::online(&["gossip"], &[]);
    let mut delivered = 0;
    for _ in 0..5 {
        for number in 0..3_000 {
            let at = bench.now;
            bench.hear(chat(&format!("{at:?} {number}"), "x"));
        }
        delivered += words(&bench.news()).len();
        if !bench.machine.is_online() {
            break;
        }
        bench.now += SECOND;
    }
    assert!((60..=200).contains(&delivered), "{delivered}");
    let figures = bench.machine.figures();
    assert_eq!(figures.flood_cuts, 1);
    assert!(figures.flood_dropped > 8_000, "{}", figures.flood_dropped);
}

#[test]
fn a_beat_fits_its_frame() {
    let names = |count, name: &str| vec![name.to_owned(); count];
    let table = [
        (names(2, "Ann"), 2),
        (names(0, ""), 0),
        (names(3_000, "Ann"), 2_000),
        (names(2_000, &"\u{1}".repeat(40)), 252),
    ];
    for (names, expected) in table {
        let text = beat(names);
        assert!(text.len() <= crate::limits::BEAT_BYTES_MAX);
        let Decoded::Request(_) = Decoded::of(&text) else {
            panic!("no request");
        };
        let frame: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            frame["payload"]["players"].as_array().unwrap().len(),
            expected
        );
    }
}

#[test]
fn the_secret_does_not_print() {
    let bench = Bench::new(&[]);
    assert!(!format!("{:?}", bench.machine).contains("hush"));
}

mod random {
    use super::*;
    use proptest::prelude::*;

    const EVENTS: [&str; 20] = [
        "authenticate",
        "heartbeat",
        "restart",
        "channels/subscribe",
        "channels/unsubscribe",
        "channels/send",
        "channels/broadcast",
        "players/sign-in",
        "players/sign-out",
        "players/status",
        "tells/send",
        "tells/receive",
        "games/status",
        "games/connect",
        "games/disconnect",
        "channels/history",
        "tells/receipt",
        "players/status-end",
        "games/status-end",
        "mystery",
    ];

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(|bool| json!(bool)),
            any::<u64>().prop_map(|number| json!(number)),
            (0_u64..20).prop_map(|number| json!(number)),
            "[a-cA-C]{0,2}".prop_map(|text| json!(text)),
            "\\PC{0,8}".prop_map(|text| json!(text)),
            prop::sample::select(vec!["gossip", "testing", "shown"]).prop_map(|text| json!(text)),
            prop::collection::vec("[a-c]{0,2}", 0..5).prop_map(|list| json!(list)),
            prop::collection::vec((0_u64..20, "[a-c]{0,2}"), 0..4).prop_map(|list| {
                let entry = |(seq, text): &(u64, String)| {
                    json!({"seq":seq,"game":text,"name":"Bo","message":text})
                };
                json!(list.iter().map(entry).collect::<Vec<_>>())
            }),
        ]
    }

    const KEYS: [&str; 16] = [
        "channel",
        "game",
        "name",
        "message",
        "seq",
        "players",
        "from_game",
        "from_name",
        "to_name",
        "downtime",
        "status",
        "games",
        "missed",
        "messages",
        "extensions",
        "rejected_channels",
    ];

    #[derive(Clone, Debug)]
    enum Act {
        Frame(Value),
        /// An answer to one of the questions.
        Answer(usize, Value),
        Text(String),
        Other(usize),
        Pass(u64),
        Say(String),
        Tell,
        Sign(String),
        Wish(Vec<String>),
        Close(Option<u16>),
    }

    fn frame() -> impl Strategy<Value = Value> {
        let payload = prop::collection::btree_map(prop::sample::select(&KEYS[..]), value(), 0..9);
        let status =
            prop_oneof![3 => Just(None), 2 => Just(Some("success")), 1 => Just(Some("failure"))];
        let event = prop::sample::select(&EVENTS[..]);
        let some = prop::option::weighted(0.9, payload);
        (event, prop::option::of(value()), status, some, value()).prop_map(
            |(event, reference, status, payload, error)| {
                let mut frame = json!({"event":event,"error":error});
                if let Some(reference) = reference {
                    frame["ref"] = reference;
                }
                if let Some(status) = status {
                    frame["status"] = json!(status);
                }
                if let Some(payload) = payload {
                    frame["payload"] = json!(payload);
                }
                frame
            },
        )
    }

    fn act() -> impl Strategy<Value = Act> {
        prop_oneof![
            8 => frame().prop_map(Act::Frame),
            6 => (any::<usize>(), frame()).prop_map(|(which, frame)| Act::Answer(which, frame)),
            1 => "\\PC{0,40}".prop_map(Act::Text),
            1 => (0_usize..2_000_000).prop_map(Act::Other),
            4 => (0_u64..20_000).prop_map(Act::Pass),
            2 => "\\PC{0,20}".prop_map(Act::Say),
            3 => Just(Act::Tell),
            1 => "\\PC{0,20}".prop_map(Act::Sign),
            1 => prop::collection::vec("[a-d]{3}", 0..5).prop_map(Act::Wish),
            1 => prop::option::of(prop_oneof![Just(4000), Just(4001), any::<u16>()])
                .prop_map(Act::Close),
        ]
    }

    /// The references of what was sent and may be answered.
    fn references(effects: &[Effect], references: &mut Vec<Value>) {
        for effect in effects {
            if let Effect::Send(text) = effect {
                assert!(text.len() <= crate::limits::FRAME_OUT_BYTES_MAX);
                let Decoded::Request(_) = Decoded::of(text) else {
                    panic!("no request: {text}");
                };
                let frame: Value = serde_json::from_str(text).unwrap();
                references.extend(frame.get("ref").cloned());
            }
        }
    }

    fn play(bench: &mut Bench, act: Act, asked: &[Value], tells: &mut u64) {
        match act {
            Act::Frame(frame) => bench.hear(frame),
            Act::Answer(which, mut frame) => {
                if !asked.is_empty() {
                    frame["ref"] = asked[which % asked.len()].clone();
                }
                bench.hear(frame);
            }
            Act::Text(text) => bench.step(Input::Text(&text)),
            Act::Other(bytes) => bench.step(Input::Other(bytes)),
            Act::Pass(ms) => bench.pass(Duration::from_millis(ms)),
            Act::Say(message) => bench.say(&message),
            Act::Tell => {
                bench.tell(*tells);
                *tells += 1;
            }
            Act::Sign(name) => bench.step(Input::Order(Order::SignIn(name))),
            Act::Wish(names) => {
                let names: Vec<_> = names.iter().map(String::as_str).collect();
                bench.step(Input::Wish(channels(&names)));
            }
            Act::Close(code) => bench.step(Input::Closed(code)),
        }
    }

    proptest! {
        /// Whatever a hub sends: no panic, nothing grows, what is delivered is clean, each tell
        /// has one answer, and nothing happens after the end.
        #[test]
        fn bears_any_hub(acts in prop::collection::vec(act(), 1..120), at_once in any::<bool>()) {
            let mut bench = Bench::new(&["gossip", "testing"]);
            let (mut asked, mut tells, mut answered) = (Vec::new(), 0, BTreeSet::new());
            if at_once {
                bench.hear(json!({"event":"authenticate","status":"success","payload":
                    {"extensions":["history","marks","receipts"]}}));
            }
            let mut ended = false;
            for act in acts {
                play(&mut bench, act, &asked, &mut tells);
                let effects = bench.take();
                prop_assert!(!ended || effects.is_empty(), "{effects:?} after the end");
                references(&effects, &mut asked);
                for effect in effects {
                    match effect {
                        Effect::Answer(id, _) => prop_assert!(answered.insert(id), "twice"),
                        Effect::Deliver(news) => prop_assert!(is_clean(&news), "{news:?}"),
                        Effect::End(_) => ended = true,
                        Effect::Send(_) | Effect::Beat | Effect::Online | Effect::Proven => {}
                    }
                }
                bench.machine.book.count();
                prop_assert!(ended == bench.machine.wake_at(bench.now).is_none());
            }
            if !ended {
                bench.hear(json!({"event":"heartbeat"}));
                bench.pass(6 * SECOND);
                let answers = bench.take().into_iter().filter_map(|effect| match effect {
                    Effect::Answer(id, _) => Some(id),
                    _ => None,
                });
                answered.extend(answers);
                prop_assert_eq!(u64::try_from(answered.len()).unwrap(), tells);
            }
        }
    }

    fn is_clean(news: &News) -> bool {
        let texts = match news {
            News::Channel {
                channel,
                game,
                name,
                message,
                ..
            } => vec![channel, game, name, message],
            News::Missed { channel, .. } => vec![channel],
            News::Tell {
                from_game,
                from_name,
                to_name,
                message,
                ..
            } => vec![from_game, from_name, to_name, message],
            News::TellReceipt { .. } => vec![],
            News::SignIn { game, name } | News::SignOut { game, name } => vec![game, name],
            News::GameUp(game) | News::GameDown(game) => vec![game],
            News::Status(_) => return false,
        };
        let mut texts = texts.into_iter();
        texts.all(|text| crate::client::clean::message(text).as_ref() == Some(text))
    }
}
