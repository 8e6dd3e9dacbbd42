/** What a server works on at this moment: its requests listed, and one of them ended. */

import { SvcError } from '../../../base/errors.js';
import { nullable, Type } from '../../requests/schema.js';
import { clampLimit, limitField } from '../definition/fields.js';
import { defineOperation, type OperationContext } from '../definition/operation.js';
import type { RunningRequests } from '../definition/running-requests.js';

/** Only servers have requests that run. */
function runningOf({ running }: OperationContext): RunningRequests {
  if (running !== undefined) return running;
  throw new SvcError('unsupported', 'only a running server has requests that run', {
    hint: 'name the server with --url',
  });
}

export const queriesRunning = defineOperation({
  name: 'queries_running',
  summary: 'List the requests that a server works on now, the oldest first',
  access: 'read',
  inServer: true,
  forSomeGraphs: 'refused',
  request: Type.Object({ limit: Type.Optional(limitField) }),
  response: Type.Object({
    running: Type.Array(
      Type.Object({
        id: Type.Integer('what /queries/cancel takes'),
        operation: Type.String(),
        text: nullable(Type.String(), 'of a query or update, cut at 300 characters'),
        client: Type.String(),
        elapsed_ms: Type.Integer(),
        waited_ms: Type.Integer('how much of it was waiting for a place or a turn'),
      }),
    ),
    count: Type.Integer(),
    truncated: Type.Boolean(),
  }),
  async handler(context, { limit }) {
    const all = runningOf(context).list();
    const running = all.slice(0, clampLimit(limit)).map(({ id, operation, text, client, elapsedMs, waitedMs }) => ({
      id,
      operation,
      text,
      client,
      elapsed_ms: Math.round(elapsedMs),
      waited_ms: Math.round(waitedMs),
    }));
    return { kind: 'body', body: { running, count: running.length, truncated: running.length < all.length } };
  },
  projections: {
    http: [{ method: 'GET', path: '/queries/running', request: 'parameters' }],
    cli: {
      command: 'queries running',
      notes: ['Asks a server: name it with --url. The listing is one of those that run.'],
      examples: ['svc queries running --url http://127.0.0.1:3030'],
      options: { limit: 'n' },
      storeless: true,
      text: ({ running, count }) => {
        const lines = running.map(({ id, operation, text, client, elapsed_ms, waited_ms }) => {
          const asked = text === null ? '' : `  ${text.replace(/\s+/g, ' ')}`;
          return `${id}  ${operation}  ${elapsed_ms} ms (waited ${waited_ms} ms)  ${client}${asked}\n`;
        });
        return `${lines.join('')}\n${count} running\n`;
      },
    },
  },
});

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
