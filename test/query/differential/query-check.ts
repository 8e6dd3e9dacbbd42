/**
 * A query to the naive evaluator, to the engine over a store in memory, over a store file and over tiny
 * batches, with all rewrites and choices off, with two of them off in turn, and to the other engine.
 */

import { render } from '../../../bench/plan-fuzz/tree.js';
import { type Case, quadsOf, textOf } from './case.js';
import { agrees, BY_VALUE, type Check, countExpected, EXACT, type Finding, findingOf, sameOnce } from './check.js';
import type { Comparison } from './compare.js';
import type { DataLine } from './data.js';
import {
  type Engine,
  fileEngine,
  memoryEngine,
  naiveEngine,
  type Outcome,
  otherEngine,
  SWITCHES,
  smallBatchEngine,
} from './engines.js';
import { explained } from './known.js';
import { increase, type Report } from './report.js';

interface Variant {
  readonly name: string;
  readonly engine: Engine;
  readonly disabled: readonly string[];
  readonly comparison: Comparison;
}

/** For long runs: beside the store in memory, one of the other ways a query, in turn. */
const ONE_IN_TURN = process.env.SVC_DIFFERENTIAL_VARIANTS === 'one';

export class QueryCheck implements Check {
  readonly #naive = naiveEngine();
  readonly #memory = memoryEngine();
  readonly #file = fileEngine();
  readonly #small = smallBatchEngine();
  readonly #other = otherEngine();
  readonly #engines = [this.#naive, this.#memory, this.#file, this.#small, this.#other];
  #filled: readonly DataLine[] | null = null;
  #turn = 0;

  async run(one: Case, report: Report | null, only: string | null): Promise<Finding | null> {
    await this.#fill(one.data);
    const text = textOf(one);
    const expected = await this.#naive.query(text);
    if (!countExpected(report, expected)) return null;
    for (const variant of this.#variants(one, only)) {
      const actual = await variant.engine.query(text, { disabledRewrites: variant.disabled });
      if (await agrees(text, actual, expected, variant.comparison)) {
        if (report !== null) increase(report.compared, variant.name.replace(/ without .*-.*/, ' without one'));
        continue;
      }
      const why = await this.#explanation(variant, one, actual, expected);
      if (why === null) return findingOf(variant.name, expected, actual, variant.comparison);
      if (report !== null) increase(report.explained, why);
    }
    return null;
  }

  async close(): Promise<void> {
    for (const engine of this.#engines) await engine.close();
  }

  async #fill(data: readonly DataLine[]): Promise<void> {
    if (data === this.#filled) return;
    const quads = await quadsOf(data);
    for (const engine of this.#engines) await engine.fill(quads);
    this.#filled = data;
  }

  #variants({ common }: Case, only: string | null): Variant[] {
    const memory = (name: string, disabled: readonly string[]): Variant => ({
      name,
      engine: this.#memory,
      disabled,
      comparison: EXACT,
    });
    const without = (name: string) => memory(`memory without ${name}`, [name]);
    const fixed: Variant[] = [
      memory('memory', []),
      { name: 'file', engine: this.#file, disabled: [], comparison: EXACT },
      { name: 'small batches', engine: this.#small, disabled: [], comparison: EXACT },
      memory('memory without anything', SWITCHES),
      ...(common ? [{ name: 'oxigraph', engine: this.#other, disabled: [], comparison: BY_VALUE }] : []),
    ];
    if (only !== null) return [...fixed, ...SWITCHES.map(without)].filter(({ name }) => name === only);
    this.#turn += 2;
    const turns = [this.#turn, this.#turn + 1].map((turn) => without(SWITCHES[turn % SWITCHES.length] as string));
    const all = [...fixed, ...turns];
    if (!ONE_IN_TURN) return all;
    const [first, ...others] = all as [Variant, ...Variant[]];
    return [first, others[(this.#turn / 2) % others.length] as Variant];
  }

  /** Why the other engine is not expected to agree; null = nothing excuses it. */
  async #explanation(variant: Variant, { data, text }: Case, actual: Outcome, expected: Outcome) {
    if (variant.engine !== this.#other) return null;
    const same = await sameOnce(actual, expected, variant.comparison);
    return explained({ text: render(text), data, actual, sameSet: same });
  }
}
