/**
 * Answers of tools within a budget: a model reads all of an answer, so what is beyond the budget is left out, entry by
 * entry from the end of the longest list, and the answer says how to go on. The text is cut as it stands, so that its
 * numbers keep all their digits.
 */

/** A token is four bytes of the text. */
const TOKEN_BYTES = 4;
/** What the text about the cut takes. */
const NEXT_BYTES = 300;
/** Least room for the longest part, whatever stands beside it. */
const PART_BYTES_MIN = 64;
/** Parts that are cut one after the other, the longest first. */
const CUTS_MAX = 8;

interface Span {
  readonly from: number;
  readonly to: number;
}

interface Member extends Span {
  readonly key: string;
  /** Where the value begins; it ends with the member. */
  readonly value: number;
}

export interface Budgeted {
  readonly text: string;
  /** Something was left out here. */
  readonly cut: boolean;
}

const bytesOf = (text: string): number => Buffer.byteLength(text);

/** After the value that begins at `at`, in JSON without white space between its tokens. */
function endOfValue(text: string, at: number): number {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    const letter = text[i];
    if (letter === '"') {
      i = endOfString(text, i) - 1;
      if (depth === 0) return i + 1;
    } else if (letter === '{' || letter === '[') depth++;
    else if (letter === '}' || letter === ']') {
      if (depth === 0) return i;
      if (--depth === 0) return i + 1;
    } else if (letter === ',' && depth === 0) return i;
  }
  return text.length;
}

function endOfString(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i + 1;
  }
  return text.length;
}

function entriesOf(text: string): Span[] {
  const entries: Span[] = [];
  for (let from = 1; from < text.length - 1; ) {
    const to = endOfValue(text, from);
    entries.push({ from, to });
    from = to + 1;
  }
  return entries;
}

function membersOf(text: string): Member[] {
  const members: Member[] = [];
  for (let from = 1; from < text.length - 1; ) {
    const keyEnd = endOfString(text, from);
    const to = endOfValue(text, keyEnd + 1);
    members.push({ key: JSON.parse(text.slice(from, keyEnd)) as string, from, value: keyEnd + 1, to });
    from = to + 1;
  }
  return members;
}

/** A value that is longer than its room, made shorter; it may stay longer where nothing of it can be left out. */
function shortened(text: string, bytesMax: number): string {
  if (bytesOf(text) <= bytesMax) return text;
  if (text.startsWith('[')) return shortList(text, bytesMax);
  if (text.startsWith('{')) return shortObject(text, bytesMax);
  return text.startsWith('"') ? shortString(text, bytesMax) : text;
}

function shortList(text: string, bytesMax: number): string {
  const kept: string[] = [];
  let bytes = 2;
  for (const { from, to } of entriesOf(text)) {
    const entry = text.slice(from, to);
    bytes += bytesOf(entry) + 1;
    // A single entry that is too long is shown in part.
    if (bytes > bytesMax && kept.length === 0) return `[${shortened(entry, bytesMax - 2)}]`;
    if (bytes > bytesMax) break;
    kept.push(entry);
  }
  return `[${kept.join(',')}]`;
}

/** Cuts the longest member, and says so beside it: `facts_truncated`. */
function shortObject(text: string, bytesMax: number): string {
  const members = membersOf(text);
  const longest = longestOf(text, members);
  if (longest === undefined) return text;
  const beside = bytesOf(text) - bytesOf(text.slice(longest.value, longest.to));
  const part = shortened(
    text.slice(longest.value, longest.to),
    Math.max(PART_BYTES_MIN, bytesMax - beside - longest.key.length - 20),
  );
  const rest = members.filter(({ key }) => key !== `${longest.key}_truncated`);
  const written = rest.map((one) =>
    one === longest ? text.slice(one.from, one.value) + part : text.slice(one.from, one.to),
  );
  return `{${[...written, `${JSON.stringify(`${longest.key}_truncated`)}:true`].join(',')}}`;
}

