/**
 * Plans for patterns that several stores have solutions of: alone, for all that they have to say, or behind rows that bind
 * some of their variables. Requests are far dearer than local work, but what they bring is dearer still where it is much.
 */

import { getOrInsert } from '../../../base/maps.js';
import { BATCH_ROWS } from '../../../storage/seam/scan.js';
import { type Algebra, type NodeOf, namesOf } from '../../algebra/algebra.js';
import { formatTerm } from '../../algebra/expression.js';
import type { OuterRows } from '../../algebra/inject.js';
import type { MembersSpec } from '../../execute/rows/members.js';
import { distinctOf, leafPlan, type Plan, type PlanFacts } from '../../physical/plan.js';
import { COMBINATIONS_PER_REQUEST } from '../../service/combinations.js';
import { filterTexts } from '../../service/filter-text.js';
import { PatternText } from '../../service/pattern-text.js';
import type { PlanContext } from '../context/context.js';
import { projectPlan } from './columns.js';
import { connected, type JoinPart, joinFacts, sharedKeys } from './joins.js';

type Members = NodeOf<'members'>;

/** Nanoseconds: of a request, of a combination of terms in it, of a row in its answer. */
const REQUEST_COST = 5_000_000;
const COMBINATION_COST = 10_000;
const ROW_COST = 5_000;
const STEP_COST = 500;

export function membersPart(node: Members, goal: number | null, context: PlanContext): JoinPart {
  const alone = membersPlan(node, goal, context);
  const locals = new LocalPlans(node, context);
  return {
    plans: [alone],
    leaf: null,
    joinTo: (input) => (connected(input.facts, alone.facts) ? boundPlan(input, alone.facts, node, locals) : null),
  };
}

interface LocalPlan {
  readonly slot: number;
  readonly plan: Plan;
}

/**
 * Plans of what this store has of a part, behind rows that bind some of its variables. A search for the best order asks for them
 * behind thousands of inputs, which differ in their rows: those of about as many share a plan, and its slot, since one order is
 * chosen in the end.
 */
class LocalPlans {
  readonly text: PatternText;
  readonly label: string;
  private readonly known = new Map<string, LocalPlan>();

  constructor(
    private readonly node: Members,
    private readonly context: PlanContext,
  ) {
    this.text = textOf(node);
    this.label = labelOf(node);
  }

  /** Behind at most a batch of rows at a time. */
  behind(variables: readonly string[], combinations: number): LocalPlan | null {
    if (!this.node.local) return null;
    const rows = 2 ** Math.ceil(Math.log2(Math.min(combinations, BATCH_ROWS)));
    return getOrInsert(this.known, `${rows} ${variables.join(' ')}`, () => {
      const slot = this.context.nextSlot();
      const distinct = variables.map(() => rows);
      const outer: OuterRows = { kind: 'outer', variables, certain: variables, slot, rows, distinct };
      return { slot, plan: localPlan(this.node, outer, this.text.variables, this.context) };
    });
  }
}

export function membersPlan(node: Members, goal: number | null, context: PlanContext): Plan {
  const text = textOf(node);
  const local = node.local ? localPlan(node, null, text.variables, context) : null;
  const remote = node.sources.reduce((sum, { rows }) => sum + rows, 0);
  const rows = Math.max(1, remote + (local?.facts.rows ?? 0));
  const startup = REQUEST_COST + (local?.facts.cost ?? 0);
  const spec: MembersSpec = {
    text,
    label: labelOf(node),
    sources: node.sources,
    local: node.local,
    slot: null,
    keys: null,
    paged: goal !== null,
  };
  const plan = leafPlan({ kind: 'members', spec }, text.variables, {
    rows,
    startup,
    cost: startup + node.sources.length * REQUEST_COST + remote * ROW_COST,
  });
  return { ...plan, inputs: local === null ? [] : [local] };
}

function boundPlan(input: Plan, alone: PlanFacts, node: Members, locals: LocalPlans): Plan | null {
  const keys = sharedKeys(input.facts, alone);
  if (keys.certain.length === 0) return null;
  const joined = joinFacts(input.facts, alone, []);
  const distinct = keys.certain.reduce((product, name) => product * distinctOf(input.facts, name), 1);
  const combinations = Math.max(1, Math.min(input.facts.rows, distinct));
  const local = locals.behind(keys.certain, combinations);
  const spec: MembersSpec = {
    text: locals.text,
    label: locals.label,
    sources: node.sources,
    local: node.local,
    slot: local?.slot ?? null,
    keys,
    paged: false,
  };
  const runs = Math.ceil(combinations / BATCH_ROWS);
  const requests = node.sources.length * Math.ceil(combinations / COMBINATIONS_PER_REQUEST);
  const work =
    requests * (REQUEST_COST + COMBINATION_COST * Math.min(combinations, COMBINATIONS_PER_REQUEST)) +
    joined.rows * ROW_COST +
    runs * (local?.plan.facts.cost ?? 0);
  return {
    action: { kind: 'members', spec },
    inputs: local === null ? [input] : [input, local.plan],
    facts: { ...joined, startup: input.facts.startup + REQUEST_COST, cost: input.facts.cost + work },
  };
}

/** What this store has of it, for the rows in a slot or in all. */
function localPlan(node: Members, outer: OuterRows | null, shown: readonly string[], context: PlanContext): Plan {
  const patterns: Algebra = { kind: 'patterns', patterns: node.patterns };
  const algebra: Algebra = outer === null ? patterns : { kind: 'join', inputs: [outer, patterns] };
  return projectPlan(context.planCompared(2, algebra, new Set(shown), null), shown);
}

function textOf({ patterns, conditions }: Members): PatternText {
  return new PatternText(patterns, (name) => filterTexts(conditions, name));
}

function labelOf({ patterns }: Members): string {
  return patterns
    .map(({ s, p, o, g }) => {
      const triple = [s, p, o].map((term) => (term.kind === 'variable' ? `?${term.name}` : formatTerm(term.term)));
      const graph = g === null ? '' : `GRAPH ${g.kind === 'variable' ? `?${g.name}` : formatTerm(g.term)} `;
      return `${graph}${triple.join(' ')}`;
    })
    .join(' . ');
}

/** A path whose steps other stores may have. */
export function walkPlan(node: NodeOf<'walk'>, context: PlanContext): Plan {
  const { s, o, min, max, label, from, to } = node;
  const [steps, nodes] = node.inputs as [Algebra, Algebra | undefined];
  const read = [projectPlan(context.plan(steps, new Set([from, to]), null), [from, to])];
  if (nodes !== undefined) read.push(projectPlan(context.plan(nodes, new Set([node.node]), null), [node.node]));
  const edges = (read[0] as Plan).facts.rows;
  const constants = [s, o].filter(({ kind }) => kind === 'term').length;
  const rows = constants === 2 ? 1 : Math.max(1, constants === 1 ? Math.sqrt(edges) : edges * 4);
  const startup = read.reduce((sum, { facts }) => sum + facts.cost + facts.rows * STEP_COST, 0);
  const variables = [...new Set(namesOf([s, o]))];
  const plan = leafPlan({ kind: 'walk', spec: { s, o, min, max, label } }, variables, {
    rows,
    startup,
    cost: startup + rows * STEP_COST,
  });
  return { ...plan, inputs: read };
}
