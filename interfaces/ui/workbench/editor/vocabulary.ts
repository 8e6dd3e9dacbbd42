/** What the store offers to completion: its predicates and classes with how often they stand there, and its prefixes. */

import { COMMON_PREFIXES, type Prefixes, storePrefixes } from '../../parts/prefixes.js';
import type { Server } from '../../wire/server.js';
import { localOf, type Name, NameIndex } from './name-index.js';

/** Of predicates and of classes each; beyond them the rarest are left out. */
const NAMES_MAX = 10_000;
const TIMEOUT_MS = 10_000;

export interface Vocabulary {
  readonly predicates: NameIndex;
  readonly classes: NameIndex;
  readonly prefixes: Prefixes;
}

export const EMPTY: Vocabulary = {
  predicates: new NameIndex([]),
  classes: new NameIndex([]),
  prefixes: COMMON_PREFIXES,
};

/** Asks the store. `graph`: whose names; null = those of ROOT. */
export async function readVocabulary(server: Server, graph: string | null, signal: AbortSignal): Promise<Vocabulary> {
  const [predicates, classes, prefixes] = await Promise.all([
    readNames(server, '?s ?name ?o', graph, signal),
    readNames(server, '?s a ?name', graph, signal),
    storePrefixes(server.background),
  ]);
  return { predicates: new NameIndex(predicates), classes: new NameIndex(classes), prefixes };
}

async function readNames(server: Server, pattern: string, graph: string | null, signal: AbortSignal): Promise<Name[]> {
  const query = `SELECT ?name (COUNT(*) AS ?count) WHERE { ${pattern} } GROUP BY ?name ORDER BY DESC(?count) LIMIT ${NAMES_MAX}`;
  const fields = { verbose: true, inference: false, timeout_ms: TIMEOUT_MS, ...(graph === null ? {} : { graph }) };
  const { rows = [] } = await server.background.query(query, fields, { signal });
  return rows.flatMap(({ name, count }) =>
    typeof name === 'string' ? [{ iri: name, local: localOf(name), count: Number(count) }] : [],
  );
}
