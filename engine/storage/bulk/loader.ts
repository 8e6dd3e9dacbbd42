/**
 * The bulk loader, into an empty store or a full one.
 *
 * 1. Every document becomes term records: the N-Triples and Turtle families through tokeniser
 *    kernels (in a second thread for plain files), other formats and quads through their libraries.
 * 2. Fingerprints of the terms are looked up in the table of the epoch; rows of provisional numbers
 *    gather.
 * 3. When the epoch is full, and at the end, it is closed: terms get ids (`epoch-terms.ts`), rows
 *    become sorted runs without what is open already (`epoch-rows.ts`), all invisible.
 * 4. What the epochs wrote is published in one transaction, or removed.
 *
 * An error or an abort at any point leaves the store as it was.
 *
 * Length: one object owns the memory, the sink and the epoch; its steps are short and in the order above.
 */

import { breathe, type Control, throwIfAborted } from '../../base/control.js';
import { invariant, SvcError } from '../../base/errors.js';
import { ThreadMemory } from '../../kernels/memory.js';
import { TOKENISER_STATE_BYTES, TokeniserState } from '../../kernels/tokenise-state.js';
import { DocumentBlankNodes } from '../../rdf/blank-node-scope.js';
import { iriFault } from '../../rdf/formats/input/term-checks.js';
import { type Quad, ROOT_GRAPH_IRI } from '../../rdf/terms.js';
import { DictionaryReader } from '../dictionary/reader.js';
import { KIND } from '../dictionary/stored-term.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { BlockReader } from '../runs/block-reader.js';
import type { DeletionVector } from '../runs/deletion-vector.js';
import type { RunDirectory } from '../runs/directory.js';
import { FileSink } from '../runs/file-sink.js';
import { loadDeletionVector, loadDirectory } from '../runs/load-directory.js';
import type { Manifest, RunRecord } from '../runs/manifest.js';
import type { LoadOptions, LoadSource, LoadSummary, QuadColumns } from '../seam/engine.js';
import type { ByteInput } from './byte-input.js';
import { CheckedQuads } from './checked-quads.js';
import { placeDatatypes } from './datatype-table.js';
import { DocumentScopes } from './document-scopes.js';
import { isTokenised, RecordTokeniser, type TokeniserSetup } from './document-tokeniser.js';
import { describeDocument, inputBytesOf, type LoadDocument, openDocument } from './documents.js';
import { boundedLimits, Epoch, type EpochLimits, epochLimits, tooLarge } from './epoch.js';
import { EpochRows, type RowTimes } from './epoch-rows.js';
import { EpochTerms } from './epoch-terms.js';
import { GraphCheck, type SlotPlace } from './graph-check.js';
import { LoadHelper } from './helper.js';
import { OpenRows } from './open-rows.js';
import { LoadProgress } from './progress.js';
import { QuadRecorder } from './quad-recorder.js';
import { RepeatedRows } from './repeated-rows.js';
import { allocateSlot, freeSlot, type SlotAreas } from './slot.js';

const MEMORY_BYTES_DEFAULT = 1024 * 1024 * 1024;
const STATEMENT_BYTES_DEFAULT = 256 * 1024 * 1024;
/** A second thread pays from about this much plain text on. */
const HELPER_INPUT_BYTES_MIN = 16 * 1024 * 1024;
/** Bytes of text per distinct term, roughly, to size the first table. */
const BYTES_PER_TERM_GUESS = 1600;
const BLOCK_CACHE_BYTES = 1 << 20;
/** `kernels/as/term-table.ts` has the layouts. */
const SEED_BYTES = 64;
const PREDICATE_CACHE_BYTES = 64 * 160;

export interface LoadOutcome {
  readonly manifest: Manifest;
  readonly summary: LoadSummary;
  /** Sum of the row checksums of what was added, in hex. */
  readonly sum: string;
  readonly perGraph: ReadonlyMap<bigint, number>;
  readonly sink: FileSink;
  /** What the documents repeat of noted rows; null: nothing was to be noted. */
  readonly repeated: QuadColumns | null;
}

