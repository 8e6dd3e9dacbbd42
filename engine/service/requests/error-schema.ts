/** The body of an error, as descriptions of the service and of its tools publish it. */

import { ERRORS } from '../../base/errors.js';

export const ERROR_SCHEMA = {
  type: 'object',
  required: ['error', 'code'],
  properties: {
    error: { type: 'string', description: 'what is wrong, for a person' },
    code: { type: 'string', enum: Object.keys(ERRORS), description: 'what is wrong, for a program; stable' },
    hint: { type: 'string' },
    position: { type: 'object', properties: { line: { type: 'integer' }, column: { type: 'integer' } } },
    endpoint: { type: 'string' },
    reason: { type: 'string', enum: ['missing_or_invalid_bearer_token', 'server_is_read_only'] },
  },
} as const;
