// How far the phyxels of a body are from where the rigid motion nearest to theirs takes them: twin of `Rigid` in model/reanchor.rs.
// Sums in a fixed order: of 256 lanes that go through their nodes in equal strides, then of all workgroups.

struct Job {
    // The first node and the first element of the body; each node is the centre of one element.
    first: u32,
    element: u32,
    phyxels: u32,
    // Workgroups of the passes over all nodes.
    groups: u32,
    // The place of the answer.
    slot: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<storage, read> u: array<vec4f>;
@group(0) @binding(2) var<storage, read> rest: array<vec4f>;
@group(0) @binding(3) var<storage, read> elements: array<vec4u>;
// Three vectors per workgroup.
@group(0) @binding(4) var<storage, read_write> partials: array<vec4f>;
// Per body: centre from the first node, shift, columns of the rotation.
@group(0) @binding(5) var<storage, read_write> motions: array<vec4f>;
// Per body: the cube of the largest distance over the volume (bits).
@group(0) @binding(6) var<storage, read_write> drifts: array<atomic<u32>>;

var<workgroup> a: array<vec3f, 256>;
var<workgroup> b: array<vec3f, 256>;
var<workgroup> c: array<vec3f, 256>;

// The sums of all lanes, in the first place of each array.
fn add_up(lane: u32) {
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if lane < half {
            a[lane] += a[lane + half];
            b[lane] += b[lane + half];
            c[lane] += c[lane + half];
        }
        workgroupBarrier();
    }
}

fn leave(place: u32, lane: u32) {
    add_up(lane);
    if lane == 0u {
        partials[3u * place] = vec4f(a[0], 0.0);
        partials[3u * place + 1u] = vec4f(b[0], 0.0);
        partials[3u * place + 2u] = vec4f(c[0], 0.0);
    }
}

// What all workgroups have left.
fn gather(lane: u32) {
    var sums = mat3x3f();
    for (var i = lane; i < job.groups; i += 256u) {
        sums[0] += partials[3u * i].xyz;
        sums[1] += partials[3u * i + 1u].xyz;
        sums[2] += partials[3u * i + 2u].xyz;
    }
    a[lane] = sums[0];
    b[lane] = sums[1];
    c[lane] = sums[2];
    add_up(lane);
}

// From the first node, so that digits are those of the body's size.
fn place_of(i: u32) -> vec3f {
    return rest[job.first + i].xyz - rest[job.first].xyz;
}

@compute @workgroup_size(256)
fn sums(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let group = place.x + place.y * grid.x;
    var x = vec3f(0.0);
    var shift = vec3f(0.0);
    for (var i = 256u * group + lane; i < job.phyxels; i += 256u * job.groups) {
        x += place_of(i);
        shift += u[job.first + i].xyz;
    }
    a[lane] = x;
    b[lane] = shift;
    c[lane] = vec3f(0.0);
    leave(group, lane);
}

@compute @workgroup_size(256)
fn centre(@builtin(local_invocation_index) lane: u32) {
    gather(lane);
    if lane == 0u {
        let share = 1.0 / f32(job.phyxels);
        motions[5u * job.slot] = vec4f(a[0] * share, 0.0);
        motions[5u * job.slot + 1u] = vec4f(b[0] * share, 0.0);
        atomicStore(&drifts[job.slot], 0u);
    }
}

@compute @workgroup_size(256)
fn moments(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let group = place.x + place.y * grid.x;
    let begin = motions[5u * job.slot].xyz;
    let shift = motions[5u * job.slot + 1u].xyz;
    var moment = mat3x3f();
    for (var i = 256u * group + lane; i < job.phyxels; i += 256u * job.groups) {
        let arm = place_of(i) - begin;
        moment += outer(arm + (u[job.first + i].xyz - shift), arm);
    }
    a[lane] = moment[0];
    b[lane] = moment[1];
    c[lane] = moment[2];
    leave(group, lane);
}

@compute @workgroup_size(256)
fn turn(@builtin(local_invocation_index) lane: u32) {
    gather(lane);
    if lane == 0u {
        let moment = mat3x3f(a[0], b[0], c[0]);
        let size = sqrt(contract(moment, moment));
        var rotation = identity();
        if size > 0.0 && finite(size) {
            let parts = svd(moment * (1.0 / size));
            rotation = parts.u * transpose(parts.v);
        }
        for (var k = 0u; k < 3u; k += 1u) {
            motions[5u * job.slot + 2u + k] = vec4f(rotation[k], 0.0);
        }
    }
}

@compute @workgroup_size(256)
fn drift(@builtin(workgroup_id) place: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let i = (place.x + place.y * grid.x) * 256u + lane;
    if i >= job.phyxels {
        return;
    }
    let at = 5u * job.slot;
    let rotation = mat3x3f(motions[at + 2u].xyz, motions[at + 3u].xyz, motions[at + 4u].xyz);
    let arm = place_of(i) - motions[at].xyz;
    let missed = length((u[job.first + i].xyz - motions[at + 1u].xyz) + (arm - rotation * arm));
    let volume = bitcast<f32>(elements[job.element + i].w);
    // Floats that are not negative are in the order of their bits.
    if volume > 0.0 && finite(missed) {
        let found = bitcast<u32>(missed * missed * missed / volume);
        // Most are less than what is known already, and a look costs less than a change.
        if found > atomicLoad(&drifts[job.slot]) {
            atomicMax(&drifts[job.slot], found);
        }
    }
}
