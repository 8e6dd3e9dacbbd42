/**
 * Validates data with shapes. Each shape with targets is evaluated over its focus nodes in batches; what fails
 * comes out as ids. The thread's kernel memory is kept for as long as it runs.
 */

import type { Control } from '../base/control.js';
import { useThreadMemory } from '../kernels/thread-memory.js';
import type { StorageSnapshot } from '../storage/seam/scan.js';
import { DataGraph } from './data/data-graph.js';
import type { IdSet } from './data/id-columns.js';
import type { TermNames } from './data/term-names.js';
import { Evaluator } from './evaluate/evaluate.js';
import { RecordReporter, Results } from './evaluate/results.js';
import { targetNodes, targetsAmong } from './evaluate/targets.js';
import type { Shapes } from './shapes/shapes.js';
import { YieldTimer } from './yield-timer.js';

/** What is validated: a graph of a snapshot; default ROOT. */
export interface Data {
  readonly snapshot: StorageSnapshot;
  /** IRI; a graph that is not known is empty. */
  readonly graph?: string | undefined;
  /** Names of terms that several validations share; absent = of its own. */
  readonly names?: TermNames | undefined;
}

export function viewOf({ snapshot, graph, names }: Data, timer: YieldTimer): DataGraph {
  return new DataGraph(snapshot, graph, () => timer.check(), names);
}

/** All focus nodes, or those among `focus` that are targets in this state of the data. Close the results' view afterwards. */
export async function validate(shapes: Shapes, data: Data, focus: IdSet | null, control: Control): Promise<Results> {
  const timer = new YieldTimer(control);
  const view = viewOf(data, timer);
  try {
    return await validateView(shapes, view, focus, timer);
  } catch (error) {
    view.close();
    throw error;
  }
}

/** Validates over a view that the caller has opened, and closes. */
export async function validateView(
  shapes: Shapes,
  view: DataGraph,
  focus: IdSet | null,
  timer: YieldTimer,
): Promise<Results> {
  const release = useThreadMemory();
  try {
    const results = new Results(shapes, view);
    const evaluator = new Evaluator(view, timer);
    if (focus === null) {
      for (const shape of shapes.targeted) {
        await timer.turn();
        const nodes = targetNodes(shape, view, evaluator.classes);
        await evaluator.evaluate(shape, nodes, new RecordReporter(results, shape, shape, nodes));
      }
      return results;
    }
    for (const { shape, nodes } of targetsAmong(shapes, focus, view, evaluator.classes)) {
      const running = evaluator.evaluate(shape, nodes, new RecordReporter(results, shape, shape, nodes));
      if (running !== undefined) await running;
    }
    return results;
  } finally {
    release();
  }
}
