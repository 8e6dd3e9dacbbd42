/** Joins of two hops over a store of episodes: from one service on, and all of them, counted. */
import { invariant } from '../../engine/base/errors.js';
import { openStore } from '../../interfaces/library/index.js';
import { median, percentile } from '../harness/figures.js';
import { dependencyOf, serviceName } from './payloads.js';

export interface JoinTask {
  readonly task: 'episodes-joins';
  readonly store: string;
  readonly episodes: number;
  readonly seconds: number;
}

export interface JoinFigures {
  readonly rows: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface JoinMeasurement {
  /** What depends on one service, and where that runs; another service each time. */
  readonly fromOne: JoinFigures;
  readonly all: JoinFigures;
}

const RUNS_MAX = 1000;
const WARM_UP = 20;

export async function measureJoins({ store: path, episodes, seconds }: JoinTask): Promise<JoinMeasurement> {
  const store = await openStore(path, { readOnly: true });
  const count = async (text: string): Promise<number> => {
    const answer = await store.query(text);
    invariant(answer.kind === 'select', 'it is a SELECT');
    let rows = 0;
    for await (const [value] of answer.rows()) {
      if (text.includes('COUNT')) return Number(value?.value);
      rows++;
    }
    return rows;
  };
  const ns = store.baseNamespace;
  const iri = (name: string): string => `<${ns}${name.replace(' ', '_')}>`;
  const hops = `?a <${ns}depends_on> ?b . ?b <${ns}runs_on> ?c`;
  const measured = async (text: (run: number) => string, check: (rows: number) => void): Promise<JoinFigures> => {
    const times: number[] = [];
    let rows = 0;
    const begin = performance.now();
    for (let run = 0; run < RUNS_MAX + WARM_UP; run++) {
      const started = performance.now();
      rows = await count(text(run));
      check(rows);
      const isOver = performance.now() - begin > seconds * 1000;
      if (run >= WARM_UP || isOver) times.push(performance.now() - started);
      if (isOver) break;
    }
    return { rows, p50Ms: median(times), p99Ms: percentile(times, 0.99) };
  };
  // A service that something depends on, another one each time.
  const needed = (run: number): string => iri(serviceName(dependencyOf(1 + ((run * 7919) % (episodes - 1)))));
  const figures = {
    fromOne: await measured(
      (run) => `SELECT ?a ?c WHERE { ?a <${ns}depends_on> ${needed(run)} . ?a <${ns}runs_on> ?c }`,
      (rows) => invariant(rows > 0, 'something depends on it'),
    ),
    all: await measured(
      () => `SELECT (COUNT(*) AS ?n) WHERE { ${hops} }`,
      // The first depends on one that runs nowhere.
      (rows) => invariant(rows === episodes - 1, `each episode gives a row, not ${rows}`),
    ),
  };
  await store.close();
  return figures;
}
