/** Whether constraints were verified where their class may be, and as their policies say (semantics of reasoning, 5.4). */

import { LAYERS, POINTS } from '../placement.js';
import type { Findings } from './findings.js';
import type { SpecEntry, SpecSet } from './spec-set.js';
import type { TraceConstraint, TraceRecord } from './trace-file.js';
import type { TracePass } from './trace-pass.js';

export class PlacementPass implements TracePass {
  constructor(
    private readonly spec: SpecSet,
    private readonly findings: Findings,
  ) {}

  see({ constraints }: TraceRecord, record: number): void {
    for (const constraint of constraints) {
      const place = { record, constraint: constraint.id };
      const violated = (detail: string): void => this.findings.violation('placement', detail, place);
      const unclear = (detail: string): void => this.findings.incomplete('placement', detail, place);
      checkClass(constraint, violated, unclear);
      const declared = constraint.id === null ? undefined : this.spec.get(constraint.id);
      if (declared === undefined) continue;
      checkDeclared(constraint, declared, violated);
      checkLayer(constraint, declared, violated, unclear);
    }
  }
}

type Tell = (detail: string) => void;

function checkClass({ class: of, point }: TraceConstraint, violated: Tell, unclear: Tell): void {
  if (of === null) unclear('no class was recorded');
  if (point === null) unclear('no verification_point was recorded');
  if (of === null) return;
  const points = Object.hasOwn(POINTS, of) ? POINTS[of] : undefined;
  if (points === undefined) violated(`its class is '${of}'; there are ${Object.keys(POINTS).join(', ')}`);
  else if (point !== null && !points.includes(point)) {
    violated(`class ${of} is not verified at ${point}; it is at ${points.join(', ')}`);
  }
}

function checkDeclared({ class: of, point }: TraceConstraint, declared: SpecEntry, violated: Tell): void {
  if (of !== null && declared.class !== null && of !== declared.class) {
    violated(`recorded as class ${of}, declared as ${declared.class}`);
  }
  if (point !== null && declared.point !== null && point !== declared.point) {
    violated(`verified at ${point}, declared for ${declared.point}`);
  }
}

function checkLayer({ hostedAt }: TraceConstraint, { layer }: SpecEntry, violated: Tell, unclear: Tell): void {
  const recorded = hostedAt === null ? null : LAYERS.indexOf(hostedAt);
  if (recorded === -1) unclear(`hosted at '${hostedAt}', which is no layer; there are ${LAYERS.join(', ')}`);
  if (layer === null) return;
  const declared = LAYERS.indexOf(layer);
  if (declared === -1) unclear(`declared for the layer '${layer}', which is none; there are ${LAYERS.join(', ')}`);
  else if (recorded === null) unclear(`no hosted_at was recorded, and it is declared for the layer ${layer}`);
  else if (recorded >= 0 && declared > recorded) violated(`hosted at ${hostedAt}, declared for the stronger ${layer}`);
}
