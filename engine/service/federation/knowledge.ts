/**
 * What is known of the members of a federation, so that a join asks only those that can answer:
 *
 *  1. Each query asks every member for its counts first (`GET /stats`). What was learnt of a member holds as long as its last
 *     transaction and its counts are the same, for some minutes, and is forgotten otherwise. A member that does not answer now is lost for the query.
 *  2. How many facts a member has of each predicate is one question. Where that is enough to tell how many solutions a pattern
 *     has there, nothing more is asked.
 *  3. Other patterns, with constants or in named graphs, are counted: all of a query that are not known yet, in one request.
 */

import { JoinedSignal } from '../../base/joined-signal.js';
import type { MemberSource, PatternTerm, QuadPattern } from '../../query/algebra/algebra.js';
import { askMember, type FederatedRun, type MemberKnowledge, type RemoteMember } from '../../query/service/members.js';
import { PatternText } from '../../query/service/pattern-text.js';
import { MalformedResults, type RemoteRow } from '../../query/service/read-results.js';
import { reasonOf, textOf, Unusable } from '../../query/service/remote-answer.js';
import { askFigures } from './ask-figures.js';

/** Of a member with more predicates patterns are counted one by one. */
const PREDICATES_MAX = 5000;
/** What another configuration of the member shows or hides is seen after so long at the latest. */
const KNOWN_MS_MAX = 300_000;
/** The counts of a server are some hundred bytes. */
const STATS_CHARACTERS_MAX = 100_000;
/** Patterns of a member that are remembered: some hundred bytes each. */
const PATTERNS_KEPT_MAX = 10_000;
const PATTERNS_PER_REQUEST = 100;
/** Longer ones are asked for again, and so are predicates whose names are longer on the average. */
const KEPT_CHARACTERS_MAX = 1000;

interface Known {
  /** The last transaction of the member and how much it has; null = it does not say, so that nothing is kept. */
  readonly state: string | null;
  /** When it was begun, by the clock of the process. */
  readonly sinceMs: number;
  /** By IRI; `many`: there are too many to keep. */
  predicates: ReadonlyMap<string, number> | 'many' | null;
  /** Solutions by key. */
  readonly patterns: Map<string, number>;
}

export class AskedKnowledge implements MemberKnowledge {
  readonly #known = new Map<string, Known>();

  async sourcesOf(
    patterns: ReadonlyMap<string, QuadPattern>,
    run: FederatedRun,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly MemberSource[]>> {
    const counted = await Promise.all(
      run.members.map(async (member) => {
        const question = new Question(member, run, signal);
        try {
          const known = await this.#standing(question);
          return await question.countsOf(patterns, known);
        } catch (error) {
          run.lose(member.name, reasonOf(error, question.inTime));
          return new Map<string, number>();
        }
      }),
    );
    const sourcesOf = (key: string): MemberSource[] =>
      run.members.flatMap(({ name }, at) => {
        const rows = counted[at]?.get(key) ?? 0;
        return rows === 0 ? [] : [{ name, rows }];
      });
    return new Map([...patterns.keys()].map((key) => [key, sourcesOf(key)]));
  }

  /** What is known of the member as it is now. */
  async #standing(question: Question): Promise<Known> {
    const { name } = question.member;
    const state = await question.state();
    const before = this.#known.get(name);
    const nowMs = performance.now();
    if (before !== undefined && holds(before, state, nowMs)) return before;
    const known: Known = { state, sinceMs: nowMs, predicates: null, patterns: new Map() };
    this.#known.set(name, known);
    return known;
  }
}

/** The questions of one query to one member about what it has. */
class Question {
  readonly #timeMs: number;

  constructor(
    readonly member: RemoteMember,
    private readonly run: FederatedRun,
    private readonly signal: AbortSignal,
  ) {
    this.#timeMs = run.timeMs(member);
  }

  get inTime(): string {
    const { timeoutMs } = this.member;
    return this.#timeMs < timeoutMs
      ? `the ${this.#timeMs} ms that the request had left`
      : `${timeoutMs} ms (timeout_ms of the remote)`;
  }

