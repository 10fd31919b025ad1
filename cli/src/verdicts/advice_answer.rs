//! Which flag helps, in sentences: the first thing that is said.

use mayfly_report::{clock, count, duration, pause, percent, size};
use mayfly_verdicts::advise::{Answer, BELIEVED, Cost, Direct, FlagAdvice, GcCpu, Missing, Nothing, Reason};

use super::advice::Advised;

/// The sentences.
pub(crate) fn answer_text(advised: &Advised) -> String {
    match &advised.answer {
        Answer::Try(flags) => {
            let all = advised.flags().unwrap_or_default();
            let each = flags.iter().map(|flag| format!("{}\n", tried(advised, flag)));
            format!("Try {all}: {}.\n{}", cost(advised), each.collect::<String>())
        }
        Answer::Nothing(why) => format!("Nothing to gain from a flag: {}.\n", nothing(advised, *why)),
        Answer::Unknown(missing) => {
            format!("Which flag helps is not known: {}.\n", unknown(advised, *missing))
        }
    }
}

/// What collections cost: of the processor where somebody looked, and of the time.
fn cost(advised: &Advised) -> String {
    let work = &advised.work;
    let cpu = advised.cpu.map(|cpu| match less_of_one(cpu) {
        Some(of_one) => format!(
            "takes {} of one processor, {} of what the program takes, and ",
            percent(of_one),
            percent(cpu.share())
        ),
        None => format!("takes {} of the processor time and ", percent(cpu.share())),
    });
    let longest = work.longest.as_ref().map_or(0, |longest| longest.us);
    format!(
        "collecting {}stops the program for {} of {} ({} pauses, {} in all, the longest {})",
        cpu.unwrap_or_default(),
        percent(work.pause_share()),
        duration(work.span_ms as f64),
        count(u64::from(work.count())),
        ms(work.pause_us() as f64),
        ms(longest as f64),
    )
}

/// A share of the process's processor time: of one processor, where that is less, as in a program that does little.
fn of_processor(advised: &Advised, share: f64) -> String {
    match advised.cpu.and_then(|all| Some((less_of_one(all)?, all.share()))) {
        Some((of_one, all)) => format!("{} of one processor", percent(share * of_one / all)),
        None => format!("{} of the processor time", percent(share)),
    }
}

/// What the collector takes of one processor, where that is less than its share: of a program that does little most may be that.
fn less_of_one(cpu: GcCpu) -> Option<f64> {
    Some(cpu.of_one_processor()).filter(|&of_one| of_one < cpu.share())
}

fn tried(advised: &Advised, flag: &FlagAdvice) -> String {
    let why = match flag.reason {
        Reason::ExplicitCalls => "the program asks for collections of the whole heap, System.gc()".to_owned(),
        Reason::DirectBuffers(direct) => format!(
            "direct buffers reach their limit ({}), where the JDK asks for collections of the whole heap, System.gc(), to free some; -XX:+DisableExplicitGC ends that in an OutOfMemoryError. Release or pool the buffers, or raise the limit if there is so much memory",
            at_limit(direct)
        ),
        Reason::Metaspace => "the JVM collects to make room for classes".to_owned(),
        Reason::LargeObjects => {
            format!("objects of half a region of {} or more bring collections about", size(advised.region))
        }
        Reason::SmallYoung => "the young generation is full too often".to_owned(),
        Reason::SmallHeap => "what is free in the heap is used up too often".to_owned(),
        Reason::Promotes => "much is promoted that would die soon after".to_owned(),
    };
    let sure = match (flag.sure, flag.reason) {
        (true, Reason::Promotes) => {
            format!("predicted within {:.0} % for the present settings", BELIEVED * 100.0)
        }
        (true, Reason::ExplicitCalls) => {
            "sure, as direct buffers, which need them, are hardly in use".to_owned()
        }
        (false, Reason::ExplicitCalls) => "not sure, as who asks is not known: measure it so once".to_owned(),
        (false, Reason::DirectBuffers(_)) => {
            "not sure, as buffers that are never released fill any limit: measure it so once".to_owned()
        }
        (false, Reason::Metaspace) => "not sure, as how much the classes take is not recorded; 'mayfly advise PID' measures it, and names as much as they need".to_owned(),
        (true, _) => "sure, as the upper end is still much less".to_owned(),
        (false, _) => "not sure, as it may also change nothing, or cost more: measure it so once".to_owned(),
    };
    format!("  {}: {why}. Predicted: {}. How sure: {sure}.", flag.flags, predicted(flag))
}

fn at_limit(direct: Direct) -> String {
    format!("{} at most when it was read, of {}", size(direct.most), size(direct.limit))
}

