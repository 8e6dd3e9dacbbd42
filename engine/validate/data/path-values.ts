/**
 * The values of a path: for each node of a set the nodes that the path leads to, each once (SHACL 2.3.1).
 *
 * A step looks up the distinct nodes of its input at once, sorted, and gives what it found to every row that
 * had the node. Closures go on from the pairs that are new until there are none.
 */

import { SvcError } from '../../base/errors.js';
import { getOrInsert } from '../../base/maps.js';
import type { NamedNode } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { Path } from '../shapes/path.js';
import type { Shape } from '../shapes/shapes.js';
import { type DataGraph, Pairs } from './data-graph.js';
import { distinct, type IdSet, placeOf } from './id-columns.js';
import { FEW_NODES } from './subject-cache.js';

/** Pairs of one path and batch of nodes: at 12 bytes each, with their copies, some hundred megabytes. */
const PAIRS_MAX = 2 ** 23;

/** Values that are kept of one path and few nodes. */
const KEPT_PAIRS_MAX = 1024;

export class PathValues {
  readonly #predicates = new Map<string, TermId>();
  readonly #few = new WeakMap<IdSet, Map<string, Pairs>>();

  constructor(private readonly view: DataGraph) {}

  /** By row of the nodes, then by id. `backwards`: the nodes from which the path leads to each of them. */
  of(nodes: IdSet, path: Path, backwards = false): Pairs {
    return this.#evaluate(nodes, path, backwards);
  }

