/** Types of nodes and relations of edges as episodes write them: a plain name, a name with a declared prefix, or `<IRI>`. */

import { SvcError } from '../../base/errors.js';
import { getOrInsert } from '../../base/maps.js';
import type { CurieTable } from '../../rdf/curies.js';
import { iriFault } from '../../rdf/formats/input/term-checks.js';
import { type NamedNode, terms } from '../../rdf/terms.js';
import { isPlainName, localName } from './names.js';

export interface TokenScope {
  readonly baseNamespace: string;
  /** The namespaces that prefixes stand for. */
  readonly prefixes: CurieTable;
  /** Tokens that were read before; few words are used again and again. */
  readonly words: Map<string, NamedNode>;
}

/** The term that a type or a relation stands for; `field` is what messages call it. */
export function wordOf(token: string, field: string, scope: TokenScope): NamedNode {
  return getOrInsert(scope.words, token, () => terms.namedNode(iriOfToken(token, field, scope)));
}

function refused(field: string, what: string, hint: string): SvcError {
  return new SvcError('invalid_request', `${field}: ${what}`, { hint });
}

function iriOfToken(token: string, field: string, scope: TokenScope): string {
  const shown = JSON.stringify(token);
  if (token === '') throw refused(field, 'is empty', 'write a name such as runs_on, or an IRI in angle brackets');
  if (token.startsWith('<')) return bracketed(token, field);
  if (isPlainName(token)) return scope.baseNamespace + token;
  const colon = token.indexOf(':');
  if (colon < 0) {
    throw refused(field, `${shown} is not a plain name`, `use letters, digits, . _ - alone: ${localName(token)}`);
  }
  const name = token.slice(colon + 1);
  const iri = scope.prefixes.expand(token);
  if (iri === token) {
    const declared = ' rdf, rdfs, owl, skos, prov, svc, xsd, sh and those of loaded shapes';
    throw refused(
      field,
      `the prefix of ${shown} is not declared; write the whole IRI in angle brackets, <http://...>`,
      `declared are${declared}; /set writes a single fact with any predicate`,
    );
  }
  if (isPlainName(name)) return iri;
  throw refused(field, `${shown} is not a prefix and a plain name`, 'write the whole IRI in angle brackets');
}

function bracketed(token: string, field: string): string {
  const iri = token.slice(1, -1);
  const fault = token.endsWith('>') && token.length > 2 ? iriFault(iri) : 'has no > at its end';
  if (fault === null) return iri;
  throw refused(field, `${JSON.stringify(token)} ${fault}`, 'in angle brackets stands an absolute IRI');
}

/** The class of a node; one alone. */
export function classOf(type: string, field: string, scope: TokenScope): NamedNode {
  if (!type.includes(',')) return wordOf(type, field, scope);
  throw refused(
    field,
    `${JSON.stringify(type)} has a comma; a node has one class in an episode`,
    'further classes come by another episode or by /knot',
  );
}
