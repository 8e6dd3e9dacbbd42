/** Constraints on the kind, the datatype and the value of a term (SHACL 4.1.2, 4.1.3, 4.3). */

import { compareTerms, parseValue } from '../../rdf/values/index.js';
import { compareInlineHalves, highOf, lowOf, numericOfHalves } from '../../storage/ids/halves.js';
import { DATATYPES, datatypeCode, TAG } from '../../storage/ids/layout.js';
import { DATATYPE_OF_TAG } from '../../storage/ids/tag-datatypes.js';
import type { DataGraph } from '../data/data-graph.js';
import type { IdSet } from '../data/id-columns.js';
import { type ConstraintOf, NODE_KIND } from '../shapes/shapes.js';
import { isInLexicalSpace } from './lexical-spaces.js';
import { CachedJudge, type Judge, NO, UNDECIDED, YES } from './value-test.js';

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

export function nodeKindJudge({ kinds }: ConstraintOf<'nodeKind'>, view: DataGraph): Judge {
  return new CachedJudge(
    (_, high) => {
      const tag = high >>> 24;
      return tag === TAG.local ? UNDECIDED : (kindOfTag(tag) & kinds) === 0 ? NO : YES;
    },
    (ids, answers) => eachTerm(view, ids, answers, ({ termType }) => ((KIND_OF_TERM[termType] ?? 0) & kinds) !== 0),
  );
}

/** An inlined literal is well-typed, but for an integer outside of the range of its type. */
export function datatypeJudge({ datatype }: ConstraintOf<'datatype'>, view: DataGraph): Judge {
  const code = datatypeCode(datatype);
  return new CachedJudge(
    (low, high) => {
      const tag = high >>> 24;
      const auxiliary = (high >>> 16) & 0xff;
      if (tag === TAG.local) return UNDECIDED;
      if (tag === TAG.typed) return auxiliary === code ? UNDECIDED : NO;
      if (tag !== TAG.integer) return DATATYPE_OF_TAG[tag] === datatype ? YES : NO;
      return DATATYPES[auxiliary] === datatype && !Number.isNaN(numericOfHalves(low, high)) ? YES : NO;
    },
    (ids, answers) =>
      eachTerm(view, ids, answers, (term) => {
        if (term.termType !== 'Literal' || term.datatype.value !== datatype) return false;
        const { kind } = parseValue(term);
        return kind === 'opaque' ? isInLexicalSpace(datatype, term.value) : kind !== 'illTyped';
      }),
  );
}

const WANTED = {
  '<': (order: number) => order < 0,
  '<=': (order: number) => order <= 0,
  '>': (order: number) => order > 0,
  '>=': (order: number) => order >= 0,
} as const;

export function rangeJudge({ operator, bound }: ConstraintOf<'range'>, view: DataGraph): Judge {
  const id = view.idOf(bound);
  const [boundLow, boundHigh] = [lowOf(id), highOf(id)];
  const isWanted = WANTED[operator];
  return new CachedJudge(
    (low, high) => {
      const tag = high >>> 24;
      if (tag !== TAG.local && !isLiteralTag(tag)) return NO;
      const order = compareInlineHalves(low, high, boundLow, boundHigh);
      return Number.isNaN(order) ? UNDECIDED : isWanted(order) ? YES : NO;
    },
    (ids, answers) => eachTerm(view, ids, answers, (term) => compareTerms(operator, term, bound) === true),
  );
}

export function eachTerm(
  view: DataGraph,
  { ids, count }: IdSet,
  answers: Uint8Array,
  test: (term: ReturnType<DataGraph['term']>) => boolean,
): void {
  const decoded = view.decode(ids, count);
  for (let at = 0; at < count; at++) answers[at] = test(decoded[at] as (typeof decoded)[number]) ? YES : NO;
}
