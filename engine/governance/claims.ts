/**
 * Whether claims hold (semantics of reasoning, 5.3): the ASK queries of a policy about nodes, in the graph that is judged
 * together with ROOT. Whoever judges by policies asks here, so that all mean the same.
 */

import { BoundedMap } from '../base/bounded-map.js';
import { SvcError } from '../base/errors.js';
import type { AskAbout, AskedState } from '../query/about/ask-about.js';
import type { QueryOptions } from '../query/options.js';
import { ROOT_GRAPH_IRI } from '../rdf/terms.js';
import type { StorageSnapshot } from '../storage/seam/scan.js';
import { askAbout, type Policy } from './policies.js';
import type { Outcome } from './verdicts.js';

export type Asked = Pick<Policy, 'claims' | 'probes' | 'iri'>;

type Engine = typeof import('../query/about/ask-about.js');

let loaded: Engine | null = null;

/** Loaded with the first claim: most stores have none. */
async function engine(): Promise<Engine> {
  loaded ??= await import('../query/about/ask-about.js');
  return loaded;
}

/** Texts that are kept parsed. What was parsed takes some 50 times the text; anybody who may check claims sends texts. */
const PREPARED_MAX = 10_000;
const PREPARED_BYTES_MAX = 64 * 2 ** 20;
const BYTES_PER_CHARACTER = 50;

export class Claims {
  readonly #prepared = new BoundedMap<AskAbout>(PREPARED_MAX, PREPARED_BYTES_MAX);

  /** `hint`: what whoever meets a claim that can't be asked should do. */
  constructor(private readonly hint: string) {}

  /** Refuses a policy whose claims or probes can't be asked about any node. */
  async check({ claims, probes, iri }: Asked): Promise<void> {
    for (const claim of claims) await this.#prepare(claim, iri, 'claim');
    for (const probe of probes) await this.#prepare(probe, iri, 'evidenceProbe');
  }

  /** To ask about a graph, given by its IRI, in one state of a store; whoever opens it closes it before the snapshot. */
  async within(snapshot: StorageSnapshot, graph: string, options: QueryOptions): Promise<ClaimedGraph> {
    const scope = graph === ROOT_GRAPH_IRI ? {} : { defaultGraphs: [graph, ROOT_GRAPH_IRI] };
    return (await engine()).openState(snapshot, { ...options, scope });
  }

  /** What a policy says about each of some nodes. */
  async outcomesOf(policy: Asked, targets: readonly string[], graph: ClaimedGraph): Promise<readonly Outcome[]> {
    const outcomes = targets.map((): Outcome => 'satisfied');
    const ask = async (text: string, what: string, otherwise: Outcome): Promise<void> => {
      const left = targets.flatMap((_, at) => (outcomes[at] === 'satisfied' ? [at] : []));
      if (left.length === 0) return;
      const query = this.#prepared.use(text) ?? (await this.#prepare(text, policy.iri, what));
      const nodes = left.map((at) => targets[at] as string);
      const answers = await query.holds(nodes, graph).catch((error: unknown) => {
        throw error instanceof SvcError && error.code === 'query_timeout' ? endless(error, policy.iri, what) : error;
      });
      for (const [place, at] of left.entries()) if (!answers[place]) outcomes[at] = otherwise;
    };
    for (const probe of policy.probes) await ask(probe, 'evidenceProbe', 'unknown');
    for (const claim of policy.claims) await ask(claim, 'claim', 'unsatisfied');
    return outcomes;
  }

  async #prepare(text: string, policy: string, what: string): Promise<AskAbout> {
    const known = this.#prepared.use(text);
    if (known !== undefined) return known;
    const wrong = (reason: string, cause?: unknown) =>
      new SvcError('invalid_request', `the ${what} of the policy <${policy}> ${reason}`, { hint: this.hint, cause });
    const { AskAbout: Query } = await engine();
    let query: AskAbout;
    try {
      query = new Query((iri) => askAbout(text, iri));
      query.check();
    } catch (error) {
      throw wrong(`is no query: ${error instanceof Error ? error.message : String(error)}`, error);
    }
    if (query.form !== 'ask') throw wrong(`is a query of the form ${query.form.toUpperCase()}; expected ASK`);
    this.#prepared.set(text, query, BYTES_PER_CHARACTER * text.length);
    return query;
  }
}

function endless(error: SvcError, policy: string, what: string): SvcError {
  return new SvcError('query_timeout', `the ${what} of the policy <${policy}>: ${error.message}`, {
    hint: 'an operator has to mend the policy, or allow more time',
    cause: error,
  });
}

/** A graph together with ROOT, in one state of a store. */
export type ClaimedGraph = AskedState & { close(): void };
