/** A document of shapes before it is stored: it is read, found well-formed by itself and beside the others, and counted. */

import { SvcError } from '../../base/errors.js';
import { RDF_NS } from '../../rdf/terms.js';
import { compileShapes, refuseEmpty } from '../../validate/compile-shapes.js';
import { readShapeSets, readShapes } from './read-shapes.js';
import type { ShapeSet } from './stored-shapes.js';

const RDF_TYPE = `${RDF_NS}type`;
const RULE = 'http://svc.local/rule#Rule';

export interface CheckedShapes {
  /** Node shapes. */
  readonly shapes: number;
  readonly rules: number;
  readonly prefixes: Readonly<Record<string, string>>;
}

export async function checkShapes(turtle: string): Promise<CheckedShapes> {
  const { quads, prefixes } = await readShapes(turtle, 'turtle', 's');
  const shapes = compileShapes(quads);
  const rules = quads.filter(({ predicate, object }) => predicate.value === RDF_TYPE && object.value === RULE);
  if (rules.length === 0) refuseEmpty(shapes, "the document 'turtle'");
  return { shapes: shapes.nodeShapes, rules: new Set(rules.map(({ subject }) => subject.value)).size, prefixes };
}

/** All sets are one graph of shapes when they judge: two that speak of the same shape may not fit. */
export async function checkTogether(sets: readonly ShapeSet[]): Promise<void> {
  const quads = await readShapeSets(sets);
  try {
    compileShapes(quads);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const names = sets.map(({ name }) => `'${name}'`).join(', ');
    throw new SvcError(error.code, `the sets of shapes ${names} do not fit together: ${error.message}`, {
      hint: 'two of them say different things of one shape; give the shapes other IRIs, or load them under one name',
      cause: error,
    });
  }
}
