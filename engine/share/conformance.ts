/**
 * Whether a share conforms to the shapes of this store (semantics text 6.8 G), in the graph of a stage that it has just been put
 * into: judged as a write into an empty graph is, with the types and classes of ROOT. Only violations count; shapes that only
 * observe give warnings.
 */

import type { Control } from '../base/control.js';
import { idOfHalves } from '../storage/ids/halves.js';
import type { TermId } from '../storage/ids/layout.js';
import type { Stage } from '../storage/seam/engine.js';
import { withSnapshot } from '../storage/seam/rows.js';
import type { ChangedRows } from '../storage/seam/scan.js';
import { judgeChange } from '../validate/changes/judge-change.js';
import { reportOf, type ValidationReport, type ValidationResult } from '../validate/report.js';
import type { Shapes } from '../validate/shapes/shapes.js';

export interface Conformance {
  readonly report: ValidationReport;
  /** How many results there are; the report lists the first of each severity. */
  readonly results: number;
  /** Focus nodes of violations. */
  readonly violating: ReadonlySet<TermId>;
}

export const CONFORMS: Conformance = {
  report: { conforms: true, violations: [], warnings: [], infos: [] },
  results: 0,
  violating: new Set(),
};

/** `listedMax`: most results of the report. */
export async function judgeShare(
  stage: Stage,
  graph: string,
  shapes: Shapes,
  listedMax: number,
  control: Control,
): Promise<Conformance> {
  if (shapes.targeted.length === 0) return CONFORMS;
  return withSnapshot(stage.before(), (before) =>
    withSnapshot(stage.snapshot(), async (after) => {
      const changes = stage.changes();
      const rows = function* (counts: (graph: TermId) => boolean): Generator<ChangedRows> {
        for (const changed of changes.graphs) if (counts(changed.graph)) yield* changes.rows(changed.graph);
      };
      const change = { before: { snapshot: before, graph }, after: { snapshot: after, graph }, rows };
      const judgement = await judgeChange(shapes, change, control);
      if (judgement === null) return CONFORMS;
      const { results, fresh } = judgement;
      try {
        const violating = new Set<TermId>();
        for (const { shape, root, focusLow, focusHigh } of fresh) {
          if (shape.severity === 'Violation' && !root.emits) violating.add(idOfHalves(focusLow, focusHigh));
        }
        const hard = fresh.filter(({ shape, root }) => shape.severity === 'Violation' && !root.emits);
        const observed = fresh.filter(({ shape, root }) => shape.severity === 'Violation' && root.emits);
        const mild = fresh.filter(({ shape }) => shape.severity !== 'Violation');
        const { violations } = await reportOf(results, control, hard.slice(0, listedMax));
        const warned: readonly ValidationResult[] = (await reportOf(results, control, observed.slice(0, listedMax)))
          .violations;
        const { warnings, infos } = await reportOf(results, control, mild.slice(0, listedMax));
        return {
          report: { conforms: hard.length === 0, violations, warnings: [...warned, ...warnings], infos },
          results: fresh.length,
          violating,
        };
      } finally {
        results.view.close();
      }
    }),
  );
}
