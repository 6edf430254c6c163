//! Who touches whom.

/// Membership in up to 32 groups, and the groups that are touched; two things touch when each is in a group that the
/// other one touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// One bit for each group that it belongs to.
    pub member: u32,
    /// One bit for each group that it touches.
    pub touches: u32,
}

impl Default for Groups {
    /// In every group, and touching every group.
    fn default() -> Self {
        Groups { member: u32::MAX, touches: u32::MAX }
    }
}

impl Groups {
    /// Whether two things touch.
    #[inline]
    pub fn meet(&self, other: &Groups) -> bool {
        self.member & other.touches != 0 && other.member & self.touches != 0
    }
}
