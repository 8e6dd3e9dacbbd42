/**
 * Load over HTTP, for a process of its own: so many connections, each with one request under way, going through the same
 * list from a place of its own.
 *
 * `autocannon` stands behind this file. Its histogram counts whole milliseconds; ours are the times of its events.
 */
import { createRequire } from 'node:module';
import { median, percentile } from '../harness/figures.js';

export interface LoadTask {
  readonly task: 'http-load';
  readonly origin: string;
  readonly paths: readonly string[];
  readonly accept: string;
  readonly connections: number;
  readonly seconds: number;
  /** So many requests, however long they take; absent = as many as the seconds allow. */
  readonly requests?: number | undefined;
}

export interface LoadFigures {
  readonly requests: number;
  readonly perSecond: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly mebibytesPerSecond: number;
  /** Answers that were no 200, connections that broke, requests that ran out of time. */
  readonly errors: number;
}

interface Result {
  readonly errors: number;
  readonly timeouts: number;
  readonly non2xx: number;
}

interface LoadClient {
  setRequests(requests: readonly object[]): void;
}

interface Instance {
  on(event: 'response', listen: (client: unknown, status: number, bytes: number, ms: number) => void): void;
}

type Autocannon = (options: object, done: (error: unknown, result: Result) => void) => Instance;

const TIMEOUT_S = 120;

/** Of the times of answers in milliseconds, and of all seconds and bytes together. */
export function loadFigures(times: readonly number[], seconds: number, bytes: number, errors: number): LoadFigures {
  return {
    requests: times.length,
    perSecond: times.length / seconds,
    medianMs: median(times),
    p99Ms: percentile(times, 0.99),
    maxMs: times.reduce((most, one) => Math.max(most, one), 0),
    mebibytesPerSecond: bytes / 2 ** 20 / seconds,
    errors,
  };
}

export function measureHttpLoad(task: LoadTask): Promise<LoadFigures> {
  const autocannon = createRequire(import.meta.url)('autocannon') as Autocannon;
  const { origin, paths, accept, connections, seconds, requests } = task;
  const times: number[] = [];
  let bytes = 0;
  let clients = 0;
  let last = 0;
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    const instance = autocannon(
      {
        url: origin,
        connections,
        ...(requests === undefined ? { duration: seconds } : { amount: requests }),
        timeout: TIMEOUT_S,
        headers: { accept },
        sampleInt: 100,
        setupClient: (client: LoadClient) => {
          const from = Math.floor((clients++ * paths.length) / connections);
          const turned = [...paths.slice(from), ...paths.slice(0, from)];
          client.setRequests(turned.map((path) => ({ method: 'GET', path, headers: { accept } })));
        },
      },
      (error, result) => {
        if (error) {
          reject(error);
          return;
        }
        const elapsed = (last - begin) / 1000;
        resolve(loadFigures(times, elapsed, bytes, result.errors + result.timeouts + result.non2xx));
      },
    );
    instance.on('response', (_client, _status, length, ms) => {
      times.push(ms);
      bytes += length;
      last = performance.now();
    });
  });
}
