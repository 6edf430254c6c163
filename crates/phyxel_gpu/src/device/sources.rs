//! The sources of kernels, put together from their parts.

use super::unroll::unrolled;

const MATH: &str = include_str!("../kernels/math.wgsl");
const SVD: &str = include_str!("../kernels/svd.wgsl");
const LAWS: &str = include_str!("../kernels/laws.wgsl");
const TANGENT: &str = include_str!("../kernels/tangent.wgsl");
const PLASTIC: &str = include_str!("../kernels/plastic.wgsl");
const SETTLE: &str = include_str!("../kernels/settle.wgsl");
const PRINCIPAL: &str = include_str!("../kernels/principal.wgsl");
const STENCIL_GRADIENT: &str = include_str!("../kernels/stencil_gradient.wgsl");
const PIECE: &str = include_str!("../kernels/piece.wgsl");
const TET_GRADIENT: &str = include_str!("../kernels/tet_gradient.wgsl");
const ENTRY: &str = include_str!("../kernels/entry.wgsl");
const RECORD: &str = include_str!("../kernels/record.wgsl");
const LEAVE: &str = include_str!("../kernels/leave.wgsl");
const CONTACT: &str = include_str!("../kernels/contact.wgsl");
const GATHER: &str = include_str!("../kernels/gather.wgsl");
const ROWS: &str = include_str!("../kernels/rows.wgsl");
const HELD: &str = include_str!("../kernels/held.wgsl");
const PULL: &str = include_str!("../kernels/pull.wgsl");
const PUSHED: &str = include_str!("../kernels/pushed.wgsl");

/// How lanes write blocks, where they can exchange numbers and where they cannot.
fn pairs(paired: bool) -> &'static str {
    match paired {
        true => include_str!("../kernels/paired.wgsl"),
        false => include_str!("../kernels/alone.wgsl"),
    }
}

fn elastic(kernel: &str) -> String {
    [MATH, SVD, LAWS, TANGENT, PLASTIC, kernel].concat()
}

/// Forces of tetrahedra.
pub(crate) fn tets() -> String {
    elastic(&[PIECE, include_str!("../kernels/tets.wgsl")].concat())
}

/// Stresses of other stencils.
pub(crate) fn general() -> String {
    elastic(&[ENTRY, RECORD, LEAVE, PUSHED, include_str!("../kernels/general.wgsl")].concat())
}

/// Flow of tetrahedra.
pub(crate) fn settle_tets() -> String {
    elastic(&[PIECE, TET_GRADIENT, SETTLE, include_str!("../kernels/settle_tets.wgsl")].concat())
}

/// Flow of other stencils.
pub(crate) fn settle_general() -> String {
    elastic(&[ENTRY, PUSHED, STENCIL_GRADIENT, SETTLE, include_str!("../kernels/settle_general.wgsl")].concat())
}

/// Principal stresses of tetrahedra.
pub(crate) fn principal_tets() -> String {
    elastic(&[PIECE, TET_GRADIENT, PRINCIPAL, include_str!("../kernels/principal_tets.wgsl")].concat())
}

/// Principal stresses of other stencils.
pub(crate) fn principal_general() -> String {
    elastic(&[ENTRY, PUSHED, STENCIL_GRADIENT, PRINCIPAL, include_str!("../kernels/principal_general.wgsl")].concat())
}

/// Sweeps of position-based steps.
pub(crate) fn sweep() -> String {
    elastic(&[include_str!("../kernels/constraints.wgsl"), include_str!("../kernels/sweep.wgsl")].concat())
}

/// Nodes of position-based steps.
pub(crate) fn positions() -> String {
    [MATH, CONTACT, include_str!("../kernels/positions.wgsl")].concat()
}

/// Motion of nodes.
pub(crate) fn nodes() -> String {
    [MATH, CONTACT, ENTRY, RECORD, GATHER, PULL, include_str!("../kernels/nodes.wgsl")].concat()
}

/// Bodies that break.
pub(crate) fn welds() -> String {
    elastic(&[CONTACT, include_str!("../kernels/welds.wgsl"), include_str!("../kernels/breaks.wgsl")].concat())
}

/// Loads that follow the surface.
pub(crate) fn pressure() -> String {
    include_str!("../kernels/pressure.wgsl").into()
}

/// Blocks of the stiffness of tetrahedra.
pub(crate) fn blocks(paired: bool) -> String {
    elastic(&[PIECE, pairs(paired), include_str!("../kernels/blocks.wgsl")].concat())
}

/// Tangents of other stencils.
pub(crate) fn tangents() -> String {
    elastic(&[ENTRY, PUSHED, STENCIL_GRADIENT, include_str!("../kernels/tangents.wgsl")].concat())
}

