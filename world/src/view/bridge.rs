//! `[pure]` Other games: who is there, what was told there, and what cannot be.

use super::page::{Page, number, one_line, others};
use crate::bridge::{GameAbout, GameSeen, NotTold, Out, Remote, RemoteWho, Shown, Sign, Signed};
use crate::event::Text;
use crate::text::{Style, list_in_words};

/// One thing of other games.
pub(super) fn bridge(page: &mut Page<'_>, shown: &Shown) {
    match shown {
        Shown::Told { to, text } => {
            page.put(Style::Plain, "You tell ")
                .quote(Style::Person, &to.to_string())
                .put(Style::Plain, ", \"");
            page.quote(Style::Tell, text).put(Style::Plain, "\"").end();
        }
        Shown::NotTold { to, why } => not_told(page, to, why),
        Shown::Several(names) => {
            let names = listed(names.iter());
            page.line(Style::Error, &format!("That can mean {names}."));
        }
        Shown::NoGame(game) => {
            page.put(Style::Error, "There is no game ")
                .quote(Style::Error, game)
                .line(Style::Error, " on the network. Type games for the list.");
        }
        Shown::Who(list) => who(page, list),
        Shown::Games(games, more) => list_games(page, games, *more),
        Shown::Signed(signed) => sign(page, signed),
        Shown::Out(out) => page.line(Style::Notice, out.text()),
        Shown::Unknown(Out::OfReach) => page.line(
            Style::Notice,
            "Gossip is out of reach; nothing is known of other games just now.",
        ),
        Shown::Unknown(Out::Nowhere) => {
            page.line(Style::Notice, "This game is on no network of games.")
        }
        Shown::Notices(true) => page.line(
            Style::Notice,
            "You are told who comes and goes in other games. Type notices off to end it.",
        ),
        Shown::Notices(false) => page.line(
            Style::Notice,
            "You are not told who comes and goes in other games.",
        ),
        Shown::Report(lines) => {
            for line in lines {
                page.quote(Style::Plain, line).end();
            }
        }
        Shown::Done(what) => page.sentence(Style::Notice, what),
        Shown::NotDone(why) => page.sentence(Style::Error, why),
    }
}

fn not_told(page: &mut Page<'_>, to: &Remote, why: &NotTold) {
    let style = Style::Error;
    let line = match why {
        NotTold::NoGame => {
            return about(
                page,
                "There is no game ",
                &to.game,
                " on the network just now.",
            );
        }
        NotTold::NotSupported => return about(page, "", &to.game, " takes no tells."),
        NotTold::NotThere => {
            page.put(style, "Nobody called ").quote(style, &to.name);
            page.put(style, " can be reached in ")
                .quote(style, &to.game);
            return page.line(style, " just now.");
        }
        NotTold::Here => {
            return about(
                page,
                "",
                &to.game,
                " is this game. Tell its players by their names alone.",
            );
        }
        NotTold::Muted(reason) => {
            let statement = "You may not speak to players of other games";
            return page.reasoned(style, statement, reason);
        }
        NotTold::Blocked => {
            return about(
                page,
                "Players of ",
                &to.game,
                " cannot be reached from here.",
            );
        }
        NotTold::Ignored => {
            let whom = to.to_string();
            return about(
                page,
                "You ignore ",
                &whom,
                ". Type ignore for the list, and unignore first.",
            );
        }
        NotTold::Refused(reason) => {
            return page.reasoned(style, "The network did not take that", reason);
        }
        NotTold::SenderUnknown => {
            "The network does not know yet that you are here. Try again in a moment."
        }
        NotTold::Out(Out::OfReach) => {
            "Gossip is out of reach, so nobody was told. Try again later."
        }
        NotTold::Out(Out::Nowhere) => "This game is on no network of games.",
        NotTold::TimedOut => "Gossip did not answer in time; perhaps nobody was told.",
        NotTold::Guest => "Guests may not speak to players of other games.",
    };
    page.line(style, line);
}

fn about(page: &mut Page<'_>, before: &str, what: &str, after: &str) {
    page.put(Style::Error, before)
        .quote(Style::Error, what)
        .line(Style::Error, after);
}

fn who(page: &mut Page<'_>, list: &RemoteWho) {
    if list.games.is_empty() {
        return page.line(Style::Plain, "Nobody plays in other games just now.");
    }
    page.line(Style::Plain, "In other games:");
    for seen in &list.games {
        game(page, seen);
    }
    match (list.games_more, list.players_more) {
        (0, _) => {}
        (games, players) => {
            let games = plural(u64::from(games), "game");
            let players = plural(u64::from(players), "player");
            let line = format!("And {games} more, with {players}.");
            page.line(Style::Plain, &line);
        }
    }
}

/// `Othergame: Bo, Cy and 3 others.`
fn game(page: &mut Page<'_>, seen: &GameSeen) {
    let mut names: Vec<String> = seen.names.iter().map(|name| plain(name)).collect();
    match (seen.more, names.is_empty()) {
        (0, true) => names.push("nobody who is shown".to_owned()),
        (0, false) => {}
        (more, true) => names.push(plural(u64::from(more), "player")),
        (more, false) => names.push(others(more)),
    }
    let game = one_line(&seen.game);
    if page.is_read_aloud() {
        return page.sentence(
            Style::Person,
            &format!("In {game}: {}", list_in_words(&names)),
        );
    }
    page.prose(
        Style::Person,
        &format!("{game}: {}.", list_in_words(&names)),
    );
}

fn list_games(page: &mut Page<'_>, games: &[GameAbout], more: u32) {
    if games.is_empty() {
        return page.line(Style::Plain, "No other game is connected just now.");
    }
    page.line(Style::Plain, "Connected games:");
    for about in games {
        page.quote(Style::Person, &about.game);
        if let Some(title) = about.title.as_ref().filter(|title| **title != about.game) {
            page.put(Style::Plain, ", ").quote(Style::Plain, title);
        }
        let players = format!(": {}", plural(about.players, "player"));
        page.put(Style::Plain, &players);
        if let Some(address) = &about.address {
            page.put(Style::Plain, "; ").quote(Style::Plain, address);
        }
        page.put(Style::Plain, ".").end();
    }
    if more > 0 {
        let line = format!("And {} more.", plural(u64::from(more), "game"));
        page.line(Style::Plain, &line);
    }
}

/// `Bo@Othergame, Cy@Othergame and 4 others have come online.`
fn sign(page: &mut Page<'_>, signed: &Signed) {
    let mut names: Vec<String> = signed
        .names
        .iter()
        .map(|who| plain(&who.to_string()))
        .collect();
    if signed.more > 0 {
        names.push(others(signed.more));
    }
    let verb = match (names.len(), signed.sign) {
        (0, _) => return,
        (1, Sign::In) => "has come online",
        (_, Sign::In) => "have come online",
        (1, Sign::Out) => "has gone offline",
        (_, Sign::Out) => "have gone offline",
    };
    let line = format!("{} {verb}.", list_in_words(&names));
    page.line(Style::Notice, &line);
}

fn plain(name: &str) -> String {
    one_line(name).into_owned()
}

fn listed<'a>(names: impl Iterator<Item = &'a Text>) -> String {
    let names: Vec<String> = names.map(|name| plain(name)).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => String::new(),
    }
}

fn plural(count: u64, noun: &str) -> String {
    let word = u32::try_from(count).map_or_else(|_| count.to_string(), number);
    let plural = if count == 1 { "" } else { "s" };
    format!("{word} {noun}{plural}")
}
