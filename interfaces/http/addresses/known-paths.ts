/** Paths as requests name them, and what is said of one that has no route: 405 with the methods that it has, or 404. */

import { Refusal } from '../answers/refusal.js';

interface Requested {
  readonly raw: { readonly url?: string | undefined };
}

/** The path as it was asked for, not decoded, without a slash at its end. */
export function pathOf({ raw }: Requested): string {
  const path = (raw.url ?? '').split('?', 1)[0] as string;
  return path.length > 1 ? path.replace(/\/+$/, '') : path;
}

/** As the router reads it: what stands for a slash or another delimiter stays as it is. */
export function decodedPath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

function matches(pattern: string, path: string): boolean {
  const plain = path.length > 1 ? path.replace(/\/$/, '') : path;
  return pattern.endsWith('*') ? plain.startsWith(pattern.slice(0, -1)) : plain === pattern;
}

/** What shows in an answer of a path that nobody knows. */
const SHOWN_CHARACTERS_MAX = 200;

export class KnownPaths {
  /** Methods by pattern, to tell a wrong method from a wrong path. */
  readonly #methods = new Map<string, Set<string>>();

  add(pattern: string, methods: readonly string[]): void {
    const known = this.#methods.get(pattern) ?? new Set();
    for (const method of methods) known.add(method);
    this.#methods.set(pattern, known);
  }

  refusalOf({ method, raw }: Requested & { readonly method: string }): Refusal {
    const path = (raw.url ?? '').split('?', 1)[0] as string;
    const shown = path.slice(0, SHOWN_CHARACTERS_MAX);
    const decoded = decodedPath(path);
    for (const [pattern, methods] of this.#methods) {
      if (!matches(pattern, decoded)) continue;
      const allowed = [...methods].sort().join(', ');
      return new Refusal('method_not_allowed', `${method} is not allowed on ${shown}`, {
        headers: { Allow: allowed },
        fields: { hint: `allowed: ${allowed}` },
      });
    }
    return new Refusal('not_found', `there is no route ${shown}`);
  }
}
