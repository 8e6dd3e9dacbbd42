/** SPARQL Query Results XML, triple terms and base directions of 1.2 included. */

import { type Term, XSD_STRING } from '../../rdf/terms.js';
import { byteRows } from './byte-rows.js';
import type { AskResult, SelectResult } from './result.js';
import { plainBytes } from './term-format.js';

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<sparql xmlns="http://www.w3.org/2005/sparql-results#">\n';

/** The lead byte of U+FFFE and U+FFFF is among the bytes that need a second look. */
const PLAIN_BYTES = plainBytes('&<>"\x7f', [0xef]);

export async function* xmlChunks(
  result: SelectResult | AskResult,
): AsyncGenerator<string | Uint8Array, void, undefined> {
  if (result.kind === 'ask') {
    yield `${HEAD}<head/>\n<boolean>${result.value}</boolean>\n</sparql>\n`;
    return;
  }
  const names = result.variables.map(escaped);
  yield* byteRows(result.batches, {
    head: `${HEAD}<head>${names.map((name) => `<variable name="${name}"/>`).join('')}</head>\n<results>\n`,
    formatOf(column) {
      const opening = `<binding name="${names[column]}">`;
      return { text: (term) => `${opening}${xmlTerm(term)}</binding>`, plain: PLAIN_BYTES };
    },
    rowStart: '<result>',
    between: '',
    rowEnd: '</result>\n',
    tail: () => '</results>\n</sparql>\n',
  });
}

function xmlTerm(term: Term): string {
  switch (term.termType) {
    case 'NamedNode':
      return `<uri>${escaped(term.value)}</uri>`;
    case 'Literal':
      return `<literal${attributes(term)}>${escaped(term.value)}</literal>`;
    case 'Quad':
      return `<triple><subject>${xmlTerm(term.subject)}</subject><predicate>${xmlTerm(term.predicate)}</predicate><object>${xmlTerm(term.object)}</object></triple>`;
    default:
      return `<bnode>${escaped(term.value)}</bnode>`;
  }
}

function attributes(literal: Extract<Term, { termType: 'Literal' }>): string {
  if (literal.language) {
    const direction = literal.direction
      ? ` xmlns:its="http://www.w3.org/2005/11/its" its:version="2.0" its:dir="${literal.direction}"`
      : '';
    return ` xml:lang="${escaped(literal.language)}"${direction}`;
  }
  return literal.datatype.value === XSD_STRING ? '' : ` datatype="${escaped(literal.datatype.value)}"`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#xD;',
};
/** What most texts are: nothing in them needs a second look. */
const PLAIN = /^[\t\n !#-%'-;=?-~\u00a0-\ud7ff]*$/;
/** XML 1.0 has no way to write these, not even as references. */
const UNWRITABLE = /[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function escaped(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(/[&<>"\r]/g, (character) => ENTITIES[character] as string).replace(UNWRITABLE, '\ufffd');
}