/// The matrix from the blocks.
pub(crate) fn assemble() -> String {
    [MATH, include_str!("../kernels/assemble.wgsl")].concat()
}

/// The preconditioner.
pub(crate) fn diagonal() -> String {
    [MATH, ENTRY, include_str!("../kernels/diagonal.wgsl")].concat()
}

/// Matrix-free products, over elements.
pub(crate) fn product() -> String {
    [MATH, ENTRY, RECORD, LEAVE, include_str!("../kernels/product.wgsl")].concat()
}

/// Matrix-free products, over nodes.
pub(crate) fn product_nodes() -> String {
    [ENTRY, RECORD, PULL, include_str!("../kernels/product_nodes.wgsl")].concat()
}

/// Products with the matrix.
pub(crate) fn multiply() -> String {
    [ROWS, include_str!("../kernels/multiply.wgsl")].concat()
}

/// Conjugate gradients.
pub(crate) fn cg() -> String {
    [MATH, HELD, include_str!("../kernels/cg.wgsl")].concat()
}

/// Conjugate gradients in one workgroup.
pub(crate) fn solo() -> String {
    [MATH, HELD, ROWS, include_str!("../kernels/solo.wgsl")].concat()
}

/// Held nodes of implicit steps.
pub(crate) fn pins() -> String {
    include_str!("../kernels/pins.wgsl").into()
}

/// Surfaces carried by nodes.
pub(crate) fn skin() -> String {
    include_str!("../kernels/skin.wgsl").into()
}

/// What phyxels do to the space around them.
pub(crate) fn maps() -> String {
    [MATH, ENTRY, STENCIL_GRADIENT, include_str!("../kernels/maps.wgsl")].concat()
}

/// Discs carried by phyxels or nodes.
pub(crate) fn surfels() -> String {
    [MATH, include_str!("../kernels/surfels.wgsl")].concat()
}

/// Neighbours and stencils of phyxels.
pub(crate) fn rebuild() -> String {
    [MATH, SVD, include_str!("../kernels/rebuild.wgsl")].concat()
}

/// How far phyxels are from a rigid motion.
pub(crate) fn drift() -> String {
    [MATH, SVD, include_str!("../kernels/drift.wgsl")].concat()
}

/// Where phyxels are and how they are strained, for stencils that are to be found anew.
pub(crate) fn absorb() -> String {
    [MATH, ENTRY, PUSHED, STENCIL_GRADIENT, include_str!("../kernels/absorb.wgsl")].concat()
}

/// Stencils in place of older ones, element by element.
pub(crate) fn refill() -> String {
    [MATH, ENTRY, include_str!("../kernels/refill.wgsl")].concat()
}

/// The same, node by node.
pub(crate) fn columns() -> String {
    include_str!("../kernels/columns.wgsl").into()
}

/// A reference that moves to where phyxels are.
pub(crate) fn anchor() -> String {
    include_str!("../kernels/anchor.wgsl").into()
}

/// Linear systems that go with it.
pub(crate) fn follow() -> String {
    include_str!("../kernels/follow.wgsl").into()
}

/// Sums of what comes before.
pub(crate) fn scan() -> String {
    include_str!("../kernels/scan.wgsl").into()
}

/// A copy, for the bandwidth that is there to be had.
pub(crate) fn copy() -> String {
    include_str!("../kernels/copy.wgsl").into()
}

/// All of them, by name, as they are compiled.
pub(crate) fn all() -> Vec<(&'static str, String)> {
    let sources = vec![
        ("tets", tets()),
        ("general", general()),
        ("settle tets", settle_tets()),
        ("settle general", settle_general()),
        ("principal tets", principal_tets()),
        ("principal general", principal_general()),
        ("sweep", sweep()),
        ("positions", positions()),
        ("nodes", nodes()),
        ("welds", welds()),
        ("pressure", pressure()),
        ("blocks", blocks(true)),
        ("blocks alone", blocks(false)),
        ("tangents", tangents()),
        ("assemble", assemble()),
        ("diagonal", diagonal()),
        ("product", product()),
        ("product at nodes", product_nodes()),
        ("multiply", multiply()),
        ("cg", cg()),
        ("solo", solo()),
        ("pins", pins()),
        ("skin", skin()),
        ("maps", maps()),
        ("surfels", surfels()),
        ("rebuild", rebuild()),
        ("drift", drift()),
        ("absorb", absorb()),
        ("refill", refill()),
        ("columns", columns()),
        ("anchor", anchor()),
        ("follow", follow()),
        ("scan", scan()),
        ("copy", copy()),
    ];
    sources.into_iter().map(|(name, source)| (name, unrolled(&source))).collect()
}
