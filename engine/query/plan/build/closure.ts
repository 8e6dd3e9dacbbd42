/**
 * Plans for paths of any or optional length: on their own, from the end that is a term or over the whole
 * graph, or as a join that walks from an end that the rows at hand bind. Which way a path is read is
 * decided by what a walk is expected to meet in each direction.
 */

import { terms } from '../../../rdf/terms.js';
import { highOf, lowOf, payloadOfHalves } from '../../../storage/ids/halves.js';
import type { GraphSet } from '../../../storage/seam/scan.js';
import { type NodeOf, namesOf, type PatternTerm } from '../../algebra/algebra.js';
import { closureSign, formatPath, type Path } from '../../algebra/path.js';
import { automatonOf, matchesEmpty } from '../../execute/paths/automaton.js';
import type { ClosureEnd, ClosureSpec, WalkStep } from '../../execute/paths/spec.js';
import { cheapestOf, distinctOf, leafPlan, type Plan, type PlanFacts, planOver } from '../../physical/plan.js';
import type { PlanContext } from '../context/context.js';
import { estimateWalks, type KnownRows, type WalkEstimate } from '../statistics/walks.js';
import { type JoinPart, joinFacts, sharedKeys } from './joins.js';
import { emptyPlan, unitPlan, valuesPlan } from './small-plans.js';

type Closure = NodeOf<'closure'>;
type PathStep = ReturnType<typeof automatonOf>['steps'][number];

/** Nanoseconds: to look up a node's edges, to read an edge while reading all, to give a row. */
const LOOKUP_COST = 1500;
const EDGE_COST = 30;
const ROW_COST = 10;
/** To ask where the walk from a row's end leads, walked or not: measured 0.3 microseconds. */
const ASK_COST = 250;
const OPEN_COST = 3000;

/** A closure read in one direction. */
interface DirectedClosure {
  readonly spec: ClosureSpec;
  readonly walks: WalkEstimate;
}

export function closurePart(node: Closure, wanted: ReadonlySet<string>, context: PlanContext): JoinPart {
  const trivial = trivialPlan(node, context);
  if (trivial !== null) return { plans: [trivial], leaf: null };
  const graphs = context.dataset.graphsOf(node.g) as GraphSet;
  const known: KnownRows = new Map();
  const directions = [false, true].map((backward) => directed(node, backward, graphs, context, known));
  const plans = directions
    .filter(({ spec }) => spec.from.kind === 'term' || (node.s.kind === 'variable' && node.o.kind === 'variable'))
    .map((direction) => standalonePlan(direction, node, wanted, context));
  const plan = cheapestOf(plans);
  return { plans: [plan], leaf: null, joinTo: (input) => joinPlan(input, plan.facts, directions, wanted, context) };
}

/** Plans of closures that read nothing: the graph does not exist, or holds nothing. */
function trivialPlan(node: Closure, context: PlanContext): Plan | null {
  const { dataset, snapshot, time } = context;
  const graphs = dataset.graphsOf(node.g);
  if (node.g !== null) {
    if (graphs === null) return emptyPlan(variablesOf(node));
    if (node.g.kind === 'variable' || dataset.existing(node.g).length > 0) return null;
    // A graph that is empty today may have held something in the time slice.
    const held = time.kind === 'current' ? 0 : snapshot.estimate({ graphs, pattern: {}, time }).rows;
    return held > 0 ? null : emptyPlan(variablesOf(node));
  }
  if (graphs !== null) return null;
  const { s, o } = node;
  const related = matchesEmpty({ kind: 'closure', path: node.path, min: node.min, max: node.max }, true);
  if (!related || (s.kind === 'variable' && o.kind === 'variable')) return emptyPlan(variablesOf(node));
  if (s.kind === 'term' && o.kind === 'term') return s.term.equals(o.term) ? unitPlan() : emptyPlan([]);
  const rows = [[s, o].flatMap((end) => (end.kind === 'term' ? [end.term] : []))];
  return valuesPlan({ kind: 'values', variables: namesOf([s, o]), rows });
}

function directed(
  node: Closure,
  backward: boolean,
  graphs: GraphSet,
  context: PlanContext,
  known: KnownRows,
): DirectedClosure {
  const path: Path = { kind: 'closure', path: node.path, min: node.min, max: node.max };
  const { steps, states } = automatonOf(path, backward);
  const graphVariable = node.g?.kind === 'variable' ? node.g.name : null;
  const current = context.time.kind === 'current';
  const ends = [node.s, node.o].map(
    (end): ClosureEnd => (end.kind === 'variable' ? end : { kind: 'term', id: context.terms.encode(end.term) }),
  ) as [ClosureEnd, ClosureEnd];
  const [from, to] = backward ? [ends[1], ends[0]] : ends;
  const spec: ClosureSpec = {
    label: { s: node.s, path: `${formatPath(node.path)}${closureSign(node)}`, o: node.o, g: node.g },
    graphs,
    time: context.time,
    graphVariable,
    graphIds: graphVariable !== null && current ? context.dataset.existing(node.g as PatternTerm) : null,
    steps: steps.map((step) => walkStep(step, context)),
    states,
    from,
    to,
    empty: matchesEmpty(path),
    emptyAnywhere: matchesEmpty(path, true),
  };
  return { spec, walks: estimateWalks(spec, context.statistics, known) };
}

