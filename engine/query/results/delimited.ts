/**
 * Rows between delimiters: SPARQL 1.1 Query Results CSV (bare values, quoted as RFC 4180 says) and TSV (terms as Turtle
 * writes them, numbers bare), and the table of the command line (wire shapes, 21), tab-separated rows between a rule and a
 * count, triples as lines.
 */

import { type Literal, type Term, XSD } from '../../rdf/terms.js';
import { byteRows, type ResultBytes, type RowLayout } from './byte-rows.js';
import { quoted } from './quoted.js';
import type { FormResult, SelectResult } from './result.js';
import { plainBytes } from './term-format.js';

const RULE_PER_VARIABLE = 20;
const UNBOUND = '(unbound)';

/** How a document writes terms. */
interface Style {
  iri(value: string): string;
  literal(literal: Literal): string;
}

function termText(term: Term, style: Style): string {
  switch (term.termType) {
    case 'NamedNode':
      return style.iri(term.value);
    case 'Literal':
      return style.literal(term);
    case 'Quad': {
      const [s, p, o] = [term.subject, term.predicate, term.object].map((part) => termText(part, style));
      return `<<( ${s} ${p} ${o} )>>`;
    }
    default:
      return term.termType === 'BlankNode' ? `_:${term.value}` : term.value;
  }
}

/** Literals are quoted, but for those of some datatypes whose form says what they are. */
function literalText(literal: Literal, bare: Readonly<Record<string, RegExp>>): string {
  const datatype = literal.datatype.value;
  if (bare[datatype]?.test(literal.value)) return literal.value;
  const text = quoted(literal.value);
  if (literal.language) return `${text}@${literal.language}${literal.direction ? `--${literal.direction}` : ''}`;
  return datatype === `${XSD}string` ? text : `${text}^^<${datatype}>`;
}

const PLAIN: Style = { iri: (value) => value, literal: ({ value }) => value };

/** The term without quotes, brackets and escapes. */
export function bareText(term: Term): string {
  return termText(term, PLAIN);
}

/** Forms that Turtle reads back as the same literal. */
const TURTLE_BARE: Readonly<Record<string, RegExp>> = {
  [`${XSD}integer`]: /^[+-]?\d+$/,
  [`${XSD}decimal`]: /^[+-]?\d*\.\d+$/,
  [`${XSD}double`]: /^[+-]?(\d+\.\d*|\.?\d+)[eE][+-]?\d+$/,
};
const TURTLE: Style = { iri: (value) => `<${value}>`, literal: (literal) => literalText(literal, TURTLE_BARE) };

const TABLE_BARE: Readonly<Record<string, RegExp>> = {
  [`${XSD}integer`]: /^[+-]?\d+$/,
  [`${XSD}decimal`]: /^[+-]?(\d+\.?\d*|\.\d+)$/,
  [`${XSD}double`]: /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/,
  [`${XSD}boolean`]: /^(true|false)$/,
};
const TABLE: Style = { iri: (value) => value, literal: (literal) => literalText(literal, TABLE_BARE) };

/** IRIs, numbers and booleans bare; other literals quoted, on one line. */
export function tableTerm(term: Term): string {
  return termText(term, TABLE);
}

function layout(between: string, rowEnd: string, escaped: string, text: (term: Term) => string) {
  const format = { text, plain: plainBytes(escaped) };
  return { formatOf: () => format, rowStart: '', between, rowEnd, unbound: '', tail: () => '' };
}

const CSV: Omit<RowLayout, 'head'> = layout(',', '\r\n', '",', (term) => field(bareText(term)));
const TSV: Omit<RowLayout, 'head'> = layout('\t', '\n', '"\\', (term) => termText(term, TURTLE));
const LINES: Omit<RowLayout, 'head'> = layout('\t', '\n', '"\\', tableTerm);

export function csvChunks({ variables, batches }: SelectResult): ResultBytes {
  return byteRows(batches, { ...CSV, head: `${variables.map(field).join(',')}\r\n` });
}

function field(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function tsvChunks({ variables, batches }: SelectResult): ResultBytes {
  return byteRows(batches, { ...TSV, head: `${variables.map((name) => `?${name}`).join('\t')}\n` });
}

export async function* tableChunks(result: FormResult): AsyncGenerator<string | Uint8Array, void, undefined> {
  if (result.kind === 'ask') {
    yield `${result.value}\n`;
    return;
  }
  const isSelect = result.kind === 'select';
  const rule = isSelect ? '-'.repeat(RULE_PER_VARIABLE * result.variables.length) : '';
  yield* byteRows(result.batches, {
    ...LINES,
    head: isSelect ? `${result.variables.join('\t')}\n${rule}\n` : '',
    unbound: isSelect ? UNBOUND : '',
    tail: (rows) => `\n${rows} ${isSelect ? 'results' : 'triples'}\n`,
  });
}