  /** Null where the member does not say. */
  async state(): Promise<string | null> {
    const { name } = this.member;
    const stop = new JoinedSignal([this.signal], this.#timeMs);
    const began = performance.now();
    let answers = false;
    try {
      const response = await askFigures(this.member, stop.signal);
      let text = '';
      for await (const piece of textOf(response, 'it is no server of this kind')) {
        text += piece;
        if (text.length > STATS_CHARACTERS_MAX) throw new Unusable('GET /stats gave more than counts');
      }
      answers = true;
      return stateOf(text);
    } finally {
      stop.end();
      this.run.note(name, (performance.now() - began) / 1000, answers ? 0 : null);
    }
  }

  async countsOf(patterns: ReadonlyMap<string, QuadPattern>, known: Known): Promise<ReadonlyMap<string, number>> {
    const { dataset } = this.run;
    const counts = new Map<string, number>();
    const unknown: [string, QuadPattern][] = [];
    for (const [key, pattern] of patterns) {
      const kept = `${dataset}${key}`;
      const rows = known.patterns.get(kept) ?? (await this.#byPredicate(pattern, known));
      if (rows === null) unknown.push([key, pattern]);
      else counts.set(key, rows);
    }
    for (let from = 0; from < unknown.length; from += PATTERNS_PER_REQUEST) {
      const part = unknown.slice(from, from + PATTERNS_PER_REQUEST);
      const rows = await this.#count(part.map(([, pattern]) => pattern));
      part.forEach(([key], at) => {
        counts.set(key, rows[at] as number);
        const kept = `${dataset}${key}`;
        if (kept.length <= KEPT_CHARACTERS_MAX) known.patterns.set(kept, rows[at] as number);
      });
    }
    return counts;
  }

  /** Null where the counts of the predicates do not tell. */
  async #byPredicate({ s, p, o, g }: QuadPattern, known: Known): Promise<number | null> {
    if (g !== null || this.run.dataset !== '') return null;
    known.predicates ??= await this.#predicates();
    if (known.predicates === 'many') return null;
    const isOpen = areDifferent([s, p, o]);
    if (p.kind === 'variable') {
      const all = [...known.predicates.values()].reduce((sum, rows) => sum + rows, 0);
      return all === 0 || isOpen ? all : null;
    }
    const rows = known.predicates.get(p.term.value) ?? 0;
    return rows === 0 || isOpen ? rows : null;
  }

  async #predicates(): Promise<ReadonlyMap<string, number> | 'many'> {
    const text = `SELECT ?p (COUNT(*) AS ?n) WHERE { ?s ?p ?o } GROUP BY ?p LIMIT ${PREDICATES_MAX + 1}`;
    const rows = await this.#ask(text);
    const counts = new Map(rows.map((row) => [valueIn(row, 'p'), numberIn(row, 'n')]));
    const characters = [...counts.keys()].reduce((sum, { length }) => sum + length, 0);
    const isLarge = rows.length > PREDICATES_MAX || characters > KEPT_CHARACTERS_MAX * PREDICATES_MAX;
    return isLarge ? 'many' : counts;
  }

  async #count(patterns: readonly QuadPattern[]): Promise<readonly number[]> {
    const parts = patterns.map((pattern, at) => {
      const { group } = new PatternText([pattern]);
      return `{ SELECT (${at} AS ?i) (COUNT(*) AS ?n) WHERE { ${group} } }`;
    });
    const counts: number[] = new Array(patterns.length).fill(0);
    for (const row of await this.#ask(`SELECT ?i ?n ${this.run.dataset}WHERE { ${parts.join(' UNION ')} }`)) {
      const at = numberIn(row, 'i');
      if (at >= patterns.length) throw new MalformedResults('it counts a pattern that was not asked for');
      counts[at] = numberIn(row, 'n');
    }
    return counts;
  }

  async #ask(query: string): Promise<readonly RemoteRow[]> {
    const began = performance.now();
    const outcome = await askMember(this.member, query, this.#timeMs, this.signal);
    const isRead = outcome.kind === 'rows';
    this.run.note(this.member.name, (performance.now() - began) / 1000, isRead ? 0 : null);
    if (!isRead) throw new Unusable(outcome.error);
    return outcome.rows;
  }
}

function holds({ state, sinceMs, patterns }: Known, now: string | null, nowMs: number): boolean {
  return now !== null && state === now && nowMs - sinceMs < KNOWN_MS_MAX && patterns.size < PATTERNS_KEPT_MAX;
}

function stateOf(text: string): string | null {
  try {
    const { last_transaction: last, facts, quads } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return last === undefined ? null : JSON.stringify([last, facts, quads]);
  } catch {
    throw new MalformedResults('GET /stats gave no JSON object');
  }
}

function areDifferent(all: readonly PatternTerm[]): boolean {
  const names = all.flatMap((term) => (term.kind === 'variable' ? [term.name] : []));
  const [s, , o] = all;
  return s?.kind === 'variable' && o?.kind === 'variable' && new Set(names).size === names.length;
}

function valueIn(row: RemoteRow, name: string): string {
  const { value } = ((row as RemoteRow | null)?.[name] ?? {}) as { value?: unknown };
  if (typeof value !== 'string') throw new MalformedResults(`a count has no ?${name}`);
  return value;
}

function numberIn(row: RemoteRow, name: string): number {
  const value = Number(valueIn(row, name));
  if (!Number.isSafeInteger(value) || value < 0) throw new MalformedResults(`a count has a ?${name} that is no count`);
  return value;
}

/** What is known by list of remotes, as a configuration has it. */
const kept = new WeakMap<object, AskedKnowledge>();

/** The knowledge of the members that a configuration lists; a thread has its own. */
export function knowledgeOf(remotes: object): AskedKnowledge {
  return kept.get(remotes) ?? keep(remotes);
}

function keep(remotes: object): AskedKnowledge {
  const knowledge = new AskedKnowledge();
  kept.set(remotes, knowledge);
  return knowledge;
}
