//! `[pure]` The public page: which games and players are online, and which channels there are.
//! Plain HTML that a screen reader reads in order: no script, nothing from elsewhere.

use crate::hub::core::ListedGame;
use crate::hub::directory::{Channel, Connection, Directory, is_unseen};
use crate::limits::{PAGE_BYTES_MAX, PAGE_CHANNELS_MAX, PAGE_GAMES_MAX, PAGE_PLAYERS_MAX};

const HEAD: &str = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
    <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
    <title>Games on this network</title>\n\
    <style>body{max-width:40em;margin:2em auto;padding:0 1em;font-family:sans-serif;\
    line-height:1.5}</style>\n</head>\n<body>\n<main>\n<h1>Games on this network</h1>\n";

const FOOT: &str = "</main>\n</body>\n</html>\n";

/// The page for what is online.
pub(super) fn page(directory: &Directory, online: &[ListedGame]) -> String {
    let players: usize = online.iter().map(|game| game.players_count).sum();
    let mut html = HEAD.to_owned();
    let (games_said, players_said) = (said(online.len(), "game"), said(players, "player"));
    let games_said = games_said.replacen("no", "No", 1);
    line(
        &mut html,
        "p",
        &format!("{games_said} and {players_said} online."),
    );
    let mut shown = 0;
    for game in online.iter().take(PAGE_GAMES_MAX) {
        if html.len() >= PAGE_BYTES_MAX {
            break;
        }
        one_game(&mut html, game);
        shown += 1;
    }
    rest(&mut html, online.len(), shown, "games");
    channels(&mut html, directory);
    html.push_str(FOOT);
    html
}

fn one_game(html: &mut String, game: &ListedGame) {
    let name = escaped(&game.display_name);
    match &game.homepage {
        Some(url) => line(html, "h2", &link(url, &name)),
        None => line(html, "h2", &name),
    }
    let short_name = game.short_name.as_str();
    if *game.display_name != *short_name {
        // By it tells find the game.
        line(html, "p", &format!("Name on this network: {short_name}"));
    }
    if let Some(description) = &game.description {
        line(html, "p", &escaped(description));
    }
    for way in &game.connections {
        let play = match way {
            Connection::Web { url } => link(url, "Play in the browser"),
            Connection::Telnet { host, port } => {
                format!("Play by telnet: {} port {port}", escaped(host))
            }
            Connection::SecureTelnet { host, port } => {
                format!("Play by telnet with TLS: {} port {port}", escaped(host))
            }
        };
        line(html, "p", &play);
    }
    let count = said(game.players_count, "player");
    let players = match &game.players {
        Some(players) if !players.is_empty() => players,
        Some(_) | None => return line(html, "p", &format!("{count} online.")),
    };
    line(html, "p", &format!("{count} online:"));
    let mut names: Vec<&str> = players.iter().map(|name| &**name).collect();
    names.sort_by_cached_key(|name| name.to_lowercase());
    html.push_str("<ul>\n");
    for name in names.into_iter().take(PAGE_PLAYERS_MAX) {
        line(html, "li", &escaped(name));
    }
    html.push_str("</ul>\n");
    rest(html, players.len(), PAGE_PLAYERS_MAX, "players");
}

fn channels(html: &mut String, directory: &Directory) {
    let listed: Vec<&Channel> = directory
        .channels()
        .filter(|channel| !channel.hidden)
        .collect();
    if listed.is_empty() {
        return;
    }
    html.push_str("<h2>Channels</h2>\n<ul>\n");
    for channel in listed.iter().take(PAGE_CHANNELS_MAX) {
        let name = escaped(channel.name.as_str());
        match &channel.description {
            Some(text) => line(html, "li", &format!("{name}: {}", escaped(text))),
            None => line(html, "li", &name),
        }
    }
    html.push_str("</ul>\n");
    rest(html, listed.len(), PAGE_CHANNELS_MAX, "channels");
}

fn rest(html: &mut String, all: usize, shown: usize, what: &str) {
    if all > shown {
        line(html, "p", &format!("And {} more {what}.", all - shown));
    }
}

/// An element with content that is HTML already.
fn line(html: &mut String, element: &str, content: &str) {
    html.push_str(&format!("<{element}>{content}</{element}>\n"));
}

/// A link, if its address is one that a page may have.
fn link(url: &str, content: &str) -> String {
    if url.starts_with("https://") || url.starts_with("http://") {
        let url = escaped(url);
        return format!("<a href=\"{url}\" rel=\"noopener noreferrer nofollow\">{content}</a>");
    }
    content.to_owned()
}

