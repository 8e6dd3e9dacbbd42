/** Spelling of terms in N-Triples, and a file that takes triples, a megabyte a write. */
import { closeSync, openSync, renameSync, writeSync } from 'node:fs';

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const DAY_MS = 86_400_000;
const BUFFER_CHARACTERS = 1 << 20;
const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r' };

export const iri = (text: string): string => `<${text}>`;
export const string = (text: string): string => `"${escaped(text)}"`;
export const inLanguage = (text: string, language: string): string => `"${escaped(text)}"@${language}`;
export const typed = (text: string, type: string): string => `"${text}"^^<${XSD}${type}>`;
export const integer = (value: number): string => typed(String(value), 'integer');
export const decimal = (cents: number): string => typed((cents / 100).toFixed(2), 'decimal');
export const double = (cents: number): string => typed((cents / 100).toFixed(2), 'double');
export const date = (day: number): string => typed(isoDay(day), 'date');
export const dateTime = (day: number, second = 0): string =>
  typed(new Date(day * DAY_MS + second * 1000).toISOString().slice(0, 19), 'dateTime');

/** Days since 1970 of a date `yyyy-mm-dd`. */
export const dayOf = (text: string): number => Date.parse(`${text}T00:00:00Z`) / DAY_MS;

function isoDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

function escaped(text: string): string {
  return /["\\\n\r]/.test(text) ? text.replace(/["\\\n\r]/g, (found) => ESCAPES[found] as string) : text;
}

/** Stands under its name only when it is whole. */
export class TripleFile {
  triples = 0;
  readonly #path: string;
  readonly #unfinished: string;
  readonly #file: number;
  #text = '';

  constructor(path: string) {
    this.#path = path;
    this.#unfinished = `${path}.part`;
    this.#file = openSync(this.#unfinished, 'w');
  }

  add(subject: string, predicate: string, object: string): void {
    this.#text += `${subject} ${predicate} ${object} .\n`;
    this.triples++;
    if (this.#text.length >= BUFFER_CHARACTERS) this.#flush();
  }

  close(): void {
    this.#flush();
    closeSync(this.#file);
    renameSync(this.#unfinished, this.#path);
  }

  #flush(): void {
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
  }
}
