//! One name for the threads of a pool: what numbers a thread becomes `*`, what names the pool stays.
//!
//! A number at the end of a name is a thread's, one in the middle the pool's or a port (`http-nio-8080-exec-7`). What else changes from
//! thread to thread or from run to run has a rule here: identities (`@1a2b3c`), UUIDs, numbers in parentheses, and those of three products.
//! Limit: a name that a program gives each piece of work (`GET /orders/7 by anna`) is a pool of its own.

use std::borrow::Cow;

/// What virtual threads are called that have no name.
pub const VIRTUAL_THREADS: &str = "virtual threads";
/// What platform threads are called that have none.
const NAMELESS: &str = "(no name)";
/// Characters of a name that are kept.
const MOST: usize = 120;
/// Spark's threads are called by task, stage and attempt.
const SPARK: &str = "Executor task launch worker for task ";
/// Jetty's pools are called by the identity of an object.
const JETTY: &str = "qtp";

/// The name of the pool that a thread of this name is of.
pub fn pool_of(name: &str) -> String {
    let name: String = name.trim().chars().take(MOST).map(fit).collect();
    if name.is_empty() {
        return NAMELESS.to_owned();
    }
    if name.starts_with(SPARK) {
        return format!("{SPARK}*");
    }
    let name = without_uuids(&name);
    let name = without_identities(&name);
    let name = of_jetty(&name);
    last_number(&in_parentheses(&name))
}

/// Formats of other tools part frames by semicolons, and lines by line feeds.
fn fit(c: char) -> char {
    match c {
        ';' => ',',
        c if c.is_control() => ' ',
        c => c,
    }
}

/// `app-6b0f3a2e-…-StreamThread-1`.
fn without_uuids(name: &str) -> Cow<'_, str> {
    const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];
    const LENGTH: usize = 36;
    let is_uuid = |text: &str| {
        let groups: Vec<_> = text.split('-').collect();
        groups.len() == GROUPS.len()
            && groups.iter().zip(GROUPS).all(|(group, length)| group.len() == length && is_hex(group))
    };
    let found =
        name.char_indices().map(|(at, _)| at).find(|&at| name.get(at..at + LENGTH).is_some_and(is_uuid));
    match found {
        Some(at) => format!("{}*{}", &name[..at], without_uuids(&name[at + LENGTH..])).into(),
        None => name.into(),
    }
}

/// `ServerConnector@57bc27f5{HTTP/1.1}`.
fn without_identities(name: &str) -> Cow<'_, str> {
    let Some((before, rest)) = name.split_once('@') else { return name.into() };
    let length = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
    let kept = if length > 0 { "*" } else { "" };
    format!("{before}@{kept}{}", without_identities(&rest[length..])).into()
}

/// `qtp1876631416-19`, `qtp1876631416-19-acceptor-0@…`.
fn of_jetty(name: &str) -> Cow<'_, str> {
    let Some(rest) = name.strip_prefix(JETTY).filter(|rest| starts_with_digit(rest)) else {
        return name.into();
    };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.strip_prefix('-').filter(|rest| starts_with_digit(rest)) {
        Some(rest) => format!("{JETTY}*-*{}", rest.trim_start_matches(|c: char| c.is_ascii_digit())).into(),
        None => format!("{JETTY}*{rest}").into(),
    }
}

/// `RMI TCP Connection(3)-127.0.0.1`, `… (TID 12)`.
fn in_parentheses(name: &str) -> Cow<'_, str> {
    let Some((before, rest)) = name.split_once('(') else { return name.into() };
    let Some((inside, after)) = rest.split_once(')') else { return name.into() };
    let words = inside.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_numbered = words.len() < inside.len() && !words.ends_with(['.', ':']);
    let inside = if is_numbered { format!("{words}*") } else { inside.to_owned() };
    format!("{before}({inside}){}", in_parentheses(after)).into()
}

/// `exec-7`, `write][T#3]`. Not the last part of an address: `127.0.0.1`, `localhost:9092`.
fn last_number(name: &str) -> String {
    let open = name.trim_end_matches([']', '}', '>']);
    let before = open.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_of_address = before.ends_with(':') || before.ends_with('.') && is_dotted(before);
    if before.len() == open.len() || before.is_empty() || is_of_address {
        return name.to_owned();
    }
    format!("{}*{}", in_listener(before), &name[open.len()..])
}

/// Whether a digit stands before the last dot.
fn is_dotted(before: &str) -> bool {
    before[..before.len() - 1].ends_with(|c: char| c.is_ascii_digit())
}

