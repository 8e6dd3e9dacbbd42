/** A document of shapes before it is stored: it is read, found well-formed by itself and beside the others, and counted. */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { RDF_NS } from '../../rdf/terms.js';
import { compileInTurns, refuseEmpty } from '../../validate/shapes/compile-shapes.js';
import type { CompiledSets } from './compiled-sets.js';
import { readShapes, scopeOf } from './read-shapes.js';
import type { ShapeSet } from './stored-shapes.js';

const RDF_TYPE = `${RDF_NS}type`;
const RULE = 'http://svc.local/rule#Rule';

export interface CheckedShapes {
  /** Node shapes. */
  readonly shapes: number;
  readonly rules: number;
  readonly prefixes: Readonly<Record<string, string>>;
}

/** Checks a document by itself; when no other set is stored, it is also what `checkTogether` asks for. */
export async function checkShapes(turtle: string, compiled: CompiledSets, control: Control): Promise<CheckedShapes> {
  const { quads, prefixes } = await readShapes(turtle, 'turtle', scopeOf(0), control.signal);
  const shapes = await compileInTurns(quads, control);
  const rules = quads.filter(({ predicate, object }) => predicate.value === RDF_TYPE && object.value === RULE);
  if (rules.length === 0) refuseEmpty(shapes, "the document 'turtle'");
  compiled.remember([turtle], shapes);
  return { shapes: shapes.nodeShapes, rules: new Set(rules.map(({ subject }) => subject.value)).size, prefixes };
}

/** Writes are validated by all sets as one shapes graph: two sets that describe the same shape may contradict each other. */
export async function checkTogether(
  sets: readonly ShapeSet[],
  compiled: CompiledSets,
  control: Control,
): Promise<void> {
  try {
    await compiled.of(sets, control);
  } catch (error) {
    if (!(error instanceof SvcError) || error.code === 'aborted') throw error;
    const names = sets.map(({ name }) => `'${name}'`).join(', ');
    throw new SvcError(error.code, `the sets of shapes ${names} do not fit together: ${error.message}`, {
      hint: 'two of them say different things of one shape; give the shapes other IRIs, or load them under one name',
      cause: error,
    });
  }
}
