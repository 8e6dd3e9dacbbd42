/**
 * Where in a text something is, without keeping the text: the last pieces that went past, each with
 * the line and column at which it starts. Turns the (line, UTF-16 column) of a parser into the
 * (line, code point column, excerpt) of an error message.
 *
 * Lines end at LF, CR or CR LF. Pieces must be kept from the start of the last complete token on:
 * the caller says what may go with `forgetBefore`.
 */

import type { InputPosition } from '../../../base/errors.js';

export const EXCERPT_CHARACTERS_MAX = 120;
/** How much of an excerpt stands before the offending place. */
const EXCERPT_BEFORE = 80;

const LF = 10;
const CR = 13;

/** Moves over text and knows line and columns. */
export class TextCursor {
  /** From 1. */
  line = 1;
  /** From 0, in UTF-16 units and in code points. */
  unitColumn = 0;
  pointColumn = 0;
  private afterReturn = false;

  advance(text: string, from: number, to: number): void {
    for (let at = from; at < to; at++) {
      const unit = text.charCodeAt(at);
      if (unit === LF && this.afterReturn) {
        this.afterReturn = false;
        continue;
      }
      this.afterReturn = unit === CR;
      if (unit === LF || unit === CR) {
        this.line++;
        this.unitColumn = 0;
        this.pointColumn = 0;
        continue;
      }
      this.unitColumn++;
      if (unit < 0xdc00 || unit > 0xdfff) this.pointColumn++;
    }
  }

  /** As `advance` over a whole text, but quick: only its line ends and its last line are looked at. */
  advanceFast(text: string): void {
    let lineStart = -1;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lineStart = at;
    if (lineStart < 0 || text.includes('\r')) {
      this.advance(text, 0, text.length);
      return;
    }
    let lines = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
    if (this.afterReturn && text.charCodeAt(0) === LF) lines--;
    this.afterReturn = false;
    this.line += lines;
    this.unitColumn = 0;
    this.pointColumn = 0;
    this.advance(text, lineStart + 1, text.length);
  }

  copy(): TextCursor {
    return Object.assign(new TextCursor(), this);
  }
}

/** A piece of text and where it starts. */
interface Piece {
  readonly text: string;
  readonly start: TextCursor;
}

export class TextWindow {
  readonly #end = new TextCursor();
  #pieces: Piece[] = [];

  constructor(readonly sourceName: string) {}

  append(text: string): void {
    this.#pieces.push({ text, start: this.#end.copy() });
    this.#end.advanceFast(text);
  }

  /** Everything before the piece that holds this place may go, save one piece for the excerpt. */
  forgetBefore(line: number, unitColumn: number): void {
    const index = this.#indexOf(line, unitColumn);
    if (index > 1) this.#pieces.splice(0, index - 1);
  }

  /** The position at the end of what was appended. */
  atEnd(): InputPosition {
    return this.#describe(this.#pieces.length - 1, Number.POSITIVE_INFINITY);
  }

  /** `unitColumn` counts UTF-16 units from 0. */
  locate(line: number, unitColumn: number): InputPosition {
    const index = this.#indexOf(line, unitColumn);
    if (index < 0) return { source: this.sourceName, line, column: unitColumn + 1 };
    return this.#describe(index, this.#offsetIn(index, line, unitColumn));
  }

  /** The first place at or after the given one for which `skip` finds nothing more to skip. */
  locateAfter(line: number, unitColumn: number, skip: (text: string, from: number) => number): InputPosition {
    let index = this.#indexOf(line, unitColumn);
    if (index < 0) return { source: this.sourceName, line, column: unitColumn + 1 };
    let offset = this.#offsetIn(index, line, unitColumn);
    const text = this.#pieces
      .slice(index)
      .map((piece) => piece.text)
      .join('');
    offset = skip(text, offset);
    while (index < this.#pieces.length - 1 && offset >= this.#pieces[index]!.text.length) {
      offset -= this.#pieces[index]!.text.length;
      index++;
    }
    return this.#describe(index, offset);
  }

  #indexOf(line: number, unitColumn: number): number {
    let index = this.#pieces.length - 1;
    while (index >= 0) {
      const { start } = this.#pieces[index]!;
      if (start.line < line || (start.line === line && start.unitColumn <= unitColumn)) break;
      index--;
    }
    return index;
  }

  #offsetIn(index: number, line: number, unitColumn: number): number {
    const { text, start } = this.#pieces[index]!;
    const moving = start.copy();
    let offset = 0;
    while (offset < text.length && (moving.line < line || (moving.line === line && moving.unitColumn < unitColumn))) {
      const before = moving.line;
      moving.advance(text, offset, offset + 1);
      if (moving.line > line && before === line) break;
      offset++;
    }
    return offset;
  }

  #describe(index: number, offset: number): InputPosition {
    const piece = this.#pieces[index];
    if (piece === undefined) return { source: this.sourceName, line: 1, column: 1 };
    const at = Math.min(offset, piece.text.length);
    const moving = piece.start.copy();
    moving.advance(piece.text, 0, at);
    const previous = this.#pieces[index - 1]?.text ?? '';
    const next = this.#pieces[index + 1]?.text ?? '';
    return {
      source: this.sourceName,
      line: moving.line,
      column: moving.pointColumn + 1,
      excerpt: excerptAt(
        previous.slice(-EXCERPT_CHARACTERS_MAX) + piece.text + next.slice(0, EXCERPT_CHARACTERS_MAX),
        at + Math.min(previous.length, EXCERPT_CHARACTERS_MAX),
      ),
    };
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
const CONTROL = /[\u0000-\u001f\u007f]/g;

/** The line around an offset, cut to `EXCERPT_CHARACTERS_MAX` so that the place stays visible. */
export function excerptAt(text: string, offset: number): string {
  let from = Math.max(0, offset - EXCERPT_BEFORE);
  let to = Math.min(text.length, from + EXCERPT_CHARACTERS_MAX);
  const before = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1));
  if (offset > 0 && before >= from) from = before + 1;
  to = Math.min(text.length, from + EXCERPT_CHARACTERS_MAX);
  for (let at = Math.max(offset, from); at < to; at++) {
    const unit = text.charCodeAt(at);
    if (unit === LF || unit === CR) to = at;
  }
  // A surrogate pair is not cut in two.
  if (isLowSurrogate(text.charCodeAt(from))) from++;
  if (isLowSurrogate(text.charCodeAt(to))) to--;
  return text.slice(from, to).replace(CONTROL, '\ufffd').trimEnd();
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
