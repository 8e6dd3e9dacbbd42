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
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}
export class JsonShapeFault extends Error {}

const BATCH_ELEMENTS_MAX = 500;
const BATCH_CHARACTERS = 256 * 1024;
const WHOLE_CHARACTERS = 1024 * 1024;
const HEAD = /^\s*\{\s*"@context"\s*:/;
const GRAPH_KEY = /^\s*,\s*"@graph"\s*:\s*\[/;

const STATE = { start: 0, array: 1, whole: 2, graph: 3, done: 4 } as const;
type State = (typeof STATE)[keyof typeof STATE];

export class JsonSplitter {
  readonly #documentCharactersMax: number;
  readonly #nestingMax: number;
  #state: State = STATE.start;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #pieces: string[] = [];
  #length = 0;
  #elements = 0;
  #firstIndex = 0;
  #line = 1;
  #unitColumn = 0;
  #afterReturn = false;
  #partLine = 1;
  #partColumn = 0;
  #context: string | null = null;
  #graphTried = false;
  /** Where the list of nodes ends: the depth of its elements. */
  #listDepth = 1;

  constructor(documentCharactersMax: number, nestingMax: number) {
    this.#documentCharactersMax = documentCharactersMax;
    this.#nestingMax = nestingMax;
  }

  /** Where the part begins that is being collected; text from there on may be needed for messages. */
  get partStart(): { line: number; unitColumn: number } {
    return { line: this.#partLine, unitColumn: this.#partColumn };
  }

  *push(text: string): Generator<JsonPart> {
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const cut = this.#see(code);
      if (cut === 'before' || cut === 'end') {
        this.#keep(text.slice(from, at));
        yield this.#part('elements');
        this.#move(code);
        this.#beginPart();
        from = at + 1;
        continue;
      }
      this.#move(code);
      if (cut === 'after') {
        from = at + 1;
        this.#beginPart();
      }
    }
    this.#keep(text.slice(from));
    if (this.#state === STATE.whole && !this.#graphTried && this.#length > WHOLE_CHARACTERS) yield* this.#becomeGraph();
    const list = this.#state === STATE.array || this.#state === STATE.graph;
    if (this.#length > this.#documentCharactersMax) {
      throw new JsonLimitFault(
        list ? 'one node of this document is too long' : 'this document is too long to be read as a whole',
        `write it as an array of nodes, or raise documentCharactersMax (${this.#documentCharactersMax})`,
      );
    }
  }

  *end(): Generator<JsonPart> {
    if (this.#state === STATE.whole || this.#state === STATE.start) yield this.#part('document');
    else if (this.#state !== STATE.done) throw new JsonShapeFault('unexpected end of the document');
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
        return this.#leaveStart(STATE.whole);
      case 0x5b:
      case 0x7b:
        if (++this.#depth > this.#nestingMax) {
          throw new JsonLimitFault(`values are nested more than ${this.#nestingMax} deep`, 'flatten the document');
        }
        if (this.#state !== STATE.start) return null;
        this.#state = code === 0x5b ? STATE.array : STATE.whole;
        return code === 0x5b ? 'after' : null;
      case 0x5d:
      case 0x7d:
        this.#depth--;
        if (this.#depth !== this.#listDepth - 1 || !this.#inList()) return null;
        this.#state = STATE.done;
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
        return this.#leaveStart(STATE.whole);
    }
  }

  #leaveStart(state: State): null {
    if (this.#state === STATE.start) this.#state = state;
    return null;
  }

  #inList(): boolean {
    return this.#state === STATE.array || this.#state === STATE.graph;
  }

  #move(code: number): void {
    if (code === 0x0a && this.#afterReturn) {
      this.#afterReturn = false;
      return;
    }
    this.#afterReturn = code === 0x0d;
    if (code === 0x0a || code === 0x0d) {
      this.#line++;
      this.#unitColumn = 0;
    } else this.#unitColumn++;
  }

  #keep(text: string): void {
    if (text.length === 0) return;
    this.#pieces.push(text);
    this.#length += text.length;
  }

  #beginPart(): void {
    this.#partLine = this.#line;
    this.#partColumn = this.#unitColumn;
  }

  #part(kind: 'elements' | 'document'): JsonPart {
    const part: JsonPart = {
      text: this.#pieces.join(''),
      line: this.#partLine,
      unitColumn: this.#partColumn,
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
    this.#state = STATE.graph;
    this.#listDepth = 2;
    this.#depth = 2;
    this.#inString = false;
    this.#escaped = false;
    this.#pieces = [];
    this.#length = 0;
    this.#elements = 0;
    this.#line = this.#partLine;
    this.#unitColumn = this.#partColumn;
    this.#afterReturn = false;
    for (let at = 0; at < start; at++) this.#move(text.charCodeAt(at));
    this.#beginPart();
  }
}

/** The end of the JSON value at an offset, by brackets and strings alone; -1 if the text ends before. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  let begun = false;
  for (let at = from; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') {
      at = endOfString(text, at);
      if (at < 0) return -1;
      begun = true;
    } else if (char === '{' || char === '[') {
      depth++;
      begun = true;
    } else if (char === '}' || char === ']') depth--;
    else if (!/\s/.test(char)) begun = true;
    if (begun && depth === 0 && (text[at] === '"' || char === '}' || char === ']')) return at + 1;
    if (begun && depth === 0 && text[at + 1] === ',') return at + 1;
  }
  return -1;
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return -1;
}
