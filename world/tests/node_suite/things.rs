//! Things exist once, whoever gets, drops and gives them, and however the node ends.

use super::rig::{Rig, carried};

#[tokio::test]
async fn things_are_got_dropped_and_given_between_players_and_are_there_after_a_stop() {
    let mut rig = Rig::start();
    rig.stocked().await;
    let mut ann = rig.player("Ann").await;
    let mut bob = rig.player("Bob").await;
    ann.ask("get lantern", "You get a brass lantern.")
        .await
        .unwrap();
    bob.expect("Ann gets a brass lantern.").await.unwrap();
    ann.ask("give lantern to bob", "You give a brass lantern to Bob.")
        .await
        .unwrap();
    bob.expect("Ann gives you a brass lantern.").await.unwrap();
    bob.ask("get 2.lantern", "There is no").await.unwrap();
    bob.ask("get lantern", "You get").await.unwrap();
    bob.ask("get coin", "You get").await.unwrap();
    bob.ask("north", "The Yard").await.unwrap();
    bob.ask("drop coin", "You drop a gold coin.").await.unwrap();
    assert_eq!(carried(&mut ann).await, Vec::<String>::new());
    assert_eq!(carried(&mut bob).await, ["A brass lantern (2)"]);
    assert_eq!(rig.end("-TERM"), Some(0));
    let (last, _) = bob.closed().await.unwrap();
    assert!(last.contains("The game stops now."), "{last}");
    rig.start_again(&[]);
    let mut bob = rig.player("Bob").await;
    assert_eq!(carried(&mut bob).await, ["A brass lantern (2)"]);
    bob.ask("look", "The Yard").await.unwrap();
    bob.ask("look", "A gold coin lies here.").await.unwrap();
}
