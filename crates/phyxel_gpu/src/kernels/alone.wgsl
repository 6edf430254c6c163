// What `paired.wgsl` does, on devices whose lanes know nothing of each other: each moves its own.

const PAIRED: bool = false;

fn trade(first: vec4f, second: vec4f, odd: bool) -> array<vec4f, 2> {
    return array<vec4f, 2>(first, second);
}
