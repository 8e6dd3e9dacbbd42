/**
 * Whether claims hold (semantics of reasoning, 5.3): the ASK queries of a policy about a node, in the graph that is judged
 * together with ROOT. Whoever judges by policies asks here, so that all mean the same.
 */

import { SvcError } from '../base/errors.js';
import type { QueryOptions } from '../query/options.js';
import type { PreparedQuery } from '../query/query.js';
import { ROOT_GRAPH_IRI } from '../rdf/terms.js';
import type { StorageSnapshot } from '../storage/seam/scan.js';
import { askAbout, type Policy } from './policies.js';
import type { Outcome } from './verdicts.js';

/** A node that a policy is about, in a graph. */
export interface ClaimAbout {
  readonly policy: Pick<Policy, 'claims' | 'probes' | 'iri'>;
  readonly target: string;
  /** IRI. */
  readonly graph: string;
}

/** Loaded with the first claim: most stores have none. */
const engine = () => import('../query/query.js');

const PREPARED_MAX = 1000;
/** Stands for a node where the texts of a policy are looked at by themselves. */
const SOME_NODE = 'urn:svc:target';

export class Claims {
  readonly #prepared = new Map<string, PreparedQuery>();

  /** `hint`: what whoever meets a claim that can't be asked should do. */
  constructor(private readonly hint: string) {}

  /** Refuses a policy whose claims or probes can't be asked about any node. */
  async check({ claims, probes, iri }: Pick<Policy, 'claims' | 'probes' | 'iri'>): Promise<void> {
    for (const claim of claims) await this.#prepare(askAbout(claim, SOME_NODE), iri, 'claim');
    for (const probe of probes) await this.#prepare(askAbout(probe, SOME_NODE), iri, 'evidenceProbe');
  }

  async outcomeOf(
    { policy, target, graph }: ClaimAbout,
    snapshot: StorageSnapshot,
    options: QueryOptions,
  ): Promise<Outcome> {
    const scope = graph === ROOT_GRAPH_IRI ? {} : { defaultGraphs: [graph, ROOT_GRAPH_IRI] };
    const holds = async (query: string, what: string): Promise<boolean> => {
      const text = askAbout(query, target);
      // Where plans are kept, a text that differs from an earlier one by the node alone is not even parsed.
      const answer =
        options.plans === undefined
          ? await (await this.#prepare(text, policy.iri, what)).execute(snapshot, { ...options, scope })
          : await (await engine()).executeQuery(snapshot, text, { ...options, scope });
      return answer.kind === 'ask' && answer.value;
    };
    for (const probe of policy.probes) if (!(await holds(probe, 'evidenceProbe'))) return 'unknown';
    for (const claim of policy.claims) if (!(await holds(claim, 'claim'))) return 'unsatisfied';
    return 'satisfied';
  }

  async #prepare(text: string, policy: string, what: string): Promise<PreparedQuery> {
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    const wrong = (reason: string, cause?: unknown) =>
      new SvcError('invalid_request', `the ${what} of the policy <${policy}> ${reason}`, { hint: this.hint, cause });
    const { prepareQuery } = await engine();
    let prepared: PreparedQuery;
    try {
      prepared = prepareQuery(text);
      prepared.check();
    } catch (error) {
      throw wrong(`is no query: ${error instanceof Error ? error.message : String(error)}`, error);
    }
    if (prepared.form !== 'ask') throw wrong(`is a query of the form ${prepared.form.toUpperCase()}; expected ASK`);
    if (this.#prepared.size >= PREPARED_MAX) this.#prepared.clear();
    this.#prepared.set(text, prepared);
    return prepared;
  }
}
