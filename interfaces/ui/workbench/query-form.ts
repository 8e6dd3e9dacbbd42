/** What a text of SPARQL asks for, read from its first word behind the declarations: enough to send it where it belongs. */

export type QueryForm = 'select' | 'ask' | 'construct' | 'describe' | 'update' | null;

const SKIPPED =
  /(?:\s+|#[^\n]*(?:\n|$)|(?:BASE)\s*<[^<>"{}|^`\\\s]*>|(?:PREFIX)\s+[^\s:<]*:\s*<[^<>"{}|^`\\\s]*>|VERSION\s+(?:"[^"\n]*"|'[^'\n]*')|;)/iy;
const WORD = /[A-Za-z]+/y;
const UPDATES: ReadonlySet<string> = new Set('insert delete with load clear drop create add move copy'.split(' '));

/** Null where it begins as no query and no update. */
export function queryForm(text: string): QueryForm {
  let at = 0;
  for (;;) {
    SKIPPED.lastIndex = at;
    if (!SKIPPED.test(text)) break;
    at = SKIPPED.lastIndex;
  }
  WORD.lastIndex = at;
  const word = WORD.exec(text)?.[0].toLowerCase() ?? '';
  if (word === 'select' || word === 'ask' || word === 'construct' || word === 'describe') return word;
  return UPDATES.has(word) ? 'update' : null;
}

/** What people call a query that has no name: its first comment, or its first line that is no declaration. */
export function titleOf(text: string): string {
  const comment = /^\s*#+\s*(\S[^\n]*)/.exec(text)?.[1];
  const line = text.split('\n').find((one) => /\S/.test(one) && !/^\s*(?:#|PREFIX\b|BASE\b)/i.test(one));
  return (comment ?? line ?? '').trim().slice(0, 60) || 'Untitled';
}
