/**
 * The transitive closure of a property over its facts with IRIs as objects: from each source a walk over what the axioms
 * gave besides transitivity. A pair that a path of two steps or more leads to follows by transitivity.
 */

import { type FactTables, STANDING } from './fact-tables.js';
import { FAMILY } from './ontology.js';
import type { PairTable } from './pair-table.js';

/** Marks of facts that are there by transitivity alone: a path leads over others instead of them. */
const IMPLIED = FAMILY.transitive | STANDING;

/** Edges by their sources: those of node `n` stand at `[starts[n], starts[n + 1])`. Nodes have numbers of their own. */
interface Edges {
  /** The number of each node in the tables. */
  readonly nodes: Uint32Array;
  readonly starts: Uint32Array;
  readonly targets: Uint32Array;
}

/** Adds the pairs that follow. `check` is called after each source and may refuse to go on. */
export function closeTransitive(tables: FactTables, facts: PairTable, check: () => void): void {
  const { nodes, starts, targets } = edgesOf(tables, facts);
  const count = nodes.length;
  const seen = new Uint32Array(count);
  const composed = new Uint32Array(count);
  const queue = new Uint32Array(count);
  for (let source = 0; source < count; source++) {
    const stamp = source + 1;
    let end = 0;
    for (let at = starts[source] as number; at < (starts[source + 1] as number); at++) {
      const next = targets[at] as number;
      if (seen[next] === stamp) continue;
      seen[next] = stamp;
      queue[end++] = next;
    }
    for (let at = 0; at < end; at++) {
      const node = queue[at] as number;
      for (let edge = starts[node] as number; edge < (starts[node + 1] as number); edge++) {
        const next = targets[edge] as number;
        composed[next] = stamp;
        if (seen[next] === stamp) continue;
        seen[next] = stamp;
        queue[end++] = next;
      }
    }
    const s = nodes[source] as number;
    for (let at = 0; at < end; at++) {
      const node = queue[at] as number;
      if (composed[node] === stamp) facts.mark(s, nodes[node] as number, FAMILY.transitive);
    }
    check();
  }
}

function edgesOf(tables: FactTables, facts: PairTable): Edges {
  const rows: number[] = [];
  for (let row = 0; row < facts.count; row++) {
    if (((facts.marks[row] as number) & ~IMPLIED) !== 0 && tables.isIri(facts.o[row] as number)) rows.push(row);
  }
  const numbers = new Map<number, number>();
  const nodes: number[] = [];
  const numberOf = (node: number): number => {
    const known = numbers.get(node);
    if (known !== undefined) return known;
    numbers.set(node, nodes.length);
    return nodes.push(node) - 1;
  };
  const from = Uint32Array.from(rows, (row) => numberOf(facts.s[row] as number));
  const to = Uint32Array.from(rows, (row) => numberOf(facts.o[row] as number));
  const starts = new Uint32Array(nodes.length + 1);
  for (const source of from) starts[source + 1] = (starts[source + 1] as number) + 1;
  for (let at = 0; at < nodes.length; at++) starts[at + 1] = (starts[at + 1] as number) + (starts[at] as number);
  const places = starts.slice();
  const targets = new Uint32Array(rows.length);
  for (let at = 0; at < rows.length; at++) {
    const source = from[at] as number;
    const place = places[source] as number;
    places[source] = place + 1;
    targets[place] = to[at] as number;
  }
  return { nodes: Uint32Array.from(nodes), starts, targets };
}
