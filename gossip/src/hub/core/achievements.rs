//! `[pure]` The achievements that games keep at the hub.

use std::cmp::Reverse;

use serde_json::{Map, Value};
use uuid::Uuid;

use super::answer::{Ask, TRY_AGAIN};
use super::effect::Effect;
use super::hub::{Hub, Turn};
use crate::hub::directory::{Achievement, Directory};
use crate::hub::order::StoreOrder;
use crate::limits::{
    ACHIEVEMENT_DESCRIPTION_MAX, ACHIEVEMENT_POINTS_MAX, ACHIEVEMENT_TITLE_MAX, ACHIEVEMENTS_MAX,
    ACHIEVEMENTS_PER_FRAME, PAYLOAD_BYTES_MAX,
};
use crate::protocol::{self, AchievementErrors, AchievementFields, Event, Named};

const BLANK: &str = "can't be blank";
const INVALID: &str = "is invalid";

impl Hub {
    /// `achievements/sync`: all of them by title, some in each frame, at least one frame.
    pub(super) fn achievements_sync(&mut self, ask: &Ask, turn: &mut Turn<'_>) {
        if !self.may_ask_much(ask, turn) {
            return;
        }
        let own = self
            .achievements
            .get(&ask.game)
            .map_or(&[][..], Vec::as_slice);
        let mut sorted: Vec<&Achievement> = own.iter().collect();
        sorted.sort_by_key(|achievement| Reverse((&achievement.title, achievement.key)));
        let total = sorted.len();
        let mut frames = Vec::new();
        let mut part: Vec<protocol::Achievement> = Vec::new();
        let mut bytes = 64;
        while let Some(achievement) = sorted.pop() {
            let achievement = on_the_wire(achievement);
            let more = serde_json::to_string(&achievement).map_or(0, |text| text.len() + 1);
            if part.len() >= ACHIEVEMENTS_PER_FRAME || bytes + more > PAYLOAD_BYTES_MAX {
                frames.push(std::mem::take(&mut part));
                bytes = 64;
            }
            bytes += more;
            part.push(achievement);
        }
        frames.push(part);
        for achievements in frames {
            let event = Event::Achievements {
                reference: ask.reference.clone(),
                total,
                achievements,
            };
            self.send(ask.socket, &event, turn);
        }
    }

    /// `achievements/create`
    pub(super) fn achievement_create(
        &mut self,
        ask: &Ask,
        fields: Option<Box<AchievementFields>>,
        turn: &mut Turn<'_>,
    ) {
        let Some(fields) = fields else {
            return self.fail(ask, TRY_AGAIN, turn);
        };
        let own = self
            .achievements
            .get(&ask.game)
            .map_or(&[][..], Vec::as_slice);
        let points: u32 = own
            .iter()
            .map(|achievement| u32::from(achievement.points))
            .sum();
        let full = points >= ACHIEVEMENT_POINTS_MAX || own.len() >= ACHIEVEMENTS_MAX;
        let blank = Achievement {
            key: self.new_uuid(),
            title: "".into(),
            description: None,
            points: 0,
            display: true,
            partial_progress: false,
            total_progress: None,
        };
        let made = changed(blank, &fields.0).and_then(|achievement| {
            if full {
                Err(one_error("points", "no points left"))
            } else {
                Ok(achievement)
            }
        });
        match made {
            Ok(achievement) => self.put_achievement(ask, achievement, turn),
            Err(errors) => self.fail_achievement(ask, errors, turn),
        }
    }

    /// `achievements/update`: the fields that are there replace those that were.
    pub(super) fn achievement_update(
        &mut self,
        ask: &Ask,
        fields: Option<Box<AchievementFields>>,
        turn: &mut Turn<'_>,
    ) {
        let Some(fields) = fields else {
            return self.fail(ask, TRY_AGAIN, turn);
        };
        let key = fields
            .0
            .get("key")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let made = match self.find_achievement(ask, key) {
            Some(achievement) => changed(achievement.clone(), &fields.0),
            None => Err(one_error("key", "not found")),
        };
        match made {
            Ok(achievement) => self.put_achievement(ask, achievement, turn),
            Err(errors) => self.fail_achievement(ask, errors, turn),
        }
    }

    /// `achievements/delete`
    pub(super) fn achievement_delete(
        &mut self,
        ask: &Ask,
        key: Option<Named>,
        turn: &mut Turn<'_>,
    ) {
        let Some(Named(key)) = key else {
            return self.fail(ask, TRY_AGAIN, turn);
        };
        let key = key.value().unwrap_or_default();
        let Some(key) = self
            .find_achievement(ask, &key)
            .map(|achievement| achievement.key)
        else {
            return self.fail_achievement(ask, one_error("key", "not found"), turn);
        };
        if let Some(own) = self.achievements.get_mut(&ask.game) {
            own.retain(|achievement| achievement.key != key);
        }
        let order = StoreOrder::AchievementDeleted {
            game: ask.game,
            key,
        };
        turn.out.push(Effect::Store(order));
        let event = Event::AchievementDeleted {
            reference: ask.reference.clone(),
            key: key.to_string(),
        };
        self.send(ask.socket, &event, turn);
    }

    fn find_achievement(&self, ask: &Ask, key: &str) -> Option<&Achievement> {
        let key = Uuid::try_parse(key).ok()?;
        let own = self.achievements.get(&ask.game)?;
        own.iter().find(|achievement| achievement.key == key)
    }

