//! Materials that yield, conduct and melt; bodies with a temperature.

use super::*;
use phyxel::Material;
use phyxel::material::{LawKind, Melting, Plasticity, Table, Thermal};
use phyxel::scene::{Action, BodyHeat, HeatKind, HeatLoad, Region};

fn material(lines: &str) -> Material {
    let text = format!("[materials.a]\n{lines}\n{SMALL}material = \"a\"\n");
    parse(&text).unwrap_or_else(|e| panic!("{e}")).bodies[0].material.clone()
}

fn refusal(lines: &str, parts: &[&str]) {
    let text = format!("[materials.a]\n{lines}\n{SMALL}material = \"a\"\n");
    let sentence = sentence(&text);
    assert!(parts.iter().all(|part| sentence.contains(part)), "no {parts:?} in: {sentence}");
}

#[test]
fn plasticity_is_read_in_both_forms() {
    let by_strain = material("yield_strain = 0.05\nrelaxation_time = 0.1\nmax_strain = 0.7").plastic;
    let expected = Plasticity::Strain { yield_strain: 0.05, relaxation_time: 0.1, max_strain: 0.7 };
    assert_eq!(by_strain, Some(expected));
    let by_stress = material("yield_stress = 1e5\nhardening = 2e5").plastic;
    let expected = Plasticity::Stress { yield_stress: 1e5, hardening: 2e5, relaxation_time: 0.0 };
    assert_eq!(by_stress, Some(expected));
    let Some(Plasticity::Strain { relaxation_time, .. }) = material("yield_strain = 0.1\ncreep = 0.5").plastic else {
        panic!("by strain")
    };
    assert!((relaxation_time - 1.0 / 2.0f64.ln()).abs() < 1e-12);
    assert_eq!(material("preset = \"steel\"\nplastic = false").plastic, None);
}

#[test]
fn an_event_may_switch_plasticity_law_and_heat() {
    let text = format!(
        "{SMALL}temperature = 300\nmaterial = \"wax\"\n\
         [[events]]\nat = 1\nset = {{ yield_strain = 0.02, law = \"stvk\" }}\n\
         [[events]]\nat = 2\nset = {{ plastic = false }}\n\
         [[events]]\nat = 2.5\nheat = [{{ all = true, power = 20 }}]\n"
    );
    let events = parse(&text).unwrap().events;
    let [Action::SetMaterial(first), Action::SetMaterial(second), Action::SetHeat(heat)] =
        [0, 1, 2].map(|k| events[k].action.clone())
    else {
        panic!("{events:?}")
    };
    assert_eq!(first.law, LawKind::StVenantKirchhoff);
    let plastic = Plasticity::Strain { yield_strain: 0.02, relaxation_time: 0.0, max_strain: f64::INFINITY };
    assert_eq!((first.plastic, second.plastic), (Some(plastic), None));
    assert_eq!(heat, [HeatLoad { region: Region::All, kind: HeatKind::Power(20.0) }]);
}

#[test]
fn thermal_constants_are_read() {
    let thermal = material(
        "conductivity = 2\nspecific_heat = 900\nthermal_expansion = 1e-5\nmelting_point = 400\nlatent_heat = 1e5\n\
         melt_viscosity = 3\nstiffness_over_temperature = [[300, 1], [390, 0.1]]",
    );
    let melting = Some(Melting { solidus: 400.0, liquidus: 400.0, latent_heat: 1e5, viscosity: 3.0 });
    let stiffness = Table(vec![(300.0, 1.0), (390.0, 0.1)]);
    let expected =
        Thermal { conductivity: 2.0, specific_heat: 900.0, expansion: 1e-5, melting, stiffness, ..Thermal::default() };
    assert_eq!(thermal.thermal, Some(expected));
}

#[test]
fn a_body_has_a_temperature_and_what_heats_it() {
    let text = format!(
        "{SMALL}material = \"lead\"\ntemperature = 350\nconvection = 10\nambient = 280\nconductance = 50\n\
         heat = [{{ all = true, temperature = 500 }}, {{ all = true, program = [[0, 300], [2, 400]] }}]\n\
         [[colliders]]\nplane = {{}}\ntemperature = 290\n"
    );
    let scene = parse(&text).unwrap();
    let loads = [HeatKind::Temperature(500.0), HeatKind::Program(vec![(0.0, 300.0), (2.0, 400.0)])]
        .map(|kind| HeatLoad { region: Region::All, kind })
        .to_vec();
    let expected = BodyHeat { temperature: 350.0, convection: 10.0, ambient: 280.0, conductance: 50.0, loads };
    assert_eq!(scene.bodies[0].heat, Some(expected));
    assert_eq!(scene.colliders[0].temperature, Some(290.0));
}

