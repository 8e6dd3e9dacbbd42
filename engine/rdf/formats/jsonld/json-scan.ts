/**
 * Finds places in a JSON text: the first fault, or the value at a path. `JSON.parse` reads the data;
 * this reads the text again, only when an error message needs a line and a column.
 */

export type JsonPath = readonly (string | number)[];

export interface JsonFault {
  readonly offset: number;
  readonly message: string;
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a JSON string excludes
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"/y;
const BLANK = /[ \t\r\n]*/y;

class Fault extends Error {
  constructor(
    readonly offset: number,
    message: string,
  ) {
    super(message);
  }
}

/** The first fault of a text that `JSON.parse` has refused; null if it is JSON after all. */
export function findJsonFault(text: string): JsonFault | null {
  const scan = new Scan(text, null);
  return faultOf(() => {
    scan.value([]);
    scan.blank();
    if (scan.at < text.length) throw new Fault(scan.at, 'unexpected text after the end of the document');
  });
}

/** The offset of the value (or, failing that, of its nearest ancestor that is there) at a path. */
export function offsetOfPath(text: string, path: JsonPath): number {
  const scan = new Scan(text, path);
  faultOf(() => scan.value([]));
  return scan.found;
}

/** Where the value ends that begins at an offset; -1 if it is none, or the text ends before. */
export function endOfValue(text: string, from: number): number {
  const scan = new Scan(text, null, from);
  return faultOf(() => scan.value([])) === null ? scan.at : -1;
}

function faultOf(step: () => void): JsonFault | null {
  try {
    step();
    return null;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

class Scan {
  /** The offset of the longest beginning of the wanted path met so far. */
  found = 0;
  #foundDepth = -1;

  constructor(
    private readonly text: string,
    private readonly wanted: JsonPath | null,
    public at = 0,
  ) {}

  blank(): void {
    BLANK.lastIndex = this.at;
    BLANK.exec(this.text);
    this.at = BLANK.lastIndex;
  }

  value(path: (string | number)[]): void {
    this.blank();
    this.#note(path, this.at);
    const char = this.text[this.at];
    if (char === '{') this.#members(path, '}');
    else if (char === '[') this.#members(path, ']');
    else if (char === '"') this.#match(STRING, 'a string that is not closed, or has a bad escape');
    else if (char === undefined) throw new Fault(this.at, 'unexpected end of the document');
    else if (char === '-' || (char >= '0' && char <= '9')) this.#match(NUMBER, 'a malformed number');
    else this.#word();
  }

  #note(path: JsonPath, offset: number): void {
    const wanted = this.wanted;
    if (wanted === null || path.length <= this.#foundDepth || path.length > wanted.length) return;
    if (!path.every((key, index) => key === wanted[index])) return;
    this.found = offset;
    this.#foundDepth = path.length;
  }

  /** The members of an object or array. */
  #members(path: (string | number)[], close: '}' | ']'): void {
    this.at++;
    this.blank();
    if (this.#take(close)) return;
    for (let index = 0; ; index++) {
      path.push(close === '}' ? this.#key() : index);
      this.value(path);
      path.pop();
      this.blank();
      if (this.#take(close)) return;
      if (!this.#take(',')) throw this.#unexpected(`expected , or ${close}`);
    }
  }

  /** A key and the colon behind it. */
  #key(): string {
    this.blank();
    const from = this.at;
    if (this.text[from] !== '"') throw new Fault(from, 'expected a key in double quotes');
    this.#match(STRING, 'a key that is not closed, or has a bad escape');
    const key = JSON.parse(this.text.slice(from, this.at)) as string;
    this.blank();
    if (!this.#take(':')) throw new Fault(this.at, 'expected : after a key');
    return key;
  }

  #word(): void {
    for (const word of ['true', 'false', 'null']) {
      if (!this.text.startsWith(word, this.at)) continue;
      this.at += word.length;
      return;
    }
    throw new Fault(this.at, `unexpected ${JSON.stringify(this.text[this.at])}`);
  }

  #match(expression: RegExp, otherwise: string): void {
    expression.lastIndex = this.at;
    if (!expression.test(this.text)) throw new Fault(this.at, otherwise);
    this.at = expression.lastIndex;
  }

  #take(char: string): boolean {
    if (this.text[this.at] !== char) return false;
    this.at++;
    return true;
  }

  #unexpected(expected: string): Fault {
    const char = this.text[this.at];
    const found = char === undefined ? 'the end of the document' : JSON.stringify(char);
    return new Fault(this.at, `${expected} but found ${found}`);
  }
}
