//! `phyxel run`: simulates a scene and writes its results.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use phyxel::scene::{ColliderShape, Scene};
use phyxel::{AnySimulation, StepReport};
use phyxel_draw::movie::Form;
use phyxel_draw::{Painter, body_colour, is_floor, linear_from_srgb};
use phyxel_io::picture::scene_outlines;
use phyxel_io::{Checkpoint, Format, FrameStats, Recorder, read_checkpoint, write_checkpoint};
use phyxel_surface::{Dresser, ReconstructionSettings};

use crate::args::RunArgs;
use crate::device::{Place, Wanted};
use crate::failure::Failure;
use crate::interrupt;
use crate::painter;
use crate::progress::Progress;
use crate::report::{self, RunReport};
use crate::source::{self, Source};
use crate::threads::with_threads;

const CHECKPOINT: &str = "checkpoint.phyxel";
const CHECKPOINT_EVERY: Duration = Duration::from_secs(5);

/// Runs the command.
pub fn run(args: &RunArgs) -> Result<(), Failure> {
    let formats = formats(&args.formats)?;
    let wanted = Wanted::parse(&args.device);
    with_threads(args.scene.threads, |threads| {
        let source = source::load(&args.scene)?;
        let mut run = Run::prepare(args, &source, &formats, &wanted)?;
        interrupt::listen()?;
        let end = run.simulate(args.tell.quiet);
        run.conclude(args, &source, threads, end)
    })
}

fn formats(text: &str) -> Result<Vec<Format>, Failure> {
    if text.trim() == "none" {
        return Ok(Vec::new());
    }
    Format::parse_list(text).map_err(|error| Failure::input(format!("--formats: {error}")))
}

/// How the loop over frames ended.
enum End {
    Done,
    Interrupted,
    Failed(Failure),
}

/// Where the time goes.
struct Clock {
    started: Instant,
    build: Duration,
    simulate: Duration,
    surface: Duration,
    write: Duration,
}

impl Clock {
    fn start() -> Self {
        let none = Duration::ZERO;
        Clock { started: Instant::now(), build: none, simulate: none, surface: none, write: none }
    }

    fn in_ms(&self) -> BTreeMap<String, f64> {
        let stages =
            [("build", self.build), ("simulate", self.simulate), ("surface", self.surface), ("write", self.write)];
        stages.into_iter().map(|(stage, time)| (stage.into(), time.as_secs_f64() * 1e3)).collect()
    }
}

/// A run under way.
struct Run<'a> {
    scene: &'a Scene,
    simulation: AnySimulation,
    place: Place,
    recorder: Option<Recorder>,
    dresser: Dresser,
    folder: PathBuf,
    /// What every checkpoint of this run says besides the state.
    identity: Checkpoint,
    first: usize,
    /// Index of the last frame that is complete.
    frame: usize,
    last: usize,
    totals: StepReport,
    clock: Clock,
}

impl<'a> Run<'a> {
    /// Builds the simulation, takes up a checkpoint if asked to, and opens the outputs: the folder is touched last, so
    /// that wrong input leaves no trace.
    fn prepare(args: &RunArgs, source: &'a Source, formats: &[Format], wanted: &Wanted) -> Result<Self, Failure> {
        let scene = &source.scene;
        let mut clock = Clock::start();
        let mut simulation = source::build(source, &args.scene)?;
        if !args.tell.quiet {
            simulation.warnings().iter().for_each(|warning| eprintln!("warning: {warning}"));
        }
        let layouts = simulation.layouts();
        let mut dresser = Dresser::new(&simulation, ReconstructionSettings::default())
            .map_err(Failure::input)?
            .with_colours(|body| body_colour(body, &layouts[body].look).map(linear_from_srgb));
        let folder = args.out.clone().unwrap_or_else(|| Path::new("out").join(&source.stem));
        let last = args.frames.unwrap_or((scene.duration * scene.frame_rate).round() as usize);
        let precision = source::precision(&args.scene).name();
        let mut identity = Checkpoint { scene_hash: source.hash, precision: precision.into(), ..Checkpoint::default() };
        if args.resume {
            identity = resume(&folder.join(CHECKPOINT), identity, &mut simulation, &mut dresser)?;
        }
        let resumed = args.resume.then_some(identity.frame);
        if resumed.is_some_and(|frame| frame >= last) {
            return Err(Failure::input(
                "the run is complete already; give a greater --frames to go on, or run without --resume",
            ));
        }
        let place = Place::choose(wanted, scene, &simulation)?;
        if let (Some(why), false) = (place.why_cpu(), args.tell.quiet) {
            eprintln!("calculating on the CPU: {why}");
        }
        let painter = painter(formats, wanted)?;
        let recorder = recorder(scene, formats, &simulation, &folder, last, resumed)?.map(|r| r.with_painter(painter));
        let frame = identity.frame;
        let totals = StepReport { steps: identity.step, ..StepReport::default() };
        clock.build = clock.started.elapsed();
        let mut run = Run {
            scene,
            simulation,
            place,
            recorder,
            dresser,
            folder,
            identity,
            first: frame,
            frame,
            last,
            totals,
            clock,
        };
        if resumed.is_none() {
            run.record(0, &StepReport::default())?;
        }
        Ok(run)
    }

