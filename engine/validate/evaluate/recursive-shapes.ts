/**
 * Conformance to recursive shapes: the greatest fixed point over the nodes that evaluation reaches.
 *
 *  1. Each node that is tested against a shape of a cycle is noted, and taken to conform.
 *  2. Each shape of the cycle is evaluated over the noted nodes that have not failed. Nodes fail, and further nodes may
 *     be noted.
 *  3. This is repeated until a pass notes no node and no node fails. The nodes that are left conform for good, so that
 *     later tests evaluate new nodes only.
 */

import { getOrInsert } from '../../base/maps.js';
import { IdNumbers } from '../../query/terms/id-numbers.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import { distinct, type IdSet } from '../data/id-columns.js';
import type { Shape } from '../shapes/shapes.js';
import { NO, type ValueTest, YES } from '../value-tests/value-test.js';

type Mark = (shape: Shape, nodes: IdSet, answers: Uint8Array) => void | Promise<void>;

/** The nodes of one shape; entry numbers below `settled` are final. */
interface Known {
  readonly shape: Shape;
  readonly nodes: IdNumbers;
  settled: number;
}

class Cycle {
  readonly members = new Map<Shape, Known>();
  running = false;
}

export class RecursiveShapes {
  readonly #cycles = new Map<number, Cycle>();

  constructor(private readonly mark: Mark) {}

  testOf(shape: Shape): ValueTest {
    const cycle = getOrInsert(this.#cycles, shape.cycle, () => new Cycle());
    const known: Known = { shape, nodes: new IdNumbers(), settled: 1 };
    cycle.members.set(shape, known);
    const part = cycle;
    return (ids, count, answers) => this.#test(part, known, ids, count, answers);
  }

  async #test(cycle: Cycle, known: Known, ids: IdColumn, count: number, answers: Uint8Array): Promise<void> {
    const entries = new Uint32Array(count);
    const before = known.nodes.count;
    for (let at = 0; at < count; at++) {
      const next = known.nodes.count;
      const entry = known.nodes.entryOf(ids[2 * at] as number, ids[2 * at + 1] as number);
      if (entry === next) known.nodes.numbers[entry] = YES;
      entries[at] = entry;
    }
    if (!cycle.running && known.nodes.count > before) await this.#settle(cycle);
    for (let at = 0; at < count; at++) answers[at] = known.nodes.numbers[entries[at] as number] as number;
  }

  async #settle(cycle: Cycle): Promise<void> {
    cycle.running = true;
    try {
      for (let isChanged = true; isChanged; ) {
        isChanged = false;
        // A member may be added while the others are evaluated.
        for (const known of cycle.members.values()) {
          const before = total(cycle);
          const failed = await this.#evaluate(known);
          if (failed || total(cycle) > before) isChanged = true;
        }
      }
      for (const known of cycle.members.values()) known.settled = known.nodes.count;
    } finally {
      cycle.running = false;
    }
  }

  /** True when a node has failed that had not. */
  async #evaluate({ shape, nodes, settled }: Known): Promise<boolean> {
    const open = new Uint32Array(2 * (nodes.count - settled));
    const ids = nodes.idsFrom(settled);
    let count = 0;
    for (let at = 0; at < nodes.count - settled; at++) {
      if (nodes.numbers[settled + at] !== YES) continue;
      open[2 * count] = ids[2 * at] as number;
      open[2 * count + 1] = ids[2 * at + 1] as number;
      count++;
    }
    if (count === 0) return false;
    const wanted = distinct(open, count);
    const answers = new Uint8Array(wanted.count);
    await this.mark(shape, wanted, answers);
    let failed = false;
    for (let at = 0; at < wanted.count; at++) {
      if (answers[at] === YES) continue;
      failed = true;
      nodes.numbers[nodes.entryOf(wanted.ids[2 * at] as number, wanted.ids[2 * at + 1] as number)] = NO;
    }
    return failed;
  }
}

function total(cycle: Cycle): number {
  let count = 0;
  for (const { nodes } of cycle.members.values()) count += nodes.count;
  return count;
}
