//! Where a scene is calculated: on the processor, or on a graphics device.

use phyxel::{AnySimulation, Scene, StepReport};
use phyxel_gpu::{Choice, Device, DriveError, Driver};

use crate::failure::Failure;

/// What `--device` asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The processor.
    Cpu,
    /// A graphics card where there is one, and where it is worth it.
    Auto,
    /// Each body where it has been seen to be faster.
    Balanced,
    /// A graphics device, or nothing.
    Gpu(Choice),
}

impl Wanted {
    /// Takes the word.
    pub fn parse(word: &str) -> Self {
        match word {
            "cpu" => Wanted::Cpu,
            "auto" => Wanted::Auto,
            "balanced" => Wanted::Balanced,
            other => Wanted::Gpu(Choice::parse(other)),
        }
    }
}

/// Below this many nodes a launch costs more than the work in it, and the processor is faster.
const WORTH_IT: usize = 20_000;

/// Where a run takes place.
pub struct Place {
    driver: Option<Driver>,
    /// Whether the processor goes on when the device fails.
    falls_back: bool,
    why_cpu: Option<String>,
    trouble: Option<String>,
}

impl Place {
    /// Finds a place for a simulation, at its present state.
    pub fn choose(wanted: &Wanted, scene: &Scene, simulation: &AnySimulation) -> Result<Self, Failure> {
        let cpu = |why_cpu| Ok(Place { driver: None, falls_back: false, why_cpu, trouble: None });
        let falls_back = matches!(wanted, Wanted::Auto | Wanted::Balanced);
        let choice = match wanted {
            Wanted::Cpu => return cpu(None),
            Wanted::Auto | Wanted::Balanced => Choice::Fastest,
            Wanted::Gpu(choice) => choice.clone(),
        };
        let AnySimulation::F32(single) = simulation else {
            return match falls_back {
                true => cpu(None),
                false => Err(Failure::input(
                    "graphics devices calculate in f32: leave out --precision f64, or use --device cpu",
                )),
            };
        };
        if *wanted == Wanted::Auto && single.model().node_count() < WORTH_IT {
            return cpu(None);
        }
        let bring = if *wanted == Wanted::Balanced { Driver::balanced } else { Driver::new };
        let driver = Device::open(&choice).map_err(DriveError::from).and_then(|device| bring(&device, scene, single));
        match driver {
            Ok(driver) => Ok(Place { driver: Some(driver), falls_back, why_cpu: None, trouble: None }),
            Err(error) if falls_back => cpu(Some(error.to_string())),
            Err(error) => Err(Failure::input(format!("--device: {error}; use --device cpu or auto"))),
        }
    }

    /// Why the processor calculates although a graphics device was wanted.
    pub fn why_cpu(&self) -> Option<&str> {
        self.why_cpu.as_deref()
    }

    /// What went wrong with the device on the way.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// The device's name.
    pub fn name(&self) -> String {
        let Some(driver) = &self.driver else { return "cpu".into() };
        let device = &driver.device().summary().name;
        if driver.is_shared() { format!("{device} and cpu") } else { device.clone() }
    }

    /// Moves the simulation on; from its last good state on the processor, when a device fails that nobody insisted on. A device
    /// goes on until `next` while the caller looks at the state.
    pub fn advance_to(
        &mut self,
        simulation: &mut AnySimulation,
        time: f64,
        next: Option<f64>,
    ) -> Result<StepReport, Failure> {
        if let (Some(driver), AnySimulation::F32(single)) = (&mut self.driver, &mut *simulation) {
            match driver.advance_with_next(single, time, next) {
                Ok(report) => return Ok(report),
                Err(error @ (DriveError::Device(_) | DriveError::Unsupported(_))) if self.falls_back => {
                    eprintln!("going on on the CPU from t = {:.4} s: {error}", single.time());
                    self.trouble = Some(format!("the CPU went on from t = {:.4} s: {error}", single.time()));
                    self.driver = None;
                }
                Err(error) => return Err(Failure::work(error)),
            }
        }
        simulation.advance_to(time).map_err(Failure::work)
    }

    /// How long each kernel takes [ms], where the device has a clock; measured on the last state.
    pub fn kernel_ms(&self) -> Vec<(String, f64)> {
        let Some(driver) = &self.driver else { return Vec::new() };
        let times = driver.time_kernels().unwrap_or_default();
        times.into_iter().map(|k| (format!("kernel {}", k.name), k.seconds * 1e3)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phyxel::scene::{Body, Method};
    use phyxel::shape::Geometry;
    use phyxel::shape::structured::{CubeSplit, box_tets};
    use phyxel::{Material, Simulation};

    #[test]
    fn words_say_where() {
        assert_eq!(Wanted::parse("cpu"), Wanted::Cpu);
        assert_eq!(Wanted::parse("auto"), Wanted::Auto);
        assert_eq!(Wanted::parse("balanced"), Wanted::Balanced);
        assert_eq!(Wanted::parse("gpu"), Wanted::Gpu(Choice::Any));
        assert_eq!(Wanted::parse("0"), Wanted::Gpu(Choice::Index(0)));
    }

    fn falling() -> Scene {
        let mesh = box_tets([3; 3], [0.0; 3], [0.3; 3], CubeSplit::Five).expect("a cube");
        let mut body = Body::new("cube", Geometry::Tets(mesh), Method::Tet, Material::default());
        body.spin = [0.0, 3.0, 0.0];
        Scene { bodies: vec![body], ..Scene::default() }
    }

    #[test]
    fn the_processor_goes_on_when_a_device_is_lost() {
        let Ok(device) = Device::open(&Choice::Any) else { return };
        let scene = falling();
        let place = |falls_back: bool| {
            let simulation = Simulation::<f32>::build(&scene).expect("a cube");
            let driver = Driver::new(&device, &scene, &simulation).expect("a cube");
            let place = Place { driver: Some(driver), falls_back, why_cpu: None, trouble: None };
            (place, AnySimulation::F32(Box::new(simulation)))
        };
        let ((mut place, mut simulation), (mut insists, mut other)) = (place(true), place(false));
        place.advance_to(&mut simulation, 0.05, Some(0.1)).expect("the device");
        insists.advance_to(&mut other, 0.05, Some(0.1)).expect("the device");
        let AnySimulation::F32(single) = &other else { panic!("it is in f32") };
        let snapshot = single.snapshot();
        device.handles().0.destroy();
        assert!(insists.advance_to(&mut other, 0.1, None).is_err(), "who insists on the device is told");
        place.advance_to(&mut simulation, 0.1, None).expect("the processor");
        assert_eq!(place.name(), "cpu");
        let trouble = place.trouble().expect("a line that says why");
        assert!(trouble.contains("t = 0.0500 s") && trouble.contains("lost"), "{trouble}");
        // As if the processor had gone on by itself.
        let mut expected = Simulation::<f32>::build(&scene).expect("a cube");
        expected.restore(&snapshot).expect("its own snapshot");
        expected.advance_to(0.1).expect("the processor");
        let AnySimulation::F32(found) = &simulation else { panic!("it is in f32") };
        assert_eq!(found.state().u, expected.state().u);
    }
}
