/**
 * Callers without types may give values of other types: the texts and options of queries and writes are checked before
 * anything begins, and a wrong one is refused by its name.
 */

import { SvcError } from '../../base/errors.js';
import { isObject } from '../../base/objects.js';
import { iriFault } from '../../rdf/formats/input/term-checks.js';
import { TEXT_KINDS, type TextKind } from '../../storage/seam/engine.js';

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
const BYTES: ValueKind = { what: 'a number of at least 1', fits: (value) => typeof value === 'number' && value >= 1 };
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
const either = (one: string, other: string): ValueKind => ({
  what: `'${one}' or '${other}'`,
  fits: (value) => value === one || value === other,
});
const BLANK_NODE_SCOPE = either('document', 'store');
const NAMED_GRAPH_PATHS = either('evaluate', 'refuse');

/** The names of options by what they hold. Times, transactions and formats are checked where they are read. */
const NAMES: readonly (readonly [ValueKind, string])[] = [
  [TEXT, 'graph format loadFrom snapshotKey shapes spillDirectory outDir'],
  [IRI, 'baseIri baseIRI'],
  [TEXTS, 'defaultGraphs namedGraphs usingGraphs usingNamedGraphs disabledRewrites shapeSets queries'],
  [TRUTH, 'registeredOnly replaceSnapshot recordEmpty overwrite allowOrphan apply inference analyze'],
  [COUNT, 'threads memoryBytesMax timeoutMs joinRowsMax'],
  [BYTES, 'memoryBudgetBytes spillBytesMax'],
  [FUNCTION, 'onSkip remoteContexts onProgress'],
  [OBJECT, 'parameters queryFormat archives'],
  [LIST, 'serviceEndpoints'],
  [SIGNAL, 'signal'],
  [FLAG, 'flag'],
  [BLANK_NODE_SCOPE, 'blankNodeScope'],
  [NAMED_GRAPH_PATHS, 'namedGraphPaths'],
];
const KINDS = new Map(NAMES.flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind] as const)));

export function checkRequest(text: unknown, options: unknown): void {
  if (typeof text !== 'string') throw unfitValue('the query or update', TEXT.what, text);
  checkOptions(options);
}

export function checkOptions(options: unknown): void {
  if (options === undefined) return;
  if (!isObject(options)) throw unfitValue('the options', OBJECT.what, options);
  for (const [name, value] of Object.entries(options)) {
    const kind = KINDS.get(name);
    if (kind !== undefined && value !== undefined && !kind.fits(value)) throw unfitValue(name, kind.what, value);
  }
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

export function checkTextKinds(kinds: readonly TextKind[]): void {
  const unknown = Array.isArray(kinds) ? kinds.find((kind) => !TEXT_KINDS.includes(kind)) : kinds;
  if (unknown === undefined) return;
  const known = TEXT_KINDS.map((kind) => `'${kind}'`).join(', ');
  throw new SvcError(
    'invalid_request',
    `the kinds of an index of texts are a list of ${known}, not ${String(unknown)}`,
  );
}
