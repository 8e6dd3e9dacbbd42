/**
 * The other members of a federation, as one query asks them: who is asked for what, who has failed, and which blank nodes
 * are whose. A member that fails is asked no more by this query, and what it would have said is missing in the answer.
 */

import { setMaxListeners } from 'node:events';
import { type Deadline, Interrupt, leftMs } from '../../base/interrupt.js';
import { JoinedSignal } from '../../base/joined-signal.js';
import { getOrInsert } from '../../base/maps.js';
import type { BlankNode } from '../../rdf/terms.js';
import type { Algebra, MemberSource, ParsedQuery, QuadPattern } from '../algebra/algebra.js';
import type { QueryTerms } from '../terms/terms.js';
import { canBeAsked, patternKey } from './pattern-text.js';
import { parseResults, type RemoteRow } from './read-results.js';
import { askRemote, reasonOf, textOf } from './remote-answer.js';

const MEDIA_TYPE = 'application/sparql-results+json';
const ACCEPTED = /^application\/(sparql-results\+)?json\s*(;|$)/i;
/** While it waits for members to say what they have, a query looks this often whether it has to stop. */
const LOOK_MS = 20;

/** Where a member is asked. */
export interface RemoteMember {
  readonly name: string;
  /** Of the server, without a slash at its end. */
  readonly url: string;
  readonly authToken: string | undefined;
  /** Total time of a request. */
  readonly timeoutMs: number;
}

/** How a query may have to stop. */
export interface Stops {
  readonly signal?: AbortSignal | undefined;
  readonly flag?: ConstructorParameters<typeof Interrupt>[1]['flag'];
  readonly deadline?: Deadline | undefined;
}

/** What is known of what members have. */
export interface MemberKnowledge {
  /** For each pattern, by its key, the members that have solutions of it; members that can't say are lost. */
  sourcesOf(
    patterns: ReadonlyMap<string, QuadPattern>,
    run: FederatedRun,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly MemberSource[]>>;
}

/** What one member did for a query. */
export interface MemberTally {
  requests: number;
  failures: number;
  rows: number;
  seconds: number;
}

export type MemberOutcome =
  | { readonly kind: 'rows'; readonly rows: readonly RemoteRow[]; readonly bytes: number }
  | { readonly kind: 'failed'; readonly error: string };

export class FederatedRun {
  /** Why members are asked no more, by name. */
  readonly lost = new Map<string, string>();
  readonly tallies = new Map<string, MemberTally>();
  /** FROM and FROM NAMED, as every request repeats them. */
  dataset = '';
  private sources: ReadonlyMap<string, readonly MemberSource[]> = new Map();
  private stops: Stops = {};
  private readonly blanks = new Map<string, number>();
  private readonly owners = new Map<number, string>();

  constructor(
    readonly members: readonly RemoteMember[],
    private readonly knowledge: MemberKnowledge,
  ) {
    for (const { name } of members) this.tallies.set(name, { requests: 0, failures: 0, rows: 0, seconds: 0 });
  }

  /** Learns who has solutions of the patterns, before the query is planned. */
  async prepare(
    { algebra, dataset }: ParsedQuery,
    patternsOf: (node: Algebra) => readonly QuadPattern[],
    stops: Stops,
  ) {
    this.stops = stops;
    const { defaultGraphs = [], namedGraphs = [] } = dataset ?? {};
    this.dataset = [
      ...defaultGraphs.map((iri) => `FROM <${iri}> `),
      ...namedGraphs.map((iri) => `FROM NAMED <${iri}> `),
    ].join('');
    const asking = patternsOf(algebra).filter(canBeAsked);
    const patterns = new Map(asking.map((pattern) => [patternKey(pattern), pattern]));
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const asked = this.knowledge.sourcesOf(patterns, this, stop.signal);
    try {
      this.sources = await whileAllowed(asked, new Interrupt('the query', stops));
    } finally {
      stop.abort();
    }
  }

  sourcesOf(pattern: QuadPattern): readonly MemberSource[] {
    if (!canBeAsked(pattern)) return [];
    return (this.sources.get(patternKey(pattern)) ?? []).filter(({ name }) => !this.lost.has(name));
  }

