/**
 * JSON-LD 1.1 through `jsonld-streaming-parser` (of the candidates it passes most of the W3C suite);
 * expansion and node map generation of our own would replace it.
 *
 * 1. The text is cut into parts (`json-splitter.ts`) and each part parsed by `JSON.parse`; the values
 *    are handed to the library's machine, in place of its own tokeniser, in batches of nodes: it keeps
 *    state for all it has not finished, and its work grows with the square of a batch. Nodes that are
 *    in expanded form already take a quick path (`expanded.ts`).
 * 2. No remote context is fetched without a loader.
 * 3. `invalidTerms: 'refuse'` (the default) makes errors of what the JSON-LD algorithms leave out in
 *    silence: IRIs that are none, relative ones without a base, bad language tags. Keys that no context
 *    defines are left out either way: that is how JSON-LD carries other data along.
 */

import { JsonLdParser } from 'jsonld-streaming-parser';
import { SvcError } from '../../../base/errors.js';
import { getOrInsert } from '../../../base/maps.js';
import type { Quad } from '../../terms.js';
import { type PushReader, type PushReaderOptions, parseError } from '../input/push-reader.js';
import { TermFault } from '../input/read-factory.js';
import { iriFault } from '../input/term-checks.js';
import { readExpandedNode } from './expanded.js';
import { findJsonFault, type JsonPath, offsetOfPath } from './json-scan.js';
import { JsonLimitFault, type JsonPart, JsonShapeFault, JsonSplitter } from './json-splitter.js';
import { LostList, placeLists } from './lists.js';
import { withNativeValues } from './native-values.js';

/** Larger documents have to be lists of nodes. The library needs some 20 times a document's size. */
const DOCUMENT_CHARACTERS_MAX_DEFAULT = 64 * 1024 * 1024;
const NESTING_MAX = 500;
const BATCH_NODES = 100;

/** What we use of the library beyond its declared surface; pinned by version and by the W3C suite. */
interface Library {
  readonly jsonParser: { stack: { key: unknown }[]; key: unknown; mode: unknown; onValue(value: unknown): void };
  readonly parsingContext: { getExpandOptions(): unknown };
  readonly util: { predicateToTerm(context: ExpandedContext, key: string): unknown };
  lastOnValueJob: Promise<unknown>;
  newOnValueJob(keys: unknown[], value: unknown, depth: number, lastDepthCheck: boolean): Promise<void>;
  push(quad: Quad): boolean;
  emit(event: string, data?: unknown): boolean;
}

interface ExpandedContext {
  expandTerm(key: string, vocab: boolean, options: unknown): string | null;
}

/** Where the values of a batch stand in the text of their part. */
interface Origin {
  readonly part: JsonPart;
  /** The keys as the library counts them, from the batch, to a path in the part. */
  pathOf(keys: readonly (string | number)[]): JsonPath;
}

export class JsonLdReader implements PushReader {
  readonly #splitter: JsonSplitter;
  /** Whether nodes in expanded form mean what they say, whatever the options. */
  readonly #quick: boolean;
  readonly #loaded = new Map<string, Promise<unknown>>();

