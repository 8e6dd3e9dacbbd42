/**
 * Packs of current facts, to be given away: a file that any store can unpack, or a directory of Turtle and JSON. Sets of
 * shapes and stored queries go along as their texts. Nothing is attached: what is unpacked is written like any other facts.
 */

import { createHash } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Control, throwIfStopped } from '../../base/control.js';
import { fromSystemError, SvcError } from '../../base/errors.js';
import { formatInstant } from '../../base/instant.js';
import { STORED_QUERIES } from '../../graphs/queries/stored-queries.js';
import { STORED_SHAPES } from '../../graphs/shapes/stored-shapes.js';
import { findGraph } from '../../query/registry/graph-rows.js';
import { asideName, checkTarget, flush, removeAside, takeName } from '../../storage/lmdb/temporary-sibling.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import type { PackContent, PackCounts, PackDescription, PackDocument } from '../../storage/seam/pack.js';
import { withSnapshot } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { packedLabels } from './packed-labels.js';

export interface PackOptions extends Control {
  /** What the manifest calls it; default the last part of the graph's IRI. */
  readonly name?: string | undefined;
  /** Of the contents, in words of the packer. */
  readonly version?: string | undefined;
  /** Names of stored sets of shapes that go along. */
  readonly shapeSets?: readonly string[] | undefined;
  /** Names of stored queries that go along. */
  readonly queries?: readonly string[] | undefined;
  /** Vectors of the entities of the graph go along. */
  readonly withVectors?: boolean | undefined;
  readonly actor?: string | undefined;
  /** `turtle`: a directory of documents in place of a file. */
  readonly format?: 'file' | 'turtle' | undefined;
}

export interface PackedGraph {
  readonly graph: string;
  readonly path: string;
  readonly name: string;
  readonly contentHash: string;
  readonly counts: PackCounts;
  readonly shapes: number;
  readonly queries: number;
  readonly vectors: number;
  /** 0 for a directory. */
  readonly bytes: number;
}

/** The graph as a Turtle document. */
export type TurtleOf = (graph: string) => AsyncIterable<Uint8Array>;

export async function packGraph(
  engine: StorageEngine,
  { graph, path }: { readonly graph: string; readonly path: string },
  options: PackOptions,
  turtleOf: TurtleOf,
): Promise<PackedGraph> {
  const { name = lastPart(graph), format = 'file' } = options;
  const description = await withSnapshot(engine.snapshot(), async (snapshot) => {
    const described = describe(snapshot, graph, name, options);
    if (options.withVectors !== true) return described;
    // Loaded when needed: most packs have none.
    const { packedVectors } = await import('./packed-vectors.js');
    return { ...described, vectors: await packedVectors(snapshot, graph, options) };
  });
  checkTarget(path, false, 0);
  const content = await engine.packs.contentOf(graph, options, { current: true, description });
  const aside = asideName(path, 'packing');
  let bytes = 0;
  try {
    if (format === 'file') {
      ({ bytes } = await engine.packs.write({ graph, path: aside, manifest: description, content }, options));
      await takeName(aside, path);
    } else {
      await writeDirectory(aside, { graph, description, content, storeId: engine.packs.storeId() }, turtleOf, options);
      await rename(aside, path);
      await flush(dirname(path));
    }
  } catch (error) {
    await (format === 'file' ? removeAside(aside) : rm(aside, { recursive: true, force: true }));
    throw fromSystemError(error, `packing into ${path}`);
  }
  const { shapes = [], queries = [] } = description;
  const { contentHash, counts } = content;
  const vectors = description.vectors?.entities.length ?? 0;
  return { graph, path, name, contentHash, counts, shapes: shapes.length, queries: queries.length, vectors, bytes };
}

