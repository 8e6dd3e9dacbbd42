/**
 * Cuts lines into statements: dot commands, declarations, queries and updates. A query or an update ends
 *
 *  1. with a `;` that is the last of its line and stands outside of brackets,
 *  2. with a line that holds nothing but `;`, whatever is open,
 *  3. with an empty line, when the text so far is whole, or
 *  4. with the input.
 *
 * So a `;` inside `{ … }` goes on, and updates that belong together have the next one behind it on its
 * line. Declarations (`PREFIX`, `BASE`) on lines of their own, before anything else, stand for themselves.
 * Lines are looked at once each, whatever the length of the statement.
 */

export type Statement =
  /** A line such as `.format json`, or `:format json`; `.explain` and `.profile` have a statement of their own behind them. */
  | { readonly kind: 'command'; readonly text: string; readonly line: number }
  /** Only PREFIX and BASE. */
  | { readonly kind: 'declarations'; readonly text: string; readonly line: number }
  /** A query or an update, without the `;` that ended it. */
  | { readonly kind: 'sparql'; readonly text: string; readonly line: number };

/** What is open at the end of a line. */
interface LineState {
  readonly depth: number;
  /** The marks of a long string. */
  readonly quote: '"""' | "'''" | null;
}

interface ScannedLine extends LineState {
  /** Where the last character stands that is no space and no comment; -1 = there is none. */
  readonly last: number;
}

const TOKEN = /"""|'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|<[^<>"{}|^`\\\s]*>|\\.|#.*$|[\s\S]/g;
const LONG_STRING_END = { '"""': /(?:[^"\\]|\\.|"(?!""))*"""/y, "'''": /(?:[^'\\]|\\.|'(?!''))*'''/y } as const;

function scanLine(line: string, before: LineState): ScannedLine {
  let { depth, quote } = before;
  let last = -1;
  let at = 0;
  while (at < line.length) {
    if (quote !== null) {
      const end = LONG_STRING_END[quote];
      end.lastIndex = at;
      const closed = end.exec(line);
      last = line.length - 1;
      if (closed === null) break;
      at += closed[0].length;
      last = at - 1;
      quote = null;
      continue;
    }
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(line)?.[0] ?? '';
    at += token.length;
    if (token.startsWith('#')) break;
    if (token.trim() !== '') last = at - 1;
    if (token === '"""' || token === "'''") quote = token;
    else if (token === '{' || token === '(' || token === '[') depth++;
    else if (token === '}' || token === ')' || token === ']') depth--;
  }
  return { depth, quote, last };
}

const DECLARATIONS = /^\s*(?:(?:@?prefix\s+[^\s:<>"'#{}()]*:|@?base)\s*<[^<>"{}|^`\\\s]*>\s*)+[;.]?\s*(?:#.*)?$/i;
/** Words that no query begins with, and that people try first. */
const BARE_COMMAND = /^(?:help|quit|exit)\s*;?$/i;
const WITH_STATEMENT = /^[.:](?:explain|profile)(?:\s|$)/;

export class StatementReader {
  readonly #isWhole: (text: string) => boolean;
  #lines: string[] = [];
  #state: LineState = { depth: 0, quote: null };
  /** `.explain` or `.profile`, when the lines are theirs. */
  #command: string | null = null;
  #lineNumber = 0;
  #firstLine = 0;

  /** `isWhole` says whether a text is a query or an update that lacks nothing. */
  constructor(isWhole: (text: string) => boolean) {
    this.#isWhole = isWhole;
  }

  /** Lines of a statement that has not ended. */
  get pending(): string {
    return this.#lines.join('\n');
  }

  get isPending(): boolean {
    return this.#lines.length > 0;
  }

  clear(): void {
    this.#lines = [];
    this.#state = { depth: 0, quote: null };
    this.#command = null;
  }

  /** Takes a line without its end; gives the statement that it ends. */
  push(line: string): Statement | null {
    this.#lineNumber++;
    if (this.isPending) return this.#continue(line);
    this.#firstLine = this.#lineNumber;
    const text = line.trim();
    if (/^[.:]/.test(text)) return this.#pushCommand(text);
    if (BARE_COMMAND.test(text))
      return { kind: 'command', text: `.${text.replace(/\s*;$/, '').toLowerCase()}`, line: this.#lineNumber };
    if (DECLARATIONS.test(line)) return { kind: 'declarations', text, line: this.#lineNumber };
    if (scanLine(line, this.#state).last < 0 || text === ';') return null;
    return this.#continue(line);
  }

  /** The input is over. */
  end(): Statement | null {
    return this.#take(this.#lines);
  }

  #pushCommand(text: string): Statement | null {
    const name = WITH_STATEMENT.exec(text)?.[0].trim();
    const rest = name === undefined ? '' : text.slice(name.length).trim();
    if (name === undefined || rest === '') return { kind: 'command', text, line: this.#lineNumber };
    this.#command = name;
    const ended = this.#continue(rest);
    if (ended !== null || this.#state.depth > 0 || this.#state.quote !== null || !this.#isWhole(rest)) return ended;
    return this.#take(this.#lines);
  }

  #continue(line: string): Statement | null {
    const { quote } = this.#state;
    if (quote === null && line.trim() === ';') return this.#take(this.#lines);
    const scanned = scanLine(line, this.#state);
    this.#state = scanned;
    const isCode = scanned.quote === null && scanned.depth <= 0;
    if (isCode && scanned.last >= 0 && line[scanned.last] === ';') {
      return this.#take([...this.#lines, line.slice(0, scanned.last)]);
    }
    const isEnd = isCode && quote === null && line.trim() === '' && this.#isWhole(this.pending);
    if (isEnd) return this.#take(this.#lines);
    this.#lines.push(line);
    return null;
  }

  #take(lines: readonly string[]): Statement | null {
    const text = lines.join('\n').trimEnd();
    const command = this.#command;
    this.clear();
    if (text.trim() === '') return null;
    if (command !== null) return { kind: 'command', text: `${command} ${text}`, line: this.#firstLine };
    return { kind: 'sparql', text, line: this.#firstLine };
  }
}

/** The same statement on one line, for editing it again: comments go, line ends become spaces. */
export function onOneLine(text: string): string {
  if (!text.includes('\n')) return text;
  let state: LineState = { depth: 0, quote: null };
  let whole = '';
  for (const [at, line] of text.split('\n').entries()) {
    const within = state.quote !== null;
    const scanned = scanLine(line, state);
    state = scanned;
    // Inside a long string a line end is a character of the text.
    const kept = line.slice(0, scanned.last + 1);
    if (within) whole += `\\n${kept}`;
    else whole += `${at === 0 || whole.endsWith(' ') ? '' : ' '}${kept.trimStart()}`;
  }
  return whole.trim();
}
