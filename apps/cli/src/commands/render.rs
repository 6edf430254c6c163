//! `phyxel render`: draws a result without a window.

use std::path::Path;

use phyxel::scene::Camera;
use phyxel_draw::sheet::SheetLayout;
use phyxel_draw::{DrawError, FOV, Hue, StageSettings, What};
use phyxel_io::render::{Which, film_form, render as draw};
use phyxel_io::{FramesFile, RenderError};

use crate::args::RenderArgs;
use crate::device::Wanted;
use crate::failure::Failure;
use crate::painter;
use crate::progress::Progress;
use crate::threads::with_threads;

/// Runs the command.
pub fn render(args: &RenderArgs) -> Result<(), Failure> {
    with_threads(args.threads, |_| {
        let which = which(args)?;
        let settings = settings(args, &which)?;
        let mut result = FramesFile::open(&args.result).map_err(Failure::input)?;
        let settings = StageSettings { title: title(args, &result), ..settings };
        let mut painter = painter::choose(&Wanted::parse(&args.device))?;
        let mut progress = None;
        let quiet = args.quiet;
        let mut tell = |done: usize, of: usize| {
            let bar = progress.get_or_insert_with(|| Progress::begin(quiet || of < 2, 0, of));
            bar.pictures(done);
        };
        let notes = draw(&mut result, settings, which, &args.output, &mut *painter, &mut tell).map_err(failure)?;
        if let Some(mut bar) = progress {
            bar.end();
        }
        if !quiet {
            notes.iter().for_each(|note| eprintln!("warning: {note}"));
            println!("{}, drawn on {}", args.output.display(), painter.name());
        }
        Ok(())
    })
}

fn failure(error: RenderError) -> Failure {
    if error.is_input() { Failure::input(error) } else { Failure::work(error) }
}

fn title(args: &RenderArgs, result: &FramesFile) -> String {
    if args.sheet.is_some() { String::new() } else { args.title.clone().unwrap_or_else(|| result.head().name.clone()) }
}

/// What is drawn, by the extension of the output and the options.
fn which(args: &RenderArgs) -> Result<Which, Failure> {
    let extension = args.output.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let film = film_form(&args.output);
    let single = args.frame.is_some() || args.time.is_some();
    match (film, extension.as_str()) {
        (Some(_), _) if single || args.sheet.is_some() => Err(Failure::input(format!(
            "{} is a film, and --frame, --time and --sheet are for pictures: write a .png, or leave them out",
            args.output.display()
        ))),
        (Some(form), _) => {
            form.check().map_err(Failure::input)?;
            let rate = args.fps.map(|fps| positive(fps, "--fps")).transpose()?;
            match rate.filter(|rate| *rate > form.highest_rate()) {
                Some(rate) => {
                    let most = form.highest_rate();
                    Err(Failure::input(format!("--fps {rate}: no player shows more than {most} of this form")))
                }
                None => Ok(Which::Film(form, rate)),
            }
        }
        (None, "png") => picture(args),
        _ => Err(Failure::input(format!(
            "{} has an extension that stands for no picture: use .png, .gif or .mp4",
            args.output.display()
        ))),
    }
}

fn picture(args: &RenderArgs) -> Result<Which, Failure> {
    if let Some(text) = &args.sheet {
        let [columns, rows] = sides(text, "--sheet", "4x3")?;
        if columns * rows > 400 {
            return Err(Failure::input(format!("--sheet {text}: at most 400 pictures fit on a sheet")));
        }
        let width = args.size.as_deref().map_or(Ok(1600), |s| sides(s, "--size", "960x540").map(|s| s[0]))?;
        return Ok(Which::Sheet(SheetLayout { columns, rows, width }));
    }
    Ok(match (args.frame, args.time) {
        (Some(frame), _) => Which::Frame(frame),
        (None, Some(time)) if time.is_finite() => Which::Time(time),
        (None, Some(time)) => return Err(Failure::input(format!("--time {time}: write a time in seconds"))),
        (None, None) => Which::Last,
    })
}