    /// Frame after frame until the end, Ctrl-C, or a failure.
    fn simulate(&mut self, quiet: bool) -> End {
        let mut progress = Progress::begin(quiet, self.frame, self.last);
        let mut saved = Instant::now();
        let mut end = End::Done;
        while self.frame < self.last {
            if let Err(failure) = self.next_frame(&mut saved) {
                end = End::Failed(failure);
                break;
            }
            progress.frame(self.frame, self.simulation.time());
            if interrupt::asked_to_stop() && self.frame < self.last {
                end = End::Interrupted;
                break;
            }
        }
        progress.end();
        end
    }

    fn next_frame(&mut self, saved: &mut Instant) -> Result<(), Failure> {
        let next = self.frame + 1;
        let stepping = Instant::now();
        let time_of = |frame: usize| frame as f64 / self.scene.frame_rate;
        let later = (next < self.last).then(|| time_of(next + 1));
        let report = self.place.advance_to(&mut self.simulation, time_of(next), later)?;
        self.clock.simulate += stepping.elapsed();
        self.totals.merge(&report);
        self.record(next, &report)?;
        self.frame = next;
        if self.recorder.is_some() && saved.elapsed() > CHECKPOINT_EVERY {
            self.save()?;
            *saved = Instant::now();
        }
        Ok(())
    }

    fn record(&mut self, frame: usize, report: &StepReport) -> Result<(), Failure> {
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        let writing = Instant::now();
        let energy = self.simulation.energy();
        let stats = FrameStats {
            kinetic_j: energy.kinetic_j,
            elastic_j: energy.elastic_j,
            potential_j: energy.potential_j,
            dissipated_j: energy.dissipated_j,
            momentum: self.simulation.momentum(),
            angular_momentum: self.simulation.angular_momentum(),
            steps: report.steps,
            substeps: report.substeps,
            iterations: report.iterations,
            residual: report.residual,
            min_det_f: self.simulation.smallest_determinant(),
        };
        let mut taken = self.simulation.take_frame(frame);
        let dressing = Instant::now();
        self.dresser.dress(&self.simulation, &mut taken).map_err(Failure::work)?;
        let dressed = dressing.elapsed();
        recorder.push(&taken, &stats).map_err(Failure::work)?;
        self.clock.surface += dressed;
        self.clock.write += writing.elapsed() - dressed;
        Ok(())
    }

    fn save(&self) -> Result<PathBuf, Failure> {
        let path = self.folder.join(CHECKPOINT);
        let checkpoint = Checkpoint {
            time: self.simulation.time(),
            frame: self.frame,
            step: self.totals.steps,
            payload: self.simulation.snapshot(),
            surfaces: self.dresser.save(),
            ..self.identity.clone()
        };
        write_checkpoint(&path, &checkpoint).map_err(Failure::work)?;
        Ok(path)
    }

    /// Closes the outputs whatever happened, and tells how it went.
    fn conclude(mut self, args: &RunArgs, source: &Source, threads: usize, end: End) -> Result<(), Failure> {
        let closing = Instant::now();
        let outputs = self.recorder.take().map_or(Ok(Vec::new()), Recorder::finish).map_err(Failure::work);
        self.clock.write += closing.elapsed();
        match end {
            End::Done => {
                // The run is complete: nothing is left to go on with.
                let _ = std::fs::remove_file(self.folder.join(CHECKPOINT));
                let result = self.report(args, source, threads, &outputs?);
                if args.tell.talks() {
                    tell(&result, &self.folder);
                }
                report::write(args.tell.json.as_deref(), &result)
            }
            End::Interrupted => {
                outputs?;
                std::fs::create_dir_all(&self.folder).map_err(Failure::work)?;
                let path = self.save()?;
                Err(Failure::Interrupted(format!(
                    "interrupted after frame {} of {}; the results so far are complete, and `--resume` goes on from {}",
                    self.frame,
                    self.last,
                    path.display()
                )))
            }
            End::Failed(failure) => {
                outputs?;
                Err(Failure::work(format!("{failure}; the results up to frame {} are complete", self.frame)))
            }
        }
    }

    /// What was noticed while building and while stepping.
    fn warnings(&self) -> Vec<String> {
        let mut warnings = self.simulation.warnings().to_vec();
        warnings.extend(self.place.trouble().map(String::from));
        let StepReport { stopped_early, rollbacks, .. } = self.totals;
        if stopped_early > 0 {
            warnings.push(format!(
                "{stopped_early} linear solves stopped before their tolerance: shorten solver.step, raise solver.max_iterations, or \
                 use --precision f64 where rounding is the limit"
            ));
        }
        if rollbacks > 0 {
            warnings.push(format!("{rollbacks} steps were rolled back and cut: shorten solver.step"));
        }
        warnings
    }

