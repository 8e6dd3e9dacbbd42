/** Rows of an engine as the terms of an answer, and the answer in any form and format that the store has. */

import { SvcError } from '../../base/errors.js';
import type { ParsedQuery } from '../../query/algebra/algebra.js';
import { executeParsed, type QueryResult } from '../../query/query.js';

import { type Literal, type Term, terms } from '../../rdf/terms.js';
import { doubleValue, floatValue, lexicalOf } from '../../rdf/values/index.js';
import { readTripleText } from '../../storage/dictionary/triple-text.js';
import { openMemoryEngine } from '../../storage/memory/engine.js';
import type { Cell } from '../lake-engine.js';
import { TERM_KINDS } from '../layout.js';
import { type Field, XSD_DOUBLE, XSD_FLOAT } from './sql-terms.js';
import type { AnswerColumns } from './translate.js';

export type AnswerRow = (column: string) => Cell;

export function termOf({ fields }: AnswerColumns, row: AnswerRow): Term | null {
  const of = (field: Field): Cell => {
    const name = fields[field];
    return name === undefined ? null : row(name);
  };
  const kind = of('kind');
  if (kind === null) return null;
  const text = of('text');
  switch (Number(kind)) {
    case TERM_KINDS.iri:
      return terms.namedNode(String(text));
    case TERM_KINDS.blankNode:
      return terms.blankNode(String(text));
    case TERM_KINDS.tripleTerm:
      return readTripleText(String(text)) as Term;
    default:
      return literalOf(of, text);
  }
}

function literalOf(of: (field: Field) => Cell, text: Cell): Literal {
  const datatype = String(of('datatype'));
  const lexical = text === null ? computedText(of, datatype) : String(text);
  const language = of('lang');
  if (language === null) return terms.literal(lexical, terms.namedNode(datatype));
  const direction = of('dir');
  if (direction === null) return terms.literal(lexical, String(language));
  return terms.literal(lexical, { language: String(language), direction: direction as 'ltr' | 'rtl' });
}

function computedText(of: (field: Field) => Cell, datatype: string): string {
  const num = of('num');
  if (datatype === XSD_DOUBLE && num !== null) return lexicalOf(doubleValue(Number(num)));
  if (datatype === XSD_FLOAT && num !== null) return lexicalOf(floatValue(Number(num)));
  const exact = of('exact');
  if (exact === null) throw new SvcError('internal', 'a computed number came without its value');
  const written = String(exact);
  return written.includes('.') ? written.replace(/\.?0+$/, '') : written;
}

/** The solutions, which are all there, in the form of the query. */
export async function answerOf(query: ParsedQuery, rows: readonly (readonly (Term | null)[])[]): Promise<QueryResult> {
  const { variables } = query;
  const algebra =
    rows.length === 0 ? ({ kind: 'empty', variables } as const) : ({ kind: 'values', variables, rows } as const);
  const engine = openMemoryEngine();
  return executeParsed({ ...query, algebra, dataset: null, touched: undefined }, engine.snapshot(), {
    disabledRewrites: [],
  });
}
