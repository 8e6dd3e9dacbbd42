/**
 * Documents of a load -> quads with stored blank node labels. Every source is read to its end, and
 * held to the same rules whatever it is: absolute IRIs, legal labels and language tags, whole
 * characters. Quads in the default graph go to the destination graph.
 */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { breathe, type Control, throwIfAborted, throwIfStopped } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { interruptible } from '../../base/interruptible.js';
import { DocumentBlankNodes, PayloadHash, resolveLabel } from '../../rdf/blank-node-scope.js';
import { assertLiteralSize, CheckedTerms } from '../../rdf/checked-terms.js';
import { decompress } from '../../rdf/formats/input/compression.js';
import { iriFault } from '../../rdf/formats/input/term-checks.js';
import { type Compression, compressionOfPath, formatOfPath } from '../../rdf/formats/registry.js';
import { type Quad, ROOT_GRAPH_IRI, type Term, terms } from '../../rdf/terms.js';
import { distinctNames, finalDigits, nameOf } from '../bulk/documents.js';
import type { LoadOptions, LoadSource } from '../seam/engine.js';

export interface ReadResult {
  readonly quads: readonly Quad[];
  readonly bytesRead: number;
}

type QuadSource = Extract<LoadSource, { kind: 'quads' }>;
type ByteSource = Exclude<LoadSource, { kind: 'quads' }>;

/** How many quads of an iterable are taken before the event loop gets a turn. */
const QUADS_PER_TURN = 4096;
const PROGRESS_INTERVAL_MS = 100;

export async function readSources(
  sources: readonly LoadSource[],
  options: LoadOptions,
  control: Control,
): Promise<ReadResult> {
  const destination = graphTerm(options.graph);
  const names = distinctNames(sources.map((source) => ({ name: nameOf(source) })));
  const meter = new Meter(control);
  const quads: Quad[] = [];
  let bytesRead = 0;
  for (const [position, source] of sources.entries()) {
    const nodes = new DocumentBlankNodes();
    const raw: Quad[] = [];
    let sha256: string;
    if (source.kind === 'quads') {
      sha256 = await readIterable(source, nodes, raw, meter);
    } else {
      const payload = await readBytes(source, nodes, raw, options, meter);
      sha256 = payload.digest();
      bytesRead += payload.bytes;
    }
    assertSizes(raw, nameOf(source), options.statementBytesMax);
    const digits = finalDigits(options, sha256, names[position]);
    const scope = options.blankNodeScope ?? 'document';
    refuseGraphs(raw, nameOf(source), options);
    const resolve = (label: string) => resolveLabel(label, digits, scope);
    for (const quad of raw) quads.push(settled(quad, destination, resolve));
  }
  return { quads, bytesRead };
}

/** Reports what has been read, and stops when the caller says so. */
class Meter {
  readonly #control: Control;
  readonly #startMs = performance.now();
  #reportedMs = 0;
  #done = 0;

  constructor(control: Control) {
    this.#control = control;
  }

  get signal(): AbortSignal | undefined {
    return this.#control.signal;
  }

