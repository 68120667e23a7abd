//! `[pure]` What a mob does next. Chance is an argument: a [`Draw`] that whoever owns the mob
//! keeps.

use crate::content::{Mob, World};
use crate::ids::{Direction, RoomId};
use std::time::Duration;

/// A small source of chance (splitmix64), so that a mob costs eight bytes and a test has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw(pub u64);

impl Draw {
    /// A number below `bound`; 0 where there is none.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let number = usize::try_from((mixed ^ (mixed >> 31)) >> 33).unwrap_or(0);
        number.checked_rem(bound).unwrap_or(0)
    }
}

/// What a mob does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Says this.
    Say(Box<str>),
    /// Goes this way.
    Go(Direction),
    /// Nothing.
    Rest,
}

/// What the mob does in this room. It never leaves its zone.
pub fn next_deed(world: &World, mob: &Mob, room: RoomId, draw: &mut Draw) -> Deed {
    let ways: Vec<Direction> = match world.room(room) {
        Some(here) if mob.wander => here
            .exits
            .iter()
            .filter(|exit| {
                world
                    .room(exit.to)
                    .is_some_and(|there| there.zone == mob.zone)
            })
            .map(|exit| exit.direction)
            .collect(),
        Some(_) | None => Vec::new(),
    };
    let talks = !mob.says.is_empty() && (ways.is_empty() || draw.below(2) == 0);
    if talks {
        let line = mob.says.get(draw.below(mob.says.len()));
        return line.map_or(Deed::Rest, |line| Deed::Say(line.clone()));
    }
    ways.get(draw.below(ways.len()))
        .map_or(Deed::Rest, |way| Deed::Go(*way))
}

/// How long the mob waits before its next deed.
pub fn next_pause(mob: &Mob, draw: &mut Draw) -> Duration {
    let span = mob.every_max.saturating_sub(mob.every_min).as_millis();
    let span = usize::try_from(span).unwrap_or(usize::MAX);
    let more = u64::try_from(draw.below(span.saturating_add(1))).unwrap_or(0);
    mob.every_min + Duration::from_millis(more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::MobId;
    use crate::sample::{EDGE, HALL, YARD, world};
    use std::collections::BTreeSet;

    #[test]
    fn draws_cover_their_range_and_stay_inside() {
        let mut draw = Draw(7);
        let mut seen = [0_u32; 6];
        for _ in 0..6_000 {
            seen[draw.below(6)] += 1;
        }
        assert!(
            seen.iter().all(|count| (800..1_200).contains(count)),
            "{seen:?}"
        );
        assert_eq!(draw.below(0), 0);
    }

    /// Everything a mob like the cat of the sample may do in this room.
    fn check(room: RoomId, wander: bool, talks: bool, expected: &[&str]) {
        let world = world();
        let cat = world.mob(MobId(0)).unwrap();
        let says: &[Box<str>] = if talks { &cat.says } else { &[] };
        let mob = Mob {
            key: cat.key.clone(),
            zone: cat.zone,
            name: cat.name.clone(),
            keywords: Box::default(),
            description: cat.description.clone(),
            home: cat.home,
            wander,
            says: says.into(),
            every_min: cat.every_min,
            every_max: cat.every_max,
        };
        let mut draw = Draw(1);
        let deeds = (0..200).map(|_| format!("{:?}", next_deed(&world, &mob, room, &mut draw)));
        let deeds: BTreeSet<String> = deeds.collect();
        assert_eq!(deeds.iter().collect::<Vec<_>>(), expected, "{room}");
    }

    #[test]
    fn a_mob_talks_and_walks_but_not_out_of_its_zone() {
        let says = r#"Say("Meow.")"#;
        check(HALL, true, true, &["Go(North)", says]);
        check(HALL, true, false, &["Go(North)"]);
        check(HALL, false, true, &[says]);
        check(HALL, false, false, &["Rest"]);
        check(YARD, true, false, &["Go(South)"]);
        check(RoomId(99), true, false, &["Rest"]);
        // Out of its zone, however it came there, a mob finds back.
        check(EDGE, true, false, &["Go(Down)"]);
    }

    #[test]
    fn pauses_lie_between_the_two_that_are_written() {
        let world = world();
        let cat = world.mob(MobId(0)).unwrap();
        let mut draw = Draw(3);
        let pauses: Vec<Duration> = (0..1_000).map(|_| next_pause(cat, &mut draw)).collect();
        let (least, most) = (pauses.iter().min().unwrap(), pauses.iter().max().unwrap());
        assert!(*least >= cat.every_min && *least < cat.every_min + Duration::from_secs(1));
        assert!(*most <= cat.every_max && *most > cat.every_max - Duration::from_secs(1));
    }
}