/// Spring's listeners of Kafka number their threads before what they run: `Container#0-3-C-1`.
fn in_listener(before: &str) -> Cow<'_, str> {
    let Some(numbered) = before.strip_suffix("-C-") else { return before.into() };
    let words = numbered.trim_end_matches(|c: char| c.is_ascii_digit());
    if words.len() == numbered.len() { before.into() } else { format!("{words}*-C-").into() }
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_a_pool_have_one_name_and_ports_stay() {
        for (name, pool) in [
            // Tomcat.
            ("http-nio-8080-exec-7", "http-nio-8080-exec-*"),
            ("http-nio-8080-Poller", "http-nio-8080-Poller"),
            ("https-openssl-nio-8443-exec-12", "https-openssl-nio-8443-exec-*"),
            ("Catalina-utility-2", "Catalina-utility-*"),
            // Jetty.
            ("qtp1876631416-19", "qtp*-*"),
            (
                "qtp1876631416-20-acceptor-0@57bc27f5-ServerConnector@1b2c6ec2{HTTP/1.1}{0.0.0.0:8080}",
                "qtp*-*-acceptor-0@*-ServerConnector@*{HTTP/1.1}{0.0.0.0:8080}",
            ),
            // Undertow, Netty, Reactor, Vert.x.
            ("XNIO-1 task-3", "XNIO-1 task-*"),
            ("nioEventLoopGroup-2-1", "nioEventLoopGroup-2-*"),
            ("reactor-http-epoll-4", "reactor-http-epoll-*"),
            ("lettuce-nioEventLoop-4-1", "lettuce-nioEventLoop-4-*"),
            ("boundedElastic-2", "boundedElastic-*"),
            ("vert.x-eventloop-thread-2", "vert.x-eventloop-thread-*"),
            ("grpc-nio-worker-ELG-3-2", "grpc-nio-worker-ELG-3-*"),
            // The JDK's.
            ("main", "main"),
            ("Thread-12", "Thread-*"),
            ("Timer-0", "Timer-*"),
            ("pool-2-thread-14", "pool-2-thread-*"),
            ("ForkJoinPool-1-worker-3", "ForkJoinPool-1-worker-*"),
            ("ForkJoinPool.commonPool-worker-3", "ForkJoinPool.commonPool-worker-*"),
            ("HttpClient-1-Worker-3", "HttpClient-1-Worker-*"),
            ("HttpClient-1-SelectorManager", "HttpClient-1-SelectorManager"),
            ("C2 CompilerThread0", "C2 CompilerThread*"),
            ("RMI TCP Connection(3)-127.0.0.1", "RMI TCP Connection(*)-127.0.0.1"),
            ("RMI TCP Connection(idle)", "RMI TCP Connection(idle)"),
            ("RMI TCP Accept-0", "RMI TCP Accept-*"),
            ("process reaper (pid 4711)", "process reaper (pid *)"),
            // Kafka.
            ("kafka-producer-network-thread | producer-1", "kafka-producer-network-thread | producer-*"),
            ("kafka-coordinator-heartbeat-thread | orders", "kafka-coordinator-heartbeat-thread | orders"),
            ("data-plane-kafka-request-handler-5", "data-plane-kafka-request-handler-*"),
            (
                "data-plane-kafka-network-thread-0-ListenerName(PLAINTEXT)-PLAINTEXT-2",
                "data-plane-kafka-network-thread-0-ListenerName(PLAINTEXT)-PLAINTEXT-*",
            ),
            ("orders-6b0f3a2e-12ab-4cde-8f01-23456789abcd-StreamThread-1", "orders-*-StreamThread-*"),
            // Spring.
            ("task-1", "task-*"),
            ("scheduling-1", "scheduling-*"),
            ("SimpleAsyncTaskExecutor-12", "SimpleAsyncTaskExecutor-*"),
            ("ThreadPoolTaskScheduler-1", "ThreadPoolTaskScheduler-*"),
            (
                "org.springframework.kafka.KafkaListenerEndpointContainer#0-3-C-1",
                "org.springframework.kafka.KafkaListenerEndpointContainer#0-*-C-*",
            ),
            ("tomcat-handler-31", "tomcat-handler-*"),
            // Others.
            ("HikariPool-1 housekeeper", "HikariPool-1 housekeeper"),
            ("elasticsearch[node-1][write][T#3]", "elasticsearch[node-1][write][T#*]"),
            ("my-system-akka.actor.default-dispatcher-5", "my-system-akka.actor.default-dispatcher-*"),
            ("DefaultDispatcher-worker-3", "DefaultDispatcher-worker-*"),
            (
                "Executor task launch worker for task 0.0 in stage 3.0 (TID 12)",
                "Executor task launch worker for task *",
            ),
            ("OkHttp https://localhost:8443", "OkHttp https://localhost:8443"),
            // What is no name, or none of a pool.
            ("", "(no name)"),
            ("  ", "(no name)"),
            ("42", "42"),
            ("a;b\n7", "a,b *"),
            ("größe-7", "größe-*"),
            ("a@", "a@"),
            ("(", "("),
        ] {
            assert_eq!(pool_of(name), pool);
            assert_eq!(pool_of(pool), pool, "once is enough");
        }
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(pool_of(&"ä".repeat(1000)).chars().count(), MOST);
    }
}