export interface LoaderContext {
  readonly file: LmdbFile;
  readonly manifest: Manifest;
  readonly seed: readonly [bigint, bigint];
}

export class BulkLoader {
  readonly #context: LoaderContext;
  readonly #repeated: RepeatedRows | null;
  readonly #options: LoadOptions;
  readonly #control: Control;
  readonly #times: RowTimes;
  readonly #memory = new ThreadMemory();
  readonly #sink: FileSink;
  readonly #documents: readonly LoadDocument[];
  readonly #progress: LoadProgress;
  readonly #dictionary: DictionaryReader;
  readonly #blocks: BlockReader;
  readonly #directories = new Map<number, RunDirectory>();
  readonly #dead = new Map<number, DeletionVector | null>();
  readonly #seedArea: number;
  readonly #predicateCache: number;
  readonly #termScratch: number;
  readonly #types: number;
  readonly #limits: EpochLimits;
  readonly #termsExpected: number;
  readonly #scopes: DocumentScopes;
  readonly #graphCheck: GraphCheck | null;
  /** Of the document that is read. */
  #name = '';
  #helper: LoadHelper | null = null;
  #manifest: Manifest;
  #epoch: Epoch;
  #defaultGraph = -1;
  #transaction: ReadTransaction | null = null;
  #quadsRead = 0;
  #quadsAdded = 0;
  #sum = 0n;
  #bytesRead = 0;
  #termsAdded = 0;
  readonly #perGraph = new Map<bigint, number>();

  constructor(
    context: LoaderContext,
    sources: readonly LoadSource[],
    options: LoadOptions,
    control: Control,
    times: RowTimes,
  ) {
    this.#context = context;
    this.#options = options;
    this.#control = control;
    this.#times = times;
    this.#manifest = context.manifest;
    this.#documents = sources.map(describeDocument);
    const { noteRepeated } = options;
    this.#repeated = noteRepeated === undefined ? null : new RepeatedRows(noteRepeated);
    checkGraph(options.graph);
    const sizes = this.#documents.map(inputBytesOf);
    const total = sizes.some((size) => size === null)
      ? null
      : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
    const memory = this.#memory;
    this.#scopes = new DocumentScopes(memory, context.seed, options, this.#documents);
    this.#graphCheck = options.graphFault === undefined ? null : new GraphCheck(memory, options.graphFault);
    this.#sink = new FileSink(context.file, context.manifest);
    this.#dictionary = new DictionaryReader(context.file, memory, context.seed);
    this.#blocks = new BlockReader(context.file, memory, BLOCK_CACHE_BYTES);
    this.#seedArea = memory.allocate(SEED_BYTES);
    this.#predicateCache = memory.allocate(PREDICATE_CACHE_BYTES);
    memory.kernels.zero(this.#predicateCache, PREDICATE_CACHE_BYTES);
    memory.bigsAt(this.#seedArea + 40, 2).set([context.seed[0], context.seed[1]]);
    this.#termScratch = memory.allocate(4096);
    this.#types = placeDatatypes(memory);
    this.#limits = boundedLimits(
      epochLimits(options.memoryBytesMax ?? MEMORY_BYTES_DEFAULT, total, this.#statementBytesMax),
      options.bounds,
    );
    this.#termsExpected = Math.min(this.#limits.termsMax, Math.ceil((total ?? 0) / BYTES_PER_TERM_GUESS));
    this.#progress = new LoadProgress(control, total);
    this.#epoch = this.#newEpoch();
  }

  get #statementBytesMax(): number {
    return this.#options.statementBytesMax ?? STATEMENT_BYTES_DEFAULT;
  }

  get #helperBytesMin(): number {
    return this.#options.bounds?.helperInputBytesMin ?? HELPER_INPUT_BYTES_MIN;
  }

