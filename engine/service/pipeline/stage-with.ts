/** A stage with some of its methods replaced; all others are its own. */

import type { Stage } from '../../storage/seam/engine.js';

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
