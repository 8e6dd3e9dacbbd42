/**
 * The parser of the server's own family, apart from the page: it says where a text stops being SPARQL. `@traqula/parser-sparql-1-2`
 * stands behind this file in browsers. Relative IRIs and names that a rule beyond the grammar forbids are left to the server.
 */

import { Parser } from '@traqula/parser-sparql-1-2';

export interface SyntaxError_ {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

interface Report {
  readonly message: string;
  readonly token: { readonly image: string; readonly startOffset: number };
}

class GrammarError extends Error {
  constructor(readonly report: Report) {
    super(report.message);
  }
}

const parser = new Parser({
  errorHandler(errors: readonly Report[]): void {
    throw new GrammarError(errors[0] as Report);
  },
} as ConstructorParameters<typeof Parser>[0]);

self.addEventListener('message', ({ data }: MessageEvent<{ readonly id: number; readonly text: string }>) => {
  self.postMessage({ id: data.id, error: errorIn(data.text) });
});

function errorIn(text: string): SyntaxError_ | null {
  if (text.trim() === '') return null;
  try {
    parser.parse(text);
    return null;
  } catch (error) {
    if (error instanceof GrammarError) return grammarError(error.report, text);
    return error instanceof Error ? (lexicalError(error, text) ?? prefixError(error, text)) : null;
  }
}

function grammarError({ message, token }: Report, text: string): SyntaxError_ {
  const { image, startOffset } = token;
  const atEnd = !Number.isFinite(startOffset) || image === '';
  const end = text.trimEnd().length;
  const expected = /^Expecting(?: token of type)? --> (.+?) <-- but found/.exec(message)?.[1];
  const wanted = expected === undefined || /end of input|EOF/i.test(expected) ? '' : `, expected ${expected}`;
  if (atEnd) return { from: Math.max(0, end - 1), to: end, message: `the query ends too early${wanted}` };
  return { from: startOffset, to: startOffset + image.length, message: `unexpected ${image.slice(0, 60)}${wanted}` };
}

function lexicalError({ message }: Error, text: string): SyntaxError_ | null {
  const match = /^unexpected character: ->([\s\S]*?)<- at offset: (\d+)/.exec(message);
  if (match === null) return null;
  const from = Number(match[2]);
  const word = /^[\w:]+/.exec(text.slice(from, from + 60))?.[0] ?? (match[1] as string);
  const said = /^["']/.test(word)
    ? 'this string is not closed on its line, or holds a bad escape'
    : `unexpected ${word}`;
  return { from, to: from + Math.max(1, word.length), message: said };
}

function prefixError({ message }: Error, text: string): SyntaxError_ | null {
  const prefix = /^Unknown prefix: (.*)$/.exec(message)?.[1];
  if (prefix === undefined) return null;
  const at = text.search(new RegExp(`(?<![\\w.<:/-])${prefix.replace(/[.*+?^$()|[\]\\{}-]/g, '\\$&')}:`));
  const from = Math.max(0, at);
  return { from, to: from + prefix.length + 1, message: `the prefix ${prefix}: is not declared` };
}