function lastPart(iri: string): string {
  return iri.split(/[/#:]/).findLast((part) => part !== '') ?? 'graph';
}

function describe(
  snapshot: StorageSnapshot,
  graph: string,
  name: string,
  { version, shapeSets = [], queries = [], actor }: PackOptions,
): PackDescription & { readonly name: string } {
  const row = findGraph(snapshot, graph);
  if (row === null) throw new SvcError('not_found_in_store', `unknown graph: ${graph}`);
  if (row.lifecycle === 'frozen') {
    throw new SvcError('state_conflict', `the graph <${graph}> is frozen: it is in a pack already`, {
      hint: 'thaw it first',
    });
  }
  return {
    pack_format: 'knowledge/1',
    class: row.class,
    created_at: formatInstant(Math.floor(Date.now() / 1000)),
    actor: actor ?? null,
    labels: packedLabels(snapshot, graph),
    name,
    version: version ?? null,
    shapes: shapeSets.map((one) => document(one, STORED_SHAPES.one(snapshot, one)?.turtle, 'set of shapes')),
    queries: queries.map((one) => {
      const query = STORED_QUERIES.one(snapshot, one);
      return document(one, query === null ? undefined : JSON.stringify(query), 'query');
    }),
  };
}

function document(name: string, text: string | undefined, what: string): PackDocument {
  if (text === undefined) throw new SvcError('not_found_in_store', `there is no stored ${what} '${name}'`);
  return { name, sha256: createHash('sha256').update(text).digest('hex'), text };
}

interface Directory {
  readonly graph: string;
  readonly description: PackDescription;
  readonly content: PackContent;
  readonly storeId: string | null;
}

async function writeDirectory(path: string, pack: Directory, turtleOf: TurtleOf, control: Control): Promise<void> {
  const { graph, description, content, storeId } = pack;
  const { shapes = [], queries = [], vectors, ...told } = description;
  await rm(path, { recursive: true, force: true });
  await mkdir(path);
  const files: Record<string, string> = {};
  const hash = createHash('sha256');
  const hashed = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of turtleOf(graph)) {
      throwIfStopped(control, 'the pack');
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(Readable.from(hashed(), { objectMode: false }), createWriteStream(join(path, 'graph.ttl')));
  files['graph.ttl'] = hash.digest('hex');
  for (const [folder, ending, documents] of [
    ['shapes', 'ttl', shapes],
    ['queries', 'json', queries],
  ] as const) {
    if (documents.length > 0) await mkdir(join(path, folder));
    for (const { name, sha256, text } of documents) {
      const file = `${folder}/${encodeURIComponent(name)}.${ending}`;
      await writeFile(join(path, file), text);
      files[file] = sha256;
    }
  }
  if (vectors !== undefined) {
    const text = JSON.stringify(vectors);
    await writeFile(join(path, 'vectors.json'), text);
    files['vectors.json'] = createHash('sha256').update(text).digest('hex');
  }
  const { contentHash: content_hash, counts, minTx: min_tx, maxTx: max_tx } = content;
  const manifest = { ...told, graph, store_id: storeId, counts, min_tx, max_tx, content_hash, files };
  await writeFile(join(path, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const file of [...Object.keys(files), 'manifest.json', '.']) await flush(join(path, file));
}

export interface PackCheck {
  readonly path: string;
  readonly ok: boolean;
  readonly contentHash: string;
  readonly graph: string;
  readonly format: string;
  readonly counts: PackCounts;
  /** Why it is not what its manifest says. */
  readonly error: string | null;
}

/** Reads a pack of any store through. */
export async function verifyPack(engine: StorageEngine, path: string, control: Control): Promise<PackCheck> {
  if (!existsSync(path)) throw new SvcError('store_missing', `there is no pack at ${path}`);
  try {
    const { manifest, content } = await engine.packs.read(path, control);
    const { graph, pack_format: format } = manifest;
    return { path, ok: true, contentHash: content.contentHash, graph, format, counts: content.counts, error: null };
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'store_corrupt') throw error;
    const nothing: PackCounts = { facts: 0, open: 0, transactions: 0, terms: 0 };
    return { path, ok: false, contentHash: '', graph: '', format: '', counts: nothing, error: error.message };
  }
}

/** What a transaction that unpacks a file has as its source. */
export function unpackSource(path: string): string {
  return `unpack:${basename(path)}`;
}
