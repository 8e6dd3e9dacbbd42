/** Queries that were run in this browser, the last one first: few, short ones, never their answers. */

export interface Ran {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Null = it did not end well. */
  readonly rows: number | null;
}

const KEY = 'svc-query-history';
const ENTRIES_MAX = 60;
const CHARACTERS_MAX = 20_000;

export function readHistory(): readonly Ran[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isRan) : [];
  } catch {
    return [];
  }
}

/** The same text stands there once. What another tab of the browser wrote meanwhile stays. */
export function addToHistory(ran: Ran): readonly Ran[] {
  if (ran.text.length > CHARACTERS_MAX) return readHistory();
  let entries = [ran, ...readHistory().filter(({ text }) => text !== ran.text)].slice(0, ENTRIES_MAX);
  for (; entries.length > 0; entries = entries.slice(0, entries.length >> 1)) {
    try {
      localStorage.setItem(KEY, JSON.stringify(entries));
      break;
    } catch {
      // There is no room for so many.
    }
  }
  return entries;
}

export function clearHistory(): void {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // The page may keep nothing.
  }
}

function isRan(value: unknown): value is Ran {
  return (
    typeof value === 'object' &&
    value !== null &&
    'text' in value &&
    typeof value.text === 'string' &&
    'at' in value &&
    typeof value.at === 'number'
  );
}
