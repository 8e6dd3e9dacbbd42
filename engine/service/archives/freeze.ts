/**
 * Freezes a graph: moves all of its rows into a pack beside the store, in one turn of writing (semantics of graphs, 4.4).
 *
 * 1. The freeze is noted as `building`, with the names of its files.
 * 2. The pack is written under its temporary name and flushed.
 * 3. It is read again: rows, terms and transactions that its file holds must be those of the graph, one by one. So are then
 *    its counts and its hash, which is that of the live rows. A file that was there already is hashed instead.
 * 4. It gets its final name, is opened as the archive that it is to become, and is noted as `verified`.
 * 5. One transaction takes the rows out of the store and says that the graph is frozen, and where. The file must still be the
 *    one that was verified.
 *
 * Rows leave the store only when the file is verified, named and flushed, so at every moment one of the two is whole. A
 * freeze that fails removes what it made and is noted as `failed`; one that dies leaves its note for `recover.ts`.
 */

import { existsSync } from 'node:fs';
import { type Control, throwIfStopped } from '../../base/control.js';
import { fromSystemError, SvcError } from '../../base/errors.js';
import { filePath, keptPath, storeNameFor, tryArchive } from '../../graphs/archives.js';
import { archiveAlias, FREEZES, type FreezeRow } from '../../query/registry/freeze-rows.js';
import { type FileMark, markOf } from '../../storage/lmdb/file-mark.js';
import { removeAside, takeName } from '../../storage/lmdb/temporary-sibling.js';
import type { StorageEngine, TransactionOptions } from '../../storage/seam/engine.js';
import type { PackContent, PackDescription } from '../../storage/seam/pack.js';
import { lookInto } from '../../storage/seam/rows.js';
import { showInstant } from '../options/store-options.js';
import type { SeriesWrite } from '../pipeline/write-control.js';
import { checkFreezable } from './freezable.js';
import { packName, placeIn, writableFolder } from './pack-place.js';
import { packedLabels } from './packed-labels.js';
import { removePack } from './remove-pack.js';
import { assertUntouched } from './untouched.js';

/** What a freeze or a thaw works with: the store, and its turn of writing. */
export interface ArchiveWork {
  readonly engine: StorageEngine;
  readonly write: SeriesWrite;
  readonly control: Control;
}

export interface ArchiveOutcome {
  readonly graph: string;
  readonly lifecycle: 'frozen' | null;
  /** The file. */
  readonly archive: string;
  /** Of the contents, in hex. */
  readonly sha256: string;
  readonly facts: number;
  readonly transactions: number;
  readonly tx: number;
  readonly timestamp: string;
}

/** Says which step is done; a step is where a freeze can be stopped. */
export function stepper(what: string, { signal, flag, onProgress }: Control): (phase: string) => void {
  const startedMs = performance.now();
  let done = 0;
  return (phase) => {
    onProgress?.({ phase: `${what}: ${phase}`, done: ++done, elapsedMs: Math.round(performance.now() - startedMs) });
    throwIfStopped({ signal, flag }, `the ${what}`);
  };
}

export async function freezeGraph(
  { engine, write, control }: ArchiveWork,
  { graph, outDir }: { readonly graph: string; readonly outDir: string },
  given: TransactionOptions,
): Promise<ArchiveOutcome> {
  const step = stepper('freeze', control);
  lookInto(engine.snapshot(), (snapshot) => checkFreezable(snapshot, graph));
  const folder = writableFolder(outDir);
  const content = await engine.packs.contentOf(graph, control);
  const place = await placeFor({ engine, write, control }, graph, folder, content);
  step('measured');
  const { receipt, row } = await begin(write, engine, { graph, content, place }, given);
  const options: TransactionOptions = { ...given, timestamp: receipt.timestamp, validFrom: undefined };
  const timestamp = showInstant(receipt.timestamp);
  let made: Made = { verified: row, mark: null };
  try {
    step('building');
    made = await makePack({ engine, write, control }, row, content, step, {
      ...options,
      timestamp: receipt.timestamp,
    });
  } catch (error) {
    await giveUp({ engine, write, control }, row, options, error);
    throw fromSystemError(error, `the archive of <${graph}>`);
  }
  const alias = archiveAlias(row.name);
  const { verified, mark } = made;
  const outcome = outcomeOf(engine, verified);
  try {
    const { tx } = await write(
      (stage, registry, events) => {
        events.onlyOwn();
        assertUntouched(outcome.archive, mark);
        stage.relocate(graph);
        lookInto(stage.snapshot(), (snapshot) =>
          registry.revise(snapshot, graph, { lifecycle: 'frozen', source: alias }),
        );
        FREEZES.store(stage, registry, { ...verified, state: 'frozen', frozenAt: timestamp, freezeTx: stage.tx });
        const payload = { graph, tx: stage.tx, content_hash: row.contentHash, facts: row.facts };
        events.add({ type: 'graph.frozen', subject: graph, payload });
      },
      { ...options, source: `freeze:${graph}` },
    );
    step('frozen');
    return { ...outcome, lifecycle: 'frozen', tx, timestamp };
  } catch (error) {
    await giveUp({ engine, write, control }, verified, options, error);
    throw fromSystemError(error, `freezing <${graph}>`);
  }
}

export function outcomeOf(engine: StorageEngine, row: FreezeRow) {
  const { graph, path, contentHash, facts, transactions } = row;
  return {
    graph,
    archive: filePath(engine.path, path),
    sha256: contentHash.replace(/^sha256:/, ''),
    facts,
    transactions,
  };
}

interface Place {
  readonly path: string;
  readonly temporary: string;
  /** The pack is there already. */
  readonly found: boolean;
}

