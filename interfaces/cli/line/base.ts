/** `--base`: what relative IRIs of a document are resolved against, an IRI or the place of each file. */

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SvcError } from '../../../engine/base/errors.js';
import { iriFault } from '../../../engine/rdf/formats/input/term-checks.js';
import { BASE_OF_FILE } from './commands.js';
import { type CliOptions, textOption } from './streams.js';

/** The base of a document at `path`; `-` is standard input. Undefined where the line names none. */
export function baseOf(options: CliOptions, path: string): string | undefined {
  const base = textOption(options, 'base');
  if (base === undefined) return undefined;
  if (base !== BASE_OF_FILE) {
    const fault = iriFault(base);
    if (fault === null) return base;
    throw new SvcError('invalid_request', `--base is ${JSON.stringify(base)}; expected an absolute IRI, or file`);
  }
  if (path !== '-') return pathToFileURL(resolve(path)).href;
  throw new SvcError('usage', '--base file: standard input has no place', { hint: 'give it a base by --base <iri>' });
}

/** Turtle with its base, on its first line, so that errors name the lines of the document. */
export function withBase(text: string, base: string | undefined): string {
  return base === undefined ? text : `@base <${base}> . ${text}`;
}
