//! The rules of the benchmark in datafrog: `rules closure|generation|negation <edge.csv> <node.csv> <rounds>`.
//! Prints the least CPU milliseconds of the rounds and how many facts are derived, as JSON. Reading files is not counted.

use datafrog::{Iteration, Relation};
use std::fs::read_to_string;

type Pair = (u32, u32);

extern "C" {
    /// Processor time of the process, in microseconds where POSIX is followed.
    fn clock() -> std::os::raw::c_long;
}

fn cpu_ms() -> f64 {
    unsafe { clock() as f64 / 1000.0 }
}

fn read_rows<Row>(path: &str, parse: impl Fn(&[u32]) -> Row) -> Vec<Row> {
    let text = read_to_string(path).expect("the file can be read");
    let row = |line: &str| parse(&line.split(',').map(|word| word.parse().expect("a number")).collect::<Vec<u32>>());
    text.lines().map(row).collect()
}

/// reach(x, y) :- edge(x, y).  reach(x, z) :- reach(x, y), edge(y, z).  As (y, x), by which it is joined.
fn closure(edges: &[Pair]) -> Relation<Pair> {
    let edge = Relation::from_vec(edges.to_vec());
    let mut iteration = Iteration::new();
    let reach = iteration.variable::<Pair>("reach");
    reach.extend(edges.iter().map(|&(x, y)| (y, x)));
    while iteration.changed() {
        reach.from_join(&reach, &edge, |_y, &x, &z| (z, x));
    }
    reach.complete()
}

/// same(x, y) :- edge(p, x), edge(p, y).  same(x, y) :- same(p, q), edge(p, x), edge(q, y).
fn generation(edges: &[Pair]) -> usize {
    let edge = Relation::from_vec(edges.to_vec());
    let mut iteration = Iteration::new();
    let same = iteration.variable::<Pair>("same");
    let half = iteration.variable::<Pair>("half");
    same.extend(Relation::from_join(&edge, &edge, |_p, &x, &y| (x, y)).elements);
    while iteration.changed() {
        half.from_join(&same, &edge, |_p, &q, &x| (q, x));
        same.from_join(&half, &edge, |_q, &x, &y| (x, y));
    }
    same.complete().len()
}

/// The closure, and apart(x, y) :- node(x), node(y), not reach(x, y).
fn negation(edges: &[Pair], nodes: &[u32]) -> usize {
    let reach = closure(edges);
    let size = reach.len();
    let reached: Relation<Pair> = Relation::from_vec(reach.elements.into_iter().map(|(y, x)| (x, y)).collect());
    let mut iteration = Iteration::new();
    let pairs = iteration.variable::<(Pair, ())>("pairs");
    let apart = iteration.variable::<Pair>("apart");
    pairs.extend(nodes.iter().flat_map(|&x| nodes.iter().map(move |&y| ((x, y), ()))));
    while iteration.changed() {
        apart.from_antijoin(&pairs, &reached, |&pair, _| pair);
    }
    size + apart.complete().len()
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let edges = read_rows(&args[2], |row| (row[0], row[1]));
    let nodes = read_rows(&args[3], |row| row[0]);
    let rounds: u32 = args[4].parse().expect("a number of rounds");
    let (mut least, mut found) = (f64::INFINITY, 0);
    for _ in 0..rounds {
        let begin = cpu_ms();
        found = match args[1].as_str() {
            "closure" => closure(&edges).len(),
            "generation" => generation(&edges),
            "negation" => negation(&edges, &nodes),
            other => panic!("there is no program {other}"),
        };
        least = least.min(cpu_ms() - begin);
    }
    println!("{{\"cpuMs\": {least}, \"found\": {found}}}");
}
