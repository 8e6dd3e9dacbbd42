/** The files of the suites that hold expected answers, in all their formats. */

import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Format } from '../../../engine/rdf/formats/registry.js';
import type { Quad, Term } from '../../../engine/rdf/terms.js';
import { libraryReader } from '../readers.js';
import type { Answer } from './answer.js';
import type { DataFile } from './case.js';
import { parseCsv, parseJson, parseTsv, parseXml } from './result-formats.js';

const RS = 'http://www.w3.org/2001/sw/DataAccess/tests/result-set#';

const FORMATS: Readonly<Record<string, Format>> = {
  '.rdf': 'rdfxml',
  '.nt': 'ntriples',
  '.nq': 'nquads',
  '.trig': 'trig',
};

export function formatOf(file: string): Format {
  return FORMATS[extname(file)] ?? 'turtle';
}

export function readQuads({ file, iri }: DataFile): Promise<Quad[]> {
  return libraryReader.parse(readFileSync(file), formatOf(file), iri);
}

export async function readAnswer(source: DataFile): Promise<Answer> {
  const text = () => readFileSync(source.file, 'utf8');
  switch (extname(source.file)) {
    case '.srx':
      return parseXml(text());
    case '.srj':
      return parseJson(text());
    case '.csv':
      return parseCsv(text());
    case '.tsv':
      return parseTsv(text());
    default:
      return readResultSet(await readQuads(source));
  }
}

/** A result set in the vocabulary of the first working group; any other graph is the answer itself. */
function readResultSet(quads: readonly Quad[]): Answer {
  const set = quads.find(({ object }) => object.value === `${RS}ResultSet`)?.subject;
  if (set === undefined) return { kind: 'graph', quads };
  const objects = (subject: Term, name: string) =>
    quads
      .filter((quad) => quad.subject.equals(subject) && quad.predicate.value === RS + name)
      .map(({ object }) => object);
  const boolean = objects(set, 'boolean')[0];
  if (boolean !== undefined) return { kind: 'boolean', value: boolean.value === 'true' };
  const solutions = objects(set, 'solution').map((solution) => ({
    index: Number(objects(solution, 'index')[0]?.value ?? Number.NaN),
    row: new Map(
      objects(solution, 'binding').map((binding) => [
        objects(binding, 'variable')[0]?.value as string,
        objects(binding, 'value')[0] as Term,
      ]),
    ),
  }));
  const rows = solutions.toSorted((a, b) => a.index - b.index).map(({ row }) => row);
  if (rows.length > 0 && solutions.every(({ index }) => !Number.isNaN(index))) return { kind: 'ordered', rows };
  const variables = objects(set, 'resultVariable').map(({ value }) => value);
  return { kind: 'rows', variables, rows };
}
