//! Whose code the program's own is, where a user says so: frameworks are folded into it as the JDK is.
//!
//! Not here: the JDK's frames, which are never the program's (`own_frame`).

use crate::facts::frame::Frame;
use crate::facts::stack::Stack;
use crate::stream::profile::Profile;

/// A word for all of [`FRAMEWORKS`] and [`LIBRARIES`].
const ALL: &str = "frameworks";

/// Beginnings of the names of classes of frameworks that many programs are made with, and of languages. Sorted; none begins with another.
const FRAMEWORKS: [&str; 80] = [
    "akka.",
    "brave.",
    "cats.",
    "ch.qos.logback.",
    "com.caucho.",
    "com.fasterxml.",
    "com.google.common.",
    "com.google.gson.",
    "com.google.protobuf.",
    "com.ibm.ws.",
    "com.linecorp.armeria.",
    "com.netflix.",
    "com.sun.jersey.",
    "com.vaadin.",
    "com.zaxxer.hikari.",
    "fish.payara.",
    "fs2.",
    "groovy.",
    "io.dropwizard.",
    "io.grpc.",
    "io.helidon.",
    "io.javalin.",
    "io.ktor.",
    "io.lettuce.",
    "io.micrometer.",
    "io.micronaut.",
    "io.netty.",
    "io.opentelemetry.",
    "io.quarkus.",
    "io.reactivex.",
    "io.smallrye.",
    "io.undertow.",
    "io.vertx.",
    "jakarta.",
    "junit.",
    "kotlin.",
    "kotlinx.",
    "net.bytebuddy.",
    "okhttp3.",
    "okio.",
    "org.apache.camel.",
    "org.apache.catalina.",
    "org.apache.commons.",
    "org.apache.coyote.",
    "org.apache.cxf.",
    "org.apache.felix.",
    "org.apache.hc.",
    "org.apache.http.",
    "org.apache.karaf.",
    "org.apache.logging.",
    "org.apache.maven.",
    "org.apache.pekko.",
    "org.apache.struts.",
    "org.apache.tomcat.",
    "org.apache.tomee.",
    "org.apache.wicket.",
    "org.aspectj.",
    "org.codehaus.groovy.",
    "org.eclipse.jetty.",
    "org.glassfish.",
    "org.gradle.",
    "org.hibernate.",
    "org.http4s.",
    "org.jboss.",
    "org.jooq.",
    "org.junit.",
    "org.mockito.",
    "org.osgi.",
    "org.slf4j.",
    "org.springframework.",
    "org.testng.",
    "org.thymeleaf.",
    "org.wildfly.",
    "play.",
    "ratpack.",
    "reactor.",
    "rx.",
    "scala.",
    "weblogic.",
    "zio.",
];

/// The same of libraries that programs call: databases, drivers, caches, formats. Unlike a framework, one may be the program itself, started
/// by its own main class.
const LIBRARIES: [&str; 68] = [
    "com.amazonaws.",
    "com.datastax.",
    "com.esotericsoftware.",
    "com.github.benmanes.caffeine.",
    "com.google.cloud.",
    "com.google.inject.",
    "com.hazelcast.",
    "com.lmax.disruptor.",
    "com.microsoft.sqlserver.",
    "com.mongodb.",
    "com.mysql.",
    "com.nimbusds.",
    "com.rabbitmq.",
    "freemarker.",
    "io.jsonwebtoken.",
    "io.vavr.",
    "it.unimi.dsi.fastutil.",
    "liquibase.",
    "net.sf.ehcache.",
    "net.sf.saxon.",
    "oracle.jdbc.",
    "org.agrona.",
    "org.antlr.",
    "org.apache.activemq.",
    "org.apache.avro.",
    "org.apache.batik.",
    "org.apache.curator.",
    "org.apache.derby.",
    "org.apache.fop.",
    "org.apache.ignite.",
    "org.apache.kafka.",
    "org.apache.log4j.",
    "org.apache.lucene.",
    "org.apache.parquet.",
    "org.apache.pdfbox.",
    "org.apache.poi.",
    "org.apache.pulsar.",
    "org.apache.thrift.",
    "org.apache.tika.",
    "org.apache.velocity.",
    "org.apache.xerces.",
    "org.apache.zookeeper.",
    "org.bouncycastle.",
    "org.dom4j.",
    "org.eclipse.collections.",
    "org.ehcache.",
    "org.elasticsearch.client.",
    "org.flywaydb.",
    "org.h2.",
    "org.hsqldb.",
    "org.infinispan.",
    "org.jctools.",
    "org.jdom2.",
    "org.joda.time.",
    "org.json.",
    "org.jsoup.",
    "org.mariadb.jdbc.",
    "org.mybatis.",
    "org.opensearch.client.",
    "org.postgresql.",
    "org.quartz.",
    "org.redisson.",
    "org.rocksdb.",
    "org.sqlite.",
    "org.yaml.snakeyaml.",
    "redis.clients.",
    "software.amazon.awssdk.",
    "tools.jackson.",
];

