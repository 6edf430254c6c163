use super::*;

fn medit(points: &str, tets: &str) -> String {
    let count = |text: &str| text.lines().count();
    format!(
        "MeshVersionFormatted 2\nDimension 3\nVertices\n{}\n{points}Tetrahedra\n{}\n{tets}End\n",
        count(points),
        count(tets)
    )
}

const POINTS: &str = "0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 1 0 0\n";

#[test]
fn flat_tetrahedra_are_named_or_dropped() {
    let text = medit(POINTS, "1 2 3 4 0\n1 2 3 5 0\n1 2 2 4 0\n");
    let error = complaint("a.mesh", &text);
    assert!(error.contains("tetrahedron 1 is flat (6V = 0e0 m³)"), "{error}");
    let options = TetMeshOptions { drop_flat: true, ..TetMeshOptions::default() };
    let (mesh, report) = parse_tet_mesh(Path::new("a.mesh"), text.into(), &options).unwrap();
    assert_eq!((mesh.tets.len(), report.flat, report.unreferenced), (1, 2, 1));
    assert!(report.sentences().contains(&"dropped 2 flat tetrahedra".into()));
    let tiny = medit(&POINTS.replace('1', "1e-5"), "1 2 3 4 0\n");
    assert!(parse("a.mesh", tiny).is_ok(), "small is not flat");
}

#[test]
fn bad_numbers_and_counts_are_named_with_their_line() {
    let cases = [
        (medit(POINTS, "1 2 3 9 0\n"), "line 12: node 8 is used, but the file has 5"),
        (medit(POINTS, "1 2 3 0 0\n"), "line 12: node -1 is used"),
        (medit(&POINTS.replace("0 0 1 0", "0 0 nan 0"), "1 2 3 4 0\n"), "line 8: a coordinate is NaN"),
        (medit(&POINTS.replace("0 0 1 0", "0 0 1e30 0"), "1 2 3 4 0\n"), "line 8: a coordinate is 1e30 m"),
        (medit(POINTS, "1 2 3 4 0\n").replace("Vertices\n5", "Vertices\n10000000000"), "line 4: ends too early"),
        (medit(POINTS, "1 2 3 4 0\n").replace("Dimension 3", "Dimension 2"), "a mesh in 2 dimensions"),
        (medit(POINTS, ""), "has no tetrahedra; export volume cells"),
        (medit(POINTS, "1 2 3 4\n"), "line 13: `End` stands where the reference of a tetrahedron"),
    ];
    for (text, expected) in cases {
        let error = complaint("a.mesh", &text);
        assert!(error.contains(expected), "{error}\n expected {expected}");
    }
}

#[test]
fn gmsh_mistakes() {
    let good = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n\
        $EndNodes\n$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n";
    assert_eq!(parse("a.msh", good).unwrap().0.tets, [[0, 1, 2, 3]]);
    let cases = [
        (good.replace("4.1 0 8", "4 0 8"), "line 2: version 4 of Gmsh's format cannot be read"),
        (good.replace("4.1 0 8", "4.1 0 4"), "numbers of 4 bytes"),
        (good.replace("1 1 2 3 4\n", "1 1 2 3 7\n"), "line 19: node 7 is used, but the file has 4"),
        (good.replace("\n3\n4\n", "\n3\n3\n"), "node 3 is there twice"),
        (good.replace("3 1 0 4", "3 1 0 99999999999"), "line 6: ends too early: a block of nodes"),
        (
            good.replace("3 1 4 1\n", "3 1 11 1\n").replace("1 1 2 3 4\n", "1 1 2 3 4 1 2 3 4 1 2\n"),
            "higher order); export volume",
        ),
        (good.replace("$EndNodes", "$EndNode"), "line 15: `$EndNode` stands where `$EndNodes`"),
        (good.replace("$Nodes", "$Knots").replace("$EndNodes", "$EndKnots"), "`$Nodes` before `$Elements` is missing"),
        (good[..good.len() - 30].into(), "ends too early"),
        ("$Comments\n".into(), "`$EndComments` is missing"),
    ];
    for (text, expected) in cases {
        let error = complaint("a.msh", &text);
        assert!(error.contains(expected), "{error}\n expected {expected}");
    }
}

#[test]
fn files_of_other_kinds_say_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let error = read_tet_mesh(dir.path(), &TetMeshOptions::default()).unwrap_err();
    assert!(matches!(*error.problem, Problem::Folder));
    assert!(complaint("a.usdc", "PXR-USDC\0\0").contains("usdcat"));
    assert!(complaint("a.meshb", [1, 0, 0, 0, 2, 0, 0, 0]).contains("has no tetrahedra"));
    let backward = [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 8, 0, 0, 0, 3, 0, 0, 0];
    assert!(complaint("a.meshb", backward).contains("byte 20: keyword 3 says that the next one is at byte 8"));
    let announced = [&backward[..12], &[20, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 99, 0, 0, 0, 255, 255, 255, 127]].concat();
    assert!(complaint("a.meshb", announced).contains("the vertices announced needs 60129542116 bytes, 0 are left"));
    assert!(
        complaint("a.msh", "hello").contains("is not a tetrahedral mesh that can be read, although it is called .msh")
    );
    assert!(complaint("a.usda", "#usda 1.0\ndef Mesh \"a\" {}\n").contains("has no tetrahedra"));
    let node = dir.path().join("a.node");
    std::fs::write(&node, "1 3 0 0\n1 0 0 0\n").unwrap();
    let error = read_tet_mesh(&node, &TetMeshOptions::default()).unwrap_err().to_string();
    assert!(error.contains("needs the file `") && error.contains("a.ele"), "{error}");
    std::fs::write(dir.path().join("a.ele"), "1 10 0\n1 1 1 1 1 1 1 1 1 1 1\n").unwrap();
    let error = read_tet_mesh(&node, &TetMeshOptions::default()).unwrap_err().to_string();
    assert!(error.contains("has no tetrahedra (only 1 tetrahedra of 10 nodes)"), "{error}");
    std::fs::write(dir.path().join("a.ele"), "1 4 0\n1 1 1 1 2\n").unwrap();
    let error = read_tet_mesh(&node, &TetMeshOptions::default()).unwrap_err().to_string();
    assert!(error.contains("node 2 is used, but the file has 1"), "{error}");
}