function walkStep(step: PathStep, context: PlanContext): WalkStep {
  const idOf = (iri: string) => context.terms.encodeStored(terms.namedNode(iri));
  const { backward } = step;
  if (step.kind === 'predicate') {
    const predicate = idOf(step.iri);
    return predicate === null ? { kind: 'never' } : { kind: 'predicate', predicate, backward };
  }
  const known = step.except.map(idOf).filter((id) => id !== null);
  return {
    kind: 'negated',
    except: new Set(known.map((id) => payloadOfHalves(lowOf(id), highOf(id)))),
    backward,
  };
}

function standalonePlan(
  { spec, walks }: DirectedClosure,
  node: Closure,
  wanted: ReadonlySet<string>,
  context: PlanContext,
): Plan {
  const variables = variablesOf(node).filter((name) => wanted.has(name));
  const graphs = Math.max(1, spec.graphIds?.length ?? 1);
  if (spec.from.kind === 'term') {
    const walked = Math.min(walks.reach * LOOKUP_COST, walks.edges * EDGE_COST);
    const rows = spec.to.kind === 'term' ? 1 : (walks.reach + (spec.empty ? 1 : 0)) * graphs;
    const cost = OPEN_COST * graphs + walked + rows * ROW_COST;
    const distinct = new Map(variables.map((name) => [name, rows]));
    return leafPlan({ kind: 'closure', spec }, variables, { rows, startup: OPEN_COST, cost, distinct });
  }
  const nodes = spec.empty ? walks.nodes : 0;
  const same = spec.to.kind === 'variable' && spec.to.name === spec.from.name;
  const rows = Math.max(1, nodes + (same ? walks.starts / 10 : walks.starts * walks.reach));
  const read = walks.edges * EDGE_COST + (spec.empty ? context.statistics.rowsIn(spec.graphs) * EDGE_COST : 0);
  // The pairs of a node with itself come while nodes are read.
  const startup = spec.empty ? OPEN_COST : read;
  const distinct = new Map<string, number>();
  if (spec.from.kind === 'variable') distinct.set(spec.from.name, Math.max(1, walks.starts, nodes));
  if (spec.to.kind === 'variable' && !same) distinct.set(spec.to.name, Math.max(1, walks.ends, nodes));
  if (spec.graphVariable !== null) distinct.set(spec.graphVariable, graphs);
  return leafPlan({ kind: 'closure', spec }, variables, { rows, startup, cost: read + rows * ROW_COST, distinct });
}

/** The cheaper way to walk from the rows of the input; null when they bind no end in every row. */
function joinPlan(
  input: Plan,
  closure: PlanFacts,
  directions: readonly DirectedClosure[],
  wanted: ReadonlySet<string>,
  context: PlanContext,
): Plan | null {
  if (!context.allows('closure-joins') || sharedKeys(input.facts, closure).loose.length > 0) return null;
  const plans = directions.flatMap((direction) => joinFrom(input, closure, direction, wanted) ?? []);
  return plans.length === 0 ? null : cheapestOf(plans);
}

function joinFrom(
  input: Plan,
  closure: PlanFacts,
  { spec, walks }: DirectedClosure,
  wanted: ReadonlySet<string>,
): Plan | null {
  const { certain, variables } = input.facts;
  if (spec.from.kind !== 'variable' || !certain.has(spec.from.name)) return null;
  if (spec.graphVariable !== null && !certain.has(spec.graphVariable)) return null;
  const adds = spec.to.kind === 'variable' && !variables.includes(spec.to.name) && wanted.has(spec.to.name);
  const joined = joinFacts(input.facts, closure, []);
  const keys = distinctOf(input.facts, spec.from.name);
  const walked = Math.min(keys * walks.reach * LOOKUP_COST, walks.edges * EDGE_COST + keys * walks.reach * ROW_COST);
  const cost = input.facts.cost + OPEN_COST + walked + input.facts.rows * ASK_COST + joined.rows * ROW_COST;
  const names = adds && spec.to.kind === 'variable' ? [...variables, spec.to.name] : variables;
  const shown = { variables: names, certain: new Set(names.filter((name) => joined.certain.has(name))) };
  const startup = input.facts.startup + OPEN_COST;
  return planOver(input, { kind: 'closureJoin', spec }, { ...joined, ...shown, startup, cost });
}

function variablesOf({ s, o, g }: Closure): string[] {
  return [...new Set(namesOf([g, s, o]))];
}