fn settings(args: &RenderArgs, which: &Which) -> Result<StageSettings, Failure> {
    let default = StageSettings::default();
    let [width, height] = match (&args.size, which) {
        (Some(size), _) => sides(size, "--size", "960x540")?,
        (None, Which::Film(phyxel_draw::movie::Form::Gif, _)) => [640, 360],
        _ => [default.width, default.height],
    };
    DrawError::check_size(width, height).map_err(|e| Failure::input(format!("--size: {e}")))?;
    let film = matches!(which, Which::Film(..));
    Ok(StageSettings {
        width,
        height,
        samples: if film { 2 } else { 3 },
        what: word(&args.view, "--view", &What::ALL.map(|w| (w.name(), w)))?,
        hue: word(&args.colour, "--colour", &Hue::ALL.map(|h| (h.name(), h)))?,
        range: args.range.as_deref().map(range).transpose()?,
        camera: camera(args)?,
        tells_time: !matches!(which, Which::Sheet(_)),
        ..default
    })
}

fn camera(args: &RenderArgs) -> Result<Option<Camera>, Failure> {
    let place = |text: &Option<String>, option: &str| text.as_deref().map(|t| numbers::<3>(t, option)).transpose();
    let camera = match (place(&args.camera, "--camera")?, place(&args.target, "--target")?) {
        (None, None) if args.fov.is_some() => {
            return Err(Failure::input("--fov goes with --camera and --target: say where the camera is"));
        }
        (None, None) => return Ok(None),
        (Some(position), Some(target)) => Camera { position, target, fov: args.fov.unwrap_or(FOV) },
        _ => return Err(Failure::input("--camera and --target go together: say where the camera is and what it sees")),
    };
    phyxel_draw::check_camera(&camera).map_err(|e| Failure::input(format!("--camera: {e}")))?;
    Ok(Some(camera))
}

fn range(text: &str) -> Result<[f64; 2], Failure> {
    let [low, high] = numbers::<2>(text, "--range")?;
    if low < high {
        Ok([low, high])
    } else {
        Err(Failure::input(format!("--range: {}", DrawError::Range { low, high })))
    }
}

fn numbers<const N: usize>(text: &str, option: &str) -> Result<[f64; N], Failure> {
    let found: Option<Vec<f64>> =
        text.split(',').map(|n| n.trim().parse().ok().filter(|n: &f64| n.is_finite())).collect();
    found
        .and_then(|found| found.try_into().ok())
        .ok_or_else(|| Failure::input(format!("{option} {text}: write {N} numbers with commas between them")))
}

fn sides(text: &str, option: &str, example: &str) -> Result<[usize; 2], Failure> {
    let parsed = text.split_once(['x', 'X']).map(|(a, b)| (a.trim().parse(), b.trim().parse()));
    match parsed {
        Some((Ok(a), Ok(b))) if a > 0 && b > 0 && a <= DrawError::MOST_PIXELS && b <= DrawError::MOST_PIXELS => {
            Ok([a, b])
        }
        _ => Err(Failure::input(format!(
            "{option} {text}: write two whole numbers from 1 to {}, such as {example}",
            DrawError::MOST_PIXELS
        ))),
    }
}

fn positive(value: f64, option: &str) -> Result<f64, Failure> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(Failure::input(format!("{option} {value}: write a number above zero")))
    }
}

fn word<T: Copy>(text: &str, option: &str, known: &[(&str, T)]) -> Result<T, Failure> {
    known.iter().find(|(name, _)| *name == text).map(|(_, value)| *value).ok_or_else(|| {
        let names = known.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        Failure::input(format!("{option} {text}: choose from {names}"))
    })
}

/// Where the pictures of built-in scenes go.
pub fn sheet_path(folder: &Path, scene: &str) -> std::path::PathBuf {
    folder.join(format!("{scene}.png"))
}
