/** An answer as a file, in every format that the server writes. The query is asked once more, and its answer is never cut. */

import { errorOf } from '../../../clients/typescript/src/errors.js';
import type { QueryForm } from './query-form.js';
import type { Run } from './run.js';

export interface DownloadFormat {
  readonly label: string;
  readonly mediaType: string;
  readonly ending: string;
}

const ROWS: readonly DownloadFormat[] = [
  { label: 'CSV', mediaType: 'text/csv', ending: 'csv' },
  { label: 'TSV', mediaType: 'text/tab-separated-values', ending: 'tsv' },
  { label: 'SPARQL JSON', mediaType: 'application/sparql-results+json', ending: 'srj' },
  { label: 'SPARQL XML', mediaType: 'application/sparql-results+xml', ending: 'srx' },
  { label: 'Arrow', mediaType: 'application/vnd.apache.arrow.stream', ending: 'arrows' },
  { label: 'Parquet', mediaType: 'application/vnd.apache.parquet', ending: 'parquet' },
];
const GRAPH: readonly DownloadFormat[] = [
  { label: 'Turtle', mediaType: 'text/turtle', ending: 'ttl' },
  { label: 'N-Triples', mediaType: 'application/n-triples', ending: 'nt' },
  { label: 'TriG', mediaType: 'application/trig', ending: 'trig' },
  { label: 'N-Quads', mediaType: 'application/n-quads', ending: 'nq' },
  { label: 'JSON-LD', mediaType: 'application/ld+json', ending: 'jsonld' },
  { label: 'RDF/XML', mediaType: 'application/rdf+xml', ending: 'rdf' },
];

export function formatsFor(form: QueryForm): readonly DownloadFormat[] {
  if (form === 'ask') return ROWS.slice(2, 4);
  if (form === 'update' || form === null) return [];
  return form === 'select' ? ROWS : GRAPH;
}

export async function download(run: Run, { mediaType, ending }: DownloadFormat, signal: AbortSignal): Promise<void> {
  const { server } = run.options;
  const response = await server.fetch(`${server.base}/query`, {
    method: 'POST',
    headers: { Accept: mediaType, 'Content-Type': 'application/json', 'X-Svc-Client': 'web-ui' },
    body: JSON.stringify(run.fields),
    signal,
  });
  if (!response.ok) throw await errorOf(response);
  const came = response.headers.get('Content-Type')?.split(';', 1)[0] ?? '';
  if (came !== mediaType) throw new Error(`the server answered ${came} instead of ${mediaType}`);
  // The browser keeps what is large on its disk.
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = `answer.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
