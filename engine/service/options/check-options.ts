/**
 * What callers without types may get wrong: the text and the options of queries and updates are checked
 * before anything begins, and a wrong one is refused by its name.
 */

import { SvcError } from '../../base/errors.js';
import { iriFault } from '../../rdf/formats/input/term-checks.js';

interface Shape {
  readonly what: string;
  readonly fits: (value: unknown) => boolean;
}

const TEXT: Shape = { what: 'a text', fits: (value) => typeof value === 'string' };
const IRI: Shape = {
  what: 'an absolute IRI',
  fits: (value) => typeof value === 'string' && iriFault(value) === null,
};
const TEXTS: Shape = {
  what: 'a list of texts',
  fits: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
};
const TRUTH: Shape = { what: 'true or false', fits: (value) => typeof value === 'boolean' };
const COUNT: Shape = { what: 'a number of at least 0', fits: (value) => typeof value === 'number' && value >= 0 };
const BYTES: Shape = {
  what: 'a number of at least 1',
  fits: (value) => typeof value === 'number' && value >= 1,
};
const FUNCTION: Shape = { what: 'a function', fits: (value) => typeof value === 'function' };
const OBJECT: Shape = { what: 'an object', fits: isObject };
const LIST: Shape = { what: 'a list', fits: Array.isArray };
const SIGNAL: Shape = {
  what: 'an AbortSignal',
  fits: (value) => isObject(value) && 'aborted' in value && 'addEventListener' in value,
};
const FLAG: Shape = {
  what: 'a flag in shared memory',
  fits: (value) => isObject(value) && 'words' in value && value.words instanceof Int32Array,
};
const NAMED_GRAPH_PATHS: Shape = {
  what: "'evaluate' or 'refuse'",
  fits: (value) => value === 'evaluate' || value === 'refuse',
};

/** Times, transactions and formats are checked where they are read. */
const SHAPES: Readonly<Record<string, Shape>> = {
  graph: TEXT,
  format: TEXT,
  baseIri: IRI,
  baseIRI: IRI,
  loadFrom: TEXT,
  defaultGraphs: TEXTS,
  namedGraphs: TEXTS,
  usingGraphs: TEXTS,
  usingNamedGraphs: TEXTS,
  disabledRewrites: TEXTS,
  inference: TRUTH,
  analyze: TRUTH,
  timeoutMs: COUNT,
  memoryBudgetBytes: BYTES,
  spillBytesMax: BYTES,
  joinRowsMax: COUNT,
  spillDirectory: TEXT,
  onProgress: FUNCTION,
  parameters: OBJECT,
  queryFormat: OBJECT,
  serviceEndpoints: LIST,
  signal: SIGNAL,
  flag: FLAG,
  namedGraphPaths: NAMED_GRAPH_PATHS,
};

export function checkRequest(text: unknown, options: unknown): void {
  if (typeof text !== 'string') throw unfit('the query or update', TEXT, text);
  checkOptions(options);
}

export function checkOptions(options: unknown): void {
  if (options === undefined) return;
  if (!isObject(options)) throw unfit('the options', OBJECT, options);
  for (const [name, value] of Object.entries(options)) {
    const shape = Object.hasOwn(SHAPES, name) ? SHAPES[name] : undefined;
    if (shape !== undefined && value !== undefined && !shape.fits(value)) throw unfit(name, shape, value);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unfit(name: string, { what }: Shape, value: unknown): SvcError {
  return new SvcError('invalid_request', `${name}: expected ${what}, not ${shown(value)}`);
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value.slice(0, 60)}'`;
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}