  /** The values of the path of a shape; those of few nodes are kept for other shapes with the same path. */
  ofShape(nodes: IdSet, { path, pathText }: Pick<Shape, 'path' | 'pathText'>): Pairs {
    if (path === null || pathText === null) return identity(nodes);
    if (nodes.count > FEW_NODES) return this.of(nodes, path);
    const known = getOrInsert(this.#few, nodes, () => new Map());
    let values = known.get(pathText);
    if (values === undefined) {
      values = this.of(nodes, path);
      if (values.count <= KEPT_PAIRS_MAX) known.set(pathText, values);
    }
    return values;
  }

  #evaluate(nodes: IdSet, path: Path, backwards: boolean): Pairs {
    switch (path.kind) {
      case 'predicate': {
        const id = this.#idOf(path.predicate);
        return backwards ? this.view.subjects(nodes, id) : this.view.objects(nodes, id);
      }
      case 'inverse':
        return this.#evaluate(nodes, path.path, !backwards);
      case 'sequence':
        return this.#sequence(nodes, path.paths, backwards);
      case 'alternative':
        return inOrder(joinAll(path.paths.map((part) => this.#evaluate(nodes, part, backwards))));
      case 'zeroOrOne':
        return inOrder(joinAll([identity(nodes), this.#evaluate(nodes, path.path, backwards)]));
      case 'zeroOrMore':
        return this.#closure(nodes, path.path, backwards, identity(nodes));
      case 'oneOrMore':
        return this.#closure(nodes, path.path, backwards, this.#evaluate(nodes, path.path, backwards));
    }
  }

  #idOf(predicate: NamedNode): TermId {
    return getOrInsert(this.#predicates, predicate.value, () => this.view.idOf(predicate));
  }

  #sequence(nodes: IdSet, paths: readonly Path[], backwards: boolean): Pairs {
    const [first, ...rest] = backwards ? [...paths].reverse() : paths;
    let pairs = this.#evaluate(nodes, first as Path, backwards);
    for (const path of rest) pairs = inOrder(this.#step(pairs, path, backwards));
    return pairs;
  }

  /** From the ids of pairs on: the same rows with what the path leads to; in no order, with repeats. */
  #step(pairs: Pairs, path: Path, backwards: boolean): Pairs {
    const nodes = distinct(pairs.ids, pairs.count);
    const found = this.#evaluate(nodes, path, backwards);
    const starts = startsOf(found, nodes.count);
    const next = new Pairs(Math.max(pairs.count, found.count));
    for (let at = 0; at < pairs.count; at++) {
      const node = placeOf(nodes, pairs.ids[2 * at] as number, pairs.ids[2 * at + 1] as number);
      const to = starts[node + 1] as number;
      for (let row = starts[node] as number; row < to; row++) {
        next.push(pairs.rows[at] as number, found.ids[2 * row] as number, found.ids[2 * row + 1] as number);
      }
      if (next.count > PAIRS_MAX) throw tooMany();
    }
    return next;
  }

  #closure(nodes: IdSet, path: Path, backwards: boolean, first: Pairs): Pairs {
    let reached = first;
    for (let fresh = first; fresh.count > 0; ) {
      const next = inOrder(this.#step(fresh, path, backwards));
      fresh = without(next, reached, nodes.count);
      reached = inOrder(joinAll([reached, fresh]));
      if (reached.count > PAIRS_MAX) throw tooMany();
    }
    return reached;
  }
}

function tooMany(): SvcError {
  return new SvcError(
    'query_complexity',
    `a path of a shape leads from one batch of nodes to more than ${PAIRS_MAX} values`,
    {
      hint: 'bound the path: a sequence of predicates in place of sh:zeroOrMorePath',
    },
  );
}

export function identity({ ids, count }: IdSet): Pairs {
  const pairs = new Pairs(count);
  pairs.ids.set(ids.subarray(0, 2 * count));
  for (let row = 0; row < count; row++) pairs.rows[row] = row;
  pairs.count = count;
  return pairs;
}

/** Where the pairs of each row begin; one more entry is their end. The pairs are in the order of rows. */
export function startsOf(pairs: Pick<Pairs, 'rows' | 'count'>, rows: number): Uint32Array {
  const starts = new Uint32Array(rows + 1);
  for (let at = 0; at < pairs.count; at++) (starts[(pairs.rows[at] as number) + 1] as number)++;
  for (let row = 0; row < rows; row++) starts[row + 1] = (starts[row + 1] as number) + (starts[row] as number);
  return starts;
}

function joinAll(parts: readonly Pairs[]): Pairs {
  const all = new Pairs(parts.reduce((rows, { count }) => rows + count, 0));
  for (const { rows, ids, count } of parts) {
    all.rows.set(rows.subarray(0, count), all.count);
    all.ids.set(ids.subarray(0, 2 * count), 2 * all.count);
    all.count += count;
  }
  return all;
}

/** By row, then by id, each pair once: counted into rows, then the few ids of each row sorted. */
export function inOrder(pairs: Pairs): Pairs {
  const rows = pairs.rows.subarray(0, pairs.count).reduce((most, row) => Math.max(most, row + 1), 0);
  const starts = startsOf(pairs, rows);
  const next = starts.slice();
  const ids = new Uint32Array(2 * Math.max(1, pairs.count));
  for (let at = 0; at < pairs.count; at++) {
    const row = pairs.rows[at] as number;
    const place = next[row] as number;
    next[row] = place + 1;
    ids[2 * place] = pairs.ids[2 * at] as number;
    ids[2 * place + 1] = pairs.ids[2 * at + 1] as number;
  }
  const words = new BigUint64Array(ids.buffer);
  const sorted = new Pairs(pairs.count);
  for (let row = 0; row < rows; row++) {
    const from = starts[row] as number;
    const to = starts[row + 1] as number;
    if (to - from > 1) words.subarray(from, to).sort();
    for (let at = from; at < to; at++) {
      const [low, high] = [ids[2 * at] as number, ids[2 * at + 1] as number];
      if (at > from && ids[2 * at - 2] === low && ids[2 * at - 1] === high) continue;
      sorted.push(row, low, high);
    }
  }
  return sorted;
}

/** Pairs that are not among others; both in order. */
function without(pairs: Pairs, others: Pairs, rows: number): Pairs {
  const starts = startsOf(others, rows);
  const kept = new Pairs(pairs.count);
  for (let at = 0; at < pairs.count; at++) {
    const row = pairs.rows[at] as number;
    const [from, to] = [starts[row] as number, starts[row + 1] as number];
    const known = { ids: others.ids.subarray(2 * from, 2 * to), count: to - from };
    const [low, high] = [pairs.ids[2 * at] as number, pairs.ids[2 * at + 1] as number];
    if (placeOf(known, low, high) < 0) kept.push(row, low, high);
  }
  return kept;
}
