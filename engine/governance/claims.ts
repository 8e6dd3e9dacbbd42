/**
 * Whether claims hold (semantics of reasoning, 5.3): the ASK queries of a policy about nodes, in the graph that is judged
 * together with ROOT. Whoever judges by policies asks here, so that all mean the same.
 */

import { BoundedMap } from '../base/bounded-map.js';
import { SvcError } from '../base/errors.js';
import { getOrInsert } from '../base/maps.js';
import type { AskAbout, AskedState } from '../query/about/ask-about.js';
import type { KnownNode } from '../query/about/lookups.js';
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

/** With no promise where there is no need: a write asks some hundred questions, most of which take some microseconds. */
type Soon<Value> = Value | Promise<Value>;

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
  within(snapshot: StorageSnapshot, graph: string, options: QueryOptions): Soon<ClaimedGraph> {
    const scope = graph === ROOT_GRAPH_IRI ? {} : { defaultGraphs: [graph, ROOT_GRAPH_IRI] };
    const open = ({ openState }: Engine): ClaimedGraph => openState(snapshot, { ...options, scope });
    return loaded === null ? engine().then(open) : open(loaded);
  }

  /** What a policy says about each of some nodes. */
  outcomesOf(policy: Asked, targets: readonly string[], graph: ClaimedGraph): Soon<readonly Outcome[]> {
    const outcomes = targets.map((): Outcome => 'satisfied');
    const questions = questionsOf(policy);
    const askFrom = (first: number): Soon<readonly Outcome[]> => {
      for (let at = first; at < questions.length; at++) {
        const asked = this.#ask(questions[at] as Question, policy.iri, { targets, outcomes, graph });
        if (asked instanceof Promise) return asked.then(() => askFrom(at + 1));
      }
      return outcomes;
    };
    return askFrom(0);
  }

  /** Reads what some policies will ask about their nodes in one go: the nodes, and what the claims look up behind them. */
  readAhead(nodes: readonly KnownNode[], asked: readonly PolicyNodes[], { lookups }: ClaimedGraph): void {
    lookups.readKnown(nodes);
    const byText = new Map<string, string[]>();
    for (const { policy, targets } of asked) {
      for (const claim of policy.claims) getOrInsert(byText, claim, () => []).push(...targets);
    }
    for (const [text, targets] of byText) this.#prepared.use(text)?.readBehind(targets, lookups);
  }

  /** Of those nodes that nothing was found about so far. */
  #ask({ text, what, otherwise }: Question, policy: string, { targets, outcomes, graph }: AskedNodes): Soon<void> {
    const left = targets.flatMap((_, at) => (outcomes[at] === 'satisfied' ? [at] : []));
    if (left.length === 0) return;
    const take = (answers: readonly boolean[]): void => {
      for (const [place, at] of left.entries()) if (!answers[place]) outcomes[at] = otherwise;
    };
    const fail = (error: unknown): never => {
      throw error instanceof SvcError && error.code === 'query_timeout' ? endless(error, policy, what) : error;
    };
    const nodes = left.length === targets.length ? targets : left.map((at) => targets[at] as string);
    const query = this.#prepared.use(text);
    if (query === undefined) {
      return this.#prepare(text, policy, what).then((made) =>
        Promise.resolve(made.holds(nodes, graph)).then(take, fail),
      );
    }
    try {
      const answers = query.holds(nodes, graph);
      return answers instanceof Promise ? answers.then(take, fail) : take(answers);
    } catch (error) {
      return fail(error);
    }
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

/** A text about a node, and what the policy says where its answer is no. */
interface Question {
  readonly text: string;
  readonly what: string;
  readonly otherwise: Outcome;
}

/** A policy, and the nodes that it will be asked about. */
export interface PolicyNodes {
  readonly policy: Asked;
  readonly targets: readonly string[];
}

interface AskedNodes {
  readonly targets: readonly string[];
  readonly outcomes: Outcome[];
  readonly graph: ClaimedGraph;
}

function questionsOf({ probes, claims }: Asked): readonly Question[] {
  return [
    ...probes.map((text): Question => ({ text, what: 'evidenceProbe', otherwise: 'unknown' })),
    ...claims.map((text): Question => ({ text, what: 'claim', otherwise: 'unsatisfied' })),
  ];
}

function endless(error: SvcError, policy: string, what: string): SvcError {
  return new SvcError('query_timeout', `the ${what} of the policy <${policy}>: ${error.message}`, {
    hint: 'an operator has to mend the policy, or allow more time',
    cause: error,
  });
}

/** A graph together with ROOT, in one state of a store. */
export type ClaimedGraph = AskedState & { close(): void };
