/** The table of the command line (wire shapes, 21): tab-separated rows between a rule and a count; triples as lines. */

import { type Term, XSD } from '../../rdf/terms.js';
import { byteRows } from './byte-rows.js';
import { quoted } from './quoted.js';
import type { FormResult } from './result.js';
import { plainBytes, type TermFormat } from './term-format.js';

const RULE_PER_VARIABLE = 20;
const UNBOUND = '(unbound)';

export async function* tableChunks(result: FormResult): AsyncGenerator<string | Uint8Array, void, undefined> {
  if (result.kind === 'ask') {
    yield `${result.value}\n`;
    return;
  }
  const isSelect = result.kind === 'select';
  yield* byteRows(result.batches, {
    head: isSelect
      ? `${result.variables.join('\t')}\n${'-'.repeat(RULE_PER_VARIABLE * result.variables.length)}\n`
      : '',
    formatOf: () => FORMAT,
    rowStart: '',
    between: '\t',
    rowEnd: '\n',
    unbound: isSelect ? UNBOUND : '',
    tail: (rows) => `\n${rows} ${isSelect ? 'results' : 'triples'}\n`,
  });
}

const BARE: Readonly<Record<string, RegExp>> = {
  [`${XSD}integer`]: /^[+-]?\d+$/,
  [`${XSD}decimal`]: /^[+-]?(\d+\.?\d*|\.\d+)$/,
  [`${XSD}double`]: /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/,
  [`${XSD}boolean`]: /^(true|false)$/,
};

/** IRIs, numbers and booleans bare; other literals quoted, on one line. */
export function tableTerm(term: Term): string {
  switch (term.termType) {
    case 'NamedNode':
      return term.value;
    case 'BlankNode':
      return `_:${term.value}`;
    case 'Literal':
      return tableLiteral(term);
    case 'Quad':
      return `<<( ${tableTerm(term.subject)} ${tableTerm(term.predicate)} ${tableTerm(term.object)} )>>`;
    default:
      return term.value;
  }
}

function tableLiteral(literal: Extract<Term, { termType: 'Literal' }>): string {
  const datatype = literal.datatype.value;
  if (BARE[datatype]?.test(literal.value)) return literal.value;
  const text = quoted(literal.value);
  if (literal.language) return `${text}@${literal.language}${literal.direction ? `--${literal.direction}` : ''}`;
  return datatype === `${XSD}string` ? text : `${text}^^<${datatype}>`;
}

const FORMAT: TermFormat = { text: tableTerm, plain: plainBytes('"\\') };
