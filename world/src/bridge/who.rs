//! `[pure]` Who plays in other games, as a list that fits a screen.

use super::limits::{WHO_GAME_NAMES_MAX, WHO_GAMES_MAX, WHO_NAMES_MAX, WHO_ONE_GAME_NAMES_MAX};
use super::remote::{Other, shorten};
use super::rules::Rules;
use crate::event::Text;
use crate::text::name_begins;

/// A game in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSeen {
    /// Its name.
    pub game: Text,
    /// Some of its players, in order.
    pub names: Vec<Text>,
    /// How many are not named.
    pub more: u32,
}

/// Who plays elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemoteWho {
    /// The games that are named, in order.
    pub games: Vec<GameSeen>,
    /// How many games are not named.
    pub games_more: u32,
    /// Players in those.
    pub players_more: u32,
}

/// The list of all games where somebody plays whose name begins with `prefix`; `None` when there is
/// nobody.
pub fn everywhere<N: AsRef<str>>(
    others: &[Other<'_, N>],
    prefix: Option<&str>,
    rules: &Rules,
) -> Option<RemoteWho> {
    let prefix = prefix.unwrap_or_default();
    let mut list = RemoteWho::default();
    let mut left = WHO_NAMES_MAX;
    for other in others.iter().filter(|other| !rules.blocks(other.game)) {
        let begins = |name: &&N| name_begins(name.as_ref(), prefix);
        let total = other.players.iter().filter(begins).count();
        if total == 0 {
            continue;
        }
        if list.games.len() >= WHO_GAMES_MAX || left == 0 {
            list.games_more = list.games_more.saturating_add(1);
            list.players_more = list.players_more.saturating_add(count(total));
            continue;
        }
        let names = other.players.iter().filter(begins);
        let seen = seen(other.game, names, total, left.min(WHO_GAME_NAMES_MAX));
        left = left.saturating_sub(seen.names.len());
        list.games.push(seen);
    }
    (!list.games.is_empty()).then_some(list)
}

/// The list of one game.
pub fn of_game<N: AsRef<str>>(other: &Other<'_, N>) -> RemoteWho {
    let names = other.players.iter();
    let total = other.players.len();
    RemoteWho {
        games: vec![seen(other.game, names, total, WHO_ONE_GAME_NAMES_MAX)],
        ..RemoteWho::default()
    }
}

fn seen<'n, N: AsRef<str> + 'n>(
    game: &str,
    names: impl Iterator<Item = &'n N>,
    total: usize,
    max: usize,
) -> GameSeen {
    let names: Vec<Text> = names.take(max).map(|name| shorten(name.as_ref())).collect();
    GameSeen {
        game: shorten(game),
        more: count(total.saturating_sub(names.len())),
        names,
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{NetworkRule, RuleKind, RuleSubject, UnixMillis};

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("p{number:04}")).collect()
    }

    fn shown(list: Option<RemoteWho>) -> String {
        let Some(list) = list else {
            return "nobody".to_owned();
        };
        let games = list
            .games
            .iter()
            .map(|game| format!("{}:{}+{}", game.game, game.names.len(), game.more));
        let games: Vec<String> = games.collect();
        format!(
            "{} / {} {}",
            games.join(" "),
            list.games_more,
            list.players_more
        )
    }

    #[test]
    fn games_without_players_are_left_out_and_names_are_filtered() {
        let (alpha, beta) = (names(3), vec!["Bo".to_owned(), "Cy".to_owned()]);
        let other = |game, players| Other { game, players };
        let others = [
            other("Alpha", alpha.as_slice()),
            other("Beta", &beta),
            other("Empty", &[]),
        ];
        let rules = Rules::default();
        let check = |prefix, expected: &str| {
            assert_eq!(shown(everywhere(&others, prefix, &rules)), expected);
        };
        check(None, "Alpha:3+0 Beta:2+0 / 0 0");
        check(Some("b"), "Beta:1+0 / 0 0");
        check(Some("P000"), "Alpha:3+0 / 0 0");
        check(Some("x"), "nobody");
        let block = NetworkRule {
            subject: RuleSubject {
                kind: RuleKind::Block,
                name: "ALPHA".to_owned(),
            },
            reason: String::new(),
            by: "Boss".to_owned(),
            at: UnixMillis(0),
        };
        let rules = Rules::new(vec![block]);
        let list = everywhere(&others, None, &rules);
        assert_eq!(shown(list), "Beta:2+0 / 0 0");
        assert_eq!(shown(Some(of_game(&others[2]))), "Empty:0+0 / 0 0");
    }

    #[test]
    fn a_list_of_very_much_is_short_and_says_how_much_it_leaves_out() {
        let many = names(1_000);
        let games: Vec<String> = (0..500).map(|number| format!("g{number:03}")).collect();
        let crowded: Vec<_> = games
            .iter()
            .map(|game| Other {
                game,
                players: many.as_slice(),
            })
            .collect();
        let rules = Rules::default();
        let list = everywhere(&crowded, None, &rules).unwrap();
        let named: usize = list.games.iter().map(|game| game.names.len()).sum();
        assert_eq!((list.games.len(), named), (5, WHO_NAMES_MAX));
        assert_eq!((list.games_more, list.players_more), (495, 495_000));
        assert_eq!(list.games[0].more, 980);
        let one = names(1);
        let lonely: Vec<_> = games
            .iter()
            .map(|game| Other {
                game,
                players: one.as_slice(),
            })
            .collect();
        let list = everywhere(&lonely, None, &rules).unwrap();
        assert_eq!(list.games.len(), WHO_GAMES_MAX);
        assert_eq!(list.games_more, 470);
        assert_eq!(of_game(&crowded[0]).games[0].names.len(), 100);
    }
}
