//! experiment
use quaich_features::*;
use quaich_parser::engine::*;
use quaich_parser::train::*;
use quaich_transition::configuration::RootPosition;
use quaich_transition::systems::*;
use quaich_treebank::*;
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let get = |k: &str, d: &str| {
        args.iter().find_map(|a| a.strip_prefix(&format!("{k}=")).map(str::to_owned)).unwrap_or(d.to_owned())
    };
    let tb = get("tb", "english-ewt");
    let base = std::env::var("QUAICH_TREEBANKS").unwrap_or("/work/shared/treebanks".into());
    let file = |s: &str| {
        ["conllu", "conll"]
            .iter()
            .map(|e| format!("{base}/{tb}/{s}.{e}"))
            .find(|p| std::path::Path::new(p).exists())
    };
    let mut labels = Symbols::<Label>::new();
    let mut load = |p: &str| -> Vec<(Sentence, Tree)> {
        Reader::open(p, &ReadOptions::default())
            .unwrap()
            .sentences()
            .map(|s| {
                let s = s.unwrap();
                let t = s.tree(&mut labels);
                (s, t)
            })
            .collect()
    };
    let train_set = load(&file("train").unwrap());
    let (train_set, dev) = match file("dev") {
        _ if get("eval", "dev") == "train" => {
            let d = train_set.iter().take(2000).cloned().collect();
            (train_set, d)
        }
        Some(p) if get("eval", "dev") == "dev" => (train_set, load(&p)),
        _ if get("eval", "dev") == "test" => (train_set, load(&file("test").unwrap())),
        _ => {
            let mut a = vec![];
            let mut b = vec![];
            for (i, x) in train_set.into_iter().enumerate() {
                if i % 10 == 9 { b.push(x) } else { a.push(x) }
            }
            (a, b)
        }
    };
    let mut shape = quaich_treebank::tree::Tree::new(0);
    let _ = &mut shape;
    let model = match args.iter().find_map(|a| a.strip_prefix("features=")) {
        Some(p) => FeatureModel::parse(&std::fs::read_to_string(p).unwrap()).unwrap(),
        None => FeatureModel::default_model(),
    };
    let mut constant = vec![];
    for a in TokenAttribute::ALL {
        if train_set.iter().all(|(s, _)| s.tokens().all(|t| s.value(t, a.role()) == "_")) {
            constant.push(a)
        }
    }
    let model = model.without(&constant);
    let f = |k: &str, d: &str| get(k, d).parse::<f32>().unwrap();
    let settings = Settings {
        c_transition: f("c", "0.02"),
        c_label: f("cl", "0.02"),
        passes: f("passes", "8") as usize,
        min_count: f("min", "2") as u32,
        folds: f("folds", "0") as usize,
        n_labels: labels.len(),
    };
    let roots_single = train_set.iter().all(|(_, t)| t.arcs().filter(|a| a.head.is_root()).count() == 1);
    let root_label = {
        let mut counts = vec![0; labels.len()];
        for (_, t) in &train_set {
            for a in t.arcs() {
                if a.head.is_root() && !a.label.is_none() {
                    counts[a.label.index()] += 1
                }
            }
        }
        Label((0..labels.len() as u32).max_by_key(|&i| counts[i as usize]).unwrap())
    };
    let options = Options {
        root: RootPosition::from_name(&get("root", "end")).unwrap(),
        single_root: roots_single,
        root_label,
        ..Options::default()
    };
    let examples: Vec<Example> =
        train_set.into_iter().map(|(sentence, tree)| Example { sentence, tree }).collect();
    println!(
        "{tb}: {} train, {} eval, {} labels, {}+{} templates, single root {roots_single}",
        examples.len(),
        dev.len(),
        labels.len(),
        model.transition.len(),
        model.label.len()
    );
    match get("system", "arc-eager").as_str() {
        "arc-eager" => go(&ArcEager::new(options), &model, &settings, &examples, &dev, &labels),
        _ => go(&ArcHybrid::new(options), &model, &settings, &examples, &dev, &labels),
    }
}
fn go<S: System>(
    system: &S,
    model: &FeatureModel,
    settings: &Settings,
    examples: &[Example],
    dev: &[(Sentence, Tree)],
    _labels: &Symbols<Label>,
) {
    let start = Instant::now();
    let mut gold = quaich_transition::gold::Gold::new();
    let mut c = quaich_transition::configuration::Configuration::new();
    let kept: Vec<Example> = examples
        .iter()
        .filter(|e| quaich_transition::guide::derive(system, &e.tree, &mut gold, &mut c).exact)
        .map(|e| Example { sentence: e.sentence.clone(), tree: e.tree.clone() })
        .collect();
    println!("  {} of {} derivable", kept.len(), examples.len());
    let examples = &kept[..];
    let engine =
        train(system, model, settings, examples, |m| println!("  {:.1}s {m}", start.elapsed().as_secs_f32()));
    let trained = start.elapsed();
    let mut worker = Worker::default();
    let (mut n, mut las, mut uas) = (0, 0, 0);
    let start = Instant::now();
    for (s, t) in dev {
        worker.parse(&engine, system, s);
        for tok in t.tokens() {
            n += 1;
            let c = &worker.configuration;
            if c.head(tok) == t.head(tok) {
                uas += 1;
                if c.label(tok) == t.label(tok) {
                    las += 1
                }
            }
        }
    }
    let mut by: std::collections::BTreeMap<String, (u32, u32, u32)> = Default::default();
    for (s, t) in dev {
        worker.parse(&engine, system, s);
        for tok in t.tokens() {
            let e = by.entry(s.label(tok).to_owned()).or_default();
            e.0 += 1;
            let c = &worker.configuration;
            if c.head(tok) == t.head(tok) {
                e.1 += 1;
                if c.label(tok) == t.label(tok) {
                    e.2 += 1
                }
            }
        }
    }
    if std::env::var("BY").is_ok() {
        for (l, (n, u, a)) in by {
            println!("{l:14} {n:6} {:6.1} {:6.1}", 100.0 * u as f32 / n as f32, 100.0 * a as f32 / n as f32);
        }
    }
    let mut secs = start.elapsed().as_secs_f64();
    for _ in 0..std::env::var("LOOPS").map_or(0, |x| x.parse().unwrap()) {
        let start = Instant::now();
        for (s, _) in dev {
            worker.parse(&engine, system, s);
        }
        secs = secs.min(start.elapsed().as_secs_f64());
    }
    println!(
        "LAS {:.2} UAS {:.2}  train {:.1}s  parse {:.0} w/s",
        100.0 * las as f64 / n as f64,
        100.0 * uas as f64 / n as f64,
        trained.as_secs_f32(),
        n as f64 / secs
    );
}
