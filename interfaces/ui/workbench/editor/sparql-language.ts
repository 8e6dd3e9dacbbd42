/** Colours of SPARQL 1.2, token by token; what is wrong is for the parser to say (`syntax-worker.ts`). */

import { StreamLanguage, type StreamParser, type StringStream } from './codemirror.js';
import { FUNCTIONS, KEYWORDS } from './sparql-words.js';

interface State {
  /** The quotes that end a string of several lines. */
  long: "'''" | '"""' | null;
}

const WORDS: ReadonlySet<string> = new Set(KEYWORDS);
const CALLS: ReadonlySet<string> = new Set(FUNCTIONS);

const parser: StreamParser<State> = {
  name: 'sparql',
  startState: () => ({ long: null }),
  token(stream, state) {
    if (state.long !== null) return longString(stream, state, state.long);
    if (stream.eatSpace()) return null;
    if (stream.match(/^#.*/)) return 'comment';
    if (stream.match(/^[?$][\p{L}\p{N}_\u00b7]+/u)) return 'variableName';
    if (stream.match(/^<<\(?|^\)?>>|^\{\||^\|\}/)) return 'bracket';
    if (stream.match(/^<[^<>"{}|^`\\\s]*>/)) return 'link';
    if (stream.match('"""')) return longString(stream, state, '"""');
    if (stream.match("'''")) return longString(stream, state, "'''");
    if (stream.match(/^"(?:[^"\\]|\\.)*"?|^'(?:[^'\\]|\\.)*'?/)) return 'string';
    if (stream.match(/^@[A-Za-z]+(?:-[A-Za-z0-9]+)*(?:--[A-Za-z]+)?/)) return 'modifier';
    if (stream.match(/^_:[\p{L}\p{N}_.-]*[\p{L}\p{N}_-]/u)) return 'labelName';
    if (
      stream.match(/^(?:\p{L}[\p{L}\p{N}_.-]*)?:(?:(?:[\p{L}\p{N}_:%\\-]|\.(?=[\p{L}\p{N}_:%-]))[\p{L}\p{N}_:%\\-]*)*/u)
    )
      return 'link';
    if (stream.match(/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/)) return 'number';
    const word = stream.match(/^[A-Za-z][\w]*/);
    if (word !== null && word !== true) return wordToken(String((word as RegExpMatchArray)[0]));
    if (stream.match(/^[{}()[\]]/)) return 'bracket';
    stream.next();
    return 'operator';
  },
  languageData: { commentTokens: { line: '#' }, closeBrackets: { brackets: ['(', '[', '{', '"', "'"] } },
};

function wordToken(word: string): string {
  if (word === 'a') return 'keyword';
  if (word === 'true' || word === 'false') return 'bool';
  const upper = word.toUpperCase();
  return WORDS.has(upper) ? 'keyword' : CALLS.has(upper) ? 'variableName.function' : 'invalid';
}

function longString(stream: StringStream, state: State, quotes: "'''" | '"""'): string {
  state.long = quotes;
  while (!stream.eol()) {
    if (stream.match(/^\\./)) continue;
    if (stream.match(quotes)) {
      state.long = null;
      break;
    }
    stream.next();
  }
  return 'string';
}

export const sparqlLanguage = StreamLanguage.define(parser);
