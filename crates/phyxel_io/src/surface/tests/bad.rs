use super::*;

#[test]
fn files_that_are_none() {
    let dir = tempfile::tempdir().unwrap();
    let read = |path: &Path| read_surface(path, &SurfaceOptions::default()).unwrap_err();
    assert!(matches!(*read(dir.path()).problem, Problem::Folder));
    assert!(matches!(*read(&dir.path().join("none.obj")).problem, Problem::Unreadable(_)));
    let empty = dir.path().join("empty.stl");
    std::fs::write(&empty, "").unwrap();
    assert!(matches!(*read(&empty).problem, Problem::Empty));
    let error = read(&empty).to_string();
    assert!(error.ends_with("empty.stl: is empty; export the mesh again"), "{error}");
    #[cfg(unix)]
    assert!(matches!(*read(Path::new("/dev/zero")).problem, Problem::NotAFile), "a device would never end");
}

#[test]
fn content_decides_and_unknown_content_is_named() {
    assert_eq!(parse("wrong.stl", BOX_OBJ).unwrap().format, "OBJ");
    assert!(complaint("wrong.obj", "solid\nendsolid").contains("no triangles"));
    let error = complaint("notes.stl", "Dear reader,\nthis is a letter.\n");
    assert!(
        error.contains("is not a surface that can be read, although it is called .stl; known: OBJ, STL"),
        "{error}"
    );
    for (name, bytes) in
        [("a.obj", &b"\0\x01\x02"[..]), ("a.png", b"\x89PNG\r\n"), ("a", b"   \n\n"), ("a.msh", b"$MeshFormat")]
    {
        assert!(matches!(*parse(name, bytes).unwrap_err().problem, Problem::UnknownFormat { .. }), "{name}");
    }
    assert!(complaint("a.msh", "$MeshFormat\n4.1 0 8").contains("tetrahedral meshes"));
    assert!(complaint("only comments.obj", "# nothing\n# at all\n").contains("has no triangles"));
}