  add(quads: number): void {
    throwIfStopped(this.#control, 'the load');
    this.#done += quads;
    const elapsedMs = performance.now() - this.#startMs;
    if (this.#control.onProgress === undefined || elapsedMs - this.#reportedMs < PROGRESS_INTERVAL_MS) return;
    this.#reportedMs = elapsedMs;
    this.#control.onProgress({ phase: 'read', done: this.#done, unit: 'quads', elapsedMs });
  }
}

export function graphTerm(iri: string | undefined): Quad['graph'] {
  if (iri === undefined) return terms.namedNode(ROOT_GRAPH_IRI);
  const fault = iriFault(iri);
  if (fault !== null) throw new SvcError('invalid_request', `the graph <${iri}> ${fault}`);
  return terms.namedNode(iri);
}

async function readBytes(
  source: ByteSource,
  nodes: DocumentBlankNodes,
  into: Quad[],
  options: LoadOptions,
  meter: Meter,
): Promise<PayloadHash> {
  // The parsers are large, and most processes that could read documents only query.
  const { readQuads } = await import('../../rdf/formats/reader.js');
  throwIfAborted(meter.signal, 'the load');
  const sourceName = nameOf(source);
  const { format, compression, bytes } = source.kind === 'file' ? openFile(source) : openBytes(source);
  const payload = new PayloadHash();
  const plain = decompress(bytes, { compression, sourceName, compressionRatioMax: options.compressionRatioMax });
  const batches = readQuads(payload.observe(plain), {
    format,
    sourceName,
    baseIri: source.baseIri,
    blankNode: nodes.make,
    signal: meter.signal,
    jsonLd: { remoteContexts: options.remoteContexts },
  });
  for await (const batch of batches) {
    for (const quad of batch) into.push(quad);
    meter.add(batch.length);
  }
  return payload;
}

function openFile(source: Extract<LoadSource, { kind: 'file' }>) {
  const { compression } = compressionOfPath(source.path);
  const format = source.format ?? formatOfPath(source.path).format;
  return { format, compression, bytes: fileBytes(source.path) };
}

function openBytes(source: Extract<LoadSource, { kind: 'bytes' }>) {
  const compression: Compression = source.compression ?? 'none';
  const bytes = source.bytes instanceof Uint8Array ? once(source.bytes) : source.bytes;
  return { format: source.format, compression, bytes };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* fileBytes(path: string): AsyncGenerator<Uint8Array> {
  const stream = createReadStream(path);
  try {
    yield* stream as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) {
      throw new SvcError('source_unreadable', `${path} can not be read: ${error.message}`, { cause: error });
    }
    throw error;
  } finally {
    stream.destroy();
  }
}

/**
 * Takes quads from a program. There are no bytes to hash: the scope is the hash of the terms in
 * their order, so that the same quads again are the same nodes again.
 */
async function readIterable(
  source: QuadSource,
  nodes: DocumentBlankNodes,
  into: Quad[],
  meter: Meter,
): Promise<string> {
  const checked = new CheckedTerms(nodes, source.name);
  const hash = createHash('sha256');
  let pending = 0;
  const items = interruptible(iterate(source), meter.signal, 'the load');
  for await (const quad of { [Symbol.asyncIterator]: () => items }) {
    const taken = checked.quad(quad);
    into.push(taken);
    hash.update(JSON.stringify(taken));
    if (++pending < QUADS_PER_TURN) continue;
    meter.add(pending);
    pending = 0;
    await breathe();
  }
  meter.add(pending);
  return hash.digest('hex');
}

async function* iterate(source: QuadSource): AsyncGenerator<Quad> {
  const { quads, name } = source;
  if (typeof quads !== 'object' || quads === null) {
    throw new SvcError('invalid_request', `${name}: quads are given as an iterable or a stream`);
  }
  yield* quads;
}

function assertSizes(quads: readonly Quad[], sourceName: string, bytesMax: number | undefined): void {
  if (bytesMax === undefined) return;
  for (const { object } of quads) assertLiteralSize(object.value, sourceName, bytesMax);
}

function refuseGraphs(quads: readonly Quad[], source: string, { graphFault }: LoadOptions): void {
  if (graphFault === undefined) return;
  const allowed = new Set<string>();
  for (const { graph } of quads) {
    if (graph.termType !== 'NamedNode' || allowed.has(graph.value)) continue;
    const fault = graphFault(graph.value);
    if (fault !== null) {
      const message = `the graph <${graph.value}> can not be written: it ${fault}`;
      throw new SvcError('invalid_request', message, { position: { source } });
    }
    allowed.add(graph.value);
  }
}

/** The quad as it is stored: in its graph, blank nodes with their stored labels. */
export function settled(quad: Quad, destination: Quad['graph'], resolve: (label: string) => string): Quad {
  const graph = quad.graph.termType === 'DefaultGraph' ? destination : settledTerm(quad.graph, resolve);
  return terms.quad(
    settledTerm(quad.subject, resolve),
    quad.predicate,
    settledTerm(quad.object, resolve),
    graph as Quad['graph'],
  );
}

function settledTerm<Kind extends Term>(term: Kind, resolve: (label: string) => string): Kind {
  if (term.termType === 'BlankNode') return terms.blankNode(resolve(term.value)) as Term as Kind;
  if (term.termType !== 'Quad') return term;
  const { subject, predicate, object } = term as Quad;
  return terms.quad(settledTerm(subject, resolve), predicate, settledTerm(object, resolve)) as Term as Kind;
}
