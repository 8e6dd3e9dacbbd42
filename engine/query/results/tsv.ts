/** SPARQL 1.1 Query Results TSV: terms as Turtle writes them, numbers bare. */

import { type Term, XSD } from '../../rdf/terms.js';
import { byteRows, type ResultBytes } from './byte-rows.js';
import { quoted } from './quoted.js';
import type { SelectResult } from './result.js';
import { plainBytes, type TermFormat } from './term-format.js';

export function tsvChunks(result: SelectResult): ResultBytes {
  return byteRows(result.batches, {
    head: `${result.variables.map((name) => `?${name}`).join('\t')}\n`,
    formatOf: () => FORMAT,
    rowStart: '',
    between: '\t',
    rowEnd: '\n',
    unbound: '',
    tail: () => '',
  });
}

/** Forms that Turtle reads back as the same literal. */
const BARE: Readonly<Record<string, RegExp>> = {
  [`${XSD}integer`]: /^[+-]?\d+$/,
  [`${XSD}decimal`]: /^[+-]?\d*\.\d+$/,
  [`${XSD}double`]: /^[+-]?(\d+\.\d*|\.?\d+)[eE][+-]?\d+$/,
};

function turtleTerm(term: Term): string {
  switch (term.termType) {
    case 'NamedNode':
      return `<${term.value}>`;
    case 'BlankNode':
      return `_:${term.value}`;
    case 'Literal': {
      const datatype = term.datatype.value;
      if (BARE[datatype]?.test(term.value)) return term.value;
      if (term.language) return `${quoted(term.value)}@${term.language}${term.direction ? `--${term.direction}` : ''}`;
      return datatype === `${XSD}string` ? quoted(term.value) : `${quoted(term.value)}^^<${datatype}>`;
    }
    case 'Quad':
      return `<<( ${turtleTerm(term.subject)} ${turtleTerm(term.predicate)} ${turtleTerm(term.object)} )>>`;
    default:
      return term.value;
  }
}

const FORMAT: TermFormat = { text: turtleTerm, plain: plainBytes('"\\') };
