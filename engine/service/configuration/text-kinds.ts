/**
 * What texts of the configuration have to be, by the names that the table of keys gives their kinds. Loaded when there is
 * something to check.
 */

import { ALL_GRAPHS, NAMED_READERS, ROOT_NAME } from '../../governance/read-rules.js';
import { isTombstones, META_GRAPH_IRI, REGISTRY_GRAPH_IRI } from '../../query/registry/system-graphs.js';
import { iriFault, namespaceFault } from '../../rdf/formats/input/term-checks.js';
import type { SchemaNode } from '../requests/schema.js';
import { kindOf, type TextKind } from './kinds.js';
import { hostNameOf, httpUrlOf, isBaseUrl, isNetwork, isOrigin, parseAddress } from './network.js';

interface TextCheck {
  /** In words, behind "expected". */
  readonly expected: string;
  readonly fits: (text: string) => boolean;
}

const check = (expected: string, fits: TextCheck['fits']): TextCheck => ({ expected, fits });

const CHECKS: Readonly<Record<TextKind, TextCheck>> = {
  path: { expected: 'a path', fits: (text) => text.trim() !== '' && !text.includes('\0') },
  name: { expected: 'a name that is not empty', fits: (text) => text.trim() !== '' },
  /** It stands before the labels of blank nodes, with a dot behind it, and in figures. */
  memberName: check('up to 64 letters, digits, hyphens and underscores', (text) => /^[A-Za-z0-9_-]{1,64}$/.test(text)),
  /** What a Bearer may hold. */
  token: check('a token of visible ASCII characters, without white space', (text) => /^[\x21-\x7e]+$/.test(text)),
  labelToken: { expected: 'a word without white space', fits: (text) => text !== '' && !/[\s\p{Cc}]/u.test(text) },
  address: check('host:port, for example 127.0.0.1:3030 or [::1]:3030', (text) => parseAddress(text) !== null),
  iri: { expected: 'an absolute IRI', fits: (text) => iriFault(text) === null },
  namespace: {
    expected: 'an absolute IRI that names are put behind, for example http://example.org/ns#',
    fits: (text) => namespaceFault(text) === null,
  },
  reader: check(
    `the IRI of a principal, or ${NAMED_READERS.join(', ')}`,
    (text) => NAMED_READERS.includes(text) || iriFault(text) === null,
  ),
  readGraph: check(
    'the IRI of a graph, ROOT, the beginning of IRIs with a * behind it, or *; rows about graphs go with the graphs',
    (text) => text === ALL_GRAPHS || text === ROOT_NAME || isReadGraph(text),
  ),
  httpUrl: check('an address of http or https, without a name or password', (text) => httpUrlOf(text) !== null),
  baseUrl: { expected: 'an address such as https://graph.example.org or https://example.org/kg/', fits: isBaseUrl },
  origin: {
    expected:
      'an origin as browsers send it, for example https://app.example.org, without a path; there is no wildcard',
    fits: isOrigin,
  },
  hostName: check(
    'a name or address, with or without a port; there is no wildcard',
    (text) => hostNameOf(text) !== null,
  ),
  variable: check('the name of a variable of the environment', (text) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(text)),
  network: { expected: 'an address or a network such as 10.0.0.0/8 or fd00::/8', fits: isNetwork },
};

/** Beginnings of names that the service gives would mean nothing, and neither would a `*` elsewhere. */
function isReadGraph(text: string): boolean {
  if (text.endsWith('*'))
    return /^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`*]*\*$/.test(text) && !text.startsWith('urn:svc:');
  const isKept = text === META_GRAPH_IRI || text === REGISTRY_GRAPH_IRI || isTombstones(text);
  return iriFault(text) === null && !isKept && !text.includes('*');
}

/** A value that does not fit its kind. */
export interface Misfit {
  readonly path: readonly string[];
  readonly expected: string;
  readonly actual: unknown;
}

/** Texts that do not fit, of keys whose values have the right types. */
export function* misfits(node: SchemaNode, value: unknown, path: readonly string[] = []): Generator<Misfit> {
  const kind = kindOf(node);
  if (kind !== null && typeof value === 'string') {
    const { expected, fits } = CHECKS[kind];
    if (!fits(value)) yield { path, expected, actual: value };
  }
  if (Array.isArray(value) && node.items !== undefined) {
    for (const [at, entry] of value.entries()) yield* misfits(node.items, entry, [...path, String(at)]);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, child] of Object.entries(node.properties ?? {})) {
      yield* misfits(child, (value as Readonly<Record<string, unknown>>)[key], [...path, key]);
    }
  }
}
