//! Everything that kernels see.

use crate::device::{Device, GpuError, Store};
use crate::layout::clusters::Clusters;
use crate::layout::general::General;
use crate::layout::laws::{GpuLaw, LawKey};
use crate::layout::nodes::Nodes;
use crate::layout::pins::Pinned;

/// Everything that kernels see.
pub(crate) struct Buffers {
    pub u: Store,
    pub v: Store,
    pub rest: Store,
    pub loads: Store,
    pub bodies: Store,
    pub index: Store,
    pub laws: Store,
    pub heads: Store,
    pub members: Store,
    pub corners: Store,
    pub shapes: Store,
    pub slots: Store,
    pub elements: Store,
    pub entries: Store,
    pub bases: Store,
    pub around: Store,
    pub own: Store,
    pub records: Store,
    pub moments: Store,
    pub pinned: Store,
    pub status: Store,
    pub grains: Store,
}

impl Buffers {
    pub(super) fn new(
        device: &Device,
        (clusters, general, pinned, nodes): (&Clusters, &General, &Pinned, &Nodes),
        laws: &[(LawKey, GpuLaw)],
        [u, v, grains]: [&[[f32; 4]]; 3],
    ) -> Result<Self, GpuError> {
        let stride = if general.stabilised { 6 } else { 3 };
        let index: Vec<u32> =
            clusters.slot_offsets.iter().copied().chain(general.rows.iter().flatten().copied()).collect();
        let laws: Vec<GpuLaw> = laws.iter().map(|l| l.1).collect();
        let (members, heads) = clusters.in_strides();
        Ok(Buffers {
            u: device.upload_state("displacements", u)?,
            v: device.upload_state("velocities", v)?,
            rest: device.upload("rest", &nodes.rest)?,
            loads: device.upload("loads", &nodes.loads)?,
            bodies: device.upload("bodies", &nodes.bodies)?,
            index: device.upload("index", &index)?,
            laws: device.upload("laws", &laws)?,
            heads: device.upload("clusters", &heads)?,
            members: device.upload("members", &members)?,
            corners: device.upload("corners", &clusters.corners)?,
            shapes: device.upload("shapes", &clusters.shapes)?,
            slots: device.room::<[f32; 4]>("slots", clusters.members.len())?,
            elements: device.upload("elements", &general.elements)?,
            entries: device.upload("entries", &general.entries)?,
            bases: device.upload("bases", &general.bases)?,
            around: device.upload("around", &general.around)?,
            own: device.room::<[f32; 4]>("centres", general.springs.len())?,
            records: device.room::<[f32; 4]>("records", general.elements.len() * stride)?,
            moments: device.upload("moments", &general.moments)?,
            pinned: device.upload("pinned", &pinned.vectors)?,
            status: device.room::<u32>("status", 16)?,
            grains: device.upload_state("grains", grains)?,
        })
    }
}
