/** A document of shapes before it is stored: it is read, and what it holds is counted. */

import { RDF_NS } from '../../rdf/terms.js';
import { readShapes } from './read-shapes.js';

const RDF_TYPE = `${RDF_NS}type`;
const NODE_SHAPE = 'http://www.w3.org/ns/shacl#NodeShape';
const RULE = 'http://svc.local/rule#Rule';

export interface CheckedShapes {
  readonly shapes: number;
  readonly rules: number;
  readonly prefixes: Readonly<Record<string, string>>;
}

export async function checkShapes(turtle: string): Promise<CheckedShapes> {
  const { quads, prefixes } = await readShapes(turtle, 'turtle', 's');
  const of = (type: string): number => {
    const typed = quads.filter(({ predicate, object }) => predicate.value === RDF_TYPE && object.value === type);
    return new Set(typed.map(({ subject }) => subject.value)).size;
  };
  return { shapes: of(NODE_SHAPE), rules: of(RULE), prefixes };
}
