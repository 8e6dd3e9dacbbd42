/** Stores and answers for the tests of queries. */

import { executeQuery } from '../../engine/query/query.js';
import type { Term } from '../../engine/rdf/terms.js';
import { type MemoryEngine, openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { inFull, type ShortOptions } from './short-options.js';

export const PREFIXES = `PREFIX : <http://example.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
`;

export async function loadText(
  engine: Pick<StorageEngine, 'stageLoad'>,
  text: string,
  format: 'turtle' | 'trig' = 'trig',
): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  const staged = await engine.stageLoad([{ kind: 'bytes', bytes, name: 'test', format }], {}, {});
  await staged.commit().durable;
}

/** A store that holds a TriG document. */
export async function storeOf(text: string): Promise<MemoryEngine> {
  const engine = openMemoryEngine();
  await loadText(engine, PREFIXES.replaceAll('PREFIX', '@prefix').replaceAll('>\n', '> .\n') + text);
  return engine;
}

export function show(term: Term | undefined): string {
  if (term === undefined) return '-';
  switch (term.termType) {
    case 'NamedNode':
      return term.value.replace('http://example.org/', ':');
    case 'Literal': {
      const type = term.datatype.value.replace('http://www.w3.org/2001/XMLSchema#', '');
      if (term.language) return `"${term.value}"@${term.language}`;
      return type === 'string' ? `"${term.value}"` : `${term.value}^${type}`;
    }
    default:
      return `_:${term.value}`;
  }
}

/** ASK as `true` or `false`; SELECT as one text a row, in order; CONSTRUCT and DESCRIBE as one text a triple. */
export async function answer(snapshot: StorageSnapshot, text: string, options: ShortOptions = {}): Promise<string[]> {
  const result = await executeQuery(snapshot, PREFIXES + text, inFull(options));
  if (result.kind === 'ask') return [String(result.value)];
  const rows: string[] = [];
  if (result.kind === 'graph') {
    for await (const { subject, predicate, object, graph } of result.quads()) {
      const place = graph.termType === 'DefaultGraph' ? [] : [graph];
      rows.push([subject, predicate, object, ...place].map(show).join(' '));
    }
    return rows;
  }
  for await (const row of result.rows()) rows.push(row.map(show).join(' '));
  return rows;
}

export async function sortedAnswer(
  snapshot: StorageSnapshot,
  text: string,
  options: ShortOptions = {},
): Promise<string[]> {
  return (await answer(snapshot, text, options)).sort();
}
