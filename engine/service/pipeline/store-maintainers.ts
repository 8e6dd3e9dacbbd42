/** All that complete a write of a store, in their sequence: of a write of the pipeline, and of one that is only supposed. */

import { loadOnce } from '../../base/load-once.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import type { FeatureName } from '../configuration/features.js';
import type { OwlSettings } from '../options/store-options.js';
import type { ReactiveRules } from '../reasoning/reactive-rules.js';
import { GRAPH_REGISTRY, MATERIALIZATIONS, type Maintainer } from './maintainers.js';
import { OwlMaintainer } from './owl-maintainer.js';

export interface MaintainerSettings {
  /** That are on; default none. */
  readonly features?: readonly FeatureName[] | undefined;
  readonly owl?: OwlSettings | undefined;
  /** What finding what rules derive from a write may take; absent = any time. */
  readonly rulesTimeoutMs?: number | undefined;
  /** Come last, in their sequence. */
  readonly maintainers?: readonly Maintainer[] | undefined;
}

export interface StoreMaintainers {
  readonly owl: OwlMaintainer;
  readonly maintainers: readonly Maintainer[];
}

/** Each keeps a state of its own of what it has read: one set of them for one pipeline. */
export function maintainersOf(
  engine: StorageEngine,
  { features = [], owl: settings = {}, rulesTimeoutMs, maintainers: more = [] }: MaintainerSettings,
): StoreMaintainers {
  const owl = new OwlMaintainer(engine, {
    isOn: features.includes('owl'),
    reactive: settings.reactiveMaterialize ?? true,
    validates: settings.validateOnWrite ?? false,
  });
  // Rules after what ontologies entail: facts of ROOT are premises of rules, whoever wrote them.
  const rules = features.includes('reactive-reasoner') ? [reactiveRules(engine, rulesTimeoutMs)] : [];
  return { owl, maintainers: [GRAPH_REGISTRY, MATERIALIZATIONS, owl, ...rules, ...more] };
}

/** Loaded with the first write: most stores have no rules that follow writes. */
function reactiveRules(engine: StorageEngine, timeoutMs: number | undefined): Maintainer {
  const loading = loadOnce(() => import('../reasoning/reactive-rules.js'));
  let rules: ReactiveRules | null = null;
  return {
    name: 'rules',
    maintain(context) {
      if (rules !== null) return rules.maintain(context);
      return loading().then((module) => {
        rules = new module.ReactiveRules(engine, timeoutMs);
        return rules.maintain(context);
      });
    },
  };
}