/** The final name. A file that has it is taken when it holds the same graph with the same contents. */
async function placeFor(
  { engine, control }: ArchiveWork,
  graph: string,
  folder: string,
  { contentHash }: PackContent,
): Promise<Place> {
  for (const other of [false, true]) {
    const place = placeIn(folder, packName(graph, contentHash, other));
    if (!existsSync(place.path)) return { ...place, found: false };
    const { content, manifest } = await engine.packs.read(place.path, control).catch((error: unknown) => {
      throw taken(place.path, (error as Error).message, error);
    });
    if (content.contentHash !== contentHash) throw taken(place.path, 'it has other contents');
    if (manifest.graph === graph) {
      if (manifest.store_id === engine.packs.storeId()) return { ...place, found: true };
      throw taken(place.path, 'it was written by another store');
    }
  }
  throw taken(folder, 'it has packs of that name of two other graphs');
}

function taken(path: string, why: string, cause?: unknown): SvcError {
  return new SvcError('invalid_request', `${path} is there already, and can not be the archive: ${why}`, {
    hint: 'move the file away, or name another out_dir',
    cause,
  });
}

async function begin(
  write: SeriesWrite,
  engine: StorageEngine,
  { graph, content, place }: { readonly graph: string; readonly content: PackContent; readonly place: Place },
  given: TransactionOptions,
) {
  const [path, temporary] = [keptPath(engine.path, place.path), keptPath(engine.path, place.temporary)];
  const receipt = await write(
    (stage, registry, events): FreezeRow => {
      events.onlyOwn();
      const row: FreezeRow = {
        name: String(stage.tx),
        graph,
        state: 'building',
        path,
        temporary,
        found: place.found,
        store: storeNameFor(engine.path, path),
        contentHash: content.contentHash,
        bytes: 0,
        facts: content.counts.facts,
        open: content.counts.open,
        transactions: content.counts.transactions,
        frozenAt: null,
        freezeTx: null,
        thawedAt: null,
        thawTx: null,
        actor: given.actor ?? null,
        error: null,
      };
      FREEZES.store(stage, registry, row);
      return row;
    },
    { ...given, source: `freeze-building:${graph}` },
  );
  return { receipt, row: receipt.result };
}

/** A file that was verified. */
interface Made {
  readonly verified: FreezeRow;
  readonly mark: FileMark | null;
}

/** Steps 2 to 4: a verified file under its final name, noted. */
async function makePack(
  { engine, write, control }: ArchiveWork,
  row: FreezeRow,
  content: PackContent,
  step: (phase: string) => void,
  options: TransactionOptions & { readonly timestamp: number },
): Promise<Made> {
  const path = filePath(engine.path, row.path);
  const temporary = filePath(engine.path, row.temporary);
  if (!row.found) {
    await removeAside(temporary);
    const manifest = describe(engine, row, options.timestamp);
    await engine.packs.write({ graph: row.graph, path: temporary, manifest, content }, control);
    step('written');
  }
  // Whatever happens to the file from here on is noticed.
  const mark = markOf(row.found ? path : temporary);
  const bytes = row.found
    ? await bytesOfFound(engine, path, row, content, control)
    : (await engine.packs.verify({ path: temporary, graph: row.graph, content }, control)).bytes;
  step('compared');
  assertUntouched(row.found ? path : temporary, mark);
  if (!row.found) await takeName(temporary, path);
  step('named');
  tryArchive(engine, archiveAlias(row.name), path);
  const verified: FreezeRow = { ...row, state: 'verified', bytes };
  await write(
    (stage, registry, events) => {
      events.onlyOwn();
      FREEZES.store(stage, registry, verified);
    },
    { ...options, source: `freeze-verified:${row.graph}` },
  );
  step('verified');
  return { verified, mark };
}

function describe(engine: StorageEngine, { graph, actor }: FreezeRow, timestamp: number): PackDescription {
  const labels = lookInto(engine.snapshot(), (snapshot) => packedLabels(snapshot, graph));
  return { pack_format: 'archive/1', class: 'committed', created_at: showInstant(timestamp), actor, labels };
}

/** The bytes of a pack that was there, once what it holds was found anew. */
async function bytesOfFound(
  engine: StorageEngine,
  path: string,
  { graph }: FreezeRow,
  live: PackContent,
  control: Control,
): Promise<number> {
  const { content: packed, bytes } = await engine.packs.read(path, control);
  const same =
    live.contentHash === packed.contentHash &&
    (['facts', 'open', 'transactions'] as const).every((name) => live.counts[name] === packed.counts[name]);
  if (same) return bytes;
  throw new SvcError(
    'store_corrupt',
    `the pack of <${graph}> does not hold what the store holds; the graph was not frozen`,
    {
      hint: 'look the disk and the store over (svc verify), and try again',
    },
  );
}

/** Takes back what a freeze has made, unless it has come through after all. */
async function giveUp(
  { engine, write }: ArchiveWork,
  row: FreezeRow,
  options: TransactionOptions,
  error: unknown,
): Promise<void> {
  // Whether what was accepted came to the disk can't be told after a fault of the disk: that is left to the next opening.
  const unsure = row.state === 'verified' && (!(error instanceof SvcError) || error.kind === 'fault');
  const noted = lookInto(engine.snapshot(), (snapshot) => FREEZES.one(snapshot, row.name));
  if (unsure || noted === null || noted.state === 'frozen') return;
  try {
    await removePack(engine, noted);
    await write(
      (stage, registry, events) => {
        events.onlyOwn();
        FREEZES.store(stage, registry, { ...noted, state: 'failed', error: String((error as Error).message ?? error) });
      },
      { ...options, source: `freeze-failed:${row.graph}` },
      {},
    );
  } catch {
    // The note stays as it was, and the next opening for writing looks after it.
  }
}
