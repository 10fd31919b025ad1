//! Budgets as text: what is read, and that nothing misspelt is passed over.

use mayfly_profile::MEASURES;
use mayfly_verdicts::{Budget, Initialisation, Limit, Quantity, Subject};

const TEXT: &str = r#"
trust = 0.95
operations = 1000
class_initialisation = "apart"

[total]
bytes = "200m"

[[class]]
name = "com.acme.Session"
live = 0
p99_s = 5

[[site]]
prefix = "com.acme.cache."
bytes = "20m"
objects_per_operation = 2.5
"#;

#[test]
fn every_limit_is_read_with_its_line() {
    let budget = Budget::parse(TEXT).expect("a budget");
    assert_eq!((budget.trust, budget.operations), (0.95, Some(1000.0)));
    assert_eq!(budget.initialisation, Initialisation::Apart);
    let class = Subject::Class("com.acme.Session".to_owned());
    let site = Subject::Site("com.acme.cache.".to_owned());
    let limit = |subject: &Subject, quantity, bound, line| {
        Limit::without_doubt(subject.clone(), quantity, bound, line)
    };
    assert_eq!(
        budget.limits,
        [
            limit(&Subject::Total, Quantity::Bytes, f64::from(200 << 20), 7),
            limit(&class, Quantity::Live, 0.0, 11),
            limit(&class, Quantity::Percentile(99), 5.0, 12),
            limit(&site, Quantity::Bytes, f64::from(20 << 20), 16),
            limit(&site, Quantity::ObjectsPerOperation, 2.5, 17),
        ]
    );
}

#[test]
fn what_is_not_known_is_refused_with_its_line() {
    for (text, line, reason) in [
        ("[total]\nbytes = 1\nbites = 2\n", 3, "unknown field `bites`"),
        ("trust = 0.9\ntruss = 1\n[total]\nbytes = 1\n", 2, "unknown field `truss`"),
        ("[[class]]\nname = \"a.B\"\nlive = 0\n\n[[klass]]\nname = \"x\"\n", 5, "unknown field `klass`"),
        ("[[site]]\nprefix = \"a.\"\np99_s = 3\n", 3, "unknown field `p99_s`"),
        ("[[class]]\nlive = 0\n", 1, "missing field `name`"),
        ("[[class]]\nname = \"a.B\"\n", 1, "limits nothing"),
        ("[[class]]\nname = \"\"\nlive = 0\n", 1, "name is empty"),
        ("[total]\n\nbytes = \"20x\"\n", 3, "not a size"),
        ("[total]\nbytes = -1\n", 2, "expected bytes"),
        ("[total]\nobjects = -1\n", 2, "at least 0"),
        ("[total]\nobjects = nan\n", 2, "at least 0"),
        ("[[class]]\nname = \"a\"\ndied_before_first_gc_share = 95\n", 3, "share from 0 to 1"),
        ("trust = 99\n[total]\nbytes = 1\n", 1, "share from 0 to 1"),
        ("operations = 0\n[total]\nbytes = 1\n", 1, "above 0"),
        ("class_initialisation = \"off\"\n[total]\nbytes = 1\n", 1, "unknown variant `off`"),
        ("[total]\nbytes = 1\nbytes = 2\n", 3, "duplicate key"),
        ("[total\n", 1, ""),
        ("trust = 0.9\n", 1, "no limit"),
        ("", 1, "no limit"),
    ] {
        let error = Budget::parse(text).expect_err(text);
        assert_eq!(error.line, line, "{text}: {error}");
        assert!(error.reason.contains(reason), "{text}: {error}");
        assert!(!error.to_string().contains('\n'), "one line: {error}");
    }
}

#[test]
fn every_measure_is_a_limit_of_classes() {
    for measure in MEASURES {
        let entry = |key: &str| format!("[[class]]\nname = \"a.B\"\n{key} = 1\n");
        let budget = Budget::parse(&entry(measure.key)).expect(measure.key);
        // The key of budgets is older than the measure's.
        let key = if measure.key == "live_objects" { "live" } else { measure.key };
        assert_eq!(budget.limits[0].quantity.key(), key);
    }
    let error = Budget::parse("[total]\np90_s = 1\n").expect_err("of classes alone");
    assert!(error.reason.contains("unknown field `p90_s`"), "{error}");
}
