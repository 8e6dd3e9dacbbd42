/**
 * What the policy gate has to ask about a write, in the order in which it is judged: node by node, of each policy by policy.
 * Answers are found for many nodes of a policy at once, when the first of them is judged, so that a policy behind one that
 * refuses is never asked.
 */

import type { Stop } from '../../base/control.js';
import { getOrInsert } from '../../base/maps.js';
import type { ClaimedGraph, Claims } from '../../governance/claims.js';
import { checkTarget, isBareIri, type Policy } from '../../governance/policies.js';
import type { PolicyBook } from '../../governance/policy-book.js';
import type { Outcome } from '../../governance/verdicts.js';
import type { KnownNode } from '../../query/about/lookups.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { StagedWrite } from '../gates/gates.js';
import { judgedGraphs, touchedNodes } from './touched-nodes.js';

/** One policy and one node that it is about, in a graph. */
export interface PolicyCase {
  readonly policy: Policy;
  readonly target: string;
  /** The class that the policy is about. */
  readonly of: string;
  readonly graph: string;
  outcome(): Outcome | Promise<Outcome>;
}

/** A node in a graph. */
interface Touched {
  readonly target: string;
  readonly id: TermId;
  readonly graph: string;
  readonly classes: readonly string[];
}

/** Nodes whose cases are at hand together: a policy is asked about as many at once. */
const NODES_AT_ONCE = 1000;

/** Every case of a write, with a way to its outcome. */
export function* policyCases(
  write: StagedWrite,
  book: PolicyBook,
  asked: { readonly claims: Claims; readonly stop: Stop },
): Generator<PolicyCase> {
  const touched = judgedGraphs(write).flatMap(({ id: graphId, name: graph }) =>
    touchedNodes(write, graphId, (of) => book.has(of)).map(
      ({ node, id, classes }): Touched => ({ target: node.value, id, graph, classes }),
    ),
  );
  touched.sort((one, other) => byText(one.target, other.target));
  const graphs = new Graphs(write, asked);
  try {
    for (let from = 0, to = 0; from < touched.length; from = to) {
      to = endOfNode(touched, Math.min(from + NODES_AT_ONCE, touched.length));
      yield* casesOf(touched.slice(from, to), book, graphs);
    }
  } finally {
    graphs.close();
  }
}

/** Of nodes in the order of their names. */
function casesOf(touched: readonly Touched[], book: PolicyBook, graphs: Graphs): readonly PolicyCase[] {
  const cases: PolicyCase[] = [];
  const questions = new Questions(graphs);
  for (let from = 0, to = 0; from < touched.length; from = to) {
    to = endOfNode(touched, from + 1);
    const first = cases.length;
    for (const one of touched.slice(from, to)) {
      for (const { policy, of } of book.about(one.classes)) cases.push(questions.about(policy, of, one));
    }
    // In several graphs policy by policy, too.
    if (to - from > 1) {
      const all = cases.splice(first).sort((one, other) => byText(one.policy.iri, other.policy.iri));
      for (const one of all) cases.push(one);
    }
  }
  return cases;
}

/** A node that is touched in several graphs is judged in all of them at once. */
function endOfNode(touched: readonly Touched[], wanted: number): number {
  let to = wanted;
  while (to < touched.length && touched[to]?.target === touched[to - 1]?.target) to++;
  return to;
}

class Graphs {
  readonly #open = new Map<string, ClaimedGraph>();

  constructor(
    private readonly write: StagedWrite,
    private readonly asked: { readonly claims: Claims; readonly stop: Stop },
  ) {}

  outcomesOf(
    policy: Policy,
    { graph, nodes, byPolicy }: AskedGraph,
    targets: readonly string[],
  ): readonly Outcome[] | Promise<readonly Outcome[]> {
    const ask = (open: ClaimedGraph) => {
      this.#open.set(graph, open);
      // What others will be asked about is read with it.
      if (nodes.length > 0) this.asked.claims.readAhead(nodes.splice(0), [...byPolicy.values()], open);
      return this.asked.claims.outcomesOf(policy, targets, open);
    };
    const open = this.#open.get(graph) ?? this.asked.claims.within(this.write.after, graph, this.asked.stop);
    return open instanceof Promise ? open.then(ask) : ask(open);
  }

  close(): void {
    for (const open of this.#open.values()) open.close();
  }
}

/** A graph, and the nodes that are to be asked about in it: those that nobody has read yet. */
interface AskedGraph {
  readonly graph: string;
  readonly nodes: KnownNode[];
  readonly byPolicy: Map<Policy, Question>;
}

/** What some policies have to be asked, each about all of its nodes in a graph at once. */
class Questions {
  readonly #graphs = new Map<string, AskedGraph>();

  constructor(private readonly graphs: Graphs) {}

  about(policy: Policy, of: string, { target, id, graph }: Touched): PolicyCase {
    const asked = getOrInsert(this.#graphs, graph, () => ({ graph, nodes: [], byPolicy: new Map() }));
    const question = getOrInsert(asked.byPolicy, policy, () => new Question(policy, asked, this.graphs));
    // A node that can't be named in a query is refused when its turn comes.
    if (!isBareIri(target)) return { policy, target, of, graph, outcome: () => unsaid(target) };
    if (asked.nodes.at(-1)?.id !== id) asked.nodes.push({ iri: target, id });
    const at = question.targets.push(target) - 1;
    return { policy, target, of, graph, outcome: () => question.outcomeOf(at) };
  }
}

class Question {
  readonly targets: string[] = [];
  #outcomes: readonly Outcome[] | null = null;

  constructor(
    readonly policy: Policy,
    private readonly asked: AskedGraph,
    private readonly graphs: Graphs,
  ) {}

  outcomeOf(at: number): Outcome | Promise<Outcome> {
    if (this.#outcomes !== null) return this.#outcomes[at] as Outcome;
    const take = (outcomes: readonly Outcome[]): Outcome => {
      this.#outcomes = outcomes;
      return outcomes[at] as Outcome;
    };
    const outcomes = this.graphs.outcomesOf(this.policy, this.asked, this.targets);
    return outcomes instanceof Promise ? outcomes.then(take) : take(outcomes);
  }
}

function unsaid(target: string): Outcome {
  checkTarget(target);
  return 'unsatisfied';
}

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
