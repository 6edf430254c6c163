//! Cases about contact: falling, sliding, sticking, tipping, stacking, pressing and colliding.

mod ball;
mod collision;
mod fall;
mod ground;
mod hertz;
mod restitution;
mod slope;
mod stack;
mod stop;
mod tip;

use crate::Case;
use crate::motion::case;

pub(crate) const CASES: &[Case] = &[
    case!("fall", "a cube dropped from a metre: when it lands and how fast", fall::rows),
    case!("slope", "a block on a slope slides or sticks", slope::rows),
    case!("stop", "a sliding block is stopped by friction", stop::rows),
    case!("restitution", "a rigid ball bounces on the floor and on a rigid box", restitution::rows),
    case!("collision", "a bar hits another one and stops", collision::rows),
    case!("hertz", "a ball pressed on a plane", hertz::rows),
    case!("stack", "ten cubes on top of each other for twenty seconds", stack::rows),
    case!("tip", "the slope on which a tall box tips over", tip::rows),
];
