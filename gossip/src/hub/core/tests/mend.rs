//! `[pure]` After a step that did not end, the next one goes on with whatever it left.

use super::play;
use super::script::Stage;
use crate::hub::core::ears::Ears;

/// Two games on two channels, one of them gone a moment ago, and a stranger.
fn stage() -> Stage {
    play(
        r#"
        A login players,games gossip
        B login players gossip,testing
        A < games/connect * {"game":"GameB"}
        B2 login - testing
        C login
        A < games/connect * {"game":"GameC"}
        C drops
        D open
        B plays Bo
        "#,
    )
}

/// All goes on as if nothing had happened.
fn goes_on(stage: &mut Stage) {
    stage.play(
        r#"
        A says gossip Ana hi
        B hears gossip GameA Ana hi
        A > players/status r
        A < players/status r {"game":"GameB","players":["Bo"]}
        B > players/sign-in - {"name":"Cy"}
        A < players/sign-in * {"game":"GameB","name":"Cy"}
        ~ 61
        D ! 4001
        A < games/disconnect * {"game":"GameC"}
        B2 drops
        ~ 200
        "#,
    );
}

#[test]
fn each_kind_of_damage_is_mended() {
    type Damage = fn(&mut Stage);
    let table: [(&str, Damage); 7] = [
        ("none", |_| {}),
        ("no listeners", |stage| {
            stage.hub.player_ears = Ears::default();
            stage.hub.game_ears = Ears::default();
        }),
        ("nobody hears", |stage| {
            stage.hub.channels.values_mut().for_each(|one| one.deafen())
        }),
        ("no games", |stage| stage.hub.online.clear()),
        ("nothing due", |stage| {
            while stage.hub.agenda.pop_due(far(stage)).is_some() {}
        }),
        ("too much due", |stage| {
            let socket = crate::hub::core::SocketId(999);
            stage
                .hub
                .agenda
                .add(far(stage), crate::hub::core::agenda::Due::Beat(socket));
        }),
        ("a game without its socket", |stage| {
            stage
                .hub
                .online
                .values_mut()
                .for_each(|game| game.sockets.truncate(1));
        }),
    ];
    for (_what, damage) in table {
        let mut stage = stage();
        damage(&mut stage);
        stage.hub.unfinished = true;
        goes_on(&mut stage);
        assert!(!stage.hub.unfinished);
    }
}

fn far(stage: &Stage) -> std::time::Instant {
    stage.now.at + std::time::Duration::from_secs(1_000)
}

#[test]
fn a_socket_whose_game_is_not_known_any_more_is_closed() {
    let mut stage = stage();
    stage.hub.online.clear();
    stage.hub.directory = crate::hub::directory::Directory::new();
    stage.hub.unfinished = true;
    stage.play("D > {nonsense\nA ! 1011\nB ! 1011\nB2 ! 1011\nD < - - no unknown");
    assert_eq!(stage.hub.figures().sockets, 1);
}
