//! A real browser without a window, spoken to by the DevTools protocol over pipes.

use phyxel_io::picture::Image;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longest time that anything may take: drawing in software on a busy machine is slow.
const PATIENCE: Duration = Duration::from_secs(180);

/// A browser of the Chromium family with one page open.
pub struct Browser {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    next: u64,
    session: String,
    answers: HashMap<u64, Value>,
    /// Errors and warnings of the page.
    pub complaints: Vec<String>,
    _profile: tempfile::TempDir,
}

/// The browser of this machine. Nothing, said aloud, where there is none; a failure where PHYXEL_REQUIRE_BROWSER is set.
fn program() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&paths).flat_map(|dir| names.map(|n| dir.join(n))).find(|p| p.is_file());
    let program = std::env::var_os("PHYXEL_BROWSER").map(PathBuf::from).or(found);
    if program.is_none() {
        let required = std::env::var_os("PHYXEL_REQUIRE_BROWSER").is_some();
        assert!(!required, "PHYXEL_REQUIRE_BROWSER is set, but no Chromium was found: install it");
        eprintln!("SKIPPED: no Chromium on this machine, so pages were not shown. Install it or set PHYXEL_BROWSER.");
    }
    program
}

impl Browser {
    /// Opens a page; nothing where there is no browser.
    pub fn open(page: &Path, [width, height]: [usize; 2]) -> Option<Browser> {
        let profile = tempfile::tempdir().unwrap();
        // The protocol is spoken on the third and fourth channel, which only a shell can open without unsafe code.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null", "sh"])
            .arg(program()?)
            .args(["--remote-debugging-pipe", "--headless=new", "--no-sandbox", "--disable-dev-shm-usage"])
            .args(["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run", "--hide-scrollbars"])
            .args(["--force-device-scale-factor=1", "--disable-background-networking"])
            .arg(format!("--window-size={width},{height}"))
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .env("XDG_RUNTIME_DIR", profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell starts the browser");
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let read = BufReader::new(output).split(0).map_while(Result::ok);
            let parsed = read.filter_map(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
            parsed.map(|message| sender.send(message)).take_while(Result::is_ok).for_each(drop);
        });
        let (next, session, answers) = (1, String::new(), HashMap::new());
        let mut browser =
            Browser { child, input, messages, next, session, answers, complaints: Vec::new(), _profile: profile };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        browser.session = browser.call("Target.attachToTarget", attach)["sessionId"].as_str().unwrap().into();
        for method in ["Page.enable", "Runtime.enable", "Log.enable"] {
            browser.call(method, json!({}));
        }
        let view = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        browser.call("Emulation.setDeviceMetricsOverride", view);
        browser.call("Page.navigate", json!({ "url": format!("file://{}", page.display()) }));
        Some(browser)
    }

    /// Calls a method of the protocol, and waits for its answer.
    fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.next;
        self.next += 1;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.input.write_all(format!("{message}\0").as_bytes()).expect("the browser listens");
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(answer) = self.answers.remove(&id) {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
            let left = until.saturating_duration_since(Instant::now());
            let message = self.messages.recv_timeout(left).unwrap_or_else(|e| panic!("{method}: {e}"));
            self.take(message);
        }
    }

    fn take(&mut self, message: Value) {
        if let Some(id) = message["id"].as_u64() {
            self.answers.insert(id, message);
            return;
        }
        let params = &message["params"];
        let complaint = match message["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => true,
            "Runtime.consoleAPICalled" => ["error", "warning", "assert"].iter().any(|t| params["type"] == *t),
            // Drivers remark that reading pixels back is slow, which taking a picture does.
            "Log.entryAdded" => {
                let entry = params["entry"].to_string();
                params["entry"]["level"] == "error" || (entry.contains("warning") && !entry.contains("GL Driver"))
            }
            _ => false,
        };
        if complaint && !params.to_string().contains("GL Driver Message") {
            self.complaints.push(params.to_string());
        }
    }

    /// The value of an expression in the page.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let answer = self.call("Runtime.evaluate", json!({ "expression": expression, "returnByValue": true }));
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Waits until an expression in the page is true.
    pub fn wait_for(&mut self, expression: &str) {
        let started = Instant::now();
        while self.evaluate(expression) != json!(true) {
            let error = self.evaluate("document.body && document.body.dataset.error || null");
            assert!(error.is_null(), "the page failed: {error}; it said {:?}", self.complaints);
            assert!(
                started.elapsed() < PATIENCE,
                "`{expression}` never came true; the page said {:?}",
                self.complaints
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// What the page shows.
    pub fn picture(&mut self) -> Image {
        let answer = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        let bytes = from_base64(answer["data"].as_str().unwrap());
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        let rgb = pixels.chunks_exact(info.color_type.samples()).flat_map(|p| [p[0], p[1], p[2]]).collect();
        Image { width: info.width as usize, height: info.height as usize, rgb }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn from_base64(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let signs: Vec<u8> = text.bytes().filter(|c| *c != b'=').map(value).collect();
    let join = |four: &[u8]| four.iter().enumerate().fold(0u32, |bits, (i, v)| bits | u32::from(*v) << (18 - 6 * i));
    signs.chunks(4).flat_map(|four| join(four).to_be_bytes()[1..four.len()].to_vec()).collect()
}
