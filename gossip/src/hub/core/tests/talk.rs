//! `[pure]` Channels, as games see them.

use super::play;

#[test]
fn two_games_chat() {
    play(
        r#"
        A login players gossip
        B login - gossip
        A > channels/send r {"channel":"gossip","name":"Ana","message":"a < b > c"}
        A < channels/send r ok
        B hears gossip GameA Ana a  c
        B says gossip Bo <b>Hello.</b>
        A hears gossip GameB Bo Hello.
        ~ 120
        "#,
    );
}