    fn report(&self, args: &RunArgs, source: &Source, threads: usize, outputs: &[PathBuf]) -> RunReport {
        let simulated_s = self.simulation.time();
        let here = simulated_s - self.first as f64 / self.scene.frame_rate;
        let wall_s = self.clock.started.elapsed().as_secs_f64();
        RunReport {
            scene: source.scene.name.clone(),
            device: self.place.name(),
            precision: source::precision(&args.scene).name(),
            threads,
            frames: self.frame + 1,
            steps: self.totals.steps,
            simulated_s,
            wall_s,
            real_time_factor: here / wall_s.max(1e-9),
            bodies: report::bodies(&self.simulation),
            energy: report::energy(&self.simulation),
            momentum: self.simulation.momentum(),
            state_hash: format!("{:016x}", self.simulation.state_hash()),
            warnings: self.warnings(),
            outputs: outputs.iter().map(|path| path.display().to_string()).collect(),
            timings_ms: self.clock.in_ms().into_iter().chain(self.place.kernel_ms()).collect(),
        }
    }
}

/// Takes up a checkpoint, after making sure that it belongs to this run.
fn resume(
    path: &Path,
    wanted: Checkpoint,
    simulation: &mut AnySimulation,
    dresser: &mut Dresser,
) -> Result<Checkpoint, Failure> {
    if !path.exists() {
        return Err(Failure::input(format!("there is no checkpoint {}; run without --resume", path.display())));
    }
    let mut found = read_checkpoint(path).map_err(Failure::input)?;
    let whose = path.display();
    if found.scene_hash != wanted.scene_hash {
        return Err(Failure::input(format!(
            "the checkpoint {whose} belongs to another scene or other --set values; run without --resume, or with the same ones"
        )));
    }
    if found.precision != wanted.precision {
        return Err(Failure::input(format!(
            "the checkpoint {whose} was calculated in {0}; add --precision {0}, or run without --resume",
            found.precision
        )));
    }
    let unfit = |error: &dyn std::fmt::Display| Failure::input(format!("the checkpoint {whose}: {error}"));
    simulation.restore(&found.payload).map_err(|error| unfit(&error))?;
    dresser.restore(&found.surfaces).map_err(|error| unfit(&error))?;
    (found.payload, found.surfaces) = (Vec::new(), Vec::new());
    Ok(found)
}

fn recorder(
    scene: &Scene,
    formats: &[Format],
    simulation: &AnySimulation,
    folder: &Path,
    last: usize,
    resumed: Option<usize>,
) -> Result<Option<Recorder>, Failure> {
    if formats.is_empty() {
        return Ok(None);
    }
    let from = resumed.map_or(0, |frame| frame + 1);
    let layouts = simulation.layouts();
    let recorder = Recorder::create(folder, &scene.name, formats, &layouts, scene.frame_rate, last + 1, from)
        .map_err(|error| Failure::input(format!("--out: {error}")))?
        .with_outlines(&scene_outlines(scene))
        .with_camera(scene.camera);
    Ok(Some(match floor(scene) {
        Some(y) => recorder.with_ground(y),
        None => recorder,
    }))
}

/// What draws the pictures of this run, which is none where none are asked for.
fn painter(formats: &[Format], wanted: &Wanted) -> Result<Box<dyn Painter>, Failure> {
    if formats.contains(&Format::Mp4) {
        Form::Mp4.check().map_err(|error| Failure::input(format!("--formats: {error}")))?;
    }
    // A device that calculates need not be able to draw.
    let wanted = if formats.iter().any(|f| [Format::Gif, Format::Mp4].contains(f)) { wanted } else { &Wanted::Cpu };
    painter::choose(wanted).or_else(|_| painter::choose(&Wanted::Cpu))
}

/// Height of the highest level floor, for pictures.
pub fn floor(scene: &Scene) -> Option<f64> {
    scene
        .colliders
        .iter()
        .filter(|collider| is_floor(collider))
        .filter_map(|collider| match collider.shape {
            ColliderShape::HalfSpace { offset, .. } => Some(offset),
            _ => None,
        })
        .reduce(f64::max)
}

fn tell(result: &RunReport, folder: &Path) {
    println!("{}", super::check::body_table(&result.bodies));
    println!(
        "{}: {} frames, {} steps, {:.2} s simulated in {:.2} s, {:.2} s of it for steps",
        result.scene,
        result.frames,
        result.steps,
        result.simulated_s,
        result.wall_s,
        result.timings_ms["simulate"] / 1e3
    );
    if !result.outputs.is_empty() {
        println!("results in {}:", folder.display());
        result.outputs.iter().for_each(|path| println!("  {path}"));
    }
}
