/** Drops vectors of another model, and makes all anew. */

import { SvcError } from '../../../base/errors.js';
import { libraryFeatures } from '../../configuration/features.js';
import { nullable, Type } from '../../requests/schema.js';
import { defineOperation } from '../definition/operation.js';

const ends = Type.Object({ model: Type.String(), dimension: Type.Integer('numbers of a vector') });

export const migrateVectors = defineOperation({
  name: 'migrate_vectors',
  summary: 'Drop vectors of another model than that of the embedding provider, and make all anew',
  access: 'admin',
  opens: 'write',
  request: Type.Object({
    from: Type.Optional(Type.String('the model that the vectors have to be of; absent = any')),
    to: Type.Optional(Type.String('the model that the provider has to have; absent = any')),
    dry_run: Type.Optional(Type.Boolean('only tell what would be done')),
  }),
  response: Type.Object({
    status: Type.String('ok, or error: the provider failed; the next run goes on'),
    error: Type.Optional(Type.String('why')),
    from: nullable(ends, 'null: there were no vectors'),
    to: ends,
    dropped: Type.Integer('entities whose vectors were dropped, or would be'),
    entities_embedded: Type.Integer(),
    remaining: Type.Integer('entities that have a text and no vector of the model still'),
    failed: Type.Integer('those among them whose texts the provider refused or failed at'),
  }),
  async handler({ store, configuration, control: { signal, onProgress } }, { from, to, dry_run: dryRun }) {
    if (!libraryFeatures(configuration).ann) {
      throw new SvcError('unsupported', "svc migrate-vectors needs the feature 'ann', which is off", {
        hint: 'leave svc.features.ann out, or start with --features ann',
      });
    }
    const report = await store.migrateVectors({ from, to, dryRun, signal, onProgress });
    const { failure, embedded, remaining, failed, dropped } = report;
    const counts = { dropped, entities_embedded: embedded, remaining, failed };
    const status = failure === null ? { status: 'ok' } : { status: 'error', error: failure.message };
    return { kind: 'body', body: { ...status, from: report.from, to: report.to, ...counts } };
  },
  projections: {
    cli: {
      command: 'migrate-vectors',
      notes: ['One that ends early has lost nothing: the next run, or a backfill, makes the vectors that are missing.'],
      examples: ['svc migrate-vectors --dry-run', 'svc migrate-vectors --from small --to large'],
      options: { from: 'model', to: 'model', dry_run: '' },
      succeeded: ({ status }) => status === 'ok',
      text: ({ from, to, dropped, entities_embedded: embedded, remaining, failed, error }, { request }) => {
        const { dry_run: dryRun } = request as { readonly dry_run?: boolean };
        const shown = ({ model, dimension }: typeof to): string => `${model} (${dimension} numbers)`;
        const way = `${from === null ? 'no vectors' : shown(from)} -> ${shown(to)}`;
        if (dryRun === true) return `${way}: ${dropped} would be dropped, ${remaining} embedded\n`;
        const why = error === undefined ? '' : `${error}\n`;
        return `${why}${way}: dropped ${dropped}, embedded ${embedded}; remaining ${remaining}, failed ${failed}\n`;
      },
    },
  },
});
