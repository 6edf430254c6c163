//! Matter that yields, flows, heats and melts.

mod bars;
mod creep;
mod flow;
mod steel;
mod stretch;
mod taylor;
mod warm;
mod yielding;

use crate::Case;

pub(crate) const CASES: &[Case] = &[
    Case { name: "yield", summary: "steel drawn, pressed and drawn again, its sides free", run: yielding::cycle },
    Case { name: "j2", summary: "return to the yield surface from a given strain", run: yielding::strain_driven },
    Case { name: "flow-volume", summary: "plastic flow keeps the volume", run: flow::volume },
    Case { name: "creep", summary: "how long a held strain takes to relax", run: creep::creep },
    Case { name: "stretch", summary: "volume of a bar drawn to three times its length", run: stretch::stretch },
    Case { name: "taylor", summary: "a copper rod hits a wall and becomes a mushroom", run: taylor::taylor },
    Case { name: "slab", summary: "a hot slab cools between two cold faces", run: bars::slab },
    Case { name: "t3", summary: "a bar whose end is heated to and fro (NAFEMS T3)", run: bars::t3 },
    Case { name: "expansion", summary: "steel warmed by 100 degrees, free and held", run: warm::expansion },
    Case { name: "heating", summary: "plastic work becomes heat", run: warm::heating },
    Case { name: "stefan", summary: "ice melts from a warm wall", run: bars::stefan },
];
