/**
 * Callers without types may give values of other types: the texts and options of queries and writes are checked before
 * anything begins, and a wrong one is refused by its name.
 */

import { SvcError } from '../../base/errors.js';
import { iriFault } from '../../rdf/formats/input/term-checks.js';

interface ValueKind {
  readonly what: string;
  readonly fits: (value: unknown) => boolean;
}

const TEXT: ValueKind = { what: 'a text', fits: (value) => typeof value === 'string' };
const IRI: ValueKind = {
  what: 'an absolute IRI',
  fits: (value) => typeof value === 'string' && iriFault(value) === null,
};
const TEXTS: ValueKind = {
  what: 'a list of texts',
  fits: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
};
const TRUTH: ValueKind = { what: 'true or false', fits: (value) => typeof value === 'boolean' };
const COUNT: ValueKind = { what: 'a number of at least 0', fits: (value) => typeof value === 'number' && value >= 0 };
const BYTES: ValueKind = {
  what: 'a number of at least 1',
  fits: (value) => typeof value === 'number' && value >= 1,
};
const FUNCTION: ValueKind = { what: 'a function', fits: (value) => typeof value === 'function' };
const OBJECT: ValueKind = { what: 'an object', fits: isObject };
const LIST: ValueKind = { what: 'a list', fits: Array.isArray };
const SIGNAL: ValueKind = {
  what: 'an AbortSignal',
  fits: (value) => isObject(value) && 'aborted' in value && 'addEventListener' in value,
};
const FLAG: ValueKind = {
  what: 'a flag in shared memory',
  fits: (value) => isObject(value) && 'words' in value && value.words instanceof Int32Array,
};
const BLANK_NODE_SCOPE: ValueKind = {
  what: "'document' or 'store'",
  fits: (value) => value === 'document' || value === 'store',
};
const NAMED_GRAPH_PATHS: ValueKind = {
  what: "'evaluate' or 'refuse'",
  fits: (value) => value === 'evaluate' || value === 'refuse',
};

/** Times, transactions and formats are checked where they are read. */
const KINDS: Readonly<Record<string, ValueKind>> = {
  graph: TEXT,
  format: TEXT,
  baseIri: IRI,
  baseIRI: IRI,
  loadFrom: TEXT,
  snapshotKey: TEXT,
  shapes: TEXT,
  registeredOnly: TRUTH,
  replaceSnapshot: TRUTH,
  recordEmpty: TRUTH,
  overwrite: TRUTH,
  allowOrphan: TRUTH,
  apply: TRUTH,
  blankNodeScope: BLANK_NODE_SCOPE,
  threads: COUNT,
  memoryBytesMax: COUNT,
  onSkip: FUNCTION,
  remoteContexts: FUNCTION,
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
  if (typeof text !== 'string') throw unfitValue('the query or update', TEXT.what, text);
  checkOptions(options);
}

export function checkOptions(options: unknown): void {
  if (options === undefined) return;
  if (!isObject(options)) throw unfitValue('the options', OBJECT.what, options);
  for (const [name, value] of Object.entries(options)) {
    const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
    if (kind !== undefined && value !== undefined && !kind.fits(value)) throw unfitValue(name, kind.what, value);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The error of a value that is not what stands there: by its name, with what would be right. */
export function unfitValue(name: string, expected: string, value: unknown, hint?: string): SvcError {
  const more = hint === undefined ? {} : { hint };
  return new SvcError('invalid_request', `${name}: expected ${expected}, not ${shown(value)}`, more);
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value.slice(0, 60)}'`;
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}
