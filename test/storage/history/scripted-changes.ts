/**
 * Changes that depend on a seed and their number alone: a process that is killed makes them, and the one
 * that looks at its store afterwards knows them too. Change `n` is transaction `n`.
 */

import type { Quad } from '../../../engine/rdf/terms.js';
import { randomNumbers } from '../scan-support.js';
import { type Random, randomQuads, vocabulary } from './random-quads.js';
import { type ModelOptions, RowModel } from './row-model.js';

export interface ScriptedChange {
  readonly kind: 'write' | 'load';
  readonly options: ModelOptions;
  readonly retract: readonly Quad[];
  readonly assert: readonly Quad[];
  /** Fold, with the merges that are due, when it is written. */
  readonly fold: boolean;
  /** Wait until it is on the disk before the next one. */
  readonly wait: boolean;
}

const WORDS = vocabulary(8, false);

function randomOf(seed: number, number: number): Random {
  const next = randomNumbers(seed * 1_000_003 + number * 7919);
  for (let i = 0; i < 10; i++) next(2);
  return next;
}

export function scriptedChange(seed: number, number: number): ScriptedChange {
  const next = randomOf(seed, number);
  const size = next(6) === 0 ? 300 : 20;
  const kind = next(12) === 0 ? 'load' : 'write';
  const timestamp = 1000 + next(500);
  return {
    kind,
    options: {
      timestamp,
      validFrom: next(2) === 0 ? undefined : next(2000),
      actor: next(2) === 0 ? undefined : 'ana',
      source: next(3) === 0 ? undefined : `source ${next(4)}`,
    },
    // The vocabulary is small, so that about half of them are open.
    retract: kind === 'load' ? [] : randomQuads(WORDS, next, next(4 * size)),
    assert: randomQuads(WORDS, next, 1 + next(size)),
    fold: next(10) === 0,
    wait: next(3) > 0,
  };
}

/** The rows after changes `1..count`, as a list of rows knows them. */
export class ScriptedModel {
  readonly model = new RowModel();
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  advance(count: number): RowModel {
    while (this.model.lastTx < count) {
      const { options, retract, assert } = scriptedChange(this.#seed, this.model.lastTx + 1);
      const stage = this.model.stage(options);
      stage.retract(retract);
      stage.assert(assert);
      this.model.commit(stage, assert);
    }
    return this.model;
  }
}
