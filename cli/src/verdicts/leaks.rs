//! What was found of leaks, as all forms take it.

use crate::exit_codes;
use mayfly_report::clock;
use mayfly_verdicts::leaks::Suspicion;
use serde::Serialize;

/// Containers of one kind from which on their number is spoken of.
const MANY: u64 = 8;

/// Everything that was found.
#[derive(Debug)]
pub(crate) struct Leaks {
    /// Where.
    pub(crate) searched: Searched,
    /// Leaks first, the largest first.
    pub(crate) suspects: Vec<Suspect>,
    /// Suspects that are left out.
    pub(crate) more: usize,
    /// Why nothing can be told at all.
    pub(crate) untold: Option<String>,
    /// What there is to say of the search itself.
    pub(crate) notes: Vec<String>,
    /// Whether not all was looked at that should have been: then nothing is ruled out.
    pub(crate) incomplete: bool,
    /// What would have been seen, where that is known.
    pub(crate) floor: Option<Floor>,
}

/// The slowest leak that would have been seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Floor {
    /// In bytes.
    pub(crate) bytes_per_s: f64,
    /// Whether that is of the JDK's objects and arrays only: each object of other classes was followed.
    pub(crate) own_are_known: bool,
    /// Whether a slower one would take longer than a day to double what is live.
    pub(crate) is_small: bool,
    /// The option by which a slower one would have been seen, if samples were further apart.
    pub(crate) denser: Option<&'static str>,
}

/// Where leaks were searched; in JSON, too.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Searched {
    /// In these dumps.
    Dumps {
        /// As the command line names them, in their order.
        files: Vec<String>,
    },
    /// In a running JVM.
    Jvm {
        /// Which.
        pid: u32,
        /// How many dumps were taken.
        dumps: usize,
        /// From the first to when the last was looked at.
        seconds: f64,
        /// How long the program was paused for their walks, collections not included.
        paused_ms: u64,
        /// When each that counts was taken, in seconds after the first of them.
        at_s: Vec<f64>,
    },
    /// In a recording.
    Recording {
        /// As the command line names it.
        file: String,
        /// It saw so many.
        collections: u32,
        /// Its profiled time.
        seconds: f64,
    },
}

/// What may leak.
#[derive(Debug)]
pub(crate) struct Suspect {
    /// Whether it does.
    pub(crate) suspicion: Suspicion,
    /// The class of what becomes more.
    pub(crate) what: String,
    /// Objects in each dump.
    pub(crate) objects: Vec<u64>,
    /// Bytes that they retain in each dump, with the memory of direct and mapped buffers.
    pub(crate) bytes: Vec<u64>,
    /// Of these, bytes outside of the heap.
    pub(crate) off_heap: Vec<u64>,
    /// The classes that alone hold it, from a root on; in a recording the fields and arrays that it is reached by.
    pub(crate) held_by: Vec<String>,
    /// The field that holds them or their container, `a.B.field`, if it is known.
    pub(crate) holder: Option<String>,
    /// The field by which it is reached, `a.B.field`, of the nearest object that is the only one of its class, where nothing holds it alone.
    pub(crate) through: Option<String>,
    /// What each refers to, `field: class`.
    pub(crate) holds: Vec<String>,
    /// What else grew in the same container: class, and objects more.
    pub(crate) also: Vec<(String, u64)>,
    /// What grew elsewhere, one with each of them: class, and objects more.
    pub(crate) together: Vec<(String, u64)>,
    /// Containers of its kind that took some of what came; 0 in a recording.
    pub(crate) containers: u64,
    /// A shortest path to one of them.
    pub(crate) path: Option<String>,
    /// The method that allocates them.
    pub(crate) allocated_by: Option<String>,
    /// The line of the program itself that calls it to do so, in a recording, if it is another.
    pub(crate) allocated_below: Option<String>,
    /// Where one of them was allocated, from the first frame of the program's own on, as sampled beside dumps.
    pub(crate) added_by: Vec<String>,
    /// By how much it grows, in a recording.
    pub(crate) growth: Option<Rate>,
    /// By class and stack, in a recording.
    pub(crate) survivors: Vec<Survivors>,
}

/// By how much something grows, by samples.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    /// Lately, in bytes.
    pub(crate) bytes_per_s: f64,
    /// From when on, in seconds of the profiled time.
    pub(crate) since: f64,
    /// When it stopped, as the program had little to do from then on.
    pub(crate) until: Option<f64>,
    /// Whether it is more, and more is live: of the arrays and strings that it is made of few stacks were taken.
    pub(crate) is_at_least: bool,
    /// On how many samples that rests; `None`: it was counted.
    pub(crate) samples: Option<f64>,
    /// The standard error of its bytes, as a share of them; 0: it was counted.
    pub(crate) error: f64,
    /// What is live of it.
    pub(crate) objects: u64,
    /// Its bytes.
    pub(crate) bytes: u64,
    /// Objects of the class that it is called by.
    pub(crate) of_class: Option<u64>,
    /// Whether what is live is estimated.
    pub(crate) is_estimate: bool,
}

