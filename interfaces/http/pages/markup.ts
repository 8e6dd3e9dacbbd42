/** Pages of the server: one style sheet stands in each, and everything that is put in is escaped. */

import { Html, html } from '../../../engine/service/linked-data/html.js';

export { type Html, html };

/** Text that is markup already. */
export function raw(text: string): Html {
  return new Html(text);
}

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --link: #2563eb }
@media (prefers-color-scheme: dark) { :root { --link: #7aa2f7 } }
* { box-sizing: border-box }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 62rem; padding: 1.5rem }
h1 { font-size: 1.6rem; margin: 0 0 .3rem } h2 { font-size: 1.05rem; margin: 1.8rem 0 .3rem }
a { color: var(--link) } code, pre { font: 13px/1.5 ui-monospace, monospace }
table { border-collapse: collapse; margin: .4rem 0; max-width: 100% } td, th { border-bottom: 1px solid var(--line); padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top }
.error { color: #dc2626; white-space: pre-wrap }
`;

interface PageOptions {
  /** What stands before every path of the server, as its clients see them. */
  readonly prefix: string;
}

export function page(title: string, body: Html, { prefix }: PageOptions): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="icon" href="${prefix}/favicon.ico"><style>${raw(STYLE)}</style></head>
<body>${body}</body></html>
`.text;
}

/** Three nodes and what holds between them. */
export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M4 12 8 4l4 8z" fill="none" stroke="#2563eb" stroke-width="1.4"/><g fill="#2563eb"><circle cx="8" cy="4" r="2.4"/><circle cx="4" cy="12" r="2.4"/><circle cx="12" cy="12" r="2.4"/></g></svg>';

/** Scripts and styles of our own alone; nothing is fetched from elsewhere. `framers`: origins that may show it in a frame. */
export function pageHeaders(framers: readonly string[] = []): Readonly<Record<string, string>> {
  const ancestors = framers.length === 0 ? "'none'" : framers.join(' ');
  return {
    'Content-Security-Policy': `default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors ${ancestors}`,
    'Cache-Control': 'no-cache',
  };
}
