/** Stages with some of their methods replaced; all others are their own. */

import type { Quad } from '../../rdf/terms.js';
import type { QuadColumns, Stage } from '../../storage/seam/engine.js';

/** A replacement that calls the stage hands on all arguments that it was given. */
export function stageWith(stage: Stage, methods: Partial<Stage>): Stage {
  return new Proxy(stage, {
    get(target, name) {
      if (Object.hasOwn(methods, name)) return methods[name as keyof Stage];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** What looks at quads before a stage is given them; each throws for what may not be written. */
export interface QuadCheck {
  quad(quad: Quad): void;
  ids(quads: QuadColumns): void;
}

/** The methods of a stage that take quads to write, behind a check. A quad is looked at when the stage asks for it. */
export function checkedWrites(
  stage: Stage,
  check: QuadCheck,
): Pick<Stage, 'assert' | 'retract' | 'assertIds' | 'retractIds'> {
  function* checked(quads: Iterable<Quad>): Generator<Quad> {
    for (const quad of quads) {
      check.quad(quad);
      yield quad;
    }
  }
  return {
    assert: (quads, ...times) => stage.assert(checked(quads), ...times),
    retract: (quads, ...times) => stage.retract(checked(quads), ...times),
    assertIds: (quads, ...times) => {
      check.ids(quads);
      return stage.assertIds(quads, ...times);
    },
    retractIds: (quads, ...times) => {
      check.ids(quads);
      return stage.retractIds(quads, ...times);
    },
  };
}