function longestOf(text: string, members: readonly Member[]): Member | undefined {
  const cuttable = members.filter(({ value }) => '[{"'.includes(text[value] as string));
  return cuttable.reduce<Member | undefined>(
    (longest, one) => (longest === undefined || one.to - one.value > longest.to - longest.value ? one : longest),
    undefined,
  );
}

function shortString(text: string, bytesMax: number): string {
  const whole = [...(JSON.parse(text) as string)];
  let length = Math.min(whole.length, Math.max(1, bytesMax));
  let cut = text;
  while (length > 0 && bytesOf(cut) > bytesMax) {
    cut = JSON.stringify(`${whole.slice(0, length).join('')}…`);
    length = Math.floor(length * Math.min(0.9, bytesMax / bytesOf(cut)));
  }
  return cut;
}

/** Members that are there already keep their place. */
function withMembers(text: string, values: Readonly<Record<string, string>>): string {
  const left = new Map(Object.entries(values));
  const written = membersOf(text).map(({ key, from, value, to }) => {
    const replaced = left.get(key);
    left.delete(key);
    return replaced === undefined ? text.slice(from, to) : text.slice(from, value) + replaced;
  });
  return `{${[...written, ...[...left].map(([key, value]) => `"${key}":${value}`)].join(',')}}`;
}

function memberText(text: string, key: string): string | undefined {
  const member = membersOf(text).find((one) => one.key === key);
  return member === undefined ? undefined : text.slice(member.value, member.to);
}

/** Cuts an answer to its budget: `truncated` is true then, and `count` that of the entries that are left. */
export function withinBudget(body: string, tokensMax: number): Budgeted {
  const bytesMax = tokensMax * TOKEN_BYTES - NEXT_BYTES;
  let text = body.trimEnd();
  if (bytesOf(text) <= bytesMax + NEXT_BYTES) return { text, cut: false };
  for (let cuts = 0; cuts < CUTS_MAX && bytesOf(text) > bytesMax; cuts++) {
    const longest = longestOf(text, membersOf(text));
    if (longest === undefined) break;
    const before = text.slice(longest.value, longest.to);
    const room = bytesMax - (bytesOf(text) - bytesOf(before));
    const part = shortened(before, Math.max(PART_BYTES_MIN, room));
    if (part === before) break;
    const isCounted = cuts === 0 && part.startsWith('[') && memberText(text, 'count') !== undefined;
    const count: Record<string, string> = isCounted ? { count: String(entriesOf(part).length) } : {};
    text = withMembers(text, { [longest.key]: part, ...count, truncated: 'true' });
  }
  return { text, cut: true };
}

export interface Continuation {
  readonly tool: string;
  readonly given: Readonly<Record<string, unknown>>;
  /** Whether the tool takes an offset. */
  readonly pages: boolean;
  readonly tokensMax: number;
}

/** The answer with how to go on, where it is not whole. */
export function tellingHowToGoOn({ text, cut }: Budgeted, about: Continuation): string {
  if (!text.startsWith('{')) return text;
  if (!cut && memberText(text, 'truncated') !== 'true') return text;
  return withMembers(text, { next: JSON.stringify(howToGoOn(Number(memberText(text, 'count')), cut, about)) });
}

function howToGoOn(count: number, cut: boolean, { tool, given, pages, tokensMax }: Continuation): string {
  const why = cut ? ` (mcp.answer_tokens_max is ${tokensMax})` : '';
  if (count > 0 && pages) {
    const offset = typeof given.offset === 'number' ? given.offset : 0;
    return `there is more${why}: ask again with offset ${offset + count}`;
  }
  if (count > 0 && tool === 'svc_query') {
    return `the first ${count} are here${why}: go on with ORDER BY and OFFSET ${count} in the query, or narrow it`;
  }
  return `there is more${why}: narrow what is asked for`;
}
