//! What a surface of several representations remembers from frame to frame, for runs that are interrupted.

use super::{GROWTH, MultiSurface, Shown, Zombie};
use crate::saved::{Reader, Saved, Writer};
use phyxel::math::Vec3;

impl Saved for MultiSurface {
    fn save(&self, to: &mut Writer) {
        to.double(self.size);
        to.number(self.start as u64);
        to.byte(u8::from(self.coloured));
        to.list(&self.zombies, |to, z| {
            to.vector(z.point);
            to.vector(z.normal);
            to.colour(z.colour);
            to.double(z.gone);
            to.double(z.area);
        });
        to.list(&self.shown, |to, s| {
            to.vector(s.point);
            to.vector(s.normal);
            to.colour(s.colour);
        });
        to.list(&self.phyxels, |to, p| to.vector(Vec3(p)));
        self.watch.save(to);
        to.double(self.apart);
        to.number(self.round);
        to.byte(u8::from(self.whole));
        to.number(self.let_go as u64);
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Option<()> {
        let zombie = |from: &mut Reader<'_>| {
            let (point, normal) = (from.vector()?, from.vector()?);
            Some(Zombie { point, normal, colour: from.colour()?, gone: from.double()?, area: from.double()? })
        };
        let shown = |from: &mut Reader<'_>| {
            let (point, normal) = (from.vector()?, from.vector()?);
            Some(Shown { point, normal, colour: from.colour()?, area: 1.0 })
        };
        // Sizes of discs and how many there are of them are those of bodies that may have run into others since.
        let few = |start: usize, count: usize| count <= (GROWTH + 1) * start;
        let size = from.double().filter(|size| *size > 0.0)?;
        let start = usize::try_from(from.number()?).ok().filter(|start| *start <= from.0.len())?;
        let coloured = from.byte()? != 0;
        let zombies = from.list(zombie).filter(|z| few(start, z.len()))?;
        let shown = from.list(shown).filter(|s| few(start, s.len()))?;
        let phyxels = from.list_of(self.phyxels.len(), |from| Some(from.vector()?.0))?;
        self.watch.restore(from)?;
        self.apart = from.double().filter(|apart| *apart > 0.0)?;
        self.round = from.number()?;
        self.whole = from.byte()? != 0;
        self.let_go = usize::try_from(from.number()?).ok()?;
        (self.zombies, self.shown, self.phyxels) = (zombies, shown, phyxels);
        (self.size, self.start, self.coloured) = (size, start, coloured);
        Some(())
    }
}
