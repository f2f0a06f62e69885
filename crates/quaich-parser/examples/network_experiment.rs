//! experiment
#![allow(missing_docs, clippy::pedantic, clippy::print_stdout)]
use quaich_features::*;
use quaich_learn::network::Verdict;
use quaich_parser::network_engine::slots::Slots;
use quaich_parser::network_engine::train::*;
use quaich_parser::network_engine::*;
use quaich_transition::configuration::RootPosition;
use quaich_transition::systems::*;
use quaich_treebank::*;
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let get = |k: &str, d: &str| {
        args.iter().find_map(|a| a.strip_prefix(&format!("{k}=")).map(str::to_owned)).unwrap_or(d.to_owned())
    };
    let tb = get("tb", "hungarian-szeged");
    let base = std::env::var("QUAICH_TREEBANKS").expect("QUAICH_TREEBANKS");
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
        Some(p) if get("eval", "dev") == "dev" => (train_set, load(&p)),
        _ if get("eval", "dev") == "test" => (train_set, load(&file("test").unwrap())),
        _ => {
            let (mut a, mut b) = (vec![], vec![]);
            for (i, x) in train_set.into_iter().enumerate() {
                if i % 10 == 9 { b.push(x) } else { a.push(x) }
            }
            (a, b)
        }
    };
    let train_set: Vec<_> = train_set.into_iter().take(get("n", "1000000").parse().unwrap()).collect();
    let mut constant = vec![];
    for a in TokenAttribute::ALL {
        if train_set.iter().all(|(s, _)| s.tokens().all(|t| s.value(t, a.role()) == "_")) {
            constant.push(a)
        }
    }
    let f = |k: &str, d: f32| get(k, &d.to_string()).parse::<f32>().unwrap();
    let mut s = NetworkSettings::new(&constant);
    s.transition_hidden = f("ht", s.transition_hidden as f32) as usize;
    s.label_hidden = f("hl", s.label_hidden as f32) as usize;
    s.forgetting = f("forget", s.forgetting);
    s.headroom = f("head", s.headroom);
    s.explore_after = f("explore", 1000.0) as usize;
    s.learner.passes = f("passes", s.learner.passes as f32) as usize;
    s.learner.batch = f("batch", s.learner.batch as f32) as usize;
    s.learner.rate = f("rate", s.learner.rate);
    s.learner.dropout = f("drop", s.learner.dropout);
    s.learner.forgetting = f("in", s.learner.forgetting);
    s.learner.decay = f("decay", s.learner.decay);
    s.learner.smoothing = f("smooth", s.learner.smoothing);
    s.learner.seed = f("seed", 1.0) as u64;
    for (k, i) in [("minw", 0), ("minl", 1), ("minx", 5)] {
        s.min_counts[i] = f(k, s.min_counts[i] as f32) as u32;
    }
    let ws = f("width", 1.0);
    for w in &mut s.widths {
        *w = (*w as f32 * ws) as usize;
    }
    if let Some(p) = args.iter().find_map(|a| a.strip_prefix("tslots=")) {
        s.transition_slots = Slots::parse(&std::fs::read_to_string(p).unwrap(), &constant);
    }
    if let Some(p) = args.iter().find_map(|a| a.strip_prefix("lslots=")) {
        s.label_slots = Slots::parse(&std::fs::read_to_string(p).unwrap(), &constant);
    }
    let single_root = train_set.iter().all(|(_, t)| t.arcs().filter(|a| a.head.is_root()).count() == 1);
    let mut counts = vec![0; labels.len()];
    for (_, t) in &train_set {
        for a in t.arcs() {
            if a.head.is_root() && !a.label.is_none() {
                counts[a.label.index()] += 1
            }
        }
    }
    let root_label = Label((0..labels.len() as u32).max_by_key(|&i| counts[i as usize]).unwrap());
    let options = Options {
        root: RootPosition::from_name(&get("root", "end")).unwrap(),
        single_root,
        root_label,
        ..Options::default()
    };
    let threads = f("threads", 1.0) as usize;
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().unwrap();
    println!(
        "{tb}: {} train {} eval {} labels {} slots",
        train_set.len(),
        dev.len(),
        labels.len(),
        s.transition_slots.len()
    );
    match get("system", "arc-eager").as_str() {
        "arc-eager" => {
            go(&ArcEager::new(options), &s, &train_set, &dev, labels.len(), f("loops", 3.0) as usize)
        }
        _ => go(&ArcHybrid::new(options), &s, &train_set, &dev, labels.len(), f("loops", 3.0) as usize),
    }
}
fn go<S: System>(
    system: &S,
    s: &NetworkSettings,
    train_set: &[(Sentence, Tree)],
    dev: &[(Sentence, Tree)],
    n_labels: usize,
    loops: usize,
) {
    let start = Instant::now();
    let mut gold = quaich_transition::gold::Gold::new();
    let mut c = quaich_transition::configuration::Configuration::new();
    let examples: Vec<NetworkExample<'_>> = train_set
        .iter()
        .filter(|(_, tree)| quaich_transition::guide::derive(system, tree, &mut gold, &mut c).exact)
        .map(|(sentence, tree)| NetworkExample { sentence, tree })
        .collect();
    let dev: Vec<NetworkExample<'_>> =
        dev.iter().map(|(sentence, tree)| NetworkExample { sentence, tree }).collect();
    let mut best = 0.0f64;
    let engine = train(system, s, &examples, n_labels, |p| {
        let (h, l, n) = score(system, p.engine, &dev);
        let las = 100.0 * l as f64 / n as f64;
        best = best.max(las);
        println!(
            "  {:5.1}s pass {} loss {:.4} {:.4} states {:?}  LAS {las:.2} UAS {:.2}",
            start.elapsed().as_secs_f32(),
            p.done,
            p.losses.0,
            p.losses.1,
            p.n_states,
            100.0 * h as f64 / n as f64
        );
        Verdict { score: None, stop: false }
    })
    .unwrap();
    let (_, l, n) = score(system, &engine, &dev);
    let mut worker = NetworkWorker::default();
    let mut secs = [f64::MAX; 2];
    for _ in 0..loops {
        let start = cpu();
        for e in (0..5).flat_map(|_| &dev) {
            worker.parse(&engine, system, e.sentence);
        }
        secs[0] = secs[0].min((cpu() - start) / 5.0);
        let start = cpu();
        for e in (0..50).flat_map(|_| &dev) {
            worker.read(e.sentence);
        }
        secs[1] = secs[1].min((cpu() - start) / 50.0);
    }
    println!(
        "last LAS {:.2} best {best:.2}  {:.1} MB  {:.0} w/s (of it reading {:.1}%)",
        100.0 * l as f64 / n as f64,
        engine.size() as f64 / 1e6,
        n as f64 / secs[0],
        100.0 * secs[1] / secs[0]
    );
}

/// Seconds of processor time.
fn cpu() -> f64 {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse::<f64>()
        .unwrap()
        / 1e9
}