/// Objects of a recording that stay.
#[derive(Clone, Debug)]
pub(crate) struct Survivors {
    /// Their class.
    pub(crate) class: String,
    /// Live at the end.
    pub(crate) objects: u64,
    /// Their bytes.
    pub(crate) bytes: u64,
    /// Of these, those that were born in the first half of the time, in the third quarter, and in the last.
    pub(crate) born: [u64; 3],
    /// Those that died after half of the time.
    pub(crate) died_old: u64,
    /// Whether these numbers are of samples, each of which stands for many.
    pub(crate) are_estimates: bool,
    /// Where they were allocated, innermost first.
    pub(crate) stack: Vec<String>,
    /// What of that people are shown: the innermost frames, and the program's own.
    pub(crate) shown: Vec<String>,
}

impl Survivors {
    /// Takes in others of the class.
    pub(crate) fn add(&mut self, others: &Self) {
        self.objects += others.objects;
        self.bytes += others.bytes;
        self.died_old += others.died_old;
        self.born.iter_mut().zip(others.born).for_each(|(sum, more)| *sum += more);
    }
}

impl Default for Suspect {
    fn default() -> Self {
        Self {
            suspicion: Suspicion::Leak,
            what: String::new(),
            objects: Vec::new(),
            bytes: Vec::new(),
            off_heap: Vec::new(),
            held_by: Vec::new(),
            holder: None,
            through: None,
            holds: Vec::new(),
            also: Vec::new(),
            together: Vec::new(),
            containers: 0,
            path: None,
            allocated_by: None,
            allocated_below: None,
            added_by: Vec::new(),
            growth: None,
            survivors: Vec::new(),
        }
    }
}

impl Suspect {
    /// Whether it is called a leak.
    pub(crate) fn is_leak(&self) -> bool {
        self.suspicion == Suspicion::Leak
    }

    /// What may be wrong with the suspicion.
    pub(crate) fn doubts(&self, searched: &Searched) -> Vec<String> {
        let mut doubts: Vec<_> = self.suspicion.reason().map(str::to_owned).into_iter().collect();
        if self.is_leak() {
            let longer = match searched {
                Searched::Dumps { .. } => String::new(),
                Searched::Jvm { seconds, .. } | Searched::Recording { seconds, .. } => {
                    format!(", and so does what is dropped only after more than {}", time(*seconds))
                }
            };
            doubts.push(format!("a cache or pool that is not full yet looks the same{longer}"));
        }
        if self.containers >= MANY {
            doubts.push(format!(
                "it is spread over {} containers, as what fills caches or reservoirs of which there are many",
                self.containers
            ));
        }
        if self.path.is_none() && self.held_by.is_empty() {
            doubts.push(
                "who holds it is not in the recording: mayfly leaks PID, while such a JVM runs".to_owned(),
            );
        }
        doubts
    }
}

/// Seconds as people read them.
pub(crate) fn time(seconds: f64) -> String {
    clock((seconds * 1000.0).round() as u64)
}

impl Leaks {
    /// Nothing, there.
    pub(crate) fn of(searched: Searched) -> Self {
        Self {
            searched,
            suspects: Vec::new(),
            more: 0,
            untold: None,
            notes: Vec::new(),
            incomplete: false,
            floor: None,
        }
    }

    /// Whether any is called a leak.
    pub(crate) fn found(&self) -> bool {
        self.suspects.iter().any(Suspect::is_leak)
    }

    /// Leaks are a failed check; what can't be told is none that was passed.
    pub(crate) fn exit_code(&self) -> u8 {
        match (self.found(), self.is_decided()) {
            (true, _) => exit_codes::CHECK_FAILED,
            (false, true) => exit_codes::SUCCESS,
            (false, false) => exit_codes::USAGE,
        }
    }

    /// Whether it is decided of everything that it leaks or does not.
    pub(crate) fn is_decided(&self) -> bool {
        let nothing_is_missed = self.floor.is_none_or(|floor| floor.is_small) || self.found();
        let all_was_seen = self.untold.is_none() && !self.incomplete && nothing_is_missed;
        all_was_seen && self.suspects.iter().all(Suspect::is_leak)
    }
}
