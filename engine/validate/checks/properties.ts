/** Property shapes inside of a shape: their results are about the values (SHACL 4.7.2). */

import { distinct, placeOf } from '../id-columns.js';
import { NO } from '../judges/judge.js';
import type { Shape } from '../shapes.js';
import type { Batch, Check, Evaluation } from './check.js';
import { failWhere } from './values.js';

export class PropertyCheck implements Check {
  constructor(
    private readonly shape: Shape,
    private readonly evaluation: Evaluation,
  ) {}

  async run(batch: Batch): Promise<void> {
    const { values, reporter } = batch;
    const { ids, count } = values;
    const nodes = distinct(ids, count);
    const weights = new Uint32Array(nodes.count);
    if (nodes.count === count) weights.fill(1);
    else {
      for (let at = 0; at < count; at++) {
        const place = placeOf(nodes, ids[2 * at] as number, ids[2 * at + 1] as number);
        weights[place] = (weights[place] as number) + 1;
      }
    }
    const inner = reporter.inner(this.shape, nodes, weights);
    if (inner !== null) return this.evaluation.evaluate(this.shape, nodes, inner);
    const answers = new Uint8Array(count);
    await this.evaluation.judgeOf(this.shape).judge(ids, count, answers);
    failWhere(batch, answers, NO);
  }
}
