/** Ends a request that a server works on. */

import { SvcError } from '../../../base/errors.js';
import { Type } from '../../requests/schema.js';
import { defineOperation } from '../definition/operation.js';
import { runningOf } from './queries-running.js';

export const queriesCancel = defineOperation({
  name: 'queries_cancel',
  summary: 'End a request that a server works on',
  access: 'write',
  opens: 'read',
  inServer: true,
  request: Type.Object({ id: Type.Integer({ minimum: 1, description: 'as /queries/running lists it' }) }),
  response: Type.Object({ id: Type.Integer(), cancelled: Type.Boolean() }),
  async handler(context, { id }) {
    if (!runningOf(context).cancel(id)) {
      throw new SvcError('not_found', `no request ${id} runs now`, {
        hint: 'GET /queries/running lists those that do',
      });
    }
    return { kind: 'body', body: { id, cancelled: true } };
  },
  projections: {
    http: [{ method: 'POST', path: '/queries/cancel', request: 'body' }],
    cli: {
      command: 'queries cancel',
      positional: [{ field: 'id', name: 'id', summary: 'the request, as `svc queries running` lists it' }],
      json: ['id'],
      notes: ['Asks a server: name it with --url. A write that has settled by then stays.'],
      examples: ['svc queries cancel 4711 --url http://127.0.0.1:3030 --token-file token'],
      options: {},
      storeless: true,
      text: ({ id }) => `request ${id} was ended\n`,
    },
  },
});
