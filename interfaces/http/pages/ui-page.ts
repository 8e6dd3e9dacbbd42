/**
 * The page of the web UI: it names its script, and nothing runs that is not in a file of this server. The few lines of style that it needs
 * before that stand in it, known to the policy by their hash, so that nothing has to arrive before the first thing is drawn.
 * Everything else happens in the browser, which finds the state of every view behind the `#` of the address.
 */

import { createHash } from 'node:crypto';
import { type Html, html, raw } from './markup.js';
import type { UiManifest } from './ui-files.js';

export interface UiPageOptions {
  readonly title: string;
  /** What stands before every path of the server, as its clients see them. */
  readonly prefix: string;
  readonly version: string;
  /** The server refuses every write: the page says so before anybody writes. */
  readonly readOnly: boolean;
  /** The address has no view in its path, so the first one is likely. */
  readonly isHome: boolean;
  /** What is there without scripts. */
  readonly plain: Html;
}

export function uiPage(
  manifest: UiManifest,
  { title, prefix, version, readOnly, isHome, plain }: UiPageOptions,
): string {
  const { page, style, preload } = manifest;
  const barred = readOnly ? html` read-only` : '';
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="icon" href="${prefix}/favicon.ico">
<style>${raw(style)}</style>
${[...preload, ...(isHome ? manifest.home : [])].map((name) => html`<link rel="modulepreload" href="${prefix}/assets/${name}">`)}
<script type="module" src="${prefix}/assets/${page}"></script></head>
<body><svc-page endpoint="${prefix}/" version="${version}"${barred}></svc-page>
<noscript>${plain}</noscript></body></html>
`.text;
}

/**
 * Scripts, styles and workers of our own files alone; nothing is fetched from elsewhere but images, which the page shows when a
 * person asks for one.
 */
export function uiPageHeaders({ style }: UiManifest): Readonly<Record<string, string>> {
  const hash = createHash('sha256').update(style).digest('base64');
  return {
    'Content-Security-Policy': `default-src 'none'; style-src 'self' 'sha256-${hash}'; script-src 'self'; worker-src 'self'; connect-src 'self'; img-src 'self' data: http: https:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    'Cache-Control': 'no-cache',
  };
}
