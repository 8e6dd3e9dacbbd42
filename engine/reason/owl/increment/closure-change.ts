/**
 * How the closure of a transitive property changes with its edges. A pair is `from` and `to` of a path of one edge or more.
 *
 * 1. An edge that is gone takes nothing along where a path still leads from its one end to its other. Else a pair can be lost
 *    only from what reached the edge, to what the edge reached. The smaller of the two sides is walked again, over the edges
 *    that are left; nodes beyond it have the closure that they had. So what hangs together in a cycle falls together.
 * 2. An edge that is new leads from all that reaches its one end to all that its other end reaches.
 */

import type { ClosureReader, EdgeReader, Way } from './edges.js';
import type { Ledger } from './ledger.js';

type Pairs = Map<number, Set<number>>;

/** Edges or pairs by both ends. */
class PairSet {
  readonly #forward: Pairs = new Map();
  readonly #back: Pairs = new Map();

  has(from: number, to: number): boolean {
    return this.#forward.get(from)?.has(to) ?? false;
  }

  add(from: number, to: number): void {
    put(this.#forward, from, to);
    put(this.#back, to, from);
  }

  delete(from: number, to: number): boolean {
    this.#back.get(to)?.delete(from);
    return this.#forward.get(from)?.delete(to) ?? false;
  }

  of(node: number, way: Way): ReadonlySet<number> | undefined {
    return (way === 'forward' ? this.#forward : this.#back).get(node);
  }

  *[Symbol.iterator](): Generator<readonly [from: number, to: number]> {
    for (const [from, all] of this.#forward) for (const to of all) yield [from, to];
  }
}

function put(pairs: Pairs, from: number, to: number): void {
  const all = pairs.get(from);
  if (all === undefined) pairs.set(from, new Set([to]));
  else all.add(to);
}

export type Edge = readonly [from: number, to: number];

export class ClosureChange {
  readonly #ledger: Ledger;
  /** The edges as they are now. */
  readonly #edges: EdgeReader;
  /** The closure as it was. */
  readonly #before: ClosureReader;
  readonly added = new PairSet();
  readonly removed = new PairSet();
  #newEdges = new PairSet();

  constructor(ledger: Ledger, edges: EdgeReader, before: ClosureReader) {
    this.#ledger = ledger;
    this.#edges = edges;
    this.#before = before;
  }

  /** Finds what changes. No edge is in both lists. */
  find(added: readonly Edge[], removed: readonly Edge[]): void {
    for (const [from, to] of added) this.#newEdges.add(from, to);
    this.#remove(removed);
    this.#newEdges = new PairSet();
    for (const [from, to] of added) this.#add(from, to);
  }

  /** The edges without those that are new. */
  *#oldEdges(node: number, way: Way): Generator<number> {
    const fresh = this.#newEdges.of(node, way);
    for (const next of this.#edges.of(node, way)) if (!fresh?.has(next)) yield next;
  }

  #remove(edges: readonly Edge[]): void {
    const lost = edges.filter(([from, to]) => !this.#reaches(from, to));
    if (lost.length === 0) return;
    const sources = new Set<number>();
    const targets = new Set<number>();
    for (const [from, to] of lost) {
      sources.add(from);
      for (const one of this.#before.of(from, 'back')) sources.add(one);
      targets.add(to);
      for (const one of this.#before.of(to, 'forward')) targets.add(one);
    }
    if (sources.size <= targets.size) this.#walkAgain(sources, targets, 'forward');
    else this.#walkAgain(targets, sources, 'back');
  }

  /** Whether a path of old edges leads from one node to another. */
  #reaches(from: number, to: number): boolean {
    const seen = new Set<number>();
    const queue = [...this.#oldEdges(from, 'forward')];
    for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
      if (node === to) return true;
      if (seen.has(node)) continue;
      seen.add(node);
      this.#ledger.spend(1);
      queue.push(...this.#oldEdges(node, 'forward'));
    }
    return false;
  }

  /** For each of some nodes: which of `others` it reached and reaches no more. */
  #walkAgain(nodes: ReadonlySet<number>, others: ReadonlySet<number>, way: Way): void {
    for (const node of nodes) {
      const had = this.#before.of(node, way).filter((one) => others.has(one));
      if (had.length === 0) continue;
      const reached = this.#walk(node, nodes, way);
      for (const one of had) {
        if (reached.has(one)) continue;
        if (way === 'forward') this.removed.add(node, one);
        else this.removed.add(one, node);
      }
      this.#ledger.spend(had.length);
    }
  }

  /** What a node reaches over old edges; the closure of a node outside of `again` is what it was. */
  #walk(node: number, again: ReadonlySet<number>, way: Way): Set<number> {
    const reached = new Set<number>();
    const queue = [...this.#oldEdges(node, way)];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (reached.has(next)) continue;
      reached.add(next);
      if (again.has(next)) {
        queue.push(...this.#oldEdges(next, way));
        this.#ledger.spend(1);
        continue;
      }
      const beyond = this.#before.of(next, way);
      this.#ledger.spend(1 + beyond.length);
      for (const one of beyond) reached.add(one);
    }
    return reached;
  }

  /** The closure as it is so far. */
  #closure(node: number, way: Way): Set<number> {
    const all = new Set(this.#before.of(node, way));
    for (const one of this.removed.of(node, way) ?? []) all.delete(one);
    for (const one of this.added.of(node, way) ?? []) all.add(one);
    this.#ledger.spend(1 + all.size);
    return all;
  }

  #add(from: number, to: number): void {
    const reachTarget = this.#closure(to, 'back');
    if (reachTarget.has(from)) return;
    const sources = [from, ...this.#closure(from, 'back')].filter((one) => !reachTarget.has(one));
    const targets = [to, ...this.#closure(to, 'forward')];
    const distinct = new Set(sources);
    if (targets.length <= distinct.size) {
      for (const target of new Set(targets)) {
        const known = this.#closure(target, 'back');
        for (const source of distinct) if (!known.has(source)) this.#addPair(source, target);
      }
      return;
    }
    for (const source of distinct) {
      const known = this.#closure(source, 'forward');
      for (const target of targets) if (!known.has(target)) this.#addPair(source, target);
    }
  }

  /** A pair that was lost and is found again has not changed. */
  #addPair(from: number, to: number): void {
    this.#ledger.spend(1);
    if (!this.removed.delete(from, to)) this.added.add(from, to);
  }

  /** Whether a pair is in the closure, where it was or was not before. */
  holds(from: number, to: number, held: boolean): boolean {
    return this.added.has(from, to) || (held && !this.removed.has(from, to));
  }
}
