/** `DATATYPE(?x) = <iri>` by ids: the datatype of inlined values and strings stands in their upper 16 bits. */

import { XSD } from '../../rdf/terms.js';
import { DATATYPES, TAG } from '../../storage/ids/layout.js';
import type { CallExpression, Expression } from '../algebra/expression.js';
import { type Decide, ERROR, FALSE, TRUE, UNDECIDED } from './answers.js';
import type { BatchContext } from './batch-context.js';

const RDF_NS = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';

/** By tag, where the tag says it. */
const DATATYPE_OF_TAG: Readonly<Record<number, string>> = {
  [TAG.string]: `${XSD}string`,
  [TAG.langString]: `${RDF_NS}langString`,
  [TAG.dirLangString]: `${RDF_NS}dirLangString`,
  [TAG.decimal]: `${XSD}decimal`,
  [TAG.boolean]: `${XSD}boolean`,
  [TAG.date]: `${XSD}date`,
  [TAG.dateTime]: `${XSD}dateTime`,
  [TAG.dateTimeMs]: `${XSD}dateTime`,
  [TAG.double]: `${XSD}double`,
  [TAG.float]: `${XSD}float`,
};

/** Null for what is not such a comparison. */
export function compileDatatype({ operator, args }: CallExpression, context: BatchContext): Decide | null {
  if (operator !== '=' && operator !== '!=') return null;
  const [left, right] = args as [Expression, Expression];
  const [call, constant] = left.kind === 'term' ? [right, left] : [left, right];
  if (constant.kind !== 'term' || constant.term.termType !== 'NamedNode') return null;
  if (call.kind !== 'call' || call.operator !== 'datatype') return null;
  const arg = call.args[0] as Expression;
  const column = arg.kind === 'variable' ? context.columnOf(arg.name) : -1;
  if (column < 0) return null;
  const wanted = constant.term.value;
  const answerOf = (prefix: number): number => {
    const answer = answerFor(prefix, wanted);
    return operator === '!=' && answer <= TRUE ? 1 - answer : answer;
  };
  return (out, rows) => {
    const ids = context.column(column);
    let prefix = (ids[1] as number) >>> 16;
    let answer = answerOf(prefix);
    for (let row = 0; row < rows; row++) {
      if (out[row] !== UNDECIDED) continue;
      const high = ids[2 * row + 1] as number;
      if (high >>> 16 !== prefix) {
        prefix = high >>> 16;
        answer = answerOf(prefix);
      }
      out[row] = answer;
    }
  };
}

function answerFor(prefix: number, wanted: string): number {
  const tag = prefix >>> 8;
  if (tag === TAG.unbound || tag === TAG.blank || tag === TAG.iri || tag === TAG.triple) return ERROR;
  const datatype = tag === TAG.integer || tag === TAG.typed ? DATATYPES[prefix & 0xff] : DATATYPE_OF_TAG[tag];
  if (datatype === undefined || datatype === '') return UNDECIDED;
  return datatype === wanted ? TRUE : FALSE;
}
