/**
 * Features are switched when a process starts (ruling R32): by the table `features` of the configuration, by the variable
 * SVC_FEATURES, or by the flag `--features`. A list names those that are switched on besides what stands elsewhere.
 */

import { SvcError } from '../../base/errors.js';
import type { Configuration } from './keys.js';

/** Every feature that a process can be started with, by its name, with its key of the configuration. */
const SWITCHED = { owl: 'owl', 'reactive-reasoner': 'reactive_reasoner' } as const;
/** Features that come with a library, which does not load yet. */
const OF_LIBRARIES = ['ann', 'onnx'] as const;

export type FeatureName = keyof typeof SWITCHED;
export const FEATURE_NAMES = Object.keys(SWITCHED) as readonly FeatureName[];

/** Keys of the table `features` from a list of names with commas between them; `where` is what messages call the list. */
export function featureKeys(names: string, where: string): Readonly<Record<string, true>> {
  const keys: Record<string, true> = {};
  for (const name of names.split(',').map((word) => word.trim())) {
    if (name === '') continue;
    if ((OF_LIBRARIES as readonly string[]).includes(name)) {
      throw new SvcError('configuration', `${where}: the feature '${name}' needs a library that does not load`);
    }
    if (!Object.hasOwn(SWITCHED, name)) {
      throw new SvcError(
        'configuration',
        `${where}: there is no feature '${name}'; there are ${FEATURE_NAMES.join(', ')}`,
      );
    }
    keys[SWITCHED[name as FeatureName]] = true;
  }
  return keys;
}

/** The features that are on. */
export function featuresOf({ features }: Pick<Configuration, 'features'>): FeatureName[] {
  return FEATURE_NAMES.filter((name) => features[SWITCHED[name]]);
}

/** The refusal of what needs a feature that is off. */
export function featureOff(name: FeatureName, what: string): SvcError {
  return new SvcError('unsupported', `${what} needs the feature '${name}', which is off`, {
    hint: `start with --features ${name} or SVC_FEATURES=${name}, or set ${SWITCHED[name]} = true under [svc.features]`,
  });
}
