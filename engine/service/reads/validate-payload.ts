/** Validates documents that are in no store, with shapes that come with them or with the stored sets. */

import { SvcError } from '../../base/errors.js';
import type { CancelFlag } from '../../base/interrupt.js';
import type { ShapeSet } from '../../graphs/shapes/stored-shapes.js';
import type { Format } from '../../rdf/formats/registry.js';
import type { LoadSource } from '../../storage/seam/engine.js';
import type { ValidationReport } from '../../validate/report.js';
import type { TimeOptions } from '../options/store-options.js';
import { naming } from '../requests/naming.js';

export interface ValidateOptions extends TimeOptions {
  /** SHACL shapes in Turtle; absent = the stored sets, those of now or of the state that is named. */
  readonly shapes?: string | undefined;
  /** Of the data; default Turtle. Graphs of the data are judged each by itself. */
  readonly format?: Format | undefined;
  /** What relative IRIs of the data stand below; absent = there may be none. */
  readonly base?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** @internal Another thread cancels by it. */
  readonly flag?: CancelFlag | undefined;
}

function turtle(name: string, text: string): LoadSource {
  return textSource(name, text, 'turtle');
}

function textSource(name: string, text: string, format: Format): LoadSource {
  return { kind: 'bytes', bytes: new TextEncoder().encode(text), name, format };
}

export async function runValidate(
  data: string,
  options: ValidateOptions,
  storedSets: () => Promise<readonly ShapeSet[]>,
): Promise<ValidationReport> {
  const { signal, flag } = options;
  const control = { signal, flag };
  const sources = options.shapes === undefined ? await stored(storedSets) : [turtle('shapes', options.shapes)];
  // Loaded when needed: it brings the parser.
  const [{ readPayload, readShapes }, { refuseEmpty }, { validate }, { reportOf }] = await Promise.all([
    import('../../validate/payload.js'),
    import('../../validate/shapes/compile-shapes.js'),
    import('../../validate/validate.js'),
    import('../../validate/report.js'),
  ]);
  const shapes = await naming(readShapes(sources, control));
  if (options.shapes !== undefined) refuseEmpty(shapes, "the document 'shapes'");
  const baseIri = options.base === undefined ? {} : { baseIri: options.base };
  const source = { ...textSource('data', data, options.format ?? 'turtle'), ...baseIri };
  const payload = await naming(readPayload([source], control));
  const { snapshot, graphs } = payload;
  const reports: ValidationReport[] = [];
  try {
    for (const { graph, focus } of graphs) {
      const results = await validate(shapes, { snapshot, graph }, focus, control);
      try {
        reports.push(await reportOf(results, control));
      } finally {
        results.view.close();
      }
    }
    return joined(reports);
  } finally {
    await payload.close();
  }
}

function joined(reports: readonly ValidationReport[]): ValidationReport {
  return {
    conforms: reports.every(({ conforms }) => conforms),
    violations: reports.flatMap(({ violations }) => violations),
    warnings: reports.flatMap(({ warnings }) => warnings),
    infos: reports.flatMap(({ infos }) => infos),
  };
}

async function stored(storedSets: () => Promise<readonly ShapeSet[]>): Promise<LoadSource[]> {
  const sets = await storedSets();
  if (sets.length === 0) {
    throw new SvcError('invalid_request', "missing 'shapes' parameter: no set of shapes is stored", {
      hint: 'send shapes in Turtle, or store a set with /shapes',
    });
  }
  return sets.map(({ name, turtle: text }) => turtle(`shapes '${name}'`, text));
}
