/**
 * What the policy gate has to ask about a write, in the order in which it is judged: node by node, of each policy by policy.
 * Answers are found for many nodes of a policy at once, when the first of them is judged, so that a policy behind one that
 * refuses is never asked.
 */

import type { Stop } from '../../base/control.js';
import { getOrInsert } from '../../base/maps.js';
import type { ClaimedGraph, Claims } from '../../governance/claims.js';
import { isBareIri, type Policy } from '../../governance/policies.js';
import type { PolicyBook } from '../../governance/policy-book.js';
import type { Outcome } from '../../governance/verdicts.js';
import type { StagedWrite } from '../gates/gates.js';
import { judgedGraphs, touchedNodes } from './touched-nodes.js';

/** One policy and one node that it is about, in a graph. */
export interface PolicyCase {
  readonly policy: Policy;
  readonly target: string;
  /** The class that the policy is about. */
  readonly of: string;
  readonly graph: string;
}

/** A node in a graph. */
interface Touched {
  readonly target: string;
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
): Generator<PolicyCase & { outcome(): Outcome | Promise<Outcome> }> {
  const touched = judgedGraphs(write).flatMap(({ id, name: graph }) =>
    touchedNodes(write, id, (of) => book.has(of)).map(
      ({ node, classes }): Touched => ({ target: node.value, graph, classes }),
    ),
  );
  touched.sort((one, other) => byText(one.target, other.target));
  const graphs = new Graphs(write, asked);
  try {
    yield* casesOf(touched, book, graphs);
  } finally {
    graphs.close();
  }
}

function* casesOf(
  touched: readonly Touched[],
  book: PolicyBook,
  graphs: Graphs,
): Generator<PolicyCase & { outcome(): Outcome | Promise<Outcome> }> {
  for (let from = 0, to = 0; from < touched.length; from = to) {
    to = endOfNode(touched, Math.min(from + NODES_AT_ONCE, touched.length));
    const cases = touched
      .slice(from, to)
      .flatMap(({ classes, ...place }) => book.about(classes).map((one): PolicyCase => ({ ...one, ...place })));
    cases.sort((one, other) => byText(one.target, other.target) || byText(one.policy.iri, other.policy.iri));
    const outcomes = new Outcomes(cases, graphs);
    for (const one of cases) yield { ...one, outcome: () => outcomes.of(one) };
  }
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

  /** `around`: nodes that others will be asked about, too. */
  async outcomesOf(
    { policy, graph }: Pick<PolicyCase, 'policy' | 'graph'>,
    targets: readonly string[],
    around: readonly string[],
  ): Promise<readonly Outcome[]> {
    const { claims, stop } = this.asked;
    let open = this.#open.get(graph);
    if (open === undefined) {
      open = await claims.within(this.write.after, graph, stop);
      this.#open.set(graph, open);
    }
    open.lookups.read(around);
    return claims.outcomesOf(policy, targets, open);
  }

  close(): void {
    for (const open of this.#open.values()) open.close();
  }
}

/** Of some cases, by policy and graph. */
class Outcomes {
  readonly #nodes = new Map<string, Set<string>>();
  readonly #targets = new Map<Policy, Map<string, string[]>>();
  readonly #found = new Map<Policy, Map<string, ReadonlyMap<string, Outcome>>>();

  constructor(
    cases: readonly PolicyCase[],
    private readonly graphs: Graphs,
  ) {
    for (const { policy, target, graph } of cases) {
      // The gate refuses a node that can't be named in a query when its turn comes.
      if (!isBareIri(target)) continue;
      const ofPolicy = getOrInsert(this.#targets, policy, () => new Map<string, string[]>());
      getOrInsert(ofPolicy, graph, () => []).push(target);
      getOrInsert(this.#nodes, graph, () => new Set<string>()).add(target);
    }
  }

  of({ policy, target, graph }: PolicyCase): Outcome | Promise<Outcome> {
    return this.#found.get(policy)?.get(graph)?.get(target) ?? this.#find(policy, target, graph);
  }

  async #find(policy: Policy, target: string, graph: string): Promise<Outcome> {
    const targets = this.#targets.get(policy)?.get(graph) ?? [];
    const outcomes = await this.graphs.outcomesOf({ policy, graph }, targets, [...(this.#nodes.get(graph) ?? [])]);
    this.#nodes.delete(graph);
    const found = new Map(targets.map((one, at) => [one, outcomes[at] as Outcome]));
    getOrInsert(this.#found, policy, () => new Map<string, ReadonlyMap<string, Outcome>>()).set(graph, found);
    return found.get(target) as Outcome;
  }
}

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
