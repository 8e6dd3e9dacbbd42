/**
 * Plans for the instances of a set of classes (subclass inference): one scan over the set whose subjects
 * are made distinct, or, where subjects are at hand already, a look at their types row by row.
 */

import { RDF_NS, terms } from '../../../rdf/terms.js';
import { ROOT_ID, type TermId } from '../../../storage/ids/layout.js';
import type { IdRange, ScanPattern, ScanRequest } from '../../../storage/seam/scan.js';
import { type NodeOf, namesOf } from '../../algebra/algebra.js';
import { formatTerm } from '../../algebra/expression.js';
import type { StarSpec } from '../../execute/join/star-join.js';
import { leafPlan, type Plan, type PlanFacts, planOver } from '../../physical/plan.js';
import type { PlanContext } from '../context/context.js';
import type { JoinPart } from './joins.js';
import { emptyPlan } from './small-plans.js';

type Instances = NodeOf<'instances'>;

const RDF_TYPE = terms.namedNode(`${RDF_NS}type`);

/** Nanoseconds a row read and made distinct, and for a subject that is looked up. */
const ROW_COST = 60;
const LOOKUP_COST = 1000;
const OPEN_COST = 2000;
/** Classes whose instances are counted one by one for an estimate. */
const COUNTED_CLASSES_MAX = 64;

export function typeScanPart(node: Instances, context: PlanContext): JoinPart {
  const { subject } = node;
  const plan = typeScanPlan(node, context);
  const predicate = context.terms.encodeStored(RDF_TYPE);
  if (subject.kind === 'term' || predicate === null) return { plans: [plan], leaf: null };
  return {
    plans: [plan],
    leaf: null,
    joinTo: (input) => {
      if (!input.facts.certain.has(subject.name)) return null;
      const o = { kind: 'ranges', ranges: rangesOf(node.classes.ids) } as const;
      const request = requestOf({ p: { kind: 'id', id: predicate }, o }, 'SPOG', context);
      const leg = { scan: { request, outputs: [], equal: [] }, need: 'exists', label: labelOf(node) } as const;
      return lookUpPlan(input, { subject: { kind: 'key', variable: subject.name }, legs: [leg] }, plan.facts, context);
    },
  };
}

export function typeScanPlan(node: Instances, context: PlanContext): Plan {
  const { subject, classes } = node;
  const predicate = context.terms.encodeStored(RDF_TYPE);
  const known = subject.kind === 'variable' ? null : context.terms.encodeStored(subject.term);
  if (predicate === null || (subject.kind === 'term' && known === null)) return emptyPlan(namesOf([subject]));
  const pattern: ScanPattern = {
    p: { kind: 'id', id: predicate },
    o: { kind: 'ranges', ranges: rangesOf(classes.ids) },
    ...(known === null ? {} : { s: { kind: 'id', id: known } }),
  };
  const scan = scanPlan(node, pattern, context);
  if (subject.kind === 'term') {
    // At most one solution, however many of its types count.
    return planOver(scan, { kind: 'slice', offset: 0, limit: 1 }, { rows: 1 });
  }
  return planOver(scan, { kind: 'distinct' });
}

function scanPlan(node: Instances, pattern: ScanPattern, context: PlanContext): Plan {
  const { subject } = node;
  const variables = namesOf([subject]);
  const rows = Math.max(1, subject.kind === 'term' ? 1 : estimateRows(node, pattern, context));
  const outputs = subject.kind === 'term' ? [] : [{ variable: subject.name, position: 's' as const }];
  const request = requestOf(pattern, subject.kind === 'term' ? 'SPOG' : 'POSG', context);
  const action = { kind: 'scan', spec: { request, outputs, equal: [] }, label: labelOf(node) } as const;
  return leafPlan(action, variables, { rows, startup: OPEN_COST, cost: OPEN_COST + rows * ROW_COST });
}

/** The part of the input's subjects that are instances is a guess from the number of both. */
function lookUpPlan(input: Plan, spec: StarSpec, instances: PlanFacts, context: PlanContext): Plan {
  const { facts } = input;
  const subjects = Math.max(1, context.statistics.subjectsIn({ kind: 'one', graph: ROOT_ID }));
  const share = Math.min(1, instances.rows / subjects);
  const rows = Math.max(1, facts.rows * share);
  return planOver(input, { kind: 'starJoin', spec }, { rows, cost: facts.cost + facts.rows * LOOKUP_COST });
}

function requestOf(
  pattern: ScanPattern,
  order: 'SPOG' | 'POSG',
  { time }: PlanContext,
): Omit<ScanRequest, 'columns'> & { readonly order: 'SPOG' | 'POSG' } {
  return { graphs: { kind: 'one', graph: ROOT_ID }, pattern, order, time };
}

function estimateRows({ classes }: Instances, pattern: ScanPattern, context: PlanContext): number {
  const { snapshot, time } = context;
  const graphs = { kind: 'one', graph: ROOT_ID } as const;
  if (classes.ids.length > COUNTED_CLASSES_MAX) return snapshot.estimate({ graphs, pattern, time }).rows;
  let rows = 0;
  for (const id of classes.ids) {
    rows += snapshot.estimate({ graphs, pattern: { ...pattern, o: { kind: 'id', id } }, time }).rows;
  }
  return rows;
}

/** Classes of one document often have neighbouring ids. */
function rangesOf(ids: readonly TermId[]): IdRange[] {
  const ranges: { from: TermId; to: TermId }[] = [];
  for (const id of ids) {
    const last = ranges.at(-1);
    if (last !== undefined && last.to === id) last.to = (id + 1n) as TermId;
    else ranges.push({ from: id, to: (id + 1n) as TermId });
  }
  return ranges;
}

function labelOf({ subject, classes }: Instances): string {
  const name = subject.kind === 'term' ? formatTerm(subject.term) : subject.name.replace(/^(?!_:)/, '?');
  return `${name} a ${formatTerm(classes.type)} or ${classes.ids.length - 1} classes below`;
}