#[test]
fn mistakes_in_matter_are_named() {
    refusal("yield_strain = 0", &["line 2, materials.a.yield_strain", "greater than 0"]);
    refusal("yield_stress = -5", &["materials.a.yield_stress"]);
    refusal("yield_strain = 0.1\ncreep = 1.5", &["line 3, materials.a.creep", "from 0 to 1"]);
    refusal("yield_strain = 0.1\ncreep = -0.1", &["materials.a.creep"]);
    refusal("yield_strain = 0.1\nyield_stress = 5", &["yield_strain and yield_stress"]);
    refusal("yield_strain = 0.1\nhardening = 5", &["materials.a.hardening", "yield_stress"]);
    refusal("creep = 0.5", &["no effect", "yield_strain"]);
    refusal("plastic = false\nyield_strain = 0.5", &["contradicts"]);
    refusal("conductivity = -1\nspecific_heat = 1", &["materials.a.conductivity", "0 or more"]);
    refusal("conductivity = 1", &["specific_heat"]);
    refusal("conductivity = 1\nspecific_heat = 1\nsolidus = 400\nliquidus = 300", &["liquidus 300", "swap"]);
    refusal("conductivity = 1\nspecific_heat = 1\nlatent_heat = 5", &["does not melt"]);
    refusal(
        "conductivity = 1\nspecific_heat = 1\nstrength_over_temperature = [[400, 1], [300, 0.5]]",
        &["strength_over_temperature", "ascending"],
    );
    refusal("conductivity = 1\nspecific_heat = 1\nreference_temperature = -3", &["absolute zero"]);
    for (lines, part) in [
        ("temperature = -3", "absolute zero"),
        ("convection = 5", "without a temperature"),
        ("temperature = 300\nconvection = -5", "0 or more"),
        ("temperature = 300\nheat = [{ all = true, temperature = -1 }]", "absolute zero"),
    ] {
        let sentence = sentence(&format!("{SMALL}material = \"lead\"\n{lines}\n"));
        assert!(sentence.contains(part), "no {part} in {sentence}");
    }
}

#[test]
fn fracture_is_read() {
    use phyxel::material::{Fracture, GrainStrength};
    let brittle = material("strength = 1e6").fracture;
    assert_eq!(brittle, Some(Fracture::brittle(1e6)));
    let wood = material(
        "young_modulus = 1e9\nstrength = 2e6\ntip_strength = 0.5\ntoughness = 1e6\ngrain = [1, 0, 0]\n\
         grain_strength = 4e7\nstrength_scatter = 0.1\nstrength_seed = 3\ninterior = 2",
    );
    let expected = Fracture {
        tip_strength: 0.5,
        fracture_energy: 1e3,
        grain: Some(GrainStrength { direction: [1.0, 0.0, 0.0], along: 4e7 }),
        scatter: 0.1,
        seed: 3,
        interior: 2,
        ..Fracture::brittle(2e6)
    };
    assert_eq!(wood.fracture, Some(expected));
    let ductile = material("yield_stress = 1e5\nplastic_limit = 0.3").fracture;
    assert_eq!(ductile, Some(Fracture { plastic_limit: 0.3, ..Fracture::brittle(f64::INFINITY) }));
    assert_eq!(material("fracture = false").fracture, None);
}

#[test]
fn bad_fracture_is_refused_with_its_line() {
    refusal("strength = -1e6", &["strength", "line 2"]);
    refusal("toughness = 1e6", &["toughness", "add strength"]);
    refusal("strength = 1e6\ngrain = [0, 0, 0]\ngrain_strength = 1e7", &["grain", "line 3", "not zero"]);
    refusal("strength = 1e6\ngrain = [1, 0, 0]", &["grain_strength"]);
    refusal("strength = 1e6\ntip_strength = 2", &["tip_strength"]);
    refusal("strength = 1e6\nfracture = false", &["contradicts fracture = false"]);
    refusal("strength = 1e6\ntoughness = 1\nfracture_energy = 1", &["toughness", "fracture_energy"]);
}

