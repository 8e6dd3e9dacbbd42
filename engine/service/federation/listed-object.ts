/**
 * A JSON object one of whose members is a long list, taken apart as its text comes: each member and each entry of the list
 * is handed over as the text that it is, so that numbers keep their digits and nothing is held but the piece at hand. Who
 * takes a piece reads it; here it is only known where it ends. Malformed text is refused where it can no longer be JSON.
 */

import { MalformedResults } from '../../query/service/read-results.js';

export interface Pieces {
  member(key: string, text: string): void;
  /** An entry of the list, in its order. */
  entry(text: string): void;
}

type Place =
  | 'start'
  | 'first key'
  | 'key'
  | 'colon'
  | 'value'
  | 'after value'
  | 'first entry'
  | 'entry'
  | 'after entry'
  | 'end';

const SPACE = /[ \t\n\r]/;
const SCALAR_END = /[,\]}\s]/g;
const STRING_MARKS = /["\\]/g;
const NESTED_MARKS = /["{}[\]]/g;

export class ListedObject {
  private place: Place = 'start';
  private key = '';
  private listed = false;
  /** Of the value that is being collected: its parts so far, null = none is; how deep it is, and whether in a string. */
  private parts: string[] | null = null;
  private depth = 0;
  private inString = false;
  private escaped = false;

  /** `list`: the key of the list; null = the object has none. */
  constructor(
    private readonly list: string | null,
    private readonly pieces: Pieces,
  ) {}

  push(text: string): void {
    for (let at = 0; at < text.length; ) at = this.parts === null ? this.step(text, at) : this.collect(text, at);
  }

  /** Whether the list was there. */
  get hasList(): boolean {
    return this.listed;
  }

  /** No more text comes. */
  end(): void {
    if (this.place !== 'end' || this.parts !== null) throw new MalformedResults('its JSON ends in the middle');
  }

  private step(text: string, at: number): number {
    const letter = text[at] as string;
    if (SPACE.test(letter)) return at + 1;
    switch (this.place) {
      case 'start':
        return this.expect(letter === '{', 'first key', at);
      case 'first key':
        return letter === '}' ? this.expect(true, 'end', at) : this.begin(letter, at, letter === '"');
      case 'key':
        return this.begin(letter, at, letter === '"');
      case 'colon':
        return this.expect(letter === ':', 'value', at);
      case 'value':
        if (this.key !== this.list) return this.begin(letter, at, true);
        if (this.listed) throw new MalformedResults(`it has "${this.key}" twice`);
        this.listed = true;
        return this.expect(letter === '[', 'first entry', at);
      case 'after value':
        return this.expect(letter === ',' || letter === '}', letter === ',' ? 'key' : 'end', at);
      case 'first entry':
        return letter === ']' ? this.expect(true, 'after value', at) : this.begin(letter, at, true);
      case 'entry':
        return this.begin(letter, at, true);
      case 'after entry':
        return this.expect(letter === ',' || letter === ']', letter === ',' ? 'entry' : 'after value', at);
      case 'end':
        return this.expect(false, 'end', at);
    }
  }

  private expect(isRight: boolean, next: Place, at: number): number {
    if (!isRight) throw new MalformedResults('it is no JSON object of the kind that was asked for');
    this.place = next;
    return at + 1;
  }

  private begin(letter: string, at: number, isRight: boolean): number {
    if (!isRight || ',:]}'.includes(letter)) this.expect(false, this.place, at);
    this.parts = [];
    this.inString = letter === '"';
    this.depth = letter === '{' || letter === '[' ? 1 : 0;
    if (!this.inString && this.depth === 0) return at;
    this.parts.push(letter);
    return at + 1;
  }

  /** Takes what of the text belongs to the value; returns where it goes on. */
  private collect(text: string, from: number): number {
    for (let at = from; at < text.length; ) {
      if (this.escaped) {
        this.escaped = false;
        at++;
        continue;
      }
      const marks = this.inString ? STRING_MARKS : this.depth > 0 ? NESTED_MARKS : SCALAR_END;
      marks.lastIndex = at;
      const found = marks.exec(text);
      if (found === null) break;
      if (marks === SCALAR_END) return this.finish(text.slice(from, found.index), found.index);
      at = found.index + 1;
      if (this.passes(found[0])) return this.finish(text.slice(from, at), at);
    }
    this.parts?.push(text.slice(from));
    return text.length;
  }

  /** Whether the value ends with this letter. */
  private passes(letter: string): boolean {
    if (letter === '\\') this.escaped = true;
    else if (letter === '"') {
      this.inString = !this.inString;
      return !this.inString && this.depth === 0;
    } else if (letter === '{' || letter === '[') this.depth++;
    else return --this.depth === 0;
    return false;
  }

  private finish(last: string, at: number): number {
    const parts = this.parts as string[];
    this.parts = null;
    const text = parts.length === 0 ? last : parts.join('') + last;
    switch (this.place) {
      case 'first key':
      case 'key':
        this.key = textOfString(text);
        this.place = 'colon';
        break;
      case 'value':
        this.place = 'after value';
        this.pieces.member(this.key, text);
        break;
      default:
        this.place = 'after entry';
        this.pieces.entry(text);
    }
    return at;
  }
}

/** The text that a JSON string stands for. */
export function textOfString(json: string): string {
  try {
    return JSON.parse(json) as string;
  } catch {
    throw new MalformedResults('a string of it is no JSON string');
  }
}

/** The members of a small object, each as the text that it is. */
export function membersOf(text: string): Map<string, string> {
  const members = new Map<string, string>();
  const pieces: Pieces = {
    member: (key, value) => {
      if (members.has(key)) throw new MalformedResults(`an object has "${key.slice(0, 100)}" twice`);
      members.set(key, value);
    },
    entry: () => undefined,
  };
  const object = new ListedObject(null, pieces);
  object.push(text);
  object.end();
  return members;
}
