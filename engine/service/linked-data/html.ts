/** HTML that escapes whatever it is given, and pages that need nothing but themselves: no script, no font, no network. */

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Markup that may stand in a page as it is. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlPart = string | number | Html | readonly HtmlPart[];

function toText(part: HtmlPart): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(toText).join('');
  return String(part).replace(/[&<>"']/g, (character) => ESCAPES[character] as string);
}

/** Markup with values in it; values are escaped unless they are markup. */
export function html(markup: TemplateStringsArray, ...parts: HtmlPart[]): Html {
  return new Html(markup.map((piece, at) => (at === 0 ? piece : toText(parts[at - 1] as HtmlPart) + piece)).join(''));
}

export function page(title: string, style: string, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body>
${body}
</body>
</html>
`.text;
}

/** Colours of all pages, by day and by night. */
export const COLOURS = `
:root{color-scheme:light dark;--ink:#1d2530;--soft:#5b6775;--line:#dde3ea;--ground:#f6f8fa;--card:#fff;--link:#0b5cad;--badge:#e4effa}
@media(prefers-color-scheme:dark){:root{--ink:#e4e9ef;--soft:#9aa7b5;--line:#2c3743;--ground:#12181f;--card:#1a222b;--link:#7ab8f5;--badge:#22384d}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
`;