  constructor(private readonly options: PushReaderOptions) {
    const { expandContext, rdfDirection, processingMode } = options.jsonLd;
    this.#quick = expandContext === undefined && rdfDirection === undefined && processingMode !== '1.0';
    this.#splitter = new JsonSplitter(
      options.jsonLd.documentCharactersMax ?? DOCUMENT_CHARACTERS_MAX_DEFAULT,
      NESTING_MAX,
    );
  }

  async write(text: string, into: Quad[]): Promise<void> {
    await this.#readParts(this.#splitter.push(text), into);
    const { line, unitColumn } = this.#splitter.partStart;
    this.options.window.forgetBefore(line, unitColumn);
  }

  async end(into: Quad[]): Promise<void> {
    await this.#readParts(this.#splitter.end(), into);
  }

  async #readParts(parts: Iterable<JsonPart>, into: Quad[]): Promise<void> {
    try {
      for (const part of parts) await this.#readPart(part, into);
    } catch (error) {
      if (error instanceof JsonLimitFault) {
        throw new SvcError('limit_exceeded', error.message, {
          position: this.options.window.atEnd(),
          hint: error.hint,
        });
      }
      if (error instanceof JsonShapeFault) throw parseError(error.message, this.options.window.atEnd());
      throw error;
    }
  }

  async #readPart(part: JsonPart, into: Quad[]): Promise<void> {
    if (part.kind === 'elements') {
      // A list that is empty is one thing, nothing after a comma another.
      if (part.firstIndex === 0 && /^\s*$/.test(part.text)) return;
      const nodes = this.#parse(part) as unknown[];
      const context = part.context === null ? undefined : JSON.parse(part.context);
      await this.#readNodes(nodes, context, { part, pathOf: (keys) => keys }, into);
      return;
    }
    const document = this.#parse(part);
    if (typeof document !== 'object' || document === null) {
      throw parseError('a JSON-LD document is an object or an array', this.#locate(part, 0));
    }
    if (isContextAndGraph(document)) {
      const pathOf = (keys: JsonPath): JsonPath => ['@graph', ...keys];
      await this.#readNodes(document['@graph'], document['@context'], { part, pathOf }, into);
    } else {
      await this.#run(this.#inOuterContext(document), { part, pathOf: (keys) => keys.slice(1) }, into);
    }
  }

  #parse(part: JsonPart): unknown {
    const text = enclosed(part);
    try {
      return JSON.parse(text);
    } catch (error) {
      const fault = findJsonFault(text);
      if (fault === null) throw error;
      throw parseError(`not JSON: ${fault.message}`, this.#locate(part, fault.offset), error);
    }
  }

  async #readNodes(nodes: unknown[], context: unknown, origin: Origin, into: Quad[]): Promise<void> {
    const quick = context === undefined && this.#quick;
    let batch: unknown[] = [];
    let indexes: number[] = [];
    const flush = async (): Promise<void> => {
      if (batch.length === 0) return;
      const places = indexes;
      const pathOf = (keys: JsonPath): JsonPath => origin.pathOf(replaceFirst(keys, places));
      await this.#readBatch(batch, context, { ...origin, pathOf }, into);
      batch = [];
      indexes = [];
    };
    for (let index = 0; index < nodes.length; index++) {
      if (quick && readExpandedNode(nodes[index], this.options.factory, into)) continue;
      batch.push(nodes[index]);
      indexes.push(index);
      if (batch.length >= BATCH_NODES) await flush();
    }
    await flush();
  }

  async #readBatch(nodes: unknown[], context: unknown, origin: Origin, into: Quad[]): Promise<void> {
    const contexts = [this.options.jsonLd.expandContext, context].filter((given) => given !== undefined);
    if (contexts.length === 0) {
      await this.#run(nodes, { ...origin, pathOf: (keys) => origin.pathOf(keys.slice(1)) }, into);
    } else {
      const document = { '@context': contexts.flat(), '@graph': nodes };
      await this.#run(document, { ...origin, pathOf: (keys) => origin.pathOf(keys.slice(2)) }, into);
    }
  }

  #inOuterContext(document: unknown): unknown {
    const outer = this.options.jsonLd.expandContext;
    if (outer === undefined || typeof document !== 'object' || document === null) return document;
    const { '@context': own, ...rest } = document as Record<string, unknown>;
    return { '@context': [outer, own].filter((given) => given !== undefined).flat(), ...rest };
  }

  async #run(document: unknown, origin: Origin, into: Quad[]): Promise<void> {
    const { factory } = this.options;
    const start = into.length;
    const anonymous = new Set<string>();
    factory.anonymous = anonymous;
    const machine = this.#machine(into);
    let fault = await machine.run(document);
    factory.anonymous = null;
    fault ??= machine.check(() => placeLists(into, start, anonymous));
    if (fault === null) return;
    const keys = fault.keys.map((key) => (typeof key === 'number' ? key : String(key)));
    const path = origin.pathOf(keys);
    const offset = offsetOfPath(enclosed(origin.part), path);
    const position = this.#locate(origin.part, offset);
    if (fault.error instanceof LostList) throw new SvcError('unsupported', fault.error.message, { position });
    throw parseError(messageOf(fault.error, path), position, fault.error);
  }

  #machine(into: Quad[]): Machine {
    const { jsonLd, baseIri, factory } = this.options;
    const refuse = (jsonLd.invalidTerms ?? 'refuse') === 'refuse';
    const parser = new JsonLdParser({
      dataFactory: withNativeValues(factory) as never,
      ...(baseIri === undefined ? {} : { baseIRI: baseIri }),
      ...(jsonLd.rdfDirection === undefined ? {} : { rdfDirection: jsonLd.rdfDirection }),
      processingMode: jsonLd.processingMode ?? '1.1',
      documentLoader: { load: (url) => this.#load(url) as Promise<never> },
      // As the words of a datatype, or of a statement, they are in lower case.
      normalizeLanguageTags: jsonLd.rdfDirection !== undefined,
      validateValueIndexes: true,
      strictValues: refuse,
      rdfstar: false,
    }) as JsonLdParser & Library;
    return new Machine(parser, into, refuse);
  }

  #load(url: string): Promise<unknown> {
    const loader = this.options.jsonLd.remoteContexts ?? 'refuse';
    if (loader === 'refuse') {
      return Promise.reject(new TermFault(`the remote context <${url}> is not fetched unless a loader is given`));
    }
    return getOrInsert(this.#loaded, url, () => loader(url));
  }

  #locate(part: JsonPart, offset: number): ReturnType<PushReaderOptions['window']['locate']> {
    const inPart = Math.max(0, offset - (part.kind === 'elements' ? 1 : 0));
    return this.options.window.locateAfter(part.line, part.unitColumn, (_, from) => from + inPart);
  }
}

