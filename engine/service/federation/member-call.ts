/**
 * One question to one remote member: `POST <url>/query` with the text of the query and its own token. Whatever it does,
 * answer late, in part, in another language, without end, or not at all, the call settles in time with its rows or with
 * the reason why there are none.
 */

import { JoinedSignal } from '../../base/joined-signal.js';
import type { MemoryCounter } from '../../query/runtime/memory.js';
import { MalformedResults } from '../../query/service/read-results.js';
import { askRemote, reasonOf, textOf } from '../../query/service/remote-answer.js';
import { HeldRows } from './held-rows.js';
import { ListedObject } from './listed-object.js';
import { ANNOTATIONS, type Member } from './members.js';
import { RowReader } from './remote-rows.js';

const JSON_TYPE = /^application\/json\s*(;|$)/i;
/** A list of names is not longer. */
const VARIABLES_CHARACTERS_MAX = 1024 * 1024;

export type MemberOutcome =
  | { readonly ok: true; readonly rows: HeldRows; readonly truncated: boolean }
  | { readonly ok: false; readonly error: string };

export interface MemberQuestion {
  readonly text: string;
  /** Of the query, without those of the answer. */
  readonly variables: readonly string[];
  readonly rowsMax: number;
  readonly memory: MemoryCounter;
  /** Milliseconds that the request has left; undefined = as many as it likes. */
  readonly leftMs: number | undefined;
  readonly signal: AbortSignal;
}

/** Told of each question that was answered or failed. */
export type OnMember = (name: string, ok: boolean, seconds: number) => void;

export class MemberCall {
  /** Never rejects. */
  readonly outcome: Promise<MemberOutcome>;

  constructor(
    readonly member: Member,
    question: MemberQuestion,
    onMember: OnMember | undefined,
  ) {
    const began = performance.now();
    this.outcome = askMember(member, question).then((outcome) => {
      onMember?.(member.name, outcome.ok, (performance.now() - began) / 1000);
      return outcome;
    });
  }
}

async function askMember(member: Member, question: MemberQuestion): Promise<MemberOutcome> {
  const { timeoutMs } = member;
  const leftMs = Math.max(1, Math.round(question.leftMs ?? timeoutMs));
  const stop = new JoinedSignal([question.signal], Math.min(timeoutMs, leftMs));
  const rows = new HeldRows(question.rowsMax, question.memory);
  try {
    const truncated = await readAnswer(member, question, rows, stop.signal);
    return { ok: true, rows, truncated };
  } catch (error) {
    rows.release();
    const inTime =
      leftMs < timeoutMs ? `the ${leftMs} ms that the request had left` : `${timeoutMs} ms (timeout_ms of the remote)`;
    return { ok: false, error: reasonOf(error, inTime) };
  } finally {
    stop.end();
  }
}

/** Whether the member says that it has left rows out. */
async function readAnswer(
  member: Member,
  { text: query, variables }: MemberQuestion,
  rows: HeldRows,
  signal: AbortSignal,
): Promise<boolean> {
  const response = await askRemote({
    url: `${member.url}/query`,
    authToken: member.authToken,
    contentType: 'application/json',
    body: JSON.stringify({ query, verbose: true }),
    mediaType: 'application/json',
    accepts: JSON_TYPE,
    signal,
  });
  const wanted = new Set(variables);
  const reader = new RowReader(member, wanted);
  const members = new Map<string, string>();
  const object = new ListedObject('rows', {
    member: (key, text) => {
      if (key === 'variables') refuseOthers(text, wanted);
      if (KEPT.includes(key)) members.set(key, text.slice(0, VARIABLES_CHARACTERS_MAX));
    },
    entry: (text) => rows.add(reader.read(text)),
  });
  for await (const piece of textOf(response, 'narrow the query')) object.push(piece);
  object.end();
  if (!members.has('variables') || !object.hasList) {
    const what = members.has('result')
      ? 'of ASK'
      : members.has('triples')
        ? 'of CONSTRUCT or DESCRIBE'
        : 'without rows';
    throw new MalformedResults(`it is an answer ${what}, and not one of SELECT`);
  }
  return members.get('truncated') === 'true';
}

const KEPT: readonly string[] = ['variables', 'result', 'triples', 'truncated'];

/** Compared as sets, without the columns that federated answers have. */
function refuseOthers(text: string, wanted: ReadonlySet<string>): void {
  const given = namesOf(text).filter((name) => !ANNOTATIONS.includes(name));
  if (given.every((name) => wanted.has(name)) && new Set(given).size === wanted.size) return;
  const shown = (names: Iterable<string>): string =>
    [...names]
      .map((name) => `?${name}`)
      .join(' ')
      .slice(0, 200) || 'none';
  throw new MalformedResults(`its variables are ${shown(given)}, and those of the query here ${shown(wanted)}`);
}

function namesOf(text: string): readonly string[] {
  let names: unknown;
  try {
    names = text.length > VARIABLES_CHARACTERS_MAX ? null : JSON.parse(text);
  } catch {
    names = null;
  }
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names;
  throw new MalformedResults('its variables are no list of names');
}