/// What a user names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnCode {
    /// Only classes whose names begin so are the program's; empty: all that are not the JDK's.
    pub own: Vec<String>,
    /// Classes whose names begin so are not; `frameworks` stands for all that [`is_foreign`] knows.
    pub not_own: Vec<String>,
}

impl OwnCode {
    /// Whether anything was named.
    pub fn is_named(&self) -> bool {
        !self.own.is_empty() || !self.not_own.is_empty()
    }

    fn has(&self, frame: &Frame) -> bool {
        let named_otherwise = frame.starts_with_any(&self.not_own)
            || (self.not_own.iter().any(|name| name == ALL) && is_foreign(&frame.class));
        frame.is_own() && !named_otherwise && (self.own.is_empty() || frame.starts_with_any(&self.own))
    }

    /// The stack without the frames that are neither the JDK's nor the program's; as it is, where it has none of the program's.
    fn folded(&self, stack: &Stack) -> Stack {
        if !stack.iter().any(|frame| self.has(frame)) {
            return stack.clone();
        }
        stack.iter().filter(|frame| !frame.is_own() || self.has(frame)).cloned().collect()
    }
}

/// Whether a class is of one of [`FRAMEWORKS`].
pub(crate) fn is_framework(class: &str) -> bool {
    is_of(&FRAMEWORKS, class)
}

/// Whether a class is of a framework or library that many programs are made with, by its name.
pub fn is_foreign(class: &str) -> bool {
    is_framework(class) || is_of(&LIBRARIES, class)
}

/// Whether a class's name begins as one of these do, or one follows within it: builds rename the libraries that they put into one jar, as
/// `app.com.google.common.collect.Lists`. A single word says nothing there.
fn is_of(sorted: &[&str], class: &str) -> bool {
    let begins = |name: &str| {
        let at = sorted.partition_point(|prefix| *prefix <= name);
        at.checked_sub(1).map(|at| sorted[at]).filter(|prefix| name.starts_with(prefix))
    };
    let is_of_several = |prefix: &str| prefix == "jakarta." || prefix.trim_end_matches('.').contains('.');
    let within = class.match_indices('.').filter_map(|(at, _)| begins(&class[at + 1..]));
    begins(class).is_some() || within.into_iter().any(is_of_several)
}

impl Profile {
    /// The same with stacks in which what is not the program's own is folded, so that rows are charged to what is.
    pub fn folded(mut self, code: &OwnCode) -> Self {
        if code.is_named() {
            for site in &mut self.sites {
                site.stack = code.folded(&site.stack);
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::blame::BlameRules;
    use crate::facts::tally::Tally;
    use crate::stream::profile::SiteProfile;

    fn charged(code: &OwnCode) -> Vec<String> {
        let site = |classes: &[&str], bytes| SiteProfile {
            stack: classes
                .iter()
                .map(|&class| Frame { class: class.into(), method: "m".into(), ..Frame::default() })
                .collect(),
            allocated: Tally::of(1, bytes),
            ..SiteProfile::default()
        };
        let sites = vec![
            site(&["java.util.Map", "org.springframework.Bean", "a.lib.Codec", "a.Shop"], 30),
            site(&["org.springframework.Bean", "java.lang.Thread"], 20),
        ];
        let rules = BlameRules { ignore: vec!["java.".into()], ..BlameRules::default() };
        let methods = Profile { sites, ..Profile::default() }.folded(code).methods(&rules);
        methods.into_iter().filter_map(|row| Some(row.method?.0)).collect()
    }

    #[test]
    fn names_of_libraries_are_known_within_others_too() {
        for names in [&FRAMEWORKS[..], &LIBRARIES[..]] {
            assert!(names.windows(2).all(|pair| pair[0] < pair[1] && !pair[1].starts_with(pair[0])));
        }
        let foreign = [
            "com.google.common.collect.Lists",
            "wiremock.com.google.common.collect.Lists",
            "a.org.h2.Db",
            "a.jakarta.servlet.A",
        ];
        assert!(foreign.iter().all(|class| is_foreign(class)));
        let own = ["a.play.Game", "com.google.Commons", "com.google.commonly.A", "play", "a.Shop", ""];
        assert!(!own.iter().any(|class| is_foreign(class)));
    }

    #[test]
    fn frameworks_are_folded_by_a_list_that_users_extend_and_stay_where_nothing_else_is() {
        let names = |own: &[&str], not_own: &[&str]| OwnCode {
            own: own.iter().map(|&name| name.into()).collect(),
            not_own: not_own.iter().map(|&name| name.into()).collect(),
        };
        let spring = "org.springframework.Bean";
        assert_eq!(charged(&OwnCode::default()), [spring]);
        assert_eq!(charged(&names(&[], &["frameworks"])), ["a.lib.Codec", spring]);
        assert_eq!(charged(&names(&[], &["frameworks", "a.lib."])), ["a.Shop", spring]);
        assert_eq!(charged(&names(&["a.Shop"], &[])), ["a.Shop", spring]);
        assert_eq!(charged(&names(&["b."], &[])), [spring], "of no stack it is known whose it is");
    }
}
