/** Which program answers: its version, the commit that it was built from, and what is in it. */

import { programBuild, programVersion } from '../../../base/program.js';
import { nullable, Type } from '../../requests/schema.js';
import { defineOperation } from '../definition/operation.js';

/** Every declared feature, and whether this build has it. */
const FEATURES: Readonly<Record<string, boolean>> = {
  shacl: true,
  owl: false,
  'reactive-reasoner': false,
  remote: true,
  server: true,
  onnx: false,
  ann: false,
};

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
  async handler() {
    return { kind: 'body', body: { version: programVersion(), ...programBuild(), features: { ...FEATURES } } };
  },
  projections: { http: [{ method: 'GET', path: '/version', request: 'parameters' }] },
});
