/** The description of the service as a page to read: the routes with their fields, without scripts or foreign assets. */

import { type Html, html, page } from './markup.js';

interface Described {
  readonly summary?: string;
  readonly parameters?: readonly {
    /** Absent where it refers to one that many routes have. */
    readonly name?: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema?: object;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Node }>> };
  readonly responses?: Readonly<Record<string, { readonly description: string; readonly content?: object }>>;
  readonly tags?: readonly string[];
}

interface Node {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: Node;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

function typeOf(node: Node | undefined): string {
  if (node === undefined) return '';
  if (node.enum) return node.enum.join(' | ');
  if (node.type === 'array') return `list of ${typeOf(node.items) || 'values'}`;
  return node.type ?? 'value';
}

function row(name: string, node: Node | undefined, required: boolean, description: string | undefined): Html {
  return html`<tr><td><code>${name}</code>${required ? ' *' : ''}</td><td>${typeOf(node)}</td><td>${description ?? ''}</td></tr>`;
}

function fieldsOf({ parameters = [], requestBody }: Described): Html {
  const rows = parameters.flatMap(({ name, schema, required, description }) =>
    name === undefined ? [] : [row(name, schema as Node, required === true, description)],
  );
  const schema = requestBody?.content['application/json']?.schema;
  for (const [name, node] of Object.entries(schema?.properties ?? {})) {
    rows.push(row(name, node, schema?.required?.includes(name) ?? false, node.description));
  }
  return rows.length === 0 ? html`` : html`<table>${rows}</table>`;
}

function routeOf(method: string, path: string, described: Described): Html {
  const bodies = Object.keys(described.requestBody?.content ?? {});
  const [answer] = Object.entries(described.responses ?? {});
  const forms = Object.keys(answer?.[1].content ?? {});
  return html`<section id="${method}${path}">
<h2><b>${method.toUpperCase()}</b> <code>${path}</code></h2>
<p>${described.summary ?? ''}${described.tags?.includes('write') ? ' — write' : ''}</p>
${fieldsOf(described)}
${bodies.length === 0 ? '' : html`<p>Body: ${bodies.join(', ')}</p>`}
${forms.length === 0 ? '' : html`<p>Answer: ${forms.join(', ')}</p>`}
</section>`;
}

export function docsPage(description: Readonly<Record<string, unknown>>, prefix: string): string {
  const paths = description.paths as Readonly<Record<string, Readonly<Record<string, Described>>>>;
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => routeOf(method, path, described)),
  );
  return page(
    'svc: routes',
    html`<header><h1>Routes</h1><p><a href="${prefix}/">svc</a> · machines read <a href="${prefix}/openapi.json">/openapi.json</a> · * required</p></header>${routes}`,
    { prefix },
  );
}
