/** The one error of the client: the server answered with another status than 2xx, or gave no whole answer. */

interface ErrorBody {
  readonly error?: unknown;
  readonly code?: unknown;
  readonly reason?: unknown;
  readonly hint?: unknown;
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export class SvcError extends Error {
  /** The HTTP status; null when there was no whole answer. */
  readonly status: number | null;
  /** The answer, parsed when it is JSON, text otherwise; null when there was none. */
  readonly body: unknown;

  constructor(message: string, status: number | null, body: unknown, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'SvcError';
    this.status = status;
    this.body = body;
  }

  /** The stable token of the kind of error. */
  get code(): string | null {
    return text(this.#fields.code);
  }

  /** Of a refused write: `missing_or_invalid_bearer_token`, `server_is_read_only`. */
  get reason(): string | null {
    return text(this.#fields.reason);
  }

  /** What to do instead, where the server says so. */
  get hint(): string | null {
    return text(this.#fields.hint);
  }

  get #fields(): ErrorBody {
    return typeof this.body === 'object' && this.body !== null ? this.body : {};
  }
}

export async function errorOf(response: Response): Promise<SvcError> {
  const content = await response.text().catch(() => '');
  let body: unknown = content;
  try {
    body = JSON.parse(content);
  } catch {
    // A proxy says what it says.
  }
  const told = text((body as ErrorBody | null)?.error) ?? response.statusText;
  return new SvcError(`${response.status}: ${told}`, response.status, body);
}
