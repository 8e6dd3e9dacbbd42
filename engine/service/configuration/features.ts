/**
 * Features are switched when a process starts (ruling R32): by the table `features` of the configuration, by the variable
 * SVC_FEATURES, or by the flag `--features`. A list names those that are switched on besides what stands elsewhere.
 */

import { SvcError } from '../../base/errors.js';
import { ONNX_INSTALL, onnxLoads } from '../../search/embeddings/onnx-library.js';
import type { Configuration } from './keys.js';

/** Every feature that a process can be started with, by its name, with its key of the configuration. */
const SWITCHED = { owl: 'owl', 'reactive-reasoner': 'reactive_reasoner' } as const;
/** Features that are on unless they are switched off, as far as what they need is there. */
const OF_LIBRARIES = ['ann', 'onnx'] as const;

export type FeatureName = keyof typeof SWITCHED;
export const FEATURE_NAMES = Object.keys(SWITCHED) as readonly FeatureName[];

/** Keys of the table `features` from a list of names with commas between them; `where` is what messages call the list. */
export function featureKeys(names: string, where: string): Readonly<Record<string, true>> {
  const keys: Record<string, true> = {};
  for (const name of names.split(',').map((word) => word.trim())) {
    if (name === '') continue;
    if (name === 'onnx' && !onnxLoads()) {
      const message = `${where}: the feature 'onnx' needs a package that is not installed`;
      throw new SvcError('configuration', message, { hint: ONNX_INSTALL });
    }
    if ((OF_LIBRARIES as readonly string[]).includes(name)) {
      keys[name] = true;
      continue;
    }
    if (!Object.hasOwn(SWITCHED, name)) {
      const known = [...FEATURE_NAMES, ...OF_LIBRARIES].join(', ');
      throw new SvcError('configuration', `${where}: there is no feature '${name}'; there are ${known}`);
    }
    keys[SWITCHED[name as FeatureName]] = true;
  }
  return keys;
}

/** The features that are on. */
export function featuresOf({ features }: Pick<Configuration, 'features'>): FeatureName[] {
  return FEATURE_NAMES.filter((name) => features[SWITCHED[name]]);
}

/** Whether vectors can be searched by lists, and models run here. */
export function libraryFeatures({
  features,
}: Pick<Configuration, 'features'>): Readonly<Record<(typeof OF_LIBRARIES)[number], boolean>> {
  return { onnx: features.onnx ?? onnxLoads(), ann: features.ann ?? true };
}

/** The refusal of what needs a feature that is off. */
export function featureOff(name: FeatureName, what: string): SvcError {
  return new SvcError('unsupported', `${what} needs the feature '${name}', which is off`, {
    hint: `start with --features ${name} or SVC_FEATURES=${name}, or set ${SWITCHED[name]} = true under [svc.features]`,
  });
}
