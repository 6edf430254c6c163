//! `groups` and `touches`: names instead of bits.

use std::cell::RefCell;

use phyxel::scene::Groups;

use super::error::{Problem, SceneError};
use super::fields::{Field, Fields};

/// The groups that a scene has named so far; each gets a bit.
#[derive(Debug, Default)]
pub(super) struct GroupNames(RefCell<Vec<String>>);

impl GroupNames {
    /// The `groups` that a thing is in (all) and those that it `touches` (all).
    pub fn read(&self, fields: &Fields<'_>) -> Result<Groups, SceneError> {
        let all = u32::MAX;
        let member = fields.or("groups", all, |field| self.bits(field))?;
        let touches = fields.or("touches", all, |field| self.bits(field))?;
        Ok(Groups { member, touches })
    }

    fn bits(&self, field: &Field<'_>) -> Result<u32, SceneError> {
        let mut bits = 0;
        for item in field.items()? {
            let name = item.text()?;
            let mut names = self.0.borrow_mut();
            let place = names.iter().position(|known| known == name).unwrap_or(names.len());
            if place == names.len() {
                names.push(name.into());
            }
            if place >= u32::BITS as usize {
                return Err(item.fail(Problem::Conflict("is the 33rd group; a scene has at most 32")));
            }
            bits |= 1 << place;
        }
        Ok(bits)
    }
}
