/**
 * IRIs of a query are checked once more when they are whole: a prefix and a local name, each fine by itself, can
 * make an authority whose port is no number (RFC 3986, 3.2.3).
 */

import { SvcError } from '../../base/errors.js';
import { type RDF, terms } from '../../rdf/terms.js';
import { positionAt } from './position.js';

const AUTHORITY = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/([^/?#]*)/;
/** A namespace that a local name could give a port. */
const OPEN_PORT = /<[^:<>\s]+:\/\/[^/?#<>\s]*:\d*>/;

class BadPort extends Error {
  constructor(readonly iri: string) {
    super(iri);
  }
}

export function hasBadPort(iri: string): boolean {
  const authority = AUTHORITY.exec(iri)?.[1];
  if (authority === undefined) return false;
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const colon = host.indexOf(':', host.startsWith('[') ? host.indexOf(']') : 0);
  return colon >= 0 && !/^\d*$/.test(host.slice(colon + 1));
}

/** Whether the text has a declaration whose names have to be looked at one by one. */
export function hasOpenPort(text: string): boolean {
  return OPEN_PORT.test(text);
}

/** The factory of the terms of a query. */
export const checkedFactory: typeof terms = Object.assign(Object.create(terms) as typeof terms, {
  namedNode<Iri extends string>(iri: Iri): RDF.NamedNode<Iri> {
    if (hasBadPort(iri)) throw new BadPort(iri);
    return terms.namedNode(iri);
  },
});

/** The place is that of the IRI or, where it comes of a prefix, of the declaration. */
export function portFailure(error: Error, text: string): SvcError | null {
  if (!(error instanceof BadPort)) return null;
  const written = text.indexOf(`<${error.iri}>`);
  const at = written >= 0 ? written : text.search(OPEN_PORT);
  return new SvcError('parse_error', `the IRI <${error.iri}> has a port that is no number`, {
    ...(at < 0 ? {} : { position: positionAt(text, at) }),
    ...(written < 0 ? { hint: 'its namespace may lack a / behind the host' } : {}),
  });
}
