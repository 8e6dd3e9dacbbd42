/** A line of an answer as its terms, each cut to what is shown of it. */

import type { Term } from '../../../../clients/typescript/src/index.js';
import { cut } from '../../parts/text.js';
import type { LineFormat, ShownRow, ShownTerm } from './messages.js';
import { termOfCell, termsOfTriple } from './terms.js';

export function shownRow(line: string, format: LineFormat, charactersMax: number): ShownRow {
  const terms = format === 'tsv' ? line.split('\t').map(termOfCell) : termsOfTriple(line);
  return terms.map((term) => (term === null ? null : shownTerm(term, charactersMax)));
}

function shownTerm(term: Term, charactersMax: number): ShownTerm {
  // The parts of a triple term come whole: each is a term that could be named elsewhere.
  if (term.type === 'triple') return { term, length: 0 };
  const { value } = term;
  return { term: { ...term, value: cut(value, charactersMax) }, length: value.length };
}
