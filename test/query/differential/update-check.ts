/** The state of a store after a request: naive, in memory, in a file, and in the other engine. */

import { render } from '../../../bench/plan-fuzz/tree.js';
import { type Case, quadsOf, textOf } from './case.js';
import { agrees, BY_VALUE, type Check, countExpected, EXACT, type Finding, findingOf } from './check.js';
import { type Engine, fileEngine, memoryEngine, naiveEngine, type Outcome, otherEngine } from './engines.js';
import { explained } from './known.js';
import { increase, type Report } from './report.js';

export class UpdateCheck implements Check {
  readonly #naive = naiveEngine();
  readonly #others = [memoryEngine(), fileEngine(), otherEngine()];

  async run(one: Case, report: Report | null, only: string | null): Promise<Finding | null> {
    const text = textOf(one);
    const quads = await quadsOf(one.data);
    await this.#naive.fill(quads);
    const expected = await stateAfter(this.#naive, text);
    if (!countExpected(report, expected)) return null;
    for (const engine of this.#others) {
      const variant = `${engine.name}, update`;
      const foreign = engine.name === 'oxigraph';
      if ((foreign && !one.common) || (only !== null && only !== variant)) continue;
      await engine.fill(quads);
      const actual = await stateAfter(engine, text);
      if (await agrees(text, actual, expected, foreign ? BY_VALUE : EXACT)) {
        if (report !== null) increase(report.compared, variant);
        continue;
      }
      const why = foreign ? explained({ text: render(one.text), data: one.data, actual, sameSet: false }) : null;
      if (why === null) return findingOf(variant, expected, actual, EXACT);
      if (report !== null) increase(report.explained, why);
    }
    return null;
  }

  async close(): Promise<void> {
    for (const engine of [this.#naive, ...this.#others]) await engine.close();
  }
}

async function stateAfter(engine: Engine, text: string): Promise<Outcome> {
  const refusal = await engine.update(text);
  return refusal ?? { kind: 'answer', answer: { kind: 'graph', quads: await engine.contents() } };
}