fn predicted(flag: &FlagAdvice) -> String {
    if let Some((now, then)) = flag.promoted {
        let whole = |bytes: f64| size(bytes.max(0.0).round() as u64);
        return format!("{} promoted instead of {}", whole(then), whole(now));
    }
    // Where pauses are foretold there is one: "0 pauses of 0.9 ms".
    let whole = |cost: &Cost| cost.collections.max(f64::from(u8::from(cost.pause_us.1 > 0.0))).round() as u64;
    let many = |cost: &Cost| count(whole(cost));
    if let Some((now, then)) = flag.cpu {
        return format!(
            "at most {} pauses instead of {}, and {} to {} of the processor time",
            many(&flag.then),
            many(&flag.now),
            percent(then),
            percent(now)
        );
    }
    let (least, most) = flag.then.pause_us;
    let then = match (ms(least), ms(most)) {
        (least, most) if least == most => least,
        (least, most) => format!("{least} to {most}"),
    };
    format!(
        "{} {} of {then} in all instead of {} of {}",
        many(&flag.then),
        if whole(&flag.then) == 1 { "pause" } else { "pauses" },
        many(&flag.now),
        ms(flag.now.pause_us.0)
    )
}

fn nothing(advised: &Advised, why: Nothing) -> String {
    match why {
        Nothing::NoCollection => {
            format!("nothing was collected in {}", duration(advised.work.span_ms as f64))
        }
        Nothing::Cheap => cost(advised),
        Nothing::NoRoom { live, memory } => format!(
            "{}{}, and the {} of memory that the JVM may have leave no room for a larger heap; hold less, or give it more memory",
            cost(advised),
            live.map_or_else(String::new, |live| format!(
                ", as {} of the heap are in use after a collection",
                size(live)
            )),
            size(memory)
        ),
        Nothing::Little { time, cpu } => format!(
            "{}; another size of the heap or its young generation saves little: {}{} of the time at most",
            cost(advised),
            cpu.map_or_else(String::new, |cpu| format!("{} and ", of_processor(advised, cpu))),
            percent(time)
        ),
        Nothing::DirectBuffers { direct, memory } => format!(
            "{}; direct buffers reach their limit ({}), where the JDK asks for collections of the whole heap, System.gc(), to free some, and the {} of memory that the JVM may have leave no room for a higher one (-XX:MaxDirectMemorySize). Release or pool the buffers; -XX:+DisableExplicitGC ends that in an OutOfMemoryError",
            cost(advised),
            at_limit(direct),
            size(memory)
        ),
        Nothing::FullOfWhatGrows(full) => format!(
            "{}, as the heap is full of what lives and grows: since {} collections of the whole heap have left {} of {}. A larger heap would be full later; what grows, and who holds it: mayfly leaks",
            cost(advised),
            clock(full.since_ms),
            size(full.left),
            size(full.limit)
        ),
        Nothing::NoFlag => format!(
            "{}, and no size of the heap and its young generation that fits saves much of that; allocate less: whose garbage it is stands below",
            cost(advised)
        ),
        Nothing::NoPromotion => {
            "a larger young generation, or one that keeps objects for longer, promotes hardly less".to_owned()
        }
    }
}

/// What is missing, and how to get it.
fn unknown(advised: &Advised, missing: Missing) -> String {
    let lacks = |what: &str| format!("{}; {what}", cost(advised));
    match missing {
        Missing::Recording => "nothing was recorded; let the program run for longer".to_owned(),
        Missing::Pauses => {
            "for how long the program stood still is not recorded, as of several JVMs; measure one: mayfly advise PID"
                .to_owned()
        }
        Missing::CollectorsCpu => lacks(
            "what is missing is what the collector takes of the processor, which no recording holds; measure it: mayfly advise PID, or mayfly advise -- java ...",
        ),
        Missing::Memory => lacks(
            "what is missing is how much memory there is for a larger heap; name it: --memory SIZE",
        ),
        Missing::Collections => lacks(
            "what is missing is more collections that say what they copied, as so few tell nothing of others; measure for longer: --for",
        ),
        Missing::UsualHeap(ms) => lacks(&format!(
            "what is missing is the heap as it mostly is, as all of it was collected {} before ('mayfly leaks', a heap dump or jcmd do that), and the JVM makes it smaller then; measure again after some minutes of work",
            duration(ms as f64)
        )),
        Missing::WhoCollects(direct) => lacks(&format!(
            "the whole heap is collected by System.gc(), and who asks is not known. It may be the JDK, as direct buffers {}: where they reach their limit, -XX:+DisableExplicitGC ends that in an OutOfMemoryError. The event jdk.SystemGC of JFR (JDK 17 on) has the caller's stack",
            direct.map_or_else(
                || "may be in use, which is not recorded".to_owned(),
                |direct| format!("are in use ({})", at_limit(direct))
            )
        )),
        Missing::LogDiffers => format!(
            "a prediction counts only where the JVM's log agrees with that of the present settings within {:.0} %",
            BELIEVED * 100.0
        ),
    }
}

fn ms(us: f64) -> String {
    pause(us.max(0.0).round() as u64)
}
