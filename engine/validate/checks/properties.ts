/** Property shapes inside of a shape: their results are about the values (SHACL 4.7.2). */

import type { Pairs } from '../data/data-graph.js';
import { distinct, type IdSet, placeOf } from '../data/id-columns.js';
import type { Shape } from '../shapes/shapes.js';
import type { Check, Evaluation } from './check.js';
import { valueCheck } from './values.js';

export function propertyCheck(inner: Shape, evaluation: Evaluation): Check {
  return (batch) => {
    const { shape, values, reporter } = batch;
    const { ids, count } = values;
    // The values of a node shape are its nodes. The same object is handed on, since caches are keyed by it.
    const nodes = shape.path === null ? batch.nodes : distinct(ids, count);
    const weights = nodes.count === count ? null : weightsOf(nodes, values);
    const innerReporter = reporter.inner(inner, nodes, weights);
    return innerReporter === null
      ? valueCheck(evaluation.testOf(inner))(batch)
      : evaluation.evaluate(inner, nodes, innerReporter);
  };
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
