/**
 * Which pairs of a recognised closure (`evaluate/closure.ts`) a lost link or a lost seed puts in doubt. Walks begin with seeds and
 * follow links; named as if forward.
 *
 *  1. A link (a, b) that went: who reached a, by what b leads to, less what a still reaches. What a reaches by a link or more, all
 *     that reach a reach by the rule itself, so neither those facts nor their owners change. Who reached a reaches it still: a walk
 *     without loops comes to a before it takes the link. Where links are seeds, too, who still reaches b is left out the same way, but
 *     for b itself where one link leads there.
 *  2. A seed (x, y) that went: x, by y and what y leads to. Where links are seeds, what x still reaches by two links or more
 *     is not in doubt; what it reaches by one alone may change its owner.
 *
 * Losing several at once is losing them one after the other, so that more are found than are lost, and never fewer.
 */

import type { Meter } from '../evaluate/join-steps.js';
import type { Relation, Side } from '../evaluate/relation.js';

/** A relation whose pairs are links. */
export interface Links {
  readonly now: Relation;
  /** With what held before the write. */
  readonly either: Relation;
}

/** Pairs of each of some numbers with each of others, in the direction of the walk. */
export interface Doubted {
  readonly from: readonly number[];
  readonly to: readonly number[];
}

export class ClosureDoubts {
  readonly #links: readonly Links[];
  readonly #linksAreSeeds: boolean;
  /** What the closure held or holds. */
  readonly #pairs: Relation;
  readonly #near: Side;
  readonly #far: Side;
  readonly #meter: Meter;
  /** Links that were looked at. */
  walked = 0;

  constructor(
    links: readonly Links[],
    pairs: Relation,
    {
      forward,
      linksAreSeeds,
      meter,
    }: { readonly forward: boolean; readonly linksAreSeeds: boolean; readonly meter: Meter },
  ) {
    this.#links = links;
    this.#linksAreSeeds = linksAreSeeds;
    this.#pairs = pairs;
    [this.#near, this.#far] = forward ? ['s', 'o'] : ['o', 's'];
    this.#meter = meter;
  }

  ofLink(a: number, b: number): Doubted[] {
    if (this.#leads([a], b)) return [];
    const from = this.#nodesAt(this.#pairs, this.#far, a);
    const to = this.#led(b, a, [a]);
    if (!this.#linksAreSeeds || from.length === 1) return [{ from, to }];
    const [still, direct] = [this.#reached('now', [b], this.#far), new Set<number>()];
    for (const { now } of this.#links) for (const node of this.#nodesAt(now, this.#far, b)) direct.add(node);
    return [
      { from: from.filter((node) => !still.has(node)), to },
      { from: from.filter((node) => direct.has(node)), to: [b] },
    ];
  }

  ofSeed(x: number, y: number): Doubted[] {
    if (!this.#linksAreSeeds) return [{ from: [x], to: [...this.#reached('either', [y]).add(y)] }];
    const first = this.#links.flatMap(({ now }) => this.#nodesAt(now, this.#near, x));
    if (this.#leads(first, y)) return [{ from: [x], to: [y] }];
    return [{ from: [x], to: this.#led(y, x, first) }];
  }

  /** A node and what it led to, less what some others lead to by a link or more; `entry`: one of them, or one right before them. */
  #led(node: number, entry: number, others: readonly number[]): number[] {
    const led = this.#reached('either', [node]).add(node);
    if (!led.has(entry) && !this.#isEntered(led)) return [...led];
    const still = this.#reached('now', others);
    return [...led].filter((one) => !still.has(one));
  }

  /** Whether a link leads from outside to one of some nodes. */
  #isEntered(nodes: ReadonlySet<number>): boolean {
    let entered = false;
    for (const node of nodes) {
      for (const { now } of this.#links) {
        this.#step(now, this.#far, node, (other) => {
          entered ||= !nodes.has(other);
        });
      }
      if (entered) return true;
    }
    return false;
  }

  /** Whether a link or more lead from one of some nodes to another; looked for from both ends, where fewer nodes wait. */
  #leads(begin: readonly number[], end: number): boolean {
    const begun = new Set(begin);
    const forward = { side: this.#near, reached: new Set<number>(), waiting: [...begin] };
    const backward = { side: this.#far, reached: new Set([end]), waiting: [end] };
    let met = false;
    while (!met && forward.waiting.length > 0 && backward.waiting.length > 0) {
      const isForward = forward.waiting.length <= backward.waiting.length;
      const [one, other] = isForward ? [forward, backward] : [backward, forward];
      for (const node of one.waiting.splice(0)) {
        for (const { now } of this.#links) {
          this.#step(now, one.side, node, (next) => {
            met ||= other.reached.has(next) || (!isForward && begun.has(next));
            if (one.reached.has(next)) return;
            one.reached.add(next);
            one.waiting.push(next);
          });
        }
      }
    }
    return met;
  }

  /** What one link or more lead to from some nodes; from the far side, what leads to them. */
  #reached(state: keyof Links, begin: readonly number[], side = this.#near): Set<number> {
    const reached = new Set<number>();
    const queue = [...begin];
    for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
      for (const links of this.#links) {
        this.#step(links[state], side, node, (other) => {
          if (reached.has(other)) return;
          reached.add(other);
          queue.push(other);
        });
      }
    }
    return reached;
  }

  #nodesAt(relation: Relation, side: Side, node: number): number[] {
    const nodes: number[] = [];
    this.#step(relation, side, node, (other) => nodes.push(other));
    return nodes;
  }

  /** What stands on the other side of a node's pairs. */
  #step(relation: Relation, side: Side, node: number, take: (other: number) => void): void {
    const { headOf, next } = withNext(relation, side, node);
    const far = side === 's' ? 1 : 0;
    let looked = 0;
    for (let link = headOf; link !== 0; link = next[link - 1] as number) {
      take(relation.pairs[2 * (link - 1) + far] as number);
      looked++;
    }
    this.walked += 1 + looked;
    this.#meter.spend(1 + looked);
  }
}

/** The head is asked for first: that may read pairs, and make the list of links longer. */
function withNext(relation: Relation, side: Side, node: number): { headOf: number; next: Uint32Array } {
  const chains = relation.chains(side, Number.POSITIVE_INFINITY);
  const headOf = chains.headOf(node);
  return { headOf, next: chains.next };
}
