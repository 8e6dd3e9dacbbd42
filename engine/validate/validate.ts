/**
 * Validates data with shapes. Each shape with targets is evaluated over its focus nodes in batches; what fails
 * comes out as ids. The thread's kernel memory is kept for as long as it runs.
 */

import type { Control } from '../base/control.js';
import { useThreadMemory } from '../kernels/thread-memory.js';
import type { StorageSnapshot } from '../storage/scan.js';
import { DataGraph } from './data-graph.js';
import { Evaluator } from './evaluate.js';
import type { IdSet } from './id-columns.js';
import { Pace } from './pace.js';
import { RecordReporter, Results } from './results.js';
import type { Shapes } from './shapes.js';
import { TargetsAmong, targetNodes } from './targets.js';
import type { TermNames } from './term-names.js';

/** What is validated: a graph of a snapshot; default ROOT. */
export interface Data {
  readonly snapshot: StorageSnapshot;
  /** IRI; a graph that is not known is empty. */
  readonly graph?: string | undefined;
  /** Names of terms that several validations share; absent = of its own. */
  readonly names?: TermNames | undefined;
}

/** All focus nodes, or those among `focus` that are targets in this state of the data. Close the results' view afterwards. */
export async function validate(shapes: Shapes, data: Data, focus: IdSet | null, control: Control): Promise<Results> {
  const pace = new Pace(control);
  const view = new DataGraph(data.snapshot, data.graph, () => pace.check(), data.names);
  const release = useThreadMemory();
  try {
    const results = new Results(shapes, view);
    const evaluator = new Evaluator(view, pace);
    const among = focus === null ? null : new TargetsAmong(focus, view, evaluator.classes);
    for (const shape of shapes.targeted) {
      await pace.turn();
      const nodes = among === null ? targetNodes(shape, view, evaluator.classes) : among.of(shape);
      await evaluator.evaluate(shape, nodes, new RecordReporter(results, shape, shape, nodes));
    }
    return results;
  } catch (error) {
    view.close();
    throw error;
  } finally {
    release();
  }
}