  /** Reads and stages everything; on failure removes what was written, then throws. */
  async run(): Promise<LoadOutcome> {
    try {
      await this.#startHelper();
      for (let i = 0; i < this.#documents.length; i++) await this.#readDocument(i);
      await this.#closeEpoch();
      this.#sink.flush();
      const summary: LoadSummary = {
        quadsRead: this.#quadsRead,
        quadsAdded: this.#quadsAdded,
        bytesRead: this.#bytesRead,
        termsAdded: this.#termsAdded,
        sources: this.#documents.length,
      };
      return {
        manifest: this.#manifest,
        summary,
        sum: this.#sum.toString(16),
        perGraph: this.#perGraph,
        sink: this.#sink,
        repeated: this.#repeated?.quads() ?? null,
      };
    } catch (error) {
      this.#endRead();
      // First of all nobody may write any more.
      await this.#helper?.stop();
      this.#sink.discard();
      throw error;
    } finally {
      this.#endRead();
      await this.#helper?.stop();
    }
  }

  async #startHelper(): Promise<void> {
    const threads = this.#options.threads ?? 2;
    if (threads < 2) return;
    const large = this.#documents.some((document) => (inputBytesOf(document) ?? 0) >= this.#helperBytesMin);
    if (large) this.#helper = new LoadHelper(this.#memory);
  }

  async #readDocument(index: number): Promise<void> {
    throwIfAborted(this.#control.signal, 'the load');
    const document = this.#documents[index] as LoadDocument;
    this.#scopes.begin(index);
    this.#name = document.name;
    if (document.format === null) await this.#readProgramQuads(document);
    else if (isTokenised(document.format)) await this.#readTokenised(document);
    else await this.#readThroughLibrary(document);
  }

  // The N-Triples and Turtle families.

  async #readTokenised(document: LoadDocument): Promise<void> {
    const state = this.#memory.allocate(TOKENISER_STATE_BYTES);
    const input = openDocument(document, this.#options, this.#control.signal);
    this.#scopes.hashCurrentWith(() => input.sha256());
    const scope = this.#scopes.areas();
    const setup: TokeniserSetup = {
      name: document.name,
      format: document.format as TokeniserSetup['format'],
      state,
      seed: this.#seedArea,
      predicateCache: this.#predicateCache,
      scope: scope.written,
      anonymousScope: scope.anonymous,
      statementBytesMax: this.#statementBytesMax,
    };
    try {
      new TokeniserState(this.#memory.memory.buffer, state).initialise(
        { recordsBase: 0, recordsEnd: 0, scratchBase: 0, scratchEnd: 0 },
        document.baseIri,
        this.#memory.kernels.zero,
      );
      const size = inputBytesOf(document) ?? 0;
      const { source } = document;
      const helped = this.#helper !== null && source.kind === 'file' && size >= this.#helperBytesMin;
      if (helped) await this.#takeFromHelper(setup, source.path);
      else await this.#takeHere(setup, input, size);
      await this.#scopes.end(input);
    } finally {
      input.close();
      this.#memory.free(state, TOKENISER_STATE_BYTES);
    }
  }

