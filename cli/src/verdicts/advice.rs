//! What is advised, as all forms take it.

use mayfly_profile::{Gc, GcWork};
use mayfly_verdicts::advise::{
    Advice, Answer, GcCpu, Humongous, MadeAnew, Pool, Premature, Promoted, Removed, Tried,
};

/// Everything that is advised.
#[derive(Debug)]
pub(crate) struct Advised {
    /// As the command line names it.
    pub(crate) recording: String,
    /// The collector of its JVM.
    pub(crate) gc: Gc,
    /// Which flag helps, or that none does, or what is missing.
    pub(crate) answer: Answer,
    /// What collections did.
    pub(crate) work: GcWork,
    /// What the collector's threads took; `None` where nobody looked.
    pub(crate) cpu: Option<GcCpu>,
    /// Why it collects, in lines.
    pub(crate) lines: Vec<String>,
    /// How many other young generations would promote; or why that is not predicted.
    pub(crate) advice: Result<Advice, String>,
    /// Whether what the JVM promoted bears these predictions out.
    pub(crate) believed: bool,
    /// Whether they were asked for, by a size or a log.
    pub(crate) is_asked: bool,
    /// What the JVM promoted: by its log, or by the recorded collections.
    pub(crate) log: Option<Promoted>,
    /// It is of the recorded collections.
    pub(crate) is_recorded: bool,
    /// Sites whose objects die just after promotion.
    pub(crate) premature: Vec<Premature>,
    /// What is made again and again, and could be made once.
    pub(crate) made_anew: Vec<MadeAnew>,
    /// Sites whose objects could be used again.
    pub(crate) pools: Vec<Pool>,
    /// Classes with objects of half a region or more.
    pub(crate) humongous: Vec<Humongous>,
    /// Bytes of a region.
    pub(crate) region: u64,
    /// Classes that the JIT compiler removes.
    pub(crate) removed: Vec<Removed>,
}

impl Advised {
    /// Whether there is something to try, or it is known that there is nothing.
    pub(crate) fn is_decided(&self) -> bool {
        let code = [
            self.made_anew.is_empty(),
            self.premature.is_empty(),
            self.pools.is_empty(),
            self.humongous.is_empty(),
        ];
        !matches!(self.answer, Answer::Unknown(_)) || code.contains(&false)
    }

    /// What was predicted for the present settings, divided by what the JVM promoted.
    pub(crate) fn self_check(&self) -> Option<f64> {
        let (advice, log) = (self.advice.as_ref().ok()?, self.log?);
        (log.bytes > 0).then(|| advice.present.prediction.promoted.1 / log.bytes as f64)
    }

    /// The young generation that promotes less: none unless it is believed.
    pub(crate) fn suggestion(&self) -> Option<&Tried> {
        self.advice.as_ref().ok()?.suggestion().filter(|_| self.believed)
    }

    /// All flags to try, as given to `java`.
    pub(crate) fn flags(&self) -> Option<String> {
        let Answer::Try(flags) = &self.answer else { return None };
        Some(flags.iter().map(|flag| flag.flags.as_str()).collect::<Vec<_>>().join(" "))
    }
}

#[cfg(test)]
mod tests {
    use mayfly_profile::{Frame, Profile, Stack};
    use mayfly_verdicts::advise::{Known, Missing, Prediction, Promotion, Young, answer};

    use mayfly_report::COLUMNS;

    use super::super::advice_text::advice_document;
    use super::*;

    fn tried(size: u64, promoted: f64) -> Tried {
        let prediction = Prediction {
            promoted: (promoted, promoted, promoted),
            threshold: 1.0,
            collections: 10.0,
            copied: 0.0,
        };
        Tried { young: Young::serial(size, 8, 15), prediction }
    }

    /// 8 MB promote 100 MB as predicted, and `measured` by the JVM's log; 16 MB would promote 10 MB.
    fn advised(measured: Option<u64>) -> Advised {
        let others = vec![tried(16 << 20, 10e6)];
        judged(
            Advice { present: tried(8 << 20, 100e6), others, suggested: Some(0), allocated: 1e9 },
            measured,
        )
    }

    fn judged(advice: Advice, measured: Option<u64>) -> Advised {
        let log = measured.map(|bytes| Promoted { bytes, young: 10, full: 0 });
        let promotion = Promotion::of(Some(&advice), log, true);
        let profile = Profile { complete: true, ..Profile::default() };
        Advised {
            recording: "run.mayfly".to_owned(),
            gc: Gc::Serial,
            answer: answer(&profile, &Known::default(), &promotion),
            work: profile.gc_work(),
            cpu: None,
            lines: Vec::new(),
            advice: Ok(advice),
            believed: promotion.believed,
            is_asked: true,
            log,
            is_recorded: false,
            premature: Vec::new(),
            made_anew: Vec::new(),
            pools: Vec::new(),
            humongous: Vec::new(),
            region: 1 << 20,
            removed: Vec::new(),
        }
    }

