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
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** The first fault of a text that `JSON.parse` has refused; null if it is JSON after all. */
export function findJsonFault(text: string): JsonFault | null {
  try {
    const scan = new Scan(text, null);
    scan.value([]);
    scan.blank();
    if (scan.at < text.length) throw new Fault(scan.at, 'unexpected text after the end of the document');
    return null;
  } catch (error) {
    if (error instanceof Fault) return { offset: error.offset, message: error.message };
    throw error;
  }
}

/** The offset of the value (or, failing that, of its nearest ancestor that is there) at a path. */
export function offsetOfPath(text: string, path: JsonPath): number {
  const scan = new Scan(text, path);
  try {
    scan.value([]);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
  return scan.found;
}

class Scan {
  at = 0;
  /** The offset of the longest beginning of the wanted path met so far. */
  found = 0;
  #foundDepth = -1;
  readonly #text: string;
  readonly #wanted: JsonPath | null;

  constructor(text: string, wanted: JsonPath | null) {
    this.#text = text;
    this.#wanted = wanted;
  }

  blank(): void {
    BLANK.lastIndex = this.at;
    BLANK.exec(this.#text);
    this.at = BLANK.lastIndex;
  }

  value(path: (string | number)[]): void {
    this.blank();
    this.#note(path, this.at);
    const char = this.#text[this.at];
    if (char === '{') this.#object(path);
    else if (char === '[') this.#array(path);
    else if (char === '"') this.#match(STRING, 'a string that is not closed, or has a bad escape');
    else if (char === undefined) throw new Fault(this.at, 'unexpected end of the document');
    else if (char === '-' || (char >= '0' && char <= '9')) this.#match(NUMBER, 'a malformed number');
    else this.#word();
  }

  #note(path: JsonPath, offset: number): void {
    const wanted = this.#wanted;
    if (wanted === null || path.length <= this.#foundDepth || path.length > wanted.length) return;
    if (!path.every((key, index) => key === wanted[index])) return;
    this.found = offset;
    this.#foundDepth = path.length;
  }

  #object(path: (string | number)[]): void {
    this.at++;
    this.blank();
    if (this.#take('}')) return;
    for (;;) {
      this.blank();
      const from = this.at;
      if (this.#text[from] !== '"') throw new Fault(from, 'expected a key in double quotes');
      this.#match(STRING, 'a key that is not closed, or has a bad escape');
      const key = JSON.parse(this.#text.slice(from, this.at)) as string;
      this.blank();
      if (!this.#take(':')) throw new Fault(this.at, 'expected : after a key');
      path.push(key);
      this.value(path);
      path.pop();
      this.blank();
      if (this.#take('}')) return;
      if (!this.#take(',')) throw this.#unexpected('expected , or }');
    }
  }

  #array(path: (string | number)[]): void {
    this.at++;
    this.blank();
    if (this.#take(']')) return;
    for (let index = 0; ; index++) {
      path.push(index);
      this.value(path);
      path.pop();
      this.blank();
      if (this.#take(']')) return;
      if (!this.#take(',')) throw this.#unexpected('expected , or ]');
    }
  }

  #word(): void {
    for (const word of ['true', 'false', 'null']) {
      if (!this.#text.startsWith(word, this.at)) continue;
      this.at += word.length;
      return;
    }
    throw new Fault(this.at, `unexpected ${JSON.stringify(this.#text[this.at])}`);
  }

  #match(expression: RegExp, otherwise: string): void {
    expression.lastIndex = this.at;
    if (!expression.test(this.#text)) throw new Fault(this.at, otherwise);
    this.at = expression.lastIndex;
  }

  #take(char: string): boolean {
    if (this.#text[this.at] !== char) return false;
    this.at++;
    return true;
  }

  #unexpected(expected: string): Fault {
    const char = this.#text[this.at];
    return new Fault(
      this.at,
      `${expected} but found ${char === undefined ? 'the end of the document' : JSON.stringify(char)}`,
    );
  }
}
