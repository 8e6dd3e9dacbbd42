/** Columns of an answer as a chart draws them. */

import type { Term } from '../../../../clients/typescript/src/index.js';
import type { LineFormat, NumberColumn } from './messages.js';
import { termOfCell, termsOfTriple } from './terms.js';

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const TIMES: ReadonlySet<string> = new Set(['dateTime', 'date', 'gYear', 'gYearMonth'].map((name) => XSD + name));
const NAME_CHARACTERS_MAX = 80;

export function numberColumns(
  names: readonly string[],
  lines: readonly string[],
  format: LineFormat,
): readonly NumberColumn[] {
  const rows = lines.map((line) => (format === 'tsv' ? line.split('\t').map(termOfCell) : termsOfTriple(line)));
  return names.map((name, column) =>
    columnOf(
      name,
      rows.map((row) => row[column] ?? null),
    ),
  );
}

function columnOf(name: string, terms: readonly (Term | null)[]): NumberColumn {
  const bound = terms.filter((term) => term !== null);
  for (const [kind, numberAt] of [
    ['number', numberOf],
    ['time', secondsOf],
  ] as const) {
    if (bound.length > 0 && bound.every((term) => !Number.isNaN(numberAt(term)))) {
      return {
        name,
        kind,
        values: Float64Array.from(terms, (term) => (term === null ? Number.NaN : numberAt(term))),
        names: [],
      };
    }
  }
  const places = new Map<string, number>();
  const values = Float64Array.from(terms, (term) => {
    if (term === null) return Number.NaN;
    const text = term.type === 'triple' ? '<<( … )>>' : term.value.slice(0, NAME_CHARACTERS_MAX);
    if (!places.has(text)) places.set(text, places.size);
    return places.get(text) as number;
  });
  return { name, kind: 'name', values, names: [...places.keys()] };
}

function numberOf(term: Term): number {
  if (term.type !== 'literal' || term.datatype === undefined || TIMES.has(term.datatype)) return Number.NaN;
  if (!term.datatype.startsWith(XSD) || term.value.trim() === '') return Number.NaN;
  return Number(term.value);
}

function secondsOf(term: Term): number {
  if (term.type !== 'literal' || term.datatype === undefined || !TIMES.has(term.datatype)) return Number.NaN;
  return Date.parse(term.value) / 1000;
}
