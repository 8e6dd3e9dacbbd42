/** Which program answers: its version, the commit that it was built from, and what is in it. */

import { programBuild, programVersion } from '../../../base/program.js';
import type { Configuration } from '../../configuration/configuration.js';
import { libraryFeatures } from '../../configuration/features.js';
import { nullable, Type } from '../../requests/schema.js';
import { defineOperation } from '../definition/operation.js';

/** Every declared feature, and whether it is on: those that are switched at the start, and those that every build has. */
function featuresIn(configuration: Configuration): Readonly<Record<string, boolean>> {
  const { features } = configuration;
  return {
    shacl: true,
    owl: features.owl,
    'reactive-reasoner': features.reactive_reasoner,
    remote: true,
    server: true,
    ...libraryFeatures(configuration),
  };
}

export const version = defineOperation({
  name: 'version',
  summary: 'Tell which program answers',
  access: 'read',
  request: Type.Object({}),
  response: Type.Object({
    version: Type.String(),
    git_sha: nullable(Type.String(), 'null: not built in a checkout'),
    git_dirty: nullable(Type.Boolean(), 'whether the sources differed from the commit'),
    features: Type.Record(Type.String(), Type.Boolean()),
  }),
  async handler({ configuration }) {
    const features = { ...featuresIn(configuration) };
    return { kind: 'body', body: { version: programVersion(), ...programBuild(), features } };
  },
  projections: { http: [{ method: 'GET', path: '/version', request: 'parameters' }] },
});
