/**
 * A step of PageRank over compressed sparse rows: `starts` has one u32 more than there are nodes, `ends` the sources of the edges
 * into each node. Ranks and shares are f64. What a node gets is summed in the sequence of its edges.
 */

// @inline
function numberAt(list: usize, i: u32): u32 {
  return load<u32>(list + ((<usize>i) << 2));
}

// @inline
function shareAt(list: usize, i: u32): f64 {
  return load<f64>(list + ((<usize>i) << 3));
}

/**
 * Writes what each node gives along each of its edges; `starts` counts the edges that leave. Returns the ranks of the nodes
 * without any.
 */
export function shareRanks(starts: usize, ranks: usize, nodes: u32, shares: usize): f64 {
  let dangling: f64 = 0;
  let from = numberAt(starts, 0);
  for (let node: u32 = 0; node < nodes; node++) {
    const end = numberAt(starts, node + 1);
    const rank = shareAt(ranks, node);
    let share: f64 = 0;
    if (end == from) dangling += rank;
    else share = rank / <f64>(end - from);
    store<f64>(shares + ((<usize>node) << 3), share);
    from = end;
  }
  return dangling;
}

/**
 * Writes the next ranks of nodes `[from, to)`: `restarted` times the restart of a node and `damping` times what it gets.
 * Returns by how much they differ from the ranks, all together.
 */
export function pullRanks(
  starts: usize,
  ends: usize,
  shares: usize,
  restart: usize,
  restarted: f64,
  damping: f64,
  from: u32,
  to: u32,
  ranks: usize,
  next: usize,
): f64 {
  let change: f64 = 0;
  let at = numberAt(starts, from);
  for (let node = from; node < to; node++) {
    const end = numberAt(starts, node + 1);
    let sum: f64 = 0;
    for (; at < end; at++) sum += shareAt(shares, numberAt(ends, at));
    const rank = restarted * shareAt(restart, node) + damping * sum;
    change += abs(rank - shareAt(ranks, node));
    store<f64>(next + ((<usize>node) << 3), rank);
  }
  return change;
}
