/** Prefixes that shorten IRIs: those that everybody has, and those that the store's shapes declare. */

import type { SvcClient } from '../../../clients/typescript/src/index.js';

export type Prefixes = Readonly<Record<string, string>>;

export const COMMON_PREFIXES: Prefixes = {
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
  owl: 'http://www.w3.org/2002/07/owl#',
  sh: 'http://www.w3.org/ns/shacl#',
  skos: 'http://www.w3.org/2004/02/skos/core#',
  dct: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  prov: 'http://www.w3.org/ns/prov#',
  svc: 'https://svc.dev/ontology/',
};

const LOCAL = /^[A-Za-z0-9_](?:[\w.-]*[\w-])?$/;

/** `rdf:type`, or null where no prefix fits. The longest namespace wins. */
export function curieOf(iri: string, prefixes: Prefixes): string | null {
  let best: string | null = null;
  let length = 0;
  for (const [prefix, namespace] of Object.entries(prefixes)) {
    if (namespace.length <= length || !iri.startsWith(namespace)) continue;
    const local = iri.slice(namespace.length);
    if (!LOCAL.test(local)) continue;
    best = `${prefix}:${local}`;
    length = namespace.length;
  }
  return best;
}

/** Longer IRIs are shortened where there is one line for them. */
const LINE_CHARACTERS = 40;

/**
 * An IRI for one line: by a prefix, or, where it is long, its last part behind an ellipsis, since what tells one from another
 * stands there. Whoever shows it has the whole IRI beside it, in a title.
 */
export function lineOf(iri: string, prefixes: Prefixes): string {
  const curie = curieOf(iri, prefixes);
  if (curie !== null) return curie;
  const last = iri.length <= LINE_CHARACTERS ? undefined : /[/#][^/#]+[/#]*$/.exec(iri)?.[0];
  return last === undefined || last.length >= iri.length - 1 ? iri : `…${last}`;
}

/** At the beginning of a line, or behind another declaration. */
const DECLARATION = /(?<=^\s*|[.>]\s*)(?:@prefix|PREFIX)\s+([A-Za-z][\w.-]*)?:\s*<([^<>\s]+)>/gim;

/** What a text of Turtle or SPARQL declares. */
export function declaredPrefixes(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [, prefix = '', namespace] of text.matchAll(DECLARATION)) found[prefix] ??= namespace as string;
  return found;
}

/** Sets of shapes whose prefixes are read. */
const SHAPE_SETS_MAX = 20;

const read = new WeakMap<SvcClient, Promise<Prefixes>>();

/** With those that the stored sets of shapes declare; they are read once for a document. */
export function storePrefixes(client: SvcClient): Promise<Prefixes> {
  let found = read.get(client);
  if (found === undefined) {
    found = readPrefixes(client);
    read.set(client, found);
    // Whoever asks next tries again.
    found.catch(() => read.delete(client));
  }
  return found;
}

async function readPrefixes(client: SvcClient): Promise<Prefixes> {
  const { shapes } = await client.call('shape_list', { limit: SHAPE_SETS_MAX });
  const sets = await Promise.all(shapes.map(({ name }) => client.call('shape_set', { name })));
  const found: Record<string, string> = {};
  for (const { turtle } of sets) {
    for (const [prefix, namespace] of Object.entries(declaredPrefixes(turtle))) {
      // The empty one is another in every set.
      if (prefix !== '') found[prefix] ??= namespace;
    }
  }
  return { ...COMMON_PREFIXES, ...found };
}
