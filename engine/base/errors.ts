/**
 * The one registry of errors. Every failure that a caller can meet is an `SvcError` with a stable
 * `code`; the registry gives each code its kind, HTTP status and exit code, so that the faces only
 * look them up. Corruption (`corrupt`) is never mixed with input/output trouble (`fault`).
 */

export type ErrorKind = 'invalid' | 'unsupported' | 'conflict' | 'limit' | 'corrupt' | 'fault';

interface ErrorEntry {
  readonly kind: ErrorKind;
  readonly httpStatus: number;
  readonly exitCode: number;
}

const entry = (kind: ErrorKind, httpStatus: number, exitCode = 1): ErrorEntry => ({
  kind,
  httpStatus,
  exitCode,
});

/** code -> what it is. Add a code here before throwing it. */
export const ERRORS = {
  // input
  invalid_request: entry('invalid', 400),
  usage: entry('invalid', 400, 2),
  parse_error: entry('invalid', 400),
  invalid_utf8: entry('invalid', 400),
  unknown_format: entry('invalid', 415),
  not_found_in_store: entry('invalid', 400),
  source_unreadable: entry('invalid', 400),
  configuration: entry('invalid', 500),
  unsupported: entry('unsupported', 400),
  // requests over HTTP
  not_found: entry('invalid', 404),
  not_acceptable: entry('invalid', 406),
  unsupported_media_type: entry('invalid', 415),
  method_not_allowed: entry('invalid', 405),
  too_large: entry('limit', 413),
  unauthorized: entry('invalid', 401),
  read_only: entry('conflict', 403),
  host_forbidden: entry('invalid', 403),
  origin_forbidden: entry('invalid', 403),
  too_many_requests: entry('limit', 429),
  unavailable: entry('conflict', 503),
  // limits; the message names the setting
  limit_exceeded: entry('limit', 413),
  query_complexity: entry('limit', 422),
  query_timeout: entry('limit', 408),
  aborted: entry('conflict', 499, 130),
  // what the state of a graph forbids
  graph_not_writable: entry('conflict', 403),
  state_conflict: entry('conflict', 409),
  version_conflict: entry('conflict', 409),
  // between a primary and its followers
  log_diverged: entry('conflict', 409),
  log_gone: entry('conflict', 410),
  label_floor: entry('conflict', 403),
  // what must not leave with a share
  identifier_blocked: entry('conflict', 403),
  identifier_policy: entry('invalid', 500, 2),
  // refusals of a gate of the write pipeline
  authority_denied: entry('conflict', 403),
  refused_shacl: entry('invalid', 400),
  refused_placement: entry('conflict', 403),
  policy_denied: entry('conflict', 403),
  refused_owl: entry('invalid', 400),
  // the store file
  store_missing: entry('invalid', 404),
  store_locked: entry('conflict', 409),
  store_closed: entry('conflict', 409),
  snapshot_expired: entry('conflict', 409),
  store_read_only: entry('conflict', 403),
  store_foreign: entry('corrupt', 500),
  store_newer: entry('unsupported', 500),
  store_corrupt: entry('corrupt', 500),
  service_failed: entry('fault', 502),
  embedding_unavailable: entry('fault', 503),
  disk_full: entry('fault', 507),
  disk_io: entry('fault', 500),
  internal: entry('fault', 500),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** Where in an input something is wrong; lines and columns count from 1, columns in code points. */
export interface InputPosition {
  readonly source?: string;
  readonly line?: number;
  readonly column?: number;
  readonly excerpt?: string;
}

export interface SvcErrorOptions {
  readonly position?: InputPosition;
  /** What the caller can do about it. */
  readonly hint?: string;
  readonly cause?: unknown;
}

export class SvcError extends Error {
  readonly code: ErrorCode;
  readonly position: InputPosition | undefined;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: SvcErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = code === 'aborted' ? 'AbortError' : 'SvcError';
    this.code = code;
    this.position = options.position;
    this.hint = options.hint;
  }

  get kind(): ErrorKind {
    return ERRORS[this.code].kind;
  }

  get httpStatus(): number {
    return ERRORS[this.code].httpStatus;
  }

  get exitCode(): number {
    return ERRORS[this.code].exitCode;
  }

  /** The whole account for a person: place, message, excerpt, hint; several lines. */
  describe(): string {
    const place = this.position ? describePosition(this.position) : '';
    const lines = [place ? `${place}: ${this.message}` : this.message];
    if (this.position?.excerpt) lines.push(`  ${this.position.excerpt}`);
    if (this.hint) lines.push(`  hint: ${this.hint}`);
    return lines.join('\n');
  }
}

/** `file:line:column` as far as known. */
export function describePosition(position: InputPosition): string {
  const parts: string[] = [];
  if (position.source !== undefined) parts.push(position.source);
  if (position.line !== undefined) parts.push(String(position.line));
  if (position.column !== undefined && position.line !== undefined) {
    parts.push(String(position.column));
  }
  return parts.join(':');
}

/** An invariant of ours, checked in production too. Never for user input. */
export function invariant(condition: unknown, what: string): asserts condition {
  if (!condition) throw new SvcError('internal', `invariant broken: ${what}`);
}

/** Operating-system failures in the words of the registry; anything else passes through. */
export function fromSystemError(error: unknown, what: string): unknown {
  if (error instanceof SvcError || !(error instanceof Error)) return error;
  const code = (error as NodeJS.ErrnoException).code;
  const text = error.message;
  if (code === 'ENOSPC' || code === 'EDQUOT' || /No space left|MDB_MAP_FULL/.test(text)) {
    return new SvcError('disk_full', `${what}: the disk is full`, {
      cause: error,
      hint: 'free some space and try again; the store is as it was before',
    });
  }
  if (code === 'EFBIG' || /File too large/.test(text)) {
    return new SvcError('disk_full', `${what}: the file may not become larger`, {
      cause: error,
      hint: 'raise the limit of the process (ulimit -f), or move it to a file system that takes larger files; the store is as it was before',
    });
  }
  if (
    code === 'EROFS' ||
    code === 'EACCES' ||
    code === 'EPERM' ||
    /Permission denied|Read-only file system/.test(text)
  ) {
    return new SvcError('store_read_only', `${what}: ${text}`, { cause: error });
  }
  if (code === 'EIO') return new SvcError('disk_io', `${what}: ${text}`, { cause: error });
  return error;
}

/** JSON has no way to write an integer of any length. */
const digits = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

/** A value of a request as messages show it: its JSON, cut. */
export function showValue(value: unknown): string {
  // JSON has no way to write a number beyond its range, which its texts can hold all the same.
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value, digits) ?? String(value));
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
