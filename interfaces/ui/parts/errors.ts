/** Failures as a person reads them: what happened, and what to do where the server says so. */

import { SvcError } from '../../../clients/typescript/src/index.js';
import { html, nothing, type TemplateResult } from './lit.js';
import { cut, shown } from './text.js';

const CHARACTERS_MAX = 4_000;

export interface Told {
  readonly message: string;
  readonly hint: string | null;
  readonly code: string | null;
}

export function told(error: unknown): Told {
  if (error instanceof SvcError) {
    const message = error.status === null ? `The server does not answer. ${error.message}` : error.message;
    return { message, hint: error.hint, code: error.code };
  }
  return { message: error instanceof Error ? error.message : String(error), hint: null, code: null };
}

/** `role=alert`: it is read out when it comes. */
export function errorNotice(error: unknown): TemplateResult {
  const { message, hint } = told(error);
  return html`<div class="notice" role="alert"><b>${shown(cut(message, CHARACTERS_MAX))}</b>${hint === null ? nothing : html`<br />${shown(cut(hint, CHARACTERS_MAX))}`}</div>`;
}

/** Whoever cancels wants no account of it. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
