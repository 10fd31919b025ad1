//! Speed of the patcher over `java.base` of the first JVM found, in bytes of class file per second.
#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]
#![allow(clippy::disallowed_macros, reason = "a benchmark prints")]

#[allow(dead_code, reason = "it takes its part of what the tests share")]
#[path = "../tests/all/support/mod.rs"]
mod support;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mayfly_classfile::allocation::Options;
use support::jvms::{self, DumpedClass};
use support::rewriting;

const OPTIONS: Options = Options { add_fields: true, compiles_huge_methods: false };

fn rewrite(criterion: &mut Criterion) {
    let homes = jvms::homes();
    let folder = jvms::scratch("bench_rewrite");
    let Some(home) = homes.first() else { return jvms::skip("rewrite", "no JVM found; set JAVA_HOME") };
    if jvms::compile(&homes, &jvms::dump_source(), &folder).is_none() {
        return jvms::skip("rewrite", "no JVM found has a javac; set JAVA_HOME to a JDK");
    }
    let classes = jvms::classes(home, &folder, Some("java.base"));
    let (hooked, plain): (Vec<_>, Vec<_>) = classes.into_iter().partition(is_hooked);
    println!("java.base of {}: {} classes get hooks, {} do not", home.display(), hooked.len(), plain.len());
    measure(criterion, "classes that get hooks", &hooked);
    measure(criterion, "classes without hooks", &plain);
    measure(criterion, "all", &hooked.into_iter().chain(plain).collect::<Vec<_>>());
}

fn is_hooked(class: &DumpedClass) -> bool {
    rewriting::rewrite(&class.bytes, OPTIONS).is_ok_and(|rewritten| rewritten.class.is_some())
}

fn measure(criterion: &mut Criterion, name: &str, classes: &[DumpedClass]) {
    let bytes: usize = classes.iter().map(|class| class.bytes.len()).sum();
    let mut group = criterion.benchmark_group("rewrite");
    group.throughput(Throughput::BytesDecimal(bytes as u64)).sample_size(20);
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            let sites = classes.iter().filter_map(|class| rewriting::rewrite(&class.bytes, OPTIONS).ok());
            sites.map(|rewritten| rewritten.sites).sum::<u32>()
        });
    });
    group.finish();
}

criterion_group!(benches, rewrite);
criterion_main!(benches);
