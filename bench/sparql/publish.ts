/** The end of the benchmark of queries: tables and pictures, on the terminal and in the document. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT, renderMachine } from '../harness/machine.js';
import { replaceSection } from '../harness/report.js';
import { renderTable } from '../harness/table.js';
import { PEERS } from '../peers/all.js';
import { compareSet } from './compare.js';
import { sizesOf } from './data.js';
import type { SparqlOptions, Variant } from './options.js';
import { drawRatios } from './picture.js';
import type { QuerySet } from './query-set.js';
import type { PeerResults, ResultFolder } from './results.js';
import { disagreements, loadTable, queryTable } from './tables.js';
import { readVariants, renderVariant } from './variants/report.js';

const DOCUMENT = 'docs/benchmarks.md';
const PICTURES = 'docs/benchmarks';
const SECTION = 'sparql';
/** Sections of the document, by the sets whose tables stand there; a run of some sets leaves the other section as it is. */
const SECTIONS = [
  { section: SECTION, sets: ['bsbm', 'watdiv'] },
  { section: `${SECTION}-analytics`, sets: ['shop', 'social', 'fibo', 'schemaorg'] },
] as const;

interface Picture {
  readonly file: string;
  readonly svg: string;
}

export function publishSparql(options: SparqlOptions, folder: ResultFolder): void {
  for (const { section, sets } of SECTIONS) {
    const wanted = options.sets.filter(({ name }) => (sets as readonly string[]).includes(name));
    if (wanted.length > 0) publishSection(section, { ...options, sets: wanted }, folder);
  }
}

function publishSection(section: string, options: SparqlOptions, folder: ResultFolder): void {
  const parts: string[] = [];
  const pictures: Picture[] = [];
  for (const name of new Set(options.sets.map(({ data }) => data))) {
    for (const size of sizesOf(name, options.sizes)) {
      const results = inOrder(folder.readAll(name, size));
      const [first] = results;
      if (first === undefined) continue;
      parts.push(`Measured on ${first.date.slice(0, 10)}: ${renderMachine(first.machine)}.`, '');
      parts.push(renderTable(loadTable(`${name}-${size}`, results)));
      for (const set of options.sets.filter(({ data }) => data === name)) {
        const made = renderSet(set, size, results);
        if (made === null) continue;
        parts.push(made.text);
        pictures.push(made.picture);
      }
    }
  }
  const text = parts.join('\n');
  console.log(text);
  const target = options.writeDocs ? join(CHECKOUT, PICTURES) : folder.path;
  mkdirSync(target, { recursive: true });
  for (const { file, svg } of pictures) writeFileSync(join(target, file), svg);
  if (!options.writeDocs) return;
  const document = join(CHECKOUT, DOCUMENT);
  writeFileSync(document, replaceSection(readFileSync(document, 'utf8'), section, text));
}

/** A section of its own for each variant, of what stands in the folder; what does not is said, and the document left as it is. */
export function publishVariant(options: SparqlOptions, variant: Variant, folder: ResultFolder): void {
  const { measured, missing } = readVariants(options, variant, folder);
  for (const name of missing) console.error(`${name}: not measured yet (npm run bench -- sparql --${variant})`);
  if (measured.length === 0) return;
  const text = renderVariant(variant, measured);
  console.log(text);
  if (!options.writeDocs) return;
  const document = join(CHECKOUT, DOCUMENT);
  writeFileSync(document, replaceSection(readFileSync(document, 'utf8'), `${SECTION}-${variant}`, text));
}

/** As the peers are listed; what is not listed any more comes last. */
function inOrder(results: readonly PeerResults[]): readonly PeerResults[] {
  const place = ({ peer }: PeerResults): number => {
    const at = PEERS.findIndex(({ name }) => name === peer);
    return at < 0 ? PEERS.length : at;
  };
  return [...results].sort((a, b) => place(a) - place(b));
}

function renderSet(
  set: QuerySet,
  size: string,
  results: readonly PeerResults[],
): { readonly text: string; readonly picture: Picture } | null {
  const queries = compareSet(set.name, results);
  if (queries.length === 0) return null;
  const title = `${set.title} (${set.data}-${size})`;
  const file = `${set.name}-${size}.svg`;
  const lines = disagreements(queries);
  const text = [
    renderTable(queryTable(title, queries)),
    `![How many times faster svc is than each peer, query by query, on a log scale](${PICTURES.split('/').at(-1)}/${file})`,
    '',
    ...(lines.length === 0 ? ['All answers are the same.', ''] : ['Other answers and errors:', '', ...lines, '']),
  ].join('\n');
  return { text, picture: { file, svg: drawRatios(title, queries) } };
}
