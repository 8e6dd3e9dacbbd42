/**
 * The current quads of a snapshot as a document. Lines and terms stand in code point order, labels
 * of blank nodes as they are stored, so that two exports of an unchanged store are the same bytes.
 *
 * 1. Quads are read in whatever order serves storage and written as canonical lines.
 * 2. The lines are sorted, on disk beyond the memory bound; for formats that write graph by graph
 *    the graph is put before the line as its first key.
 * 3. N-Triples and N-Quads are these lines; any other format is written from them in that order.
 */

import { closable } from '../../base/closable.js';
import { throwIfStopped } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { groupSubjects } from '../../graphs/group-subjects.js';
import { homeOf } from '../../query/registry/freeze-rows.js';
import { everyGraph } from '../../query/registry/system-graphs.js';
import { quadToLine, termToString } from '../../rdf/canonical/lines.js';
import { readQuads } from '../../rdf/formats/reader.js';
import { describeFormat, type Format } from '../../rdf/formats/registry.js';
import { type QuadBatches, writeQuads } from '../../rdf/formats/writer.js';
import { type BlankNode, type Quad, terms } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import { exactly, ROOT_ONLY } from '../../storage/seam/rows.js';
import { CURRENT, type GraphSet, type StorageSnapshot } from '../../storage/seam/scan.js';
import { LineSorter } from '../documents/line-sorter.js';
import { graphOf } from '../facts/entity.js';
import type { ExportOptions } from '../options/store-options.js';
import { countRows, type MatchedRows, readQuadBatches } from '../reads/quad-pattern.js';
import type { StoreSnapshot } from '../reads/snapshot.js';

const PROGRESS_INTERVAL_MS = 100;

/** Stands between graph and line; no IRI and no label holds it. */
const KEY_END = '\t';

/** The rows of an export: one graph, frozen or not, ROOT, or all graphs of the store file where the format can name them. */
function rowsOfGraph(snapshot: StoreSnapshot, format: Format, graph: string | undefined): MatchedRows {
  const { storage, time } = snapshot;
  const all = graph === undefined && describeFormat(format).namedGraphs;
  const graphs: GraphSet = all ? everyGraph(storage) : homeOf(storage, graphOf(storage, graph));
  return { graphs, pattern: {}, time };
}

/** How a quad becomes the line that is sorted. */
function lineMaker(format: Format): (quad: Quad) => string {
  const line = (quad: Quad): string => quadToLine(quad).slice(0, -1);
  // In a format without graph names, one graph is the whole document.
  if (!describeFormat(format).namedGraphs) {
    return (quad) => line(terms.quad(quad.subject, quad.predicate, quad.object));
  }
  if (format === 'nquads') return line;
  return (quad) => `${termToString(quad.graph)}${KEY_END}${line(quad)}`;
}

/** A document that is ready to be written. Who will not read its chunks calls their iterator's `return`. */
export interface PreparedExport {
  /** Distinct quads. */
  readonly entries: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

export async function textOf({ chunks }: Pick<PreparedExport, 'chunks'>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/** Collects quads and sorts them. What is wrong with the request shows before a byte is written. */
export async function prepareExport(
  quads: QuadBatches,
  format: Format,
  options: Omit<ExportOptions, 'graph'>,
): Promise<PreparedExport> {
  const sorter = new LineSorter(options, options.memoryBytesMax);
  const toLine = lineMaker(format);
  try {
    for await (const batch of quads) {
      throwIfStopped(options, 'the export');
      await sorter.add(batch.map(toLine));
    }
    const entries = await sorter.count();
    return { entries, chunks: closable(write(sorter, format, options), () => sorter.close()) };
  } catch (error) {
    await sorter.close();
    throw error;
  }
}

/** The current quads of a graph, or of all graphs, with progress. */
export function exportedQuads(snapshot: StoreSnapshot, format: Format, options: ExportOptions): QuadBatches {
  const rows = rowsOfGraph(snapshot, format, options.graph);
  return told(snapshot.storage, rows, options);
}

export async function* exportDocument(
  snapshot: StoreSnapshot,
  format: Format,
  options: ExportOptions,
): AsyncGenerator<Uint8Array> {
  const { chunks } = await prepareExport(exportedQuads(snapshot, format, options), format, options);
  yield* chunks;
}

async function* write(
  sorter: LineSorter,
  format: Format,
  { prefixes }: Omit<ExportOptions, 'graph'>,
): AsyncGenerator<Uint8Array> {
  try {
    const lines = () => encodeLines(sorter.sorted(), format === 'trig' || format === 'jsonld');
    if (format === 'ntriples' || format === 'nquads') yield* lines();
    else {
      const sorted = () => readQuads(lines(), { format: 'nquads', sourceName: 'export', blankNode: verbatim });
      yield* writeQuads(sorted, { format, ...(prefixes ? { prefixes } : {}) });
    }
  } finally {
    await sorter.close();
  }
}

async function* told(
  storage: StorageSnapshot,
  rows: MatchedRows,
  { onProgress }: ExportOptions,
): AsyncGenerator<Quad[]> {
  const total = onProgress === undefined ? 0 : countRows(storage, rows);
  const began = performance.now();
  let done = 0;
  let last = began;
  for (const batch of readQuadBatches(storage, rows)) {
    yield batch;
    done += batch.length;
    const now = performance.now();
    if (onProgress === undefined || now - last < PROGRESS_INTERVAL_MS) continue;
    last = now;
    onProgress({ phase: 'read', done, total, elapsedMs: now - began });
  }
}

async function* encodeLines(batches: AsyncIterable<readonly string[]>, keyed: boolean): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const lines of batches) {
    const plain = keyed ? lines.map((line) => line.slice(line.indexOf(KEY_END) + 1)) : lines;
    yield encoder.encode(`${plain.join('\n')}\n`);
  }
}

function verbatim(label: string | null): BlankNode {
  if (label === null) throw new SvcError('internal', 'invariant broken: a sorted line holds an anonymous node');
  return terms.blankNode(label);
}

/**
 * The current quads of ROOT that belong to a provenance group: those of the activities that name the group, and those of
 * the entities that such an activity generated. An entity may come twice.
 */
export async function* groupQuads(
  snapshot: StorageSnapshot,
  group: string,
  baseNamespace: string,
): AsyncGenerator<Quad[]> {
  for (const subject of groupSubjects(snapshot, group, baseNamespace)) yield* quadsOf(snapshot, subject);
}

function quadsOf(snapshot: StorageSnapshot, subject: TermId): Generator<Quad[]> {
  return readQuadBatches(snapshot, { graphs: ROOT_ONLY, pattern: { s: exactly(subject) }, time: CURRENT });
}
