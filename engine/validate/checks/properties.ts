/** Property shapes inside of a shape: their results are about the values (SHACL 4.7.2). */

import type { Pairs } from '../data/data-graph.js';
import { distinct, type IdSet, placeOf } from '../data/id-columns.js';
import type { Shape } from '../shapes/shapes.js';
import { NO } from '../value-tests/value-test.js';
import type { Batch, Check, Evaluation } from './check.js';
import { failWhere } from './values.js';

export class PropertyCheck implements Check {
  constructor(
    private readonly shape: Shape,
    private readonly evaluation: Evaluation,
  ) {}

  run(batch: Batch): void | Promise<void> {
    const { values, reporter } = batch;
    const { ids, count } = values;
    // The nodes of a node shape are its values: the same set, so that what is known of it is found again.
    const nodes = batch.shape.path === null ? batch.nodes : distinct(ids, count);
    const weights = nodes.count === count ? null : weightsOf(nodes, values);
    const inner = reporter.inner(this.shape, nodes, weights);
    if (inner !== null) return this.evaluation.evaluate(this.shape, nodes, inner);
    const answers = new Uint8Array(count);
    const asked = this.evaluation.judgeOf(this.shape).judge(ids, count, answers);
    return asked === undefined ? failWhere(batch, answers, NO) : asked.then(() => failWhere(batch, answers, NO));
  }
}

/** How often each node is a value. */
function weightsOf(nodes: IdSet, { ids, count }: Pairs): Uint32Array {
  const weights = new Uint32Array(nodes.count);
  for (let at = 0; at < count; at++) {
    const place = placeOf(nodes, ids[2 * at] as number, ids[2 * at + 1] as number);
    weights[place] = (weights[place] as number) + 1;
  }
  return weights;
}
