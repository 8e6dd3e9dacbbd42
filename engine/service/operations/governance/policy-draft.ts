/** Drafts a policy in Turtle. */

import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fromSystemError, SvcError } from '../../../base/errors.js';
import { iri, Type } from '../../requests/schema.js';
import { defineOperation } from '../definition/operation.js';

const word = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));

export const policyDraft = defineOperation({
  name: 'policy_draft',
  summary: 'Draft a policy that warns, in Turtle',
  access: 'admin',
  opens: 'read',
  request: Type.Object({
    name: Type.String({ minLength: 1, description: 'what the policy is named by: policy_<name>' }),
    label: Type.String({ minLength: 1, description: 'what traces cite it as' }),
    targets: Type.Array(iri({ minLength: 1 }), 'IRI of a class that it is about; may stand several times'),
    claim: Type.String({ minLength: 1, description: 'ASK about $target, which has to be true' }),
    exemplar: iri({ minLength: 1, description: 'IRI of what shows how it is done' }),
    class: word('soft (default) or hard'),
    point: word('where it is verified; default PAA, of a hard one PAG'),
    layer: word('orchestration, tool (default) or policy'),
    authority: word('where the rule comes from: regulatory, contractual, ethical or operational'),
    out: Type.Optional(Type.String({ minLength: 1, description: 'the file to write' })),
  }),
  response: Type.Object({
    policy: Type.String(),
    turtle: Type.String(),
    file: Type.Optional(Type.String()),
  }),
  async handler({ store }, { out, ...request }) {
    const { draftPolicy } = await import('../../../governance/draft.js');
    const { iri: policy, turtle } = await draftPolicy(request, store.baseNamespace);
    if (out !== undefined) await writeWhole(out, turtle);
    return { kind: 'body', body: { policy, turtle, ...(out === undefined ? {} : { file: out }) } };
  },
  projections: {
    cli: {
      command: 'policy draft',
      storeless: true,
      notes: [
        'It writes nothing to the store. The effect is always warn: who loads the policy decides what it blocks.',
      ],
      examples: [
        "svc policy draft --name owned --label owned --targets http://ex/Service --claim 'ASK { $target <http://ex/owner> ?o }' --exemplar http://ex/svc1 --out owned.ttl",
      ],
      options: {
        exemplar: 'iri',
        name: 'name',
        label: 'text',
        targets: 'iri',
        claim: 'sparql',
        class: 'class',
        point: 'point',
        layer: 'layer',
        authority: 'source',
        out: 'file',
      },
      repeated: { targets: 'targets' },
      text: ({ policy, turtle, file }) => (file === undefined ? turtle : `drafted ${policy} -> ${file}\n`),
      notice: ({ file = '<file>' }) =>
        `nothing is in force yet: svc policy backtest ${file} shows what it would have fired on, svc knot ${file} loads it\n`,
    },
  },
});

/** The file appears under its name when it is whole. */
async function writeWhole(path: string, text: string): Promise<void> {
  const partial = `${path}.part`;
  try {
    await writeFile(partial, text);
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EISDIR') throw new SvcError('invalid_request', `${path} is a folder`, { cause: error });
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw fromSystemError(error, path);
    throw new SvcError('invalid_request', `${path}: there is no folder ${dirname(path)}`, { cause: error });
  }
}