interface MachineFault {
  readonly error: Error;
  readonly keys: readonly unknown[];
}

/** One instance of the library for one batch: values in, quads out, the first fault with its keys. */
class Machine {
  #keys: readonly unknown[] = [];
  #fault: MachineFault | null = null;

  constructor(
    private readonly parser: Library,
    into: Quad[],
    refuse: boolean,
  ) {
    const newOnValueJob = parser.newOnValueJob.bind(parser);
    parser.newOnValueJob = (keys, value, depth, lastDepthCheck) => {
      this.#keys = keys;
      // After a fault the rest has no meaning.
      return this.#fault === null ? newOnValueJob(keys, value, depth, lastDepthCheck) : Promise.resolve();
    };
    parser.push = (quad) => into.push(quad) > 0;
    parser.emit = (event, data) => {
      if (event === 'error') this.#fail(data);
      return true;
    };
    if (refuse) this.#keepUnmappedKeysOut(parser);
  }

  /** The library's strictness would also refuse keys that no context defines. */
  #keepUnmappedKeysOut(parser: Library): void {
    const predicateToTerm = parser.util.predicateToTerm.bind(parser.util);
    parser.util.predicateToTerm = (context, key) => {
      const expanded = context.expandTerm(key, true, parser.parsingContext.getExpandOptions());
      if (expanded && !expanded.includes(':')) return null;
      const fault = expanded && !expanded.startsWith('_:') ? iriFault(expanded) : null;
      if (fault !== null) throw new TermFault(`the property <${expanded}> ${fault}`);
      return predicateToTerm(context, key);
    };
  }

  async run(document: unknown): Promise<MachineFault | null> {
    try {
      this.#drive(document);
      await this.parser.lastOnValueJob;
    } catch (error) {
      this.#fail(error);
    }
    return this.#fault;
  }

  /** Tells the library of each value in the order in which its tokeniser would: children first. */
  #drive(value: unknown): void {
    const json = this.parser.jsonParser;
    if (typeof value === 'object' && value !== null) {
      json.stack.push({ key: json.key });
      if (Array.isArray(value)) {
        for (let index = 0; index < value.length; index++) {
          json.key = index;
          this.#drive(value[index]);
        }
      } else {
        for (const [key, child] of Object.entries(value)) {
          json.key = key;
          this.#drive(child);
        }
      }
      json.key = json.stack.pop()!.key;
    }
    json.onValue(value);
  }

  /** A check of what came out; its fault has no better place than the batch. */
  check(step: () => void): MachineFault | null {
    this.#keys = [];
    try {
      step();
    } catch (error) {
      this.#fail(error);
    }
    return this.#fault;
  }

  #fail(error: unknown): void {
    if (this.#fault !== null) return;
    this.#fault = { error: understood(error), keys: this.#keys };
  }
}

/** The library takes some values for those of another type, such as a number for a vocabulary, and stumbles over them. */
function understood(error: unknown): Error {
  if (error instanceof TypeError || error instanceof RangeError) {
    return new Error(`this is no JSON-LD that can be understood (${error.message})`, { cause: error });
  }
  return error instanceof Error ? error : new Error(String(error));
}

function enclosed(part: JsonPart): string {
  return part.kind === 'elements' ? `[${part.text}]` : part.text;
}

function isContextAndGraph(document: unknown): document is { '@context': unknown; '@graph': unknown[] } {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return false;
  const keys = Object.keys(document);
  return keys.length === 2 && '@context' in document && '@graph' in document && Array.isArray(document['@graph']);
}

/** The index in a batch becomes the index in its list. */
function replaceFirst(keys: JsonPath, places: readonly number[]): JsonPath {
  const [first, ...rest] = keys;
  return typeof first === 'number' ? [places[first]!, ...rest] : keys;
}

function messageOf(error: Error, path: JsonPath): string {
  const code = (error as Error & { code?: string }).code;
  const text = error.message.length > 200 ? `${error.message.slice(0, 200)}...` : error.message;
  const place =
    path.length === 0 ? '' : ` (at ${path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('')})`;
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}${code === undefined ? '' : ` [${code}]`}${place}`;
}