    #[test]
    fn a_flag_is_suggested_only_if_the_jvm_bears_the_prediction_out() {
        assert_eq!(advised(Some(90_000_000)).flags().as_deref(), Some("-Xmn16m"));
        assert!(advised(Some(90_000_000)).is_decided());
        for measured in [None, Some(0), Some(50_000_000), Some(150_000_000)] {
            assert_eq!(advised(measured).flags(), None, "{measured:?}");
            assert_eq!(advised(measured).answer, Answer::Unknown(Missing::LogDiffers));
            assert!(advised(measured).suggestion().is_none());
            assert!(!advised(measured).is_decided(), "nor is it told that there is nothing: {measured:?}");
        }
    }

    #[test]
    fn a_log_takes_no_advice_away_where_nothing_was_predicted() {
        let profile = Profile { complete: true, ..Profile::default() };
        let log = Promoted { bytes: 9 << 20, young: 10, full: 0 };
        let by_log = |log, is_given| answer(&profile, &Known::default(), &Promotion::of(None, log, is_given));
        assert_eq!(by_log(Some(log), true), by_log(None, false));
        assert_ne!(by_log(Some(log), true), Answer::Unknown(Missing::LogDiffers));
    }

    /// Beside a pattern that was 1 % of all, 88 % were not mentioned.
    #[test]
    fn what_is_most_of_all_is_the_advice() {
        let pool = Pool {
            class: "[B".to_owned(),
            stack: Stack::default(),
            objects: 240_000,
            size: 8208,
            at_once: (1.0, 4.0),
            share: 0.88,
        };
        let made = MadeAnew {
            maker: ("java.util.regex.Pattern".to_owned(), "compile".to_owned()),
            objects: 24_000,
            bytes: 28 << 20,
            share: 0.01,
            stack: Stack::default(),
        };
        let text = |made: &MadeAnew| {
            let advised =
                Advised { pools: vec![pool.clone()], made_anew: vec![made.clone()], ..advised(None) };
            advice_document(&advised).text(COLUMNS).split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let most = text(&made);
        assert!(most.contains("In the code: about 240 k of byte[] of 8.02 KiB each, 88 % of all,"), "{most}");
        // "In the code: char[] by sun.net.httpserver.Request.<init>".
        let frame = Frame { class: "java.io.Reader".into(), method: "<init>".into(), ..Frame::default() };
        let of_jdk = Pool { stack: [frame].into_iter().collect(), ..pool.clone() };
        let advised = Advised { pools: vec![of_jdk], ..advised(None) };
        assert!(!advice_document(&advised).text(COLUMNS).contains("In the code"));
        let most = text(&MadeAnew { share: 0.9, ..made });
        assert!(
            most.contains("In the code: about 24.0 k of java.util.regex.Pattern by compile that"),
            "{most}"
        );
    }

    #[test]
    fn of_a_program_that_does_little_the_collectors_share_is_one_of_little() {
        let text = |process_ms| {
            let cpu = GcCpu { collector_ms: 50, process_ms, wall_ms: 10_000 };
            let answer = Answer::Nothing(mayfly_verdicts::advise::Nothing::Cheap);
            advice_document(&Advised { cpu: Some(cpu), answer, ..advised(None) }).text(COLUMNS)
        };
        let idle = text(100).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(idle.contains("takes 0.5 % of one processor, 50 % of what the program takes, and"), "{idle}");
        assert!(!text(20_000).contains("of one processor"), "{}", text(20_000));
        let little = mayfly_verdicts::advise::Nothing::Little { time: 0.008, cpu: Some(0.4) };
        let cpu = Some(GcCpu { collector_ms: 50, process_ms: 100, wall_ms: 10_000 });
        let text =
            advice_document(&Advised { cpu, answer: Answer::Nothing(little), ..advised(None) }).text(COLUMNS);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            text.contains("saves little: 0.4 % of one processor and 0.8 % of the time at most"),
            "{text}"
        );
    }

    #[test]
    fn that_there_is_nothing_to_gain_is_said_only_if_the_jvm_bears_the_prediction_out() {
        let text = |promoted: f64, measured| {
            let advice =
                Advice { present: tried(8 << 20, promoted), others: vec![], suggested: None, allocated: 1e9 };
            advice_document(&judged(advice, measured)).text(COLUMNS)
        };
        for (promoted, measured) in [(100e6, Some(90_000_000)), (3e4, Some(0)), (0.0, Some(20_000))] {
            assert!(text(promoted, measured).contains("Nothing to gain"), "{promoted} {measured:?}");
        }
        // H2, of which 602 MiB were promoted and no collection of the whole heap had looked at what was.
        for (promoted, measured) in [(18e6, Some(602 << 20)), (18e6, None), (100e6, Some(50_000_000))] {
            let text = text(promoted, measured);
            assert!(text.contains("is not known") && !text.contains("Nothing to gain"), "{text}");
        }
    }
}