    fn put_achievement(&mut self, ask: &Ask, achievement: Achievement, turn: &mut Turn<'_>) {
        let own = self.achievements.entry(ask.game).or_default();
        match own.iter_mut().find(|other| other.key == achievement.key) {
            Some(other) => *other = achievement.clone(),
            None => own.push(achievement.clone()),
        }
        debug_assert!(own.len() <= ACHIEVEMENTS_MAX, "too many achievements");
        let event = Event::Achievement {
            event: ask.event,
            reference: ask.reference.clone(),
            achievement: on_the_wire(&achievement),
        };
        let order = StoreOrder::AchievementPut {
            game: ask.game,
            achievement,
        };
        turn.out.push(Effect::Store(order));
        self.send(ask.socket, &event, turn);
    }

    fn fail_achievement(&mut self, ask: &Ask, errors: AchievementErrors, turn: &mut Turn<'_>) {
        let event = Event::AchievementFailed {
            event: ask.event,
            reference: ask.reference.clone(),
            errors,
        };
        self.send(ask.socket, &event, turn);
    }

    /// Takes what was kept of games that are new, and forgets that of games that are no more.
    pub(super) fn take_achievements(&mut self, directory: &Directory) {
        let mut before = std::mem::take(&mut self.achievements);
        for game in directory.games() {
            let own = before.remove(&game.id);
            let own = own.unwrap_or_else(|| {
                let kept = game.achievements.iter().take(ACHIEVEMENTS_MAX);
                kept.cloned().collect()
            });
            if !own.is_empty() {
                self.achievements.insert(game.id, own);
            }
        }
    }
}

/// The achievement with these fields instead of its own, or what is wrong with them.
fn changed(
    mut achievement: Achievement,
    fields: &Map<String, Value>,
) -> Result<Achievement, AchievementErrors> {
    let mut errors = AchievementErrors::new();
    let mut take = |result: Result<(), &'static str>, field: &'static str| {
        if let Err(error) = result {
            errors.entry(field).or_default().push(error);
        }
    };
    take(title(&mut achievement, fields.get("title")), "title");
    let result = description(&mut achievement, fields.get("description"));
    take(result, "description");
    take(points(&mut achievement, fields.get("points")), "points");
    take(
        flag(&mut achievement.display, fields.get("display")),
        "display",
    );
    let partial = fields.get("partial_progress");
    take(
        flag(&mut achievement.partial_progress, partial),
        "partial_progress",
    );
    let result = total(&mut achievement, fields.get("total_progress"));
    take(result, "total_progress");
    if errors.is_empty() {
        Ok(achievement)
    } else {
        Err(errors)
    }
}

fn title(achievement: &mut Achievement, value: Option<&Value>) -> Result<(), &'static str> {
    match value {
        None => {}
        Some(Value::Null) => return Err(BLANK),
        Some(value) => achievement.title = text(value, ACHIEVEMENT_TITLE_MAX)?.trim().into(),
    }
    if achievement.title.is_empty() {
        Err(BLANK)
    } else {
        Ok(())
    }
}

fn description(achievement: &mut Achievement, value: Option<&Value>) -> Result<(), &'static str> {
    match value {
        None => {}
        Some(Value::Null) => achievement.description = None,
        Some(value) => {
            achievement.description = Some(text(value, ACHIEVEMENT_DESCRIPTION_MAX)?.into());
        }
    }
    Ok(())
}

fn points(achievement: &mut Achievement, value: Option<&Value>) -> Result<(), &'static str> {
    match value {
        None => {}
        Some(Value::Null) => return Err(BLANK),
        Some(value) => {
            let points = value.as_u64().and_then(|points| u8::try_from(points).ok());
            achievement.points = points.filter(|points| *points <= 100).ok_or(INVALID)?;
        }
    }
    Ok(())
}

fn flag(flag: &mut bool, value: Option<&Value>) -> Result<(), &'static str> {
    match value {
        None => {}
        Some(Value::Null) => return Err(BLANK),
        Some(value) => *flag = value.as_bool().ok_or(INVALID)?,
    }
    Ok(())
}

fn total(achievement: &mut Achievement, value: Option<&Value>) -> Result<(), &'static str> {
    match value {
        None => {}
        Some(Value::Null) => achievement.total_progress = None,
        Some(value) => {
            let total = value.as_u64().and_then(|total| u32::try_from(total).ok());
            achievement.total_progress = Some(total.ok_or(INVALID)?);
        }
    }
    if achievement.partial_progress && achievement.total_progress.is_none() {
        return Err(BLANK);
    }
    Ok(())
}

/// A text of at most so many characters, without control characters but for line ends and tabs.
fn text(value: &Value, characters_max: usize) -> Result<&str, &'static str> {
    let text = value.as_str().ok_or(INVALID)?;
    let odd = |byte: u8| byte.is_ascii_control() && !matches!(byte, b'\n' | b'\r' | b'\t');
    if text.bytes().any(odd) || text.chars().nth(characters_max).is_some() {
        return Err(INVALID);
    }
    Ok(text)
}

fn one_error(field: &'static str, error: &'static str) -> AchievementErrors {
    AchievementErrors::from([(field, vec![error])])
}

fn on_the_wire(achievement: &Achievement) -> protocol::Achievement {
    protocol::Achievement {
        key: achievement.key.to_string(),
        title: achievement.title.to_string(),
        description: achievement
            .description
            .as_ref()
            .map(|text| text.to_string()),
        points: u32::from(achievement.points),
        display: achievement.display,
        partial_progress: achievement.partial_progress,
        total_progress: achievement.total_progress,
    }
}
