//! One line of a benchmark.

use serde::Serialize;

/// One measurement; fields that do not apply are empty.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Row {
    /// Which suite.
    pub suite: &'static str,
    /// Which workload.
    pub case: String,
    /// How the body was cut into elements.
    pub method: &'static str,
    /// The integrator.
    pub solver: &'static str,
    /// Where it ran.
    pub device: String,
    /// On how many threads.
    pub threads: usize,
    /// In which numbers.
    pub precision: &'static str,
    /// Nodes.
    pub nodes: usize,
    /// Elements.
    pub elements: usize,
    /// Mean neighbours of a phyxel, without itself.
    pub neighbours: Option<f64>,
    /// Parts into which stability cuts a step, on average, where it does; a step is all of them.
    pub parts: Option<f64>,
    /// Mean iterations of the linear solver per step.
    pub iterations: Option<f64>,
    /// Part of the time that contact takes: finding it, and learning from each solve.
    pub contact_share: Option<f64>,
    /// Kinetic energy at the end relative to its peak.
    pub motion_left: Option<f64>,
    /// Time per step [ms].
    pub ms_per_step: Option<f64>,
    /// Steps per second.
    pub steps_per_s: Option<f64>,
    /// Simulated over real time.
    pub real_time_factor: Option<f64>,
    /// The paper's steps (or frames) per second.
    pub paper_steps_per_s: Option<f64>,
    /// How many times faster than the paper.
    pub ratio_to_paper: Option<f64>,
    /// Real seconds that a simulated one takes.
    pub s_per_simulated_s: Option<f64>,
    /// The same in the paper.
    pub paper_s_per_simulated_s: Option<f64>,
    /// By what part of itself a break of a hundred nodes lengthens a step,
    pub break_share: Option<f64>,
    /// and the step after it.
    pub break_share_after: Option<f64>,
    /// Another engine on the same workload.
    pub peer: Option<String>,
    /// Its time per step [ms].
    pub peer_ms_per_step: Option<f64>,
    /// How many times faster than it.
    pub ratio_to_peer: Option<f64>,
    /// Elements (or neighbour pairs) that one step handles, per second [millions].
    pub millions_per_s: Option<f64>,
    /// What the millions are.
    pub unit: Option<&'static str>,
    /// Memory per node [bytes].
    pub bytes_per_node: Option<f64>,
    /// Memory per element [bytes].
    pub bytes_per_element: Option<f64>,
    /// Memory moved per step or launch, at least [MB].
    pub megabytes: Option<f64>,
    /// How fast it was moved [GB/s].
    pub gb_per_s: Option<f64>,
    /// The same, as a part of what a plain copy reaches on the device.
    pub copy_fraction: Option<f64>,
    /// The same, as a part of what a plain copy of as many bytes reaches: the start of a launch counts for both.
    pub same_copy_fraction: Option<f64>,
    /// What loads and stores alone take, where something else bounds a launch [ms].
    pub traffic_ms: Option<f64>,
    /// Coefficient of determination of a straight line of time over nodes, from 10 k nodes on.
    pub r_squared_time: Option<f64>,
    /// The same for memory.
    pub r_squared_memory: Option<f64>,
}

impl Row {
    /// With a time per step, and a step of `dt` [s].
    pub fn timed(mut self, ms_per_step: f64, dt: f64) -> Self {
        self.ms_per_step = Some(ms_per_step);
        self.steps_per_s = Some(1e3 / ms_per_step);
        self.real_time_factor = Some(dt * 1e3 / ms_per_step);
        self
    }

    /// Beside the paper's speed.
    pub fn beside_paper(mut self, steps_per_s: f64) -> Self {
        self.paper_steps_per_s = Some(steps_per_s);
        self.ratio_to_paper = self.steps_per_s.map(|own| own / steps_per_s);
        self
    }

    /// With the real seconds that a simulated one takes, here and in the paper.
    pub fn per_simulated_second(mut self, own: f64, paper: f64) -> Self {
        (self.s_per_simulated_s, self.paper_s_per_simulated_s) = (Some(own), Some(paper));
        self
    }

    /// With the elements or pairs that one step handles.
    pub fn handling(mut self, items: f64, unit: &'static str) -> Self {
        self.millions_per_s = self.steps_per_s.map(|steps| steps * items * 1e-6);
        self.unit = Some(unit);
        self
    }

    /// With the memory that is moved in the time per step, beside what a copy reaches [bytes/s].
    pub fn moving(mut self, bytes: f64, copy: f64) -> Self {
        let bandwidth = self.ms_per_step.map(|ms| bytes / (ms * 1e-3));
        self.megabytes = Some(bytes * 1e-6);
        self.gb_per_s = bandwidth.map(|b| b * 1e-9);
        self.copy_fraction = bandwidth.map(|b| b / copy);
        self
    }

    /// Beside what a copy of as many bytes reaches [bytes/s].
    pub fn beside_copy(mut self, copy: f64) -> Self {
        self.same_copy_fraction = self.gb_per_s.map(|own| own * 1e9 / copy);
        self
    }

    /// The line that people read.
    pub fn line(&self) -> String {
        let or_blank = |value: Option<f64>, digits: usize| value.map_or(String::new(), |v| format!("{v:.digits$}"));
        let mut line = format!(
            "{:8} {:26} {:6} {:16} {:>2}x {} {:>8} nodes {:>8} elements {:>10} ms {:>10} steps/s",
            self.suite,
            self.case,
            self.method,
            self.solver,
            self.threads,
            self.precision,
            self.nodes,
            self.elements,
            or_blank(self.ms_per_step, 4),
            or_blank(self.steps_per_s, 1),
        );
        let mut add = |label: &str, value: Option<f64>, digits: usize| {
            if let Some(value) = value {
                line.push_str(&format!("  {label} {value:.digits$}"));
            }
        };
        add("neighbours", self.neighbours, 1);
        add("parts", self.parts, 2);
        add("iterations", self.iterations, 1);
        add("in contact", self.contact_share, 2);
        add("motion left", self.motion_left, 6);
        add("paper", self.paper_steps_per_s, 1);
        add("times paper", self.ratio_to_paper, 1);
        add("s per simulated s", self.s_per_simulated_s, 1);
        add("paper", self.paper_s_per_simulated_s, 1);
        add("100 nodes add", self.break_share, 3);
        add("to the next step", self.break_share_after, 3);
        add("times peer", self.ratio_to_peer, 2);
        add("million/s", self.millions_per_s, 1);
        add("MB", self.megabytes, 2);
        add("GB/s", self.gb_per_s, 0);
        add("of copy", self.copy_fraction, 3);
        add("of copy of that size", self.same_copy_fraction, 3);
        add("loads and stores alone, ms", self.traffic_ms, 4);
        add("B/node", self.bytes_per_node, 0);
        add("B/element", self.bytes_per_element, 0);
        add("R² time", self.r_squared_time, 5);
        add("R² memory", self.r_squared_memory, 5);
        line
    }
}
