/**
 * Refusals that belong to HTTP alone: a status, headers and more fields beside `error` and `code`. What the engine
 * refuses is an `SvcError`, whose status stands in the registry.
 */

import { ERRORS, type ErrorCode } from '../../../engine/base/errors.js';

export interface RefusalOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fields?: Readonly<Record<string, unknown>>;
}

export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, { status, headers = {}, fields = {} }: RefusalOptions = {}) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.status = status ?? ERRORS[code].httpStatus;
    this.headers = headers;
    this.fields = fields;
  }
}
