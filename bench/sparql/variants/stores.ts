/**
 * The stores of the variants. Each shows exactly the triples of a data set where it is asked, and holds other rows
 * besides: history, other graphs, a delta. The plain one holds nothing else.
 */

import { once } from 'node:events';
import { createWriteStream, rmSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { openStore, type Store, type TimeOptions } from '../../../interfaces/library/index.js';
import { removeStore, scratchPath } from '../../harness/scratch.js';
import { isChosen, readLines } from './decoys.js';

export interface Slice {
  readonly name: string;
  readonly tx?: number;
  /** Seconds since 1970. */
  readonly validAt?: number;
}

export interface MadeStore {
  readonly path: string;
  /** Rows in all, and those that its slices show. */
  readonly rows: number;
  readonly visible: number;
  readonly slices: readonly Slice[];
}

const NOW: readonly Slice[] = [{ name: 'now' }];
/** 2020-01-01, and a day for every transaction. */
const BEGIN = 1_577_836_800;
const DAY = 86_400;
const DELTA_SHARE = 0.01;
/** Quads of a transaction that goes into the delta. */
const DELTA_QUADS = 500;

export function toTimeOptions({ tx, validAt }: Slice): TimeOptions {
  return { tx, validAt: validAt === undefined ? undefined : new Date(validAt * 1000) };
}

export async function makePlain(document: string): Promise<MadeStore> {
  return withStore('plain', async (store) => {
    await store.load(document);
    return NOW;
  });
}

/**
 * States follow each other as snapshots of one key: some with decoys in place of a share of the triples, then the
 * data itself, then such states again, and the data at last. What was visible after the middle one is what the slices show.
 */
export async function makeHistory(document: string, percent: number): Promise<MadeStore> {
  const hiddenPerVisible = percent / (100 - percent);
  const rounds = Math.max(1, Math.round((hiddenPerVisible - 1) / 2));
  const share = Math.min(1, hiddenPerVisible / (2 * rounds + 1));
  return withStore('history', async (store) => {
    let day = 0;
    const put = async (path: string): Promise<{ tx: number; instant: number }> => {
      const instant = BEGIN + day++ * DAY;
      const timestamp = new Date(instant * 1000);
      const { tx } = await store.load(path, { timestamp, snapshotKey: 'state', replaceSnapshot: true });
      return { tx, instant };
    };
    const putDecoys = async (round: number): Promise<void> => {
      await put(await writeState(document, round, share));
    };
    for (let round = 0; round < rounds; round++) await putDecoys(round);
    const { tx, instant } = await put(document);
    for (let round = 0; round < rounds; round++) await putDecoys(rounds + round);
    await put(document);
    await store.fold();
    const validAt = instant + DAY / 2;
    return [...NOW, { name: 'valid_at', validAt }, { name: 'tx', tx }, { name: 'both', tx, validAt }];
  });
}

/** The data in ROOT, and decoys in other graphs: so many as many, in graphs of so many quads. */
export async function makeGraphs(document: string, times: number, quadsPerGraph: number): Promise<MadeStore> {
  return withStore('graphs', async (store) => {
    await store.load(document);
    const path = scratchPath('decoys.nq');
    await writeDocument(path, async function* () {
      let written = 0;
      for (let round = 0; round < Math.ceil(times); round++) {
        const share = Math.min(1, times - round);
        for await (const { number, subject, predicate, decoy } of readLines(document, round)) {
          if (!isChosen(number, round, share)) continue;
          yield `${subject} ${predicate} ${decoy} <urn:graph:${Math.floor(written++ / quadsPerGraph)}> .\n`;
        }
      }
    });
    await store.load(path);
    await store.fold();
    return NOW;
  });
}

/** All but a hundredth in runs, that hundredth in small transactions that nothing has folded. */
export async function makeDelta(document: string): Promise<MadeStore> {
  return withStore('delta', async (store) => {
    const path = scratchPath('runs.nt');
    const late: string[] = [];
    await writeDocument(path, async function* () {
      for await (const { number, text } of readLines(document, 0)) {
        if (isChosen(number, 0, DELTA_SHARE)) late.push(text);
        else yield `${text}\n`;
      }
    });
    await store.load(path);
    for (let at = 0; at < late.length; at += DELTA_QUADS) {
      await store.update(`INSERT DATA { ${late.slice(at, at + DELTA_QUADS).join('\n')} }`);
    }
    return NOW;
  });
}

async function withStore(name: string, fill: (store: Store) => Promise<readonly Slice[]>): Promise<MadeStore> {
  const path = scratchPath(`${name}.svc`);
  removeStore(path);
  const store = await openStore(path);
  try {
    const slices = await fill(store);
    const { rowsTotal, factsCurrent } = store.stats();
    return { path, rows: rowsTotal, visible: factsCurrent, slices };
  } finally {
    await store.close();
  }
}

async function writeState(document: string, round: number, share: number): Promise<string> {
  const path = scratchPath('state.nt');
  await writeDocument(path, async function* () {
    for await (const { number, text, subject, predicate, decoy } of readLines(document, round)) {
      yield isChosen(number, round, share) ? `${subject} ${predicate} ${decoy} .\n` : `${text}\n`;
    }
  });
  return path;
}

async function writeDocument(path: string, lines: () => AsyncGenerator<string>): Promise<void> {
  rmSync(path, { force: true });
  const out = createWriteStream(path, { highWaterMark: 1 << 20 });
  for await (const line of lines()) if (!out.write(line)) await once(out, 'drain');
  out.end();
  await finished(out);
}
