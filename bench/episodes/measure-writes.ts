/** Episodes written through the library, in a process of its own: one by one, then by many writers at once. */
import { invariant } from '../../engine/base/errors.js';
import { openStore } from '../../interfaces/library/index.js';
import { median, percentile } from '../harness/figures.js';
import { episodeAt } from './payloads.js';

export interface WriteTask {
  readonly task: 'episodes-writes';
  /** A store file of its own for this run. */
  readonly store: string;
  /** The number of the first episode that is new. */
  readonly from: number;
  readonly seconds: number;
  readonly writers: number;
}

/** Of one case; times in milliseconds. */
export interface WriteFigures {
  readonly episodes: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of an episode in the process that has the store. */
  readonly cpuMs: number;
}

export interface WriteMeasurement {
  readonly one: WriteFigures;
  readonly many: WriteFigures;
}

/** Part of the seconds of a case in which nothing is measured yet, so that what is compiled then is compiled. */
export const WARM_UP_SHARE = 0.5;

/** Writes new episodes for so many seconds; gives the time of each. */
export async function writeFor(
  seconds: number,
  writers: number,
  write: () => Promise<void>,
): Promise<{ readonly times: readonly number[]; readonly elapsedMs: number }> {
  const times: number[] = [];
  const begin = performance.now();
  const end = begin + seconds * 1000;
  await Promise.all(
    Array.from({ length: writers }, async () => {
      for (let now = performance.now(); now < end; ) {
        await write();
        const after = performance.now();
        times.push(after - now);
        now = after;
      }
    }),
  );
  return { times, elapsedMs: performance.now() - begin };
}

export function figuresOf(times: readonly number[], elapsedMs: number, cpuMs: number): WriteFigures {
  return {
    episodes: times.length,
    perSecond: times.length / (elapsedMs / 1000),
    p50Ms: median(times),
    p99Ms: percentile(times, 0.99),
    cpuMs: cpuMs / times.length,
  };
}

export async function measureWrites({ store: path, from, seconds, writers }: WriteTask): Promise<WriteMeasurement> {
  const store = await openStore(path);
  let next = from;
  const write = async (): Promise<void> => {
    const { outcome } = await store.writeEpisode(episodeAt(next++));
    invariant(outcome === 'created', 'every episode is a new one');
  };
  await writeFor(WARM_UP_SHARE * seconds, writers, write);
  const measured = async (atOnce: number): Promise<WriteFigures> => {
    const before = process.cpuUsage();
    const { times, elapsedMs } = await writeFor(seconds, atOnce, write);
    const { user, system } = process.cpuUsage(before);
    return figuresOf(times, elapsedMs, (user + system) / 1000);
  };
  const figures = { one: await measured(1), many: await measured(writers) };
  await store.close();
  return figures;
}
