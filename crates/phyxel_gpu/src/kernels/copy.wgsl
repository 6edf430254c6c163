// A copy, to learn how fast memory is.

@group(0) @binding(0) var<storage, read> source: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> destination: array<vec4f>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = (place.x + place.y * grid.x) * 256u + lane;
    if i < arrayLength(&destination) {
        destination[i] = source[i];
    }
}
