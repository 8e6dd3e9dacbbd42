/**
 * Numbers and booleans of JSON that stand beside a datatype, such as `{"@value": 5, "@type": "xsd:integer"}`: the library
 * hands them over as they are, and a literal wants text.
 *
 * Source: W3C, "JSON-LD 1.1 Processing Algorithms and API", 8.2.2 (Object to RDF Conversion) and 8.6 (Data Round Tripping).
 */

import { type RDF, XSD } from '../../terms.js';
import type { ReadFactory } from '../input/read-factory.js';

type Kind = Parameters<ReadFactory['literal']>[1];

/** Integers from here on are written as doubles. */
const INTEGER_MAX = 1e21;
const DOUBLE_DIGITS = 15;

/** The factory, for values that need not be texts. */
export function withNativeValues(factory: ReadFactory) {
  return {
    namedNode: (value: string): RDF.NamedNode => factory.namedNode(value),
    blankNode: (label?: string): RDF.BlankNode => factory.blankNode(label),
    literal: (value: unknown, kind?: Kind): RDF.Literal => factory.literal(lexicalForm(value, kind), kind),
    variable: (name: string): RDF.Variable => factory.variable(name),
    defaultGraph: factory.defaultGraph,
    quad: factory.quad,
    fromTerm: factory.fromTerm,
    fromQuad: factory.fromQuad,
  };
}

function lexicalForm(value: unknown, kind: Kind): string {
  if (typeof value !== 'number') return String(value);
  const isDouble = typeof kind === 'object' && kind !== null && 'termType' in kind && kind.value === `${XSD}double`;
  if (Number.isInteger(value) && Math.abs(value) < INTEGER_MAX && !isDouble) return String(BigInt(value));
  if (!Number.isFinite(value)) return value > 0 ? 'INF' : '-INF';
  const [mantissa = '', exponent] = value.toExponential(DOUBLE_DIGITS).split('e');
  const digits = mantissa.replace(/0+$/, '');
  return `${digits.endsWith('.') ? `${digits}0` : digits}E${Number(exponent)}`;
}
