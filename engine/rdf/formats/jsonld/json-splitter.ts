/**
 * Cuts a JSON document into parts that can be read one after the other, so that a long list of nodes
 * does not have to be in memory as a whole:
 *
 * 1. a top-level array: batches of its elements;
 * 2. `{"@context": C, "@graph": [...]}` in this order: batches of the elements of the list, each with C;
 *    recognised once the document has grown past `WHOLE_CHARACTERS` (a smaller one is given whole);
 * 3. anything else: the whole document, up to `documentCharactersMax`.
 *
 * Only strings and brackets are looked at; the JSON parser checks the parts.
 */

import { TextCursor } from '../input/text-window.js';
import { endOfValue } from './json-scan.js';

export interface JsonPart {
  /** JSON, or what should be. */
  readonly text: string;
  /** Where it starts: line from 1, column in UTF-16 units from 0. */
  readonly line: number;
  readonly unitColumn: number;
  /** `elements`: the inside of an array, to be read between `[` and `]`. */
  readonly kind: 'elements' | 'document';
  /** The text of the context that holds for the elements. */
  readonly context: string | null;
  /** Index of the first element in the list. */
  readonly firstIndex: number;
}

/** `hint`: what the writer of the document can do. */
export class JsonLimitFault extends Error {
  constructor(
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}
export class JsonShapeFault extends Error {}

const BATCH_ELEMENTS_MAX = 500;
const BATCH_CHARACTERS = 256 * 1024;
const WHOLE_CHARACTERS = 1024 * 1024;
const HEAD = /^\s*\{\s*"@context"\s*:/;
const GRAPH_KEY = /^\s*,\s*"@graph"\s*:\s*\[/;

export class JsonSplitter {
  #state: 'start' | 'array' | 'whole' | 'graph' | 'done' = 'start';
  #depth = 0;
  #inString = false;
  #escaped = false;
  #pieces: string[] = [];
  #length = 0;
  #elements = 0;
  #firstIndex = 0;
  #place = new TextCursor();
  /** Where the part begins that is being collected. */
  #start = new TextCursor();
  #context: string | null = null;
  #graphTried = false;
  /** Where the list of nodes ends: the depth of its elements. */
  #listDepth = 1;

  constructor(
    private readonly documentCharactersMax: number,
    private readonly nestingMax: number,
  ) {}

  /** Where the part begins that is being collected; text from there on may be needed for messages. */
  get partStart(): { readonly line: number; readonly unitColumn: number } {
    return this.#start;
  }

  *push(text: string): Generator<JsonPart> {
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const cut = this.#see(text.charCodeAt(at));
      if (cut === null) continue;
      if (cut !== 'after') {
        this.#keep(text.slice(from, at));
        yield this.#part('elements');
      }
      this.#place.advance(text, from, at + 1);
      this.#start = this.#place.copy();
      from = at + 1;
    }
    this.#place.advance(text, from, text.length);
    this.#keep(text.slice(from));
    if (this.#state === 'whole' && !this.#graphTried && this.#length > WHOLE_CHARACTERS) yield* this.#becomeGraph();
    if (this.#length > this.documentCharactersMax) {
      throw new JsonLimitFault(
        this.#inList() ? 'one node of this document is too long' : 'this document is too long to be read as a whole',
        `write it as an array of nodes, or raise documentCharactersMax (${this.documentCharactersMax})`,
      );
    }
  }

  *end(): Generator<JsonPart> {
    if (this.#state === 'whole' || this.#state === 'start') yield this.#part('document');
    else if (this.#state !== 'done') throw new JsonShapeFault('unexpected end of the document');
    else {
      const rest = this.#pieces.join('');
      const allowed = this.#context === null ? /^\s*$/ : /^\s*\}\s*$/;
      if (!allowed.test(rest)) {
        throw new JsonShapeFault(
          this.#context === null
            ? 'unexpected text after the end of the document'
            : 'in a long document "@graph" must be the last key of the outermost object, after "@context"',
        );
      }
    }
  }

  /** What a character means for the cutting: nothing, a cut before it, the end of the list, or a start after it. */
  #see(code: number): 'before' | 'after' | 'end' | null {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (code === 0x5c) this.#escaped = true;
      else if (code === 0x22) this.#inString = false;
      return null;
    }
    switch (code) {
      case 0x22:
        this.#inString = true;
        return this.#leaveStart();
      case 0x5b:
      case 0x7b:
        if (++this.#depth > this.nestingMax) {
          throw new JsonLimitFault(`values are nested more than ${this.nestingMax} deep`, 'flatten the document');
        }
        if (this.#state !== 'start') return null;
        this.#state = code === 0x5b ? 'array' : 'whole';
        return code === 0x5b ? 'after' : null;
      case 0x5d:
      case 0x7d:
        this.#depth--;
        if (this.#depth !== this.#listDepth - 1 || !this.#inList()) return null;
        this.#state = 'done';
        return 'end';
      case 0x2c:
        if (this.#depth !== this.#listDepth || !this.#inList()) return null;
        this.#elements++;
        return this.#elements >= BATCH_ELEMENTS_MAX || this.#length >= BATCH_CHARACTERS ? 'before' : null;
      case 0x20:
      case 0x09:
      case 0x0a:
      case 0x0d:
        return null;
      default:
        return this.#leaveStart();
    }
  }

  #leaveStart(): null {
    if (this.#state === 'start') this.#state = 'whole';
    return null;
  }

  #inList(): boolean {
    return this.#state === 'array' || this.#state === 'graph';
  }

  #keep(text: string): void {
    if (text.length === 0) return;
    this.#pieces.push(text);
    this.#length += text.length;
  }

  #part(kind: 'elements' | 'document'): JsonPart {
    const part: JsonPart = {
      text: this.#pieces.join(''),
      line: this.#start.line,
      unitColumn: this.#start.unitColumn,
      kind,
      context: this.#context,
      firstIndex: this.#firstIndex,
    };
    this.#firstIndex += this.#elements;
    this.#elements = 0;
    this.#pieces = [];
    this.#length = 0;
    return part;
  }

  /** A long document whose beginning is a context followed by a list of nodes goes on as such a list. */
  *#becomeGraph(): Generator<JsonPart> {
    this.#graphTried = true;
    const text = this.#pieces.join('');
    this.#pieces = [text];
    const head = HEAD.exec(text);
    if (head === null) return;
    const contextEnd = endOfValue(text, head[0].length);
    const key = contextEnd < 0 ? null : GRAPH_KEY.exec(text.slice(contextEnd, contextEnd + 1024));
    if (key === null) return;
    const start = contextEnd + key[0].length;
    this.#restart(text, start, text.slice(head[0].length, contextEnd));
    yield* this.push(text.slice(start));
  }

  #restart(text: string, start: number, context: string): void {
    this.#context = context;
    this.#state = 'graph';
    this.#listDepth = 2;
    this.#depth = 2;
    this.#inString = false;
    this.#escaped = false;
    this.#pieces = [];
    this.#length = 0;
    this.#elements = 0;
    this.#start.advance(text, 0, start);
    this.#place = this.#start.copy();
  }
}
