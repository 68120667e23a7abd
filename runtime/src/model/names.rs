//! `[process]` Models of the registries and groups: one owner for each name, and nothing is left
//! of who has ended.

use loom::thread;

use super::{Seat, check, end};
use crate::context::{Context, Incoming};
use crate::group::{Change, GroupEvent, Groups};
use crate::mailbox::Capacity;
use crate::process_ref::ProcessRef;
use crate::registry::{ClaimError, DuplicateRegistry, Registry};

fn owner() -> ProcessRef {
    Seat::new(Capacity::new(4)).process
}

#[test]
fn of_two_claimers_one_gets_the_key() {
    check(3, || {
        let registry = Registry::new();
        let (ann, bob) = (owner(), owner());
        let theirs = (registry.clone(), bob);
        let claimer = thread::spawn(move || match theirs.0.register(1, "bob", &theirs.1) {
            Ok(held) => {
                held.keep();
                None
            }
            Err(ClaimError::Taken { existing, .. }) => Some(existing),
            Err(ClaimError::OwnerFull(_)) => panic!("it owns one key"),
        });
        let mine = registry.register(1, "ann", &ann);
        let theirs = claimer.join().unwrap();
        let winner = match (&mine, theirs) {
            (Ok(_held), Some("ann")) => "ann",
            (Err(ClaimError::Taken { existing, .. }), None) if *existing == "bob" => "bob",
            other => panic!("{other:?}"),
        };
        assert_eq!(registry.lookup(&1), Some(winner));
    });
}

#[test]
fn a_claim_that_races_with_the_end_of_its_owner_leaves_nothing() {
    check(4, || {
        let registry = Registry::new();
        let ann = owner();
        let ending = ann.clone();
        let ends = thread::spawn(move || end(&ending));
        registry.register(1, "ann", &ann).unwrap().keep();
        // Again, as a new incarnation would.
        registry.register(1, "ann", &ann).unwrap().keep();
        ends.join().unwrap();
        assert!(registry.is_empty());
    });
}

#[test]
fn a_key_that_is_given_up_as_its_owner_ends_is_free_for_the_next() {
    check(3, || {
        let registry = Registry::new();
        let (ann, bob) = (owner(), owner());
        let held = registry.register(1, "ann", &ann).unwrap();
        let ending = ann.clone();
        let ends = thread::spawn(move || end(&ending));
        let claiming = (registry.clone(), bob);
        let claims = thread::spawn(move || {
            let claimed = claiming.0.register(1, "bob", &claiming.1);
            claimed.map(|held| held.keep()).is_ok()
        });
        drop(held);
        ends.join().unwrap();
        let claimed = claims.join().unwrap();
        assert_eq!(registry.lookup(&1), claimed.then_some("bob"));
    });
}

#[test]
fn the_end_of_an_owner_takes_nothing_from_who_has_the_key_after_it() {
    check(3, || {
        let registry = Registry::new();
        let (ann, bob) = (owner(), owner());
        registry.register(1, "ann", &ann).unwrap().keep();
        let ending = ann.clone();
        let ends = thread::spawn(move || end(&ending));
        // When it has ended already, this is what removes the entry, before its end does.
        registry.register(1, "again", &ann).unwrap().keep();
        let claimed = registry.register(1, "bob", &bob);
        let claimed = claimed.map(|held| held.keep()).is_ok();
        ends.join().unwrap();
        assert_eq!(registry.lookup(&1), claimed.then_some("bob"));
    });
}

#[test]
fn an_unregistering_that_races_with_the_end_gives_the_value_to_one() {
    check(4, || {
        let registry = Registry::new();
        let ann = owner();
        registry.register(1, "ann", &ann).unwrap().keep();
        let ending = ann.clone();
        let ends = thread::spawn(move || end(&ending));
        let value = registry.unregister(&1, &ann);
        assert!(matches!(value, Some("ann") | None));
        ends.join().unwrap();
        assert!(registry.is_empty());
    });
}

#[test]
fn duplicate_entries_go_with_their_owner_and_leave_the_others() {
    check(2, || {
        let registry = DuplicateRegistry::new();
        let (ann, bob) = (owner(), owner());
        registry.register(1, "first", &ann).unwrap().keep();
        let ending = ann.clone();
        let ends = thread::spawn(move || end(&ending));
        let adding = (registry.clone(), bob);
        let adds = thread::spawn(move || {
            adding.0.register(1, "bob", &adding.1).unwrap().keep();
        });
        registry.register(1, "second", &ann).unwrap().keep();
        ends.join().unwrap();
        adds.join().unwrap();
        assert_eq!(registry.lookup_all(&1), ["bob"]);
    });
}

/// What a watcher saw.
#[derive(Debug, PartialEq)]
enum Seen {
    Joined,
    Left,
    Lapsed,
}

impl From<GroupEvent<u8>> for u32 {
    fn from(event: GroupEvent<u8>) -> Self {
        match event.change {
            Change::Joined(_) => 1,
            Change::Left(..) => 2,
            Change::Lapsed => 3,
        }
    }
}

fn seen(ctx: &mut Context<u32>) -> Vec<Seen> {
    let next = || match ctx.try_next() {
        Some(Incoming::Message(1)) => Some(Seen::Joined),
        Some(Incoming::Message(2)) => Some(Seen::Left),
        Some(Incoming::Message(_)) => Some(Seen::Lapsed),
        Some(_) | None => None,
    };
    std::iter::from_fn(next).collect()
}

#[test]
fn a_member_that_joins_as_it_ends_is_none_and_its_watcher_knows() {
    check(3, || {
        let groups = Groups::<u8, u32>::new();
        let (watcher, member) = (Seat::new(Capacity::new(4)), Seat::new(Capacity::new(4)));
        groups.monitor(1, &watcher.address()).unwrap();
        let ending = member.process.clone();
        let ends = thread::spawn(move || end(&ending));
        let joined = groups.join(1, &member.address());
        ends.join().unwrap();
        let seen = seen(&mut watcher.context());
        match joined {
            Ok(()) => assert_eq!(seen, [Seen::Joined, Seen::Left]),
            Err(_ended) => assert_eq!(seen, []),
        }
        assert_eq!(groups.count(&1), 0);
    });
}

#[test]
fn a_watcher_learns_of_each_member_once() {
    check(3, || {
        let groups = Groups::<u8, u32>::new();
        let (watcher, member) = (Seat::new(Capacity::new(4)), Seat::new(Capacity::new(4)));
        let joining = (groups.clone(), member.address());
        // Twice: that makes no difference.
        let joins = [joining.clone(), joining]
            .map(|joining| thread::spawn(move || joining.0.join(1, &joining.1).unwrap()));
        let (_, members) = groups.monitor(1, &watcher.address()).unwrap();
        for join in joins {
            join.join().unwrap();
        }
        let told = seen(&mut watcher.context()).len();
        assert_eq!((members.len() + told, groups.count(&1)), (1, 1));
    });
}

#[test]
fn what_is_broadcast_as_a_member_leaves_arrives_or_not() {
    check(3, || {
        let groups = Groups::<u8, u32>::new();
        let member = Seat::new(Capacity::new(4));
        groups.join(1, &member.address()).unwrap();
        let leaving = (groups.clone(), member.address());
        let leaves = thread::spawn(move || assert!(leaving.0.leave(&1, &leaving.1)));
        let delivery = groups.broadcast(&1, 7);
        leaves.join().unwrap();
        assert_eq!(member.address().len(), delivery.delivered);
        assert_eq!(
            (groups.broadcast(&1, 8).delivered, groups.groups()),
            (0, vec![])
        );
    });
}
