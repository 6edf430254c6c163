//! Files as other programs lay them out.

use super::*;

/// Gmsh's own layout: names, entities, blocks of nodes per entity (some empty, one parametric), tags with gaps.
const GMSH_4: &str = "\
$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
1
3 7 \"body $Nodes\"
$EndPhysicalNames
$Entities
2 0 1 1
1 0 0 0 0
2 1 0 0 0
1 0 0 0 1 1 1 0 0
1 0 0 0 1 1 1 1 7 1 1
$EndEntities
$Nodes
4 5 1 42
0 1 0 1
10
0 0 0
0 2 0 1
3
1 0 0
2 1 1 1
42
0 1 0 0.5 0.25
3 1 0 2
11
12
0 0 1
1 1 1
$EndNodes
$Elements
3 4 1 4
0 1 15 1
1 10
2 1 2 1
2 10 3 42
3 1 4 2
3 10 3 42 11
4 42 3 11 12
$EndElements
$Periodic
0
$EndPeriodic
";

const GMSH_2: &str = "\
$Comments
made by hand
$EndComments
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
1
3 1 \"body\"
$EndPhysicalNames
$Nodes
5
1 0 0 0
2 1 0 0
30 0 1 0
4 0 0 1
5 9 9 9
$EndNodes
$Elements
4
1 15 2 0 1 1
2 2 2 0 1 1 2 30
3 4 3 1 1 0 1 2 30 4
4 4 2 2 1 1 2 30 4
$EndElements
";

const MEDIT: &str = "\
MeshVersionFormatted 2

# made by hand
Dimension
3

Vertices
4
0 0 0 1
1 0 0 1
0 1 0 2
0 0 1 2

Corners
1
3

Triangles
1
1 2 3 5

Tetrahedra
1
1 3 2 4 9

Ridges
1
2
End
";

const USD: &str = "\
#usda 1.0
(
    defaultPrim = \"World\"
    metersPerUnit = 0.01
    upAxis = \"Z\"
)

def Xform \"World\"
{
    double3 xformOp:translate = (0, 0, 1)
    uniform token[] xformOpOrder = [\"xformOp:translate\"]

    def TetMesh \"a {strange} name\" (
        prepend apiSchemas = [\"PhysicsAPI\"]
        customData = { string note = \"points = [ }\" }
    )
    {
        float3[] extent = [(0, 0, 0), (1, 1, 1)]
        # points = [(9, 9, 9)]
        point3f[] points.timeSamples = {
            0: [(0, 0, 0), (100, 0, 0), (0, 100, 0), (0, 0, 100)],
            1: [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 2)],
        }
        point3f[] restPoints = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 2)]
        int4[] tetVertexIndices = [(0, 1, 2, 3)] (
            doc = \"\"\"a long \"string\" with } and ]\"\"\"
        )
    }

    def TetMesh \"second\"
    {
        int4[] tetVertexIndices = [(0, 1, 2, 3)]
        point3f[] points = [(0, 0, 0), (100, 0, 0),
            (0, 100, 0), (0, 0, 1e2)]
    }
}
";

#[test]
fn gmsh_4_with_entities_and_blocks() {
    let (mesh, report) = parse("a.msh", GMSH_4).unwrap();
    assert_eq!(report.format, "Gmsh 4.1, text");
    assert_eq!(mesh.points[2..4], [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    assert_eq!(mesh.tets[0], [0, 1, 2, 3]);
    assert_eq!(report.skipped, [("points".to_string(), 1), ("triangles".to_string(), 1)]);
    assert_eq!((report.turned, mesh.tets.len()), (1, 2));
    assert!(report.sentences().contains(&"left out 1 points, 1 triangles".into()), "{:?}", report.sentences());
    assert_eq!(parse("a.msh", GMSH_4.replace('\n', "\r\n")).unwrap().0, mesh);
}

#[test]
fn gmsh_2_with_gaps_duplicates_and_a_node_too_many() {
    let (mesh, report) = parse("a.msh", GMSH_2).unwrap();
    assert_eq!((mesh.points.len(), mesh.tets), (4, vec![[0, 1, 2, 3]]));
    assert_eq!((report.duplicates, report.unreferenced), (1, 1));
    let words = report.sentences();
    assert!(words.contains(&"dropped 1 duplicate tetrahedra".into()), "{words:?}");
    assert!(words.contains(&"dropped 1 nodes that no tetrahedron uses".into()), "{words:?}");
}

#[test]
fn tetgen_from_zero_and_from_one_with_attributes_and_comments() {
    let dir = tempfile::tempdir().unwrap();
    let from_one = (
        "# nodes\n4  3  1  1\n\n  1  0 0 0  7.5 1\n 2 1 0 0 7.5 0 # comment\n3 0 1 0 1 1\n4 0 0 1 1 1\n# end\n",
        "1 4 1 # one\n 1   1 3 2 4  99\n",
    );
    let from_zero = ("4 3 0 0\r\n0 0 0 0\r\n1 1 0 0\r\n2 0 1 0\r\n3 0 0 1\r\n", "1 4 0\r\n0 0 2 1 3\r\n");
    for (nodes, elements) in [from_one, from_zero] {
        std::fs::write(dir.path().join("a.1.node"), nodes).unwrap();
        std::fs::write(dir.path().join("a.1.ele"), elements).unwrap();
        let (mesh, report) = read_tet_mesh(&dir.path().join("a.1.ele"), &TetMeshOptions::default()).unwrap();
        assert_eq!(mesh.points, [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        assert_eq!((mesh.tets.as_slice(), report.turned), (&[[0, 2, 3, 1]][..], 1));
        assert!(report.sentences()[1].contains("the file lists their corners in the other order"));
    }
}

#[test]
fn medit_with_references_and_other_keywords() {
    let (mesh, report) = parse("a.mesh", MEDIT).unwrap();
    assert_eq!((mesh.points.len(), mesh.tets.len(), report.turned), (4, 1, 1));
    assert_eq!(report.skipped, [("triangles".to_string(), 1)]);
}

#[test]
fn usd_with_metadata_time_samples_and_several_prims() {
    let (mesh, report) = parse("a.usda", USD).unwrap();
    assert_eq!((mesh.points.len(), mesh.tets.len(), report.transforms), (8, 2, 1));
    assert_eq!(mesh.points[2..4], [[0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]);
    assert!(report.sentences().iter().any(|s| s.contains("did not apply 1 transforms")));
}
