/**
 * RDF/XML: the grammar is ours (`grammar.ts`), the XML below it is parsed by `saxes`, which
 * streams, is strict about well-formedness and knows namespaces.
 *
 * Entities follow `entities.ts`; a document that ends early is an error. Faults are reported where
 * the tag begins that is being handled, or else where the XML parser stands.
 */

import { SaxesParser } from 'saxes';
import { SvcError } from '../../../base/errors.js';
import type { Quad } from '../../terms.js';
import { type PushReader, type PushReaderOptions, parseError } from '../input/push-reader.js';
import { TermFault } from '../input/read-factory.js';
import { EntityFault, XmlEntities } from './entities.js';
import { RdfXmlGrammar } from './grammar.js';

class XmlFault extends Error {}

export class RdfXmlReader implements PushReader {
  readonly #grammar: RdfXmlGrammar;
  readonly #sax = new SaxesParser({ xmlns: true, position: true });
  readonly #entities = new XmlEntities(() => this.#charactersRead);
  #charactersRead = 0;
  #into: Quad[] = [];
  /** Where the tag began that is being handled. */
  #tagStart: { line: number; column: number } | null = null;

  constructor(private readonly options: PushReaderOptions) {
    this.#grammar = new RdfXmlGrammar(options.factory, options.baseIri, (quad) => this.#into.push(quad));
    this.#listen();
  }

  write(text: string, into: Quad[]): void {
    this.#into = into;
    this.#charactersRead += text.length;
    this.#guarded(() => this.#sax.write(text));
    this.options.window.forgetBefore(this.#sax.line, Math.max(0, this.#sax.columnIndex - 1));
  }

  end(into: Quad[]): void {
    this.#into = into;
    this.#guarded(() => this.#sax.close());
  }

  #listen(): void {
    const sax = this.#sax;
    const grammar = this.#grammar;
    sax.on('error', (error) => {
      throw new XmlFault(error.message.replace(/^[^:]*?(\d+:\d+:\s*)/, ''));
    });
    sax.on('xmldecl', ({ encoding }) => this.#checkEncoding(encoding));
    sax.on('doctype', (doctype) => this.#entities.declare(doctype, sax.ENTITIES));
    sax.on('opentagstart', ({ name }) => {
      this.#tagStart = { line: sax.line, column: Math.max(0, sax.columnIndex - name.length - 2) };
    });
    sax.on('opentag', (tag) => {
      grammar.open(tag);
      this.#tagStart = null;
    });
    sax.on('closetag', () => grammar.close());
    sax.on('text', (text) => grammar.text(text));
    sax.on('cdata', (text) => grammar.text(text));
    sax.on('comment', (text) => grammar.markup(`<!--${text}-->`));
    sax.on('processinginstruction', ({ target, body }) => {
      grammar.markup(`<?${body === '' ? target : `${target} ${body}`}?>`);
    });
  }

  #checkEncoding(encoding: string | undefined): void {
    if (encoding === undefined || /^(utf-?8|us-ascii|ascii)$/i.test(encoding)) return;
    throw new SvcError('unsupported', `XML in the encoding ${encoding} is not supported`, {
      position: this.options.window.locate(1, 0),
      hint: 'convert the document to UTF-8, and its XML declaration with it',
    });
  }

  #guarded(step: () => void): void {
    try {
      step();
    } catch (error) {
      const isFault = error instanceof XmlFault || error instanceof TermFault || error instanceof EntityFault;
      if (!isFault) throw error;
      const at = this.#tagStart ?? { line: this.#sax.line, column: Math.max(0, this.#sax.columnIndex - 1) };
      throw parseError(messageOf(error), this.options.window.locate(at.line, at.column), error);
    }
  }
}

function messageOf(error: Error): string {
  const text = error.message.replace(/\.$/, '');
  return text.charAt(0).toLowerCase() + text.slice(1);
}
