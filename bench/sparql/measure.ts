/**
 * Asks a peer all queries: each once cold, whose answer is digested, and then warm, at least three times and until the
 * runs or the time for them are used up; queries of a millisecond get more runs, so that compilers settle. The clock
 * runs from sending the query to the last byte of the answer; reading the answer is outside.
 */
import { median } from '../harness/figures.js';
import { digestAnswer } from './digest.js';
import type { SparqlOptions } from './options.js';
import type { Query } from './query-set.js';
import type { QueryFigures } from './results.js';
import type { Session } from './session.js';

const RUNS_LEAST = 3;
/** Fast queries: more runs, up to this many times as many, until this much time is spent. */
const MORE_RUNS = 5;
const MORE_RUNS_MS = 250;
/** A run above this is not repeated for the sake of a median. */
const SINGLE_MS = 8000;
const ERROR_CHARACTERS_MAX = 300;
const ROUND_TRIPS = 31;

export type MeasureOptions = Pick<SparqlOptions, 'runs' | 'budgetMs' | 'timeoutMs'>;

export async function measureQuery(session: Session, query: Query, options: MeasureOptions): Promise<QueryFigures> {
  const { text, form } = query;
  try {
    const first = await session.query(text, form, options.timeoutMs);
    const digest = digestAnswer(first.body, form);
    const times: number[] = [];
    for (let spentMs = 0; isWanted(times, spentMs, options); ) {
      const { ms } = await session.query(text, form, options.timeoutMs);
      times.push(ms);
      spentMs += ms;
      if (ms > SINGLE_MS) break;
    }
    return {
      text,
      ...digest,
      bytes: first.body.length,
      coldMs: round(first.ms),
      ms: round(median(times)),
      leastMs: round(Math.min(...times)),
      runs: times.length,
    };
  } catch (error) {
    return { text, error: (error instanceof Error ? error.message : String(error)).slice(0, ERROR_CHARACTERS_MAX) };
  }
}

function isWanted(times: readonly number[], spentMs: number, { runs, budgetMs }: MeasureOptions): boolean {
  const done = times.length;
  if (done < Math.min(RUNS_LEAST, runs)) return true;
  return done < runs ? spentMs < budgetMs : done < runs * MORE_RUNS && spentMs < Math.min(MORE_RUNS_MS, budgetMs);
}

/** The least question there is: what the way there and back costs. */
export async function measureRoundTrip(session: Session, timeoutMs: number): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < ROUND_TRIPS; i++) times.push((await session.query('ASK {}', 'ASK', timeoutMs)).ms);
  return round(median(times));
}

function round(ms: number): number {
  return Number(ms.toFixed(4));
}