fn said(count: usize, one: &str) -> String {
    match count {
        0 => format!("no {one}s"),
        1 => format!("1 {one}"),
        _ => format!("{count} {one}s"),
    }
}

/// Text without meaning in HTML, and without what hides or reorders other text.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            _ if is_unseen(character) => {}
            _ => safe.push(character),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::directory::ShortName;
    use crate::protocol::ChannelName;

    fn game(name: &str, players: Option<&[&str]>) -> ListedGame {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).into()).collect();
        ListedGame {
            short_name: ShortName::parse(name).expect("a name"),
            display_name: name.into(),
            description: None,
            homepage: None,
            connections: Vec::new(),
            players_count: players.map_or(2, <[&str]>::len),
            players: players.map(owned),
        }
    }

    #[test]
    fn shows_games_and_players_escaped() {
        let players: &[&str] = &["bo", "<script>alert(1)</script>", "Al\u{202e}\u{1b}[31m"];
        let zed = ListedGame {
            display_name: "<b>Zed</b> & Co".into(),
            description: Some("It's \"good\"".into()),
            homepage: Some("https://z.example/?a=1&b=2".into()),
            connections: vec![Connection::telnet("z.example:4000").expect("good")],
            ..game("Zed", Some(players))
        };
        let html = page(&Directory::new(), &[game("Alpha", None), zed]);
        assert!(
            html.contains("<p>2 games and 5 players online.</p>"),
            "{html}"
        );
        let expected = "<h2><a href=\"https://z.example/?a=1&amp;b=2\" \
             rel=\"noopener noreferrer nofollow\">&lt;b&gt;Zed&lt;/b&gt; &amp; Co</a></h2>\n\
             <p>Name on this network: Zed</p>\n\
             <p>It&#39;s &quot;good&quot;</p>\n<p>Play by telnet: z.example port 4000</p>\n\
             <p>3 players online:</p>\n<ul>\n<li>&lt;script&gt;alert(1)&lt;/script&gt;</li>\n\
             <li>Al[31m</li>\n<li>bo</li>\n</ul>";
        assert!(html.contains(expected), "{html}");
        assert!(
            html.contains("<h2>Alpha</h2>\n<p>2 players online.</p>"),
            "{html}"
        );
        assert!(!html.contains("<script"));
    }

    #[test]
    fn links_only_to_pages() {
        let homepage = Some("javascript:alert(1)".into());
        let html = page(
            &Directory::new(),
            &[ListedGame {
                homepage,
                ..game("A", None)
            }],
        );
        assert!(
            html.contains("<h2>A</h2>") && !html.contains("javascript"),
            "{html}"
        );
    }

    #[test]
    fn shows_only_channels_that_are_listed() {
        let mut directory = Directory::new();
        let name = |text| ChannelName::parse(text).expect("a name");
        let open = Channel {
            hidden: false,
            description: Some("All & sundry".into()),
            ..Channel::hidden(name("gossip"))
        };
        directory.add_channel(open).expect("fits");
        directory
            .add_channel(Channel::hidden(name("secret")))
            .expect("fits");
        let html = page(&directory, &[]);
        assert!(
            html.contains("<p>No games and no players online.</p>"),
            "{html}"
        );
        assert!(html.contains("<li>gossip: All &amp; sundry</li>"), "{html}");
        assert!(!html.contains("secret"), "{html}");
    }

    #[test]
    fn has_a_bound() {
        let names = vec!["x"; PAGE_PLAYERS_MAX + 7];
        let html = page(&Directory::new(), &[game("Big", Some(&names))]);
        assert_eq!(html.matches("<li>").count(), PAGE_PLAYERS_MAX);
        assert!(html.contains("<p>And 7 more players.</p>"));
    }

    #[test]
    fn regression_all_games_together_have_a_bound_too() {
        let long = "\u{1f600}".repeat(100);
        let names = vec![long.as_str(); PAGE_PLAYERS_MAX];
        let games = vec![game("Big", Some(&names)); PAGE_GAMES_MAX];
        let html = page(&Directory::new(), &games);
        assert!(html.len() < 2 * PAGE_BYTES_MAX, "{} bytes", html.len());
        let shown = html.matches("<h2>Big</h2>").count();
        let rest = format!("<p>And {} more games.</p>", PAGE_GAMES_MAX - shown);
        assert!(shown > 0 && html.contains(&rest));
    }
}