  async #takeFromHelper(setup: TokeniserSetup, path: string): Promise<void> {
    const helper = this.#helper as LoadHelper;
    let before = 0;
    for await (const slot of helper.tokenise(setup, path)) {
      await this.#take(slot.areas, slot.quads, slot.place);
      this.#progressed(slot.bytesRead - before);
      before = slot.bytesRead;
    }
  }

  async #takeHere(setup: TokeniserSetup, input: ByteInput, size: number): Promise<void> {
    const slot = size > 0 && size < 65536 ? allocateSlot(this.#memory, 65536, 1024) : allocateSlot(this.#memory);
    const tokeniser = new RecordTokeniser(this.#memory, setup, input);
    let before = 0;
    try {
      for (;;) {
        const quads = await tokeniser.next(slot);
        if (quads === null) break;
        await this.#take(slot, quads, tokeniser.place);
        this.#progressed(input.bytesRead - before);
        before = input.bytesRead;
        if (this.#progress.turnDue()) await breathe();
      }
      this.#progressed(input.bytesRead - before);
    } finally {
      freeSlot(this.#memory, slot);
    }
  }

  // Other formats, and quads of a program.

  async #readThroughLibrary(document: LoadDocument): Promise<void> {
    const input = openDocument(document, this.#options, this.#control.signal);
    this.#scopes.hashCurrentWith(() => input.sha256());
    const nodes = new DocumentBlankNodes();
    // Loaded when needed: it brings the libraries of all formats with it.
    const { readQuads } = await import('../../rdf/formats/reader.js');
    try {
      const batches = readQuads(bytesOf(input), {
        format: document.format as Exclude<LoadDocument['format'], null>,
        sourceName: document.name,
        baseIri: document.baseIri,
        blankNode: nodes.make,
        signal: this.#control.signal,
        jsonLd: { remoteContexts: this.#options.remoteContexts },
      });
      await this.#record(batches, input);
      await this.#scopes.end(input);
    } finally {
      input.close();
    }
  }

  async #readProgramQuads(document: LoadDocument): Promise<void> {
    const source = document.source as Extract<LoadSource, { kind: 'quads' }>;
    const checked = new CheckedQuads(
      source.quads,
      document.name,
      this.#options.statementBytesMax,
      this.#control.signal,
    );
    this.#scopes.hashCurrentWith(() => checked.sha256());
    try {
      await this.#record(checked.batches(), null);
      await this.#scopes.end(null);
    } finally {
      checked.close();
    }
  }

  async #record(batches: AsyncIterable<readonly Quad[]>, input: ByteInput | null): Promise<void> {
    const slot = allocateSlot(this.#memory, 262144, 2048);
    const recorder = new QuadRecorder(this.#memory, slot, this.#scopes.areas(), this.#statementBytesMax);
    let before = 0;
    try {
      for await (const batch of batches) {
        throwIfAborted(this.#control.signal, 'the load');
        for (const quad of batch) {
          if (recorder.add(quad)) continue;
          await this.#takeRecorded(slot, recorder);
          recorder.add(quad);
        }
        if (input) {
          this.#progressed(input.bytesRead - before);
          before = input.bytesRead;
        }
        if (this.#progress.turnDue()) await breathe();
      }
      await this.#takeRecorded(slot, recorder);
      if (input) this.#progressed(input.bytesRead - before);
    } finally {
      freeSlot(this.#memory, slot);
    }
  }

  async #takeRecorded(slot: SlotAreas, recorder: QuadRecorder): Promise<void> {
    const quads = recorder.quads;
    if (quads === 0) return;
    const scope = this.#scopes.areas();
    const done = this.#memory.kernels.hashRecords(
      this.#seedArea,
      this.#predicateCache,
      slot.records,
      4 * quads,
      scope.written,
      scope.anonymous,
      slot.labels,
      slot.labels + slot.labelBytes,
      slot.hashes,
    );
    invariant(done === 4 * quads, 'the labels of a slot fit their area');
    await this.#take(slot, quads, null);
    recorder.clear();
  }

  // Into the epoch.

  async #take(slot: SlotAreas, quads: number, place: SlotPlace | null): Promise<void> {
    this.#graphCheck?.check(slot, quads, this.#name, place);
    this.#quadsRead += quads;
    let done = 0;
    while (done < quads) {
      if (this.#defaultGraph < 0) this.#defaultGraph = this.#placeDefaultGraph();
      const added = this.#epoch.add(
        slot.records + 64 * done,
        slot.hashes + 64 * done,
        quads - done,
        this.#defaultGraph,
      );
      done += added;
      if (done === quads) break;
      if (added === 0 && this.#epoch.rows === 0) throw tooLarge(this.#limits.termBytesMax);
      await this.#closeEpoch();
    }
    if (this.#epoch.isFull) await this.#closeEpoch();
  }

  #placeDefaultGraph(): number {
    const iri = Buffer.from(this.#options.graph ?? ROOT_GRAPH_IRI, 'utf8');
    const memory = this.#memory;
    const record = this.#termScratch;
    const text = memory.allocate(iri.length);
    memory.bytes.set(iri, text);
    memory.words.set([text, ((KIND.iri << 28) | iri.length) >>> 0, 0, 0], record >>> 2);
    memory.kernels.hashTerm(
      this.#context.seed[0],
      this.#context.seed[1],
      KIND.iri,
      0,
      0,
      text,
      iri.length,
      record + 16,
    );
    const number = this.#epoch.addTerm(record, record + 16, record + 64);
    memory.free(text, iri.length);
    if (number < 0) throw tooLarge(iri.length);
    return number;
  }

  #newEpoch(): Epoch {
    this.#defaultGraph = -1;
    return new Epoch(this.#memory, this.#limits, this.#context.seed, this.#termsExpected);
  }

  #progressed(bytes: number): void {
    this.#bytesRead += bytes;
    throwIfAborted(this.#control.signal, 'the load');
    this.#progress.report('read', this.#quadsRead, this.#bytesRead);
  }

  // The close of an epoch.

  async #closeEpoch(): Promise<void> {
    const epoch = this.#epoch;
    if (epoch.rows > 0) {
      throwIfAborted(this.#control.signal, 'the load');
      this.#progress.now('terms', this.#quadsRead, this.#bytesRead);
      const settled = await this.#scopes.settle(epoch);
      epoch.releaseTable();
      const terms = await new EpochTerms(this.#memory, epoch, this.#sink, settled, this.#helper).resolve(
        this.#manifest,
        this.#dictionary,
        this.#beginRead(),
        this.#types,
      );
      this.#termsAdded += terms.newTerms;
      await breathe();
      throwIfAborted(this.#control.signal, 'the load');
      this.#progress.now('sort and write', this.#quadsRead, this.#bytesRead);
      const openRows = new OpenRows(
        this.#memory,
        this.#blocks,
        (run) => this.#directoryOf(run),
        (run, transaction) => this.#deadOf(run, transaction),
        this.#repeated,
      );
      const rows = new EpochRows(
        this.#memory,
        epoch,
        terms.ids,
        this.#manifest,
        this.#sink,
        this.#times,
        openRows,
        this.#helper,
        this.#options.bounds?.ownPartitionRows,
      );
      const written = await rows.write(() => this.#beginRead());
      this.#manifest = await terms.finish(written.manifest);
      this.#quadsAdded += written.added;
      this.#sum = (this.#sum + written.sum) & ((1n << 64n) - 1n);
      for (const [graph, count] of written.perGraph) {
        this.#perGraph.set(graph, (this.#perGraph.get(graph) ?? 0) + count);
      }
      terms.release();
      throwIfAborted(this.#control.signal, 'the load');
    }
    epoch.release();
    this.#epoch = this.#newEpoch();
  }

  #deadOf(run: RunRecord, transaction: ReadTransaction): DeletionVector | null {
    let dead = this.#dead.get(run.id);
    if (dead === undefined) {
      dead = loadDeletionVector(this.#context.file, run, transaction);
      this.#dead.set(run.id, dead);
    }
    return dead;
  }

  #directoryOf(run: RunRecord): RunDirectory {
    let directory = this.#directories.get(run.id);
    if (directory === undefined) {
      directory = loadDirectory(this.#context.file, run, this.#beginRead());
      this.#directories.set(run.id, directory);
    }
    return directory;
  }

  /** A view that sees everything written so far; the one before is released. */
  #beginRead(): ReadTransaction {
    this.#sink.flush();
    this.#endRead();
    this.#transaction = this.#context.file.beginRead();
    return this.#transaction;
  }

  #endRead(): void {
    if (this.#transaction) this.#context.file.release(this.#transaction);
    this.#transaction = null;
  }
}

function checkGraph(graph: string | undefined): void {
  if (graph === undefined) return;
  const fault = iriFault(graph);
  if (fault !== null) throw new SvcError('invalid_request', `the graph <${graph}> ${fault}`);
}

async function* bytesOf(input: ByteInput): AsyncGenerator<Uint8Array> {
  for (;;) {
    const chunk = new Uint8Array(65536);
    const n = await input.read(chunk);
    if (n === 0) return;
    yield chunk.subarray(0, n);
  }
}
