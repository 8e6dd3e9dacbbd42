/** Constraints on the kind, the datatype and the value of a term (SHACL 4.1.2, 4.1.3, 4.3). */

import type { Literal } from '../../rdf/terms.js';
import { compareTerms } from '../../rdf/values/index.js';
import { compareInlineHalves, highOf, lowOf, numericOfHalves } from '../../storage/ids/halves.js';
import { DATATYPES, datatypeCode, TAG } from '../../storage/ids/layout.js';
import { DATATYPE_OF_TAG } from '../../storage/ids/tag-datatypes.js';
import type { DataGraph } from '../data/data-graph.js';
import { type Comparison, NODE_KIND } from '../shapes/shapes.js';
import { isLexicalForm } from './lexical-spaces.js';
import { NO, termTest, UNDECIDED, type ValueTest, YES } from './value-test.js';

export function isLiteralTag(tag: number): boolean {
  return tag >= TAG.string && tag <= TAG.float;
}

/** Kinds as bits; 0 = a triple term, which is none of them. */
function kindOfTag(tag: number): number {
  if (tag === TAG.iri) return NODE_KIND.iri;
  if (tag === TAG.blank) return NODE_KIND.blank;
  return isLiteralTag(tag) ? NODE_KIND.literal : 0;
}

const KIND_OF_TERM: Readonly<Record<string, number>> = {
  NamedNode: NODE_KIND.iri,
  BlankNode: NODE_KIND.blank,
  Literal: NODE_KIND.literal,
};

export function nodeKindTest(kinds: number, view: DataGraph): ValueTest {
  return termTest(
    view,
    (_, high) => {
      const tag = high >>> 24;
      return tag === TAG.local ? UNDECIDED : (kindOfTag(tag) & kinds) === 0 ? NO : YES;
    },
    ({ termType }) => ((KIND_OF_TERM[termType] ?? 0) & kinds) !== 0,
  );
}

/** An inlined literal is well-typed, but for an integer outside of the range of its type. */
export function datatypeTest(datatype: string, view: DataGraph): ValueTest {
  const code = datatypeCode(datatype);
  return termTest(
    view,
    (low, high) => {
      const tag = high >>> 24;
      const auxiliary = (high >>> 16) & 0xff;
      if (tag === TAG.local) return UNDECIDED;
      if (tag === TAG.typed) return auxiliary === code ? UNDECIDED : NO;
      if (tag !== TAG.integer) return DATATYPE_OF_TAG[tag] === datatype ? YES : NO;
      return DATATYPES[auxiliary] === datatype && !Number.isNaN(numericOfHalves(low, high)) ? YES : NO;
    },
    (term) => term.termType === 'Literal' && term.datatype.value === datatype && isLexicalForm(datatype, term.value),
  );
}

const WANTED = {
  '<': (order: number) => order < 0,
  '<=': (order: number) => order <= 0,
  '>': (order: number) => order > 0,
  '>=': (order: number) => order >= 0,
} as const;

export function rangeTest(operator: Comparison, bound: Literal, view: DataGraph): ValueTest {
  const id = view.idOf(bound);
  const [boundLow, boundHigh] = [lowOf(id), highOf(id)];
  const isWanted = WANTED[operator];
  return termTest(
    view,
    (low, high) => {
      const tag = high >>> 24;
      if (tag !== TAG.local && !isLiteralTag(tag)) return NO;
      const order = compareInlineHalves(low, high, boundLow, boundHigh);
      return Number.isNaN(order) ? UNDECIDED : isWanted(order) ? YES : NO;
    },
    (term) => compareTerms(operator, term, bound) === true,
  );
}
