/** Freezing and thawing a graph, step by step, in a process of its own; and queries over it before, meanwhile and after. */
import { closeSync, mkdirSync, openSync, readFileSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { invariant } from '../../engine/base/errors.js';
import { openStore, type Progress, type Store } from '../../interfaces/library/index.js';
import { peakMemoryBytes } from '../harness/child.js';
import { type FreezeFigures, QUERIES, type QueryName, TRANSACTIONS } from './case.js';

const GRAPH = 'http://example.org/bench/frozen';
const LINE_FEED = 10;
const TICK_MS = 10;
/** Of each query; the least counts, after one that is not counted. */
const REPEATS = 7;

export interface FreezeBaseTask {
  readonly task: 'freeze-base';
  readonly input: string;
  readonly store: string;
}

export interface FreezeTask {
  readonly task: 'freeze';
  /** A store file of its own for this run, in a folder of its own. */
  readonly store: string;
}

/** Loads a document of lines into the graph, in transactions of as many bytes each. */
export async function makeFreezeBase({ input, store: path }: FreezeBaseTask): Promise<FreezeFigures> {
  const store = await openStore(path);
  const part = `${path}.part.nt`;
  let rows = 0;
  try {
    for (const bytes of parts(input)) {
      writeFileSync(part, bytes);
      rows += (await store.load(part, { graph: GRAPH })).quadsAdded;
    }
  } finally {
    rmSync(part, { force: true });
    await store.close();
  }
  return { rows };
}

function* parts(input: string): Generator<Uint8Array> {
  const { size } = statSync(input);
  const file = openSync(input, 'r');
  for (let number = 1, from = 0; number <= TRANSACTIONS; number++) {
    const wanted = Math.ceil((size * number) / TRANSACTIONS) - from;
    const bytes = Buffer.alloc(Math.max(0, wanted));
    const read = readSync(file, bytes, 0, bytes.length, from);
    const end = number === TRANSACTIONS ? read : bytes.lastIndexOf(LINE_FEED) + 1;
    yield bytes.subarray(0, end);
    from += end;
  }
  closeSync(file);
}

export async function measureFreeze({ store: path }: FreezeTask): Promise<FreezeFigures> {
  const folder = join(dirname(path), 'packs');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const store = await openStore(path, { archives: { dir: folder } });
  const figures: FreezeFigures = { storeBytes: statSync(path).size };
  try {
    const before = await askAll(store, figures, 'before');
    const frozen = await timed(figures, 'freeze', (options) => store.freezeGraph(GRAPH, options));
    figures.packBytes = statSync(frozen.archive).size;
    const meanwhile = await askAll(store, figures, 'frozen');
    await timed(figures, 'thaw', (options) => store.thawGraph(GRAPH, options));
    const after = await askAll(store, figures, 'after');
    invariant(before === meanwhile && before === after, 'a frozen graph answers as it did, and a thawed one too');
    figures.facts = frozen.facts;
    figures.peakBytes = peakMemoryBytes();
    return figures;
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Timed = { readonly onProgress: (progress: Progress) => void };

async function timed<Result>(
  figures: FreezeFigures,
  what: string,
  work: (options: Timed) => Promise<Result>,
): Promise<Result> {
  const whole = clock();
  let step = clock();
  const onProgress = ({ phase }: Progress): void => {
    if (!phase.startsWith(`${what}: `)) return;
    const name = phase.slice(what.length + 2);
    Object.assign(figures, step(`${what}.${name}`));
    step = clock();
  };
  const result = await work({ onProgress });
  Object.assign(figures, whole(what));
  return result;
}

/** Time by the clock, of all threads' processors, and of that of this thread, since it was made. */
function clock(): (name: string) => FreezeFigures {
  const [begin, cpu, own] = [performance.now(), process.cpuUsage(), ownCpuMs()];
  return (name) => {
    const { user, system } = process.cpuUsage(cpu);
    const [wall, all] = [performance.now() - begin, (user + system) / 1000];
    return { [`${name}.wall`]: wall, [`${name}.cpu`]: all, [`${name}.own`]: ownCpuMs() - own };
  };
}

/** Processor time of this thread, as Linux counts it in steps of 10 ms; NaN elsewhere. */
function ownCpuMs(): number {
  try {
    // Behind the name, which stands in brackets: the state is the first, user and system time the 12th and 13th.
    const fields = readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return TICK_MS * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return Number.NaN;
  }
}

/** Asks each query, and notes the least processor time of each; returns their answers. */
async function askAll(store: Store, figures: FreezeFigures, when: string): Promise<string> {
  const answers: string[] = [];
  for (const name of Object.keys(QUERIES) as QueryName[]) {
    const query = QUERIES[name].replace('GRAPH', GRAPH);
    const times: number[] = [];
    let answer = '';
    for (let repeat = 0; repeat <= REPEATS; repeat++) {
      const begin = process.cpuUsage();
      answer = await text(store, query);
      const { user, system } = process.cpuUsage(begin);
      if (repeat > 0) times.push((user + system) / 1000);
    }
    figures[`${name}.${when}`] = Math.min(...times);
    answers.push(answer.split('\n').sort().join('\n'));
  }
  return answers.join('\n');
}

async function text(store: Store, query: string): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const bytes of await store.read(query, { format: 'csv' })) parts.push(bytes);
  return Buffer.concat(parts).toString();
}