#[test]
fn weak_places_whole_cubes_and_cuts_are_read() {
    use phyxel::scene::{Cut, Weakness};
    let text = "[[bodies]]\nname = \"wall\"\nshape = { wall = [1.8, 0.3, 0.1] }\nmethod = \"tet\"\n\
                whole_cubes = true\nweak = [{ box = { min = [-9, -9, -9], max = [0, 9, 9] }, factor = 0.5 }]\n\
                [[events]]\nat = 1\nbody = \"wall\"\ncut = { point = [0, 0, 0], normal = [1, 0, 0] }\n";
    let scene = parse(text).unwrap_or_else(|e| panic!("{e}"));
    let body = &scene.bodies[0];
    assert_eq!((body.whole_cells.len(), body.whole_cells[269]), (270, 53));
    let region = Region::Box { min: [-9.0; 3], max: [0.0, 9.0, 9.0] };
    assert_eq!(body.weaknesses, [Weakness { region, factor: 0.5 }]);
    assert_eq!(scene.events[0].action, Action::Cut(Cut::plane([0.0; 3], [1.0, 0.0, 0.0])));
    let refused = |from: &str, to: &str| sentence(&text.replace(from, to));
    assert!(refused("normal = [1, 0, 0]", "normal = [0, 0, 0]").contains("not zero"));
    assert!(refused("factor = 0.5", "factor = 0").contains("factor"));
    assert!(refused("max = [0, 9, 9]", "max = [-8, 9, 9]").contains("weak"));
    assert!(refused("method = \"tet\"", "method = \"mls\"").contains("whole_cubes"));
}

#[test]
fn edges_and_softening_are_read_and_edges_beyond_a_section_refused() {
    use phyxel::material::{EdgeStyle, Edges};
    let planks = "strength = 1e6\nfracture_energy = 100\nsoftening = true\nedges = { section = [0.3, 0.1], \
                  randomness = [0.2, 0], frequency = [3, 1], amplitude = [0.05, 0.01], style = \"splinters\", seed = 4 }";
    let fracture = material(planks).fracture.expect("it breaks");
    assert!(fracture.softening);
    let expected = Edges {
        section: [0.3, 0.1],
        randomness: [0.2, 0.0],
        frequency: [3, 1],
        amplitude: [0.05, 0.01],
        style: EdgeStyle::Splinters,
        seed: 4,
    };
    assert_eq!(fracture.edges, Some(expected));
    let preset = material("preset = \"morris-wood\"\nedges = { style = \"steps\" }").fracture.expect("it breaks");
    assert_eq!(preset.edges.map(|e| (e.style, e.section)), Some((EdgeStyle::Steps, [0.1, 0.1])));
    refusal(&planks.replace("0.05, 0.01", "0.5, 0.01"), &["edges", "larger than a section"]);
    refusal("strength = 1e6\nedges = { amplitude = [0.1, 0.1] }", &["section"]);
    refusal("strength = 1e6\nedges = { section = [1, 1], style = \"wooly\" }", &["style", "splinters"]);
}

#[test]
fn blades_small_fragments_and_cut_elements_are_read() {
    use phyxel::scene::{Blade, Fate, FragmentRule};
    let text = "[[bodies]]\nname = \"block\"\nshape = { box = [1, 1, 1] }\nmethod = \"tet\"\ncells = [2, 2, 2]\n\
                cut_elements = true\nfragments = { smaller_than = 1e-3, become = \"removed\" }\n\
                [[events]]\nat = 1\nblade = { from = [[0, 1, -1], [0, 1, 1]], to = [[0, -1, -1], [0, -1, 1]], duration = 0.5 }\n";
    let scene = parse(text).unwrap_or_else(|e| panic!("{e}"));
    let body = &scene.bodies[0];
    assert!(body.cut_elements);
    assert_eq!(body.fragments, Some(FragmentRule { smaller_than: 1e-3, fate: Fate::Removed }));
    let (from, to) = ([[0.0, 1.0, -1.0], [0.0, 1.0, 1.0]], [[0.0, -1.0, -1.0], [0.0, -1.0, 1.0]]);
    assert_eq!(scene.events[0].action, Action::Sweep(Blade { from, to, duration: 0.5 }));
    let refused = |from: &str, to: &str| sentence(&text.replace(from, to));
    assert!(refused("duration = 0.5", "duration = 0").contains("duration"));
    assert!(refused("to = [[0, -1, -1], [0, -1, 1]]", "to = [[0, 1, -1], [0, 1, 1]]").contains("cuts nothing"));
    assert!(refused("[[0, -1, -1], [0, -1, 1]]", "[[0, -1, -1]]").contains("both ends"));
    assert!(refused("\"removed\"", "\"eaten\"").contains("rigid"));
    assert!(refused("smaller_than = 1e-3, ", "").contains("smaller_than"));
}
