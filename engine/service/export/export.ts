/**
 * The current quads of a snapshot as a document. Lines and terms stand in code point order, labels
 * of blank nodes as they are stored, so that two exports of an unchanged store are the same bytes.
 *
 * 1. Rows are read in whatever order serves storage and written as canonical lines.
 * 2. The lines are sorted, on disk beyond the memory bound; for formats that write graph by graph
 *    the graph is put before the line as its first key.
 * 3. N-Triples and N-Quads are these lines; any other format is written from them in that order.
 */

import { throwIfStopped } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { quadToLine, termToString } from '../../rdf/canonical/lines.js';
import { readQuads } from '../../rdf/formats/reader.js';
import { describeFormat, type Format } from '../../rdf/formats/registry.js';
import { writeQuads } from '../../rdf/formats/writer.js';
import { type BlankNode, type Quad, ROOT_GRAPH_IRI, terms } from '../../rdf/terms.js';
import { matchRows, type QuadPattern, readQuadBatches } from '../quad-pattern.js';
import type { StoreSnapshot } from '../snapshot.js';
import type { ExportOptions } from '../store-options.js';
import { LineSorter } from './line-sorter.js';

const PROGRESS_INTERVAL_MS = 100;

/** Stands between graph and line; no IRI and no label holds it. */
const KEY_END = '\t';

/** The rows of an export: one graph, ROOT, or all graphs where the format can name them. */
function scope(snapshot: StoreSnapshot, format: Format, graph: string | undefined): QuadPattern {
  if (graph === undefined) return describeFormat(format).namedGraphs ? {} : { graph: terms.defaultGraph() };
  if (graph === ROOT_GRAPH_IRI) return { graph: terms.defaultGraph() };
  const known = snapshot.graphs().find((term) => term.value === graph);
  if (known === undefined) throw new SvcError('unknown_graph', `unknown graph: ${graph}`);
  return { graph: known };
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

export async function* exportDocument(
  snapshot: StoreSnapshot,
  format: Format,
  options: ExportOptions,
): AsyncGenerator<Uint8Array> {
  const pattern = scope(snapshot, format, options.graph);
  const sorter = new LineSorter(options, options.memoryBytesMax);
  try {
    await collect(snapshot, pattern, format, sorter, options);
    const lines = () => encodeLines(sorter.sorted(), format === 'trig' || format === 'jsonld');
    if (format === 'ntriples' || format === 'nquads') yield* lines();
    else {
      const sorted = () => readQuads(lines(), { format: 'nquads', sourceName: 'export', blankNode: verbatim });
      yield* writeQuads(sorted, { format, ...(options.prefixes ? { prefixes: options.prefixes } : {}) });
    }
  } finally {
    await sorter.close();
  }
}

async function collect(
  snapshot: StoreSnapshot,
  pattern: QuadPattern,
  format: Format,
  sorter: LineSorter,
  options: ExportOptions,
): Promise<void> {
  const rows = matchRows(snapshot.storage, pattern, snapshot.time);
  const total = rows === null ? 0 : snapshot.storage.count(rows);
  const toLine = lineMaker(format);
  const began = performance.now();
  let done = 0;
  let told = began;
  for (const batch of readQuadBatches(snapshot.storage, rows)) {
    throwIfStopped(options, 'the export');
    await sorter.add(batch.map(toLine));
    done += batch.length;
    const now = performance.now();
    if (now - told < PROGRESS_INTERVAL_MS) continue;
    told = now;
    options.onProgress?.({ phase: 'read', done, total, elapsedMs: now - began });
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
