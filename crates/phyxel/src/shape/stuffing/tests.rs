use super::*;
use crate::shape::quality::TetQuality;
use crate::shape::structured::sphere_skin;

#[test]
fn a_ball() {
    let solid = Solid::new(sphere_skin(1.0, 0.05)).unwrap();
    for size in [0.3, 0.1, 0.05] {
        let (mesh, report) = stuff(&solid, &StuffingSettings::new(Fineness::Size(size))).unwrap();
        let q = TetQuality::of(&mesh);
        println!("{size}: {} tets {} nodes {:?} {:?}", mesh.tets.len(), mesh.points.len(), q, report);
        println!("{} {}", q.min_dihedral.to_degrees(), q.max_dihedral.to_degrees());
    }
}