  /** One more request to a member that is not lost. */
  ask(name: string, query: string): MemberCall {
    const member = this.members.find((known) => known.name === name) as RemoteMember;
    return new MemberCall(this, member, query, this.timeMs(member));
  }

  /** What a request to the member may take. */
  timeMs({ timeoutMs }: RemoteMember): number {
    const { deadline } = this.stops;
    return deadline === undefined ? timeoutMs : Math.max(1, Math.min(timeoutMs, Math.round(leftMs(deadline))));
  }

  lose(name: string, error: string): void {
    if (!this.lost.has(name)) this.lost.set(name, error);
  }

  note(name: string, seconds: number, rows: number | null): void {
    const tally = this.tallies.get(name) as MemberTally;
    tally.requests++;
    tally.seconds += seconds;
    if (rows === null) tally.failures++;
    else tally.rows += rows;
  }

  /** The number of a blank node of a member, the same in all of its answers: its labels are those of its store. */
  blankOf(name: string, label: string, terms: QueryTerms): number {
    return getOrInsert(this.blanks, `${name}.${label}`, () => {
      const number = terms.makeBlank(`${name}.${label}`);
      this.owners.set(number, name);
      return number;
    });
  }

  /** Whose a made blank node is; undefined = nobody's. */
  ownerOf(number: number): string | undefined {
    return this.owners.get(number);
  }
}

/** Settles as `work` does, or throws when the query has to stop. */
async function whileAllowed<Result>(work: Promise<Result>, interrupt: Interrupt): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const stopped = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      try {
        interrupt.check();
      } catch (error) {
        reject(error);
      }
    }, LOOK_MS);
  });
  try {
    interrupt.check();
    return await Promise.race([work, stopped]);
  } finally {
    clearInterval(timer);
    // Where the race was lost, its failure has been told as the interruption.
    work.catch(() => undefined);
  }
}

/** One request under way. */
export class MemberCall {
  /** Null until it is known. */
  outcome: MemberOutcome | null = null;
  /** Resolves when `outcome` is there; never rejects. */
  readonly settled: Promise<void>;
  private readonly controller = new AbortController();

  constructor(run: FederatedRun, member: RemoteMember, query: string, timeMs: number) {
    const began = performance.now();
    this.settled = askMember(member, query, timeMs, this.controller.signal).then((outcome) => {
      const rows = outcome.kind === 'rows' ? outcome.rows.length : null;
      run.note(member.name, (performance.now() - began) / 1000, rows);
      if (outcome.kind === 'failed' && !this.controller.signal.aborted) run.lose(member.name, outcome.error);
      this.outcome = outcome;
    });
  }

  abort(): void {
    this.controller.abort();
  }
}

/** Asks for the solutions of a query over what the member itself asserts. Never rejects. */
export async function askMember(
  { url, authToken, timeoutMs }: RemoteMember,
  query: string,
  timeMs: number,
  signal: AbortSignal,
): Promise<MemberOutcome> {
  const stop = new JoinedSignal([signal], timeMs);
  try {
    const response = await askRemote({
      url: `${url}/query`,
      authToken,
      contentType: 'application/json',
      body: JSON.stringify({ query, inference: false, timeout_ms: timeMs }),
      mediaType: MEDIA_TYPE,
      accepts: ACCEPTED,
      signal: stop.signal,
    });
    const parts: string[] = [];
    let bytes = 0;
    for await (const piece of textOf(response, 'narrow the query')) {
      parts.push(piece);
      bytes += piece.length;
    }
    return { kind: 'rows', rows: parseResults(parts.join('')), bytes };
  } catch (error) {
    const inTime =
      timeMs < timeoutMs ? `the ${timeMs} ms that the request had left` : `${timeoutMs} ms (timeout_ms of the remote)`;
    return { kind: 'failed', error: reasonOf(error, inTime) };
  } finally {
    stop.end();
  }
}

/** A blank node inside of a triple term. */
export function blankTermOf(run: FederatedRun, name: string, terms: QueryTerms): (label: string) => BlankNode {
  return (label) => terms.blankTerm(run.blankOf(name, label, terms));
}
