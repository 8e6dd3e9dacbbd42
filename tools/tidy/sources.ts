/**
 * The files that tidy judges, each split into what the checks need: its code with comments and the
 * insides of strings blanked out (lines stay where they are), its string literals, its imports and
 * its head comment. A small scanner of our own does it, so that tidy depends on no parser.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

export interface Found {
  readonly text: string;
  readonly line: number;
}

export interface Comment extends Found {
  /** Where it begins and ends in the text of the file. */
  readonly from: number;
  readonly to: number;
}

export interface SourceFile {
  /** Relative to the checkout, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  /** The text with comments and string contents replaced by spaces. */
  readonly code: string;
  readonly strings: readonly Found[];
  readonly comments: readonly Comment[];
  /** Module specifiers, also those of `import()`. */
  readonly imports: readonly Found[];
  /** `new URL('./x.js', import.meta.url)`: files that a thread of their own starts with. */
  readonly threads: readonly Found[];
  readonly head: string;
}

export interface Problem {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

export const CODE_ROOTS = ['engine', 'interfaces', 'clients/typescript/src', 'bench', 'test', 'tools'];

const REGEX_MAY_FOLLOW = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|yield|await))\s*$/;

interface Scan {
  readonly code: string[];
  readonly strings: Found[];
  readonly comments: Comment[];
  line: number;
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

/** The end of a quoted string or regular expression that begins at `start`. */
function endOfQuoted(text: string, start: number, quote: string): number {
  let inClass = false;
  for (let at = start + 1; at < text.length; at++) {
    const c = text[at];
    if (c === '\\') at++;
    else if (c === '\n') return at;
    else if (quote === '/' && c === '[') inClass = true;
    else if (quote === '/' && c === ']') inClass = false;
    else if (c === quote && !inClass) return at + 1;
  }
  return text.length;
}

/** The end of a template literal; `${}` parts count as string content, nested templates included. */
function endOfTemplate(text: string, start: number): number {
  let depth = 0;
  for (let at = start + 1; at < text.length; at++) {
    const c = text[at];
    if (c === '\\') at++;
    else if (c === '$' && text[at + 1] === '{') {
      depth++;
      at++;
    } else if (c === '}' && depth > 0) depth--;
    else if (c === '`' && depth === 0) return at + 1;
    else if (c === '`') at = endOfTemplate(text, at) - 1;
  }
  return text.length;
}

function endOfToken(
  text: string,
  at: number,
  before: string,
): { end: number; kind: 'comment' | 'string' | 'regex' } | null {
  const two = text.slice(at, at + 2);
  if (two === '//') {
    const end = text.indexOf('\n', at);
    return { end: end < 0 ? text.length : end, kind: 'comment' };
  }
  if (two === '/*') {
    const end = text.indexOf('*/', at + 2);
    return { end: end < 0 ? text.length : end + 2, kind: 'comment' };
  }
  const c = text[at];
  if (c === "'" || c === '"') return { end: endOfQuoted(text, at, c), kind: 'string' };
  if (c === '`') return { end: endOfTemplate(text, at), kind: 'string' };
  if (c === '/' && REGEX_MAY_FOLLOW.test(before)) return { end: endOfQuoted(text, at, '/'), kind: 'regex' };
  return null;
}

function scanSource(text: string): { code: string; strings: Found[]; comments: Comment[] } {
  const scan: Scan = { code: [], strings: [], comments: [], line: 1 };
  let at = 0;
  let before = '';
  while (at < text.length) {
    const token = endOfToken(text, at, before);
    if (token === null) {
      const c = text[at] as string;
      if (c === '\n') scan.line++;
      scan.code.push(c);
      before = (before + c).slice(-12);
      at++;
      continue;
    }
    const whole = text.slice(at, token.end);
    if (token.kind === 'string') {
      scan.strings.push({ text: whole.slice(1, -1), line: scan.line });
      scan.code.push(whole[0] as string, blank(whole.slice(1, -1)), whole.length > 1 ? (whole.at(-1) as string) : '');
      before = 'x';
    } else {
      scan.code.push(blank(whole));
      if (token.kind === 'regex') before = 'x';
      else scan.comments.push({ text: whole, line: scan.line, from: at, to: token.end });
    }
    scan.line += whole.split('\n').length - 1;
    at = token.end;
  }
  return { code: scan.code.join(''), strings: scan.strings, comments: scan.comments };
}

const IMPORT_LEADS = [
  /\bfrom\s*$/,
  /\bimport\s*$/,
  /\bimport\s*\(\s*$/,
  /\brequire(?:\.resolve)?\s*\(\s*$/,
  /\bimport\.meta\.resolve\s*\(\s*$/,
];

const THREAD_LEADS = [/\bnew URL\s*\(\s*$/];

/** Strings that follow one of the leads in the code. */
function findAfter(leads: readonly RegExp[], code: string, text: string): Found[] {
  const found: Found[] = [];
  for (const match of code.matchAll(/(['"])( *)\1/g)) {
    const lead = code.slice(Math.max(0, match.index - 40), match.index);
    if (!leads.some((pattern) => pattern.test(lead))) continue;
    const specifier = text.slice(match.index + 1, match.index + 1 + (match[2] as string).length);
    found.push({ text: specifier, line: text.slice(0, match.index).split('\n').length });
  }
  return found;
}

export function parseSource(path: string, text: string): SourceFile {
  const { code, strings, comments } = scanSource(text);
  const head = /^(?:#![^\n]*\n)?\s*(\/\*[\s\S]*?\*\/|(?:\/\/[^\n]*\n)+)/.exec(text)?.[1] ?? '';
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  const imports = findAfter(IMPORT_LEADS, code, text);
  const threads = findAfter(THREAD_LEADS, code, text).filter(({ text: url }) => /^\.{1,2}\/.*\.js$/.test(url));
  return { path, text, lines, code, strings, comments, imports, threads, head };
}

export function listFiles(root: string, folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => posix.relative(root, posix.join(entry.parentPath, entry.name)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return names.sort();
}

export function readSources(root: string): SourceFile[] {
  return CODE_ROOTS.flatMap((folder) => listFiles(root, folder))
    .filter((path) => /\.(ts|mjs)$/.test(path) && !path.endsWith('.d.ts'))
    .map((path) => parseSource(path, readFileSync(join(root, path), 'utf8')));
}

/** Sources that the build makes: what the kernels export. */
export const GENERATED: ReadonlySet<string> = new Set(['engine/kernels/exports.ts']);

/** Where a relative import leads, as a source path; null for packages and built-in modules. */
export function resolveImport(from: string, specifier: string): string | null {
  if (!specifier.startsWith('.')) return null;
  const path = posix.join(posix.dirname(from), specifier);
  // The compiler of the kernels wants names without an ending.
  return from.startsWith('engine/kernels/as/') ? `${path}.ts` : path.replace(/\.js$/, '.ts');
}
