/** Dot commands that list what the store and the session know. */

import type { Control } from '../../../engine/base/control.js';
import type { StoreSnapshot } from '../../../engine/service/reads/snapshot.js';
import {
  type CountedTerms,
  countClasses,
  countGraphs,
  countPredicates,
} from '../../../engine/service/reads/vocabulary.js';
import { cellText, tableLines } from '../output/table.js';
import type { Session } from './session.js';

interface ListingContext {
  readonly session: Session;
  readonly signal: AbortSignal;
}

/** Longer lists are for queries. */
const ENTRIES_MAX = 1000;
const HISTORY_SHOWN = 50;

type CountTerms = (snapshot: StoreSnapshot, termsMax: number, control: Control) => Promise<CountedTerms>;

export function listGraphs(context: ListingContext): Promise<void> {
  return listTerms(context, 'graph', 'quads', countGraphs);
}

export function listPredicates(context: ListingContext): Promise<void> {
  return listTerms(context, 'predicate', 'quads', countPredicates);
}

export function listClasses(context: ListingContext): Promise<void> {
  return listTerms(context, 'class', 'members', countClasses);
}

async function listTerms(
  { session, signal }: ListingContext,
  what: string,
  counted: string,
  countTerms: CountTerms,
): Promise<void> {
  await session.words();
  const { entries, truncated } = await session.withSnapshot((snapshot) =>
    countTerms(snapshot, ENTRIES_MAX, { signal }),
  );
  const { nameOf } = session;
  await writeTable(
    session,
    [counted, what],
    entries.map(({ term, quads }) => [String(quads), cellText(term, nameOf)]),
  );
  if (truncated) session.note(`there are more: the first ${ENTRIES_MAX} are listed\n`);
}

export async function listPrefixes({ session }: ListingContext): Promise<void> {
  await session.words();
  const { all, base } = session.prefixes;
  await writeTable(
    session,
    ['prefix', 'iri', 'from'],
    all.map(({ name, iri, origin }) => [`${name}:`, `<${iri}>`, origin]),
  );
  if (base !== undefined) await session.output.write(`\nbase: <${base}>\n`);
}

/** Oldest first, with their numbers. */
export async function listHistory(session: Session, count: number | null): Promise<void> {
  const { entries } = session.history;
  const first = Math.max(0, entries.length - (count ?? HISTORY_SHOWN));
  const width = String(entries.length).length;
  const lines = entries.slice(first).map((entry, at) => {
    const number = String(first + at + 1).padStart(width);
    return `${number}  ${entry.replaceAll('\n', `\n${' '.repeat(width + 2)}`)}\n`;
  });
  await session.output.write(lines.join(''));
}

async function writeTable(
  session: Session,
  header: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<void> {
  async function* each(): AsyncGenerator<readonly string[]> {
    yield* rows;
  }
  // Names are to be copied: they are not cut.
  for await (const text of tableLines(header, each(), { widthMax: null })) await session.output.write(text);
}
