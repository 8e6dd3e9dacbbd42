/** Which labels the blank nodes of a document get in the store: those that it writes itself, so that a caller can name them. */

import {
  type BlankNodeScope,
  PayloadHash,
  resolveLabel,
  scopeDigits,
  scopeText,
} from '../../../rdf/blank-node-scope.js';

/** A list of more is no help to anybody. */
const LABELS_MAX = 100;
/** What may hold the sign of a blank node without meaning one. */
const NO_LABELS = /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|<[^<>"{}|^`\\\s]*>|#[^\n]*/g;
const LABEL = /(?<![\w:])_:([^\s<>"'()[\]{},;#:]+)/g;

export interface LabelledDocument {
  readonly turtle: string;
  readonly snapshot?: string | undefined;
  readonly scope?: BlankNodeScope | undefined;
}

/** Written label to stored label, both as `_:label`; of a document that stands alone in its load. */
export function mintedLabels({ turtle, snapshot, scope = 'document' }: LabelledDocument): Record<string, string> {
  const hash = new PayloadHash();
  hash.update(new TextEncoder().encode(turtle));
  const digits = scopeDigits(scopeText({ snapshotKey: snapshot, sha256: hash.digest() }));
  const minted = new Map<string, string>();
  for (const [, written = ''] of turtle.replace(NO_LABELS, ' ').matchAll(LABEL)) {
    const label = written.replace(/\.+$/, '');
    if (label === '' || minted.has(`_:${label}`)) continue;
    minted.set(`_:${label}`, `_:${resolveLabel(`-${label}`, digits, scope)}`);
    if (minted.size === LABELS_MAX) break;
  }
  return Object.fromEntries(minted);
}
