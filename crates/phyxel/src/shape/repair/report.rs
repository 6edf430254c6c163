//! What a repair did, in numbers and in words.

/// Where a face of the repaired surface comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaceOrigin {
    /// The face of the surface that was given.
    pub triangle: u32,
    /// Its second and third corner changed places.
    pub turned: bool,
}

/// What a repair did, and what the surface is like now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepairReport {
    /// Vertices given.
    pub vertices_in: usize,
    /// Faces given.
    pub faces_in: usize,
    /// Vertices that were joined to another one in the same place.
    pub welded: usize,
    /// Faces of no area that were dropped.
    pub degenerate: usize,
    /// Faces of no area that stayed, because they close the surface between their neighbours.
    pub flat_kept: usize,
    /// Faces that were there twice and were dropped.
    pub duplicates: usize,
    /// Faces turned to agree with their neighbours.
    pub turned: usize,
    /// Shells turned because their normals pointed inward.
    pub shells_turned: usize,
    /// Vertices that no face uses.
    pub unreferenced: usize,
    /// Vertices now.
    pub vertices: usize,
    /// Faces now.
    pub faces: usize,
    /// Parts that share no edge with each other.
    pub components: usize,
    /// Edges with one face.
    pub boundary_edges: usize,
    /// Closed lines that these edges form: holes.
    pub boundary_loops: usize,
    /// Edges with three faces and more.
    pub non_manifold_edges: usize,
    /// Edges whose two faces are wound against each other.
    pub inconsistent_edges: usize,
    /// Patches that have one side only, like a Möbius strip or a Klein bottle.
    pub one_sided: usize,
    /// Every edge is used as often in one direction as in the other: there is an inside.
    pub closed: bool,
    /// Where each face comes from, for data that hangs on faces and corners.
    pub origins: Vec<FaceOrigin>,
}

impl RepairReport {
    /// Whether anything was changed.
    pub fn changed(&self) -> bool {
        self.vertices != self.vertices_in || self.faces != self.faces_in || self.turned + self.shells_turned > 0
    }

    /// What was done and what was found, one sentence each, without a full stop; the last one says whether the surface
    /// is closed.
    pub fn sentences(&self) -> Vec<String> {
        let mut all = Vec::new();
        let mut say = |count: usize, one: &str, many: &str| {
            if count > 0 {
                all.push(if count == 1 { one.replace("{}", "1") } else { many.replace("{}", &count.to_string()) });
            }
        };
        say(self.welded, "welded {} duplicate vertex", "welded {} duplicate vertices");
        say(self.degenerate, "dropped {} face of no area", "dropped {} faces of no area");
        say(self.duplicates, "dropped {} duplicate face", "dropped {} duplicate faces");
        say(self.turned, "turned {} flipped face", "turned {} flipped faces");
        say(self.shells_turned, "turned {} shell that was inside out", "turned {} shells that were inside out");
        let kept = self.vertices_in - self.welded == self.vertices;
        if kept {
            say(self.unreferenced, "kept {} vertex without a face", "kept {} vertices without a face");
        } else {
            say(self.unreferenced, "dropped {} vertex without a face", "dropped {} vertices without a face");
        }
        say(
            self.flat_kept,
            "kept {} face of no area that closes the surface",
            "kept {} faces of no area that close the surface",
        );
        say(
            self.non_manifold_edges,
            "{} edge has three or more faces: parts touch or cross there",
            "{} edges have three or more faces: parts touch or cross there",
        );
        say(
            self.inconsistent_edges,
            "the faces of {} edge are wound against each other",
            "the faces of {} edges are wound against each other",
        );
        say(
            self.one_sided,
            "{} part has one side only (like a Möbius strip): it has no inside",
            "{} parts have one side only (like a Möbius strip): they have no inside",
        );
        say(self.components.saturating_sub(1), "there are 2 separate parts", &self.parts());
        all.push(self.openness());
        all
    }

    fn parts(&self) -> String {
        format!("there are {} separate parts", self.components)
    }

    fn openness(&self) -> String {
        let edges = if self.boundary_edges == 1 { "edge" } else { "edges" };
        let holes = if self.boundary_loops == 1 { "hole" } else { "holes" };
        if self.faces == 0 {
            "there are no faces".into()
        } else if self.boundary_edges > 0 {
            format!(
                "{} open {edges} in {} {holes}: inside is decided by winding number",
                self.boundary_edges, self.boundary_loops
            )
        } else if self.closed {
            "the surface is closed".into()
        } else {
            "the surface is not closed: inside is decided by winding number".into()
        }
    }
}
