/**
 * Who says to ask, for metrics and logs: the kind of client and the work item. Nothing is decided by it. Metrics keep at
 * most 32 of each; what comes later counts as `other`.
 */

import type { IncomingHttpHeaders } from 'node:http';

const UNATTRIBUTED = 'unattributed';
const OTHER = 'other';
const LABEL_CHARACTERS_MAX = 32;
export const IDENTITIES_MAX = 32;

function labelOf(header: string | readonly string[] | undefined): string | null {
  const text = typeof header === 'string' ? header : header?.[0];
  const [first = ''] = (text ?? '').split(/[/\s]/, 1);
  const label = first
    .toLowerCase()
    .replace(/[^a-z0-9._-]/g, '')
    .slice(0, LABEL_CHARACTERS_MAX);
  return label === '' ? null : label;
}

export interface Attribution {
  readonly client: string;
  readonly task: string;
}

/** Who asks where nothing says so. */
export const NOBODY: Attribution = { client: UNATTRIBUTED, task: UNATTRIBUTED };

export function attributionOf(headers: IncomingHttpHeaders): Attribution {
  return {
    client: labelOf(headers['x-svc-client']) ?? labelOf(headers['user-agent']) ?? UNATTRIBUTED,
    task: labelOf(headers['x-svc-task']) ?? UNATTRIBUTED,
  };
}

/** The first so many labels that come, and `other` for the rest. */
export class LabelBudget {
  readonly #known = new Set<string>();

  fold(label: string): string {
    if (this.#known.has(label)) return label;
    if (this.#known.size >= IDENTITIES_MAX) return OTHER;
    this.#known.add(label);
    return label;
  }
}
