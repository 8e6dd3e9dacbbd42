/** Says why a fact stands: by which rule or axioms, from which premises. */

import type { ExplainedFact, FactDerivation, FactTerms } from '../../reasoning/explain-fact.js';
import { termToJson } from '../../requests/json.js';
import { iri, nullable, type Schema, Type } from '../../requests/schema.js';
import { defineOperation, inWords } from '../definition/operation.js';
import { valueText } from '../definition/text.js';

const factSchema = Type.Object({ s: Type.String(), p: Type.String(), o: Type.Unknown('an IRI, _:label, or a value') });
/** A schema tells one level; what is below has the type of what is above. */
const supportSchema = Type.Array(
  Type.Record(Type.String(), Type.Unknown()),
  'premises, each as the whole answer without graph; one that is gone has absent and closed_tx',
) as Schema<readonly Entry[]>;
const derivationSchema = Type.Object({
  kind: Type.String('rule or owl'),
  rule: Type.Optional(Type.String('id of the rule')),
  rule_missing: Type.Optional(Type.Boolean('there is no rule of that id any more')),
  bindings: Type.Optional(Type.Record(Type.String(), Type.Unknown(), 'by variable')),
  family: Type.Optional(nullable(Type.String(), 'kind of the axioms; null: none of the loaded ones fits')),
  axioms: Type.Optional(Type.Array(Type.Array(Type.String()), 'pairs of IRIs, from the premise to the fact')),
  support: supportSchema,
  absence: Type.Optional(Type.Array(Type.Object({ fact: factSchema, held: Type.Boolean() }), 'negated atoms')),
});

/** An entry of an answer: a fact and what it rests on. */
interface Entry extends Readonly<Record<string, unknown>> {
  readonly fact: FactJson;
  readonly found: boolean;
  readonly absent?: true;
  readonly tx: number | null;
  readonly source: string | null;
  readonly closed_tx?: number;
  readonly truncated?: boolean;
  readonly cycle?: true;
  readonly derivation?: Derivation | null;
}

interface FactJson {
  readonly s: string;
  readonly p: string;
  readonly o: unknown;
}

interface Derivation {
  readonly kind: string;
  readonly rule?: string;
  readonly rule_missing?: boolean;
  readonly bindings?: Readonly<Record<string, unknown>>;
  readonly family?: string | null;
  readonly axioms?: readonly (readonly string[])[];
  readonly support: readonly Entry[];
  readonly absence?: readonly { readonly fact: FactJson; readonly held: boolean }[];
}

function factToJson({ s, p, o }: FactTerms): FactJson {
  return { s: termToJson(s) as string, p: p.value, o: termToJson(o) };
}

function derivationToJson(derivation: FactDerivation): Derivation {
  const support = derivation.support.map(entryToJson);
  if (derivation.kind === 'owl') {
    const { kind, family, axioms } = derivation;
    return { kind, family, ...(axioms === undefined ? {} : { axioms }), support };
  }
  const { kind, rule, ruleMissing, bindings, absence } = derivation;
  if (ruleMissing === true) return { kind, rule, rule_missing: true, support };
  const bound = Object.entries(bindings ?? {}).map(([name, term]) => [name, termToJson(term)]);
  const absent = absence?.map(({ fact, held }) => ({ fact: factToJson(fact), held })) ?? [];
  return { kind, rule, bindings: Object.fromEntries(bound), support, absence: absent };
}

function entryToJson(entry: ExplainedFact): Entry {
  const { fact, found, absent, tx, source, closedTx, truncated, cycle, derivation } = entry;
  return {
    fact: factToJson(fact),
    found,
    ...(absent === true ? { absent } : {}),
    tx,
    source,
    ...(closedTx === undefined ? {} : { closed_tx: closedTx }),
    ...(truncated === true ? { truncated } : {}),
    ...(cycle === true ? { cycle } : {}),
    ...(derivation === undefined ? {} : { derivation: derivation === null ? null : derivationToJson(derivation) }),
  };
}

const factText = ({ s, p, o }: FactJson): string => `${s} ${p} ${valueText(o)}`;

/** A line for each fact, what it rests on below it and further in. */
function linesOf(entry: Entry, indent: string): string[] {
  const { fact, tx, source, closed_tx, truncated, cycle, derivation } = entry;
  const gone = closed_tx === undefined ? '' : `, gone since tx ${closed_tx}`;
  const cut =
    truncated === true ? ', derived (deeper than --depth)' : cycle === true ? ', derived (explained above)' : '';
  const lines = [`${indent}${factText(fact)}  (tx ${tx}${source === null ? '' : `, ${source}`}${gone}${cut})\n`];
  if (derivation === null || derivation === undefined) return lines;
  lines.push(`${indent}  ${wayText(derivation)}\n`);
  for (const premise of derivation.support) lines.push(...linesOf(premise, `${indent}    `));
  for (const { fact: absent, held } of derivation.absence ?? []) {
    lines.push(`${indent}    not ${factText(absent)}${held ? '' : '  (is there now)'}\n`);
  }
  return lines;
}

function wayText(derivation: Derivation): string {
  const { kind, rule, rule_missing, family, axioms = [], support } = derivation;
  if (kind === 'rule') {
    if (rule_missing === true) return `by the rule ${rule}, which is gone`;
    return support.length === 0 ? `by the rule ${rule}, which does not give it any more` : `by the rule ${rule}, from`;
  }
  if (family === null || family === undefined) return 'by an ontology: no axiom that is loaded gives it';
  return `by ${family} (${axioms.map((pair) => pair.join(' ')).join(', ')}), from`;
}

export const factExplain = defineOperation({
  name: 'fact_explain',
  summary: 'Say why a fact stands: by which rule or axioms, from which premises',
  access: 'read',
  request: Type.Object({
    s: iri({ minLength: 1, description: 'IRI of the subject, or _:label' }),
    p: iri({ minLength: 1, description: 'IRI of the predicate' }),
    o: Type.String({ description: 'the object: an absolute IRI, _:label, or the text of a literal' }),
    depth: Type.Optional(Type.Integer('derivations to follow, one below the other; 0 to 100, default 5')),
  }),
  response: Type.Object({
    fact: factSchema,
    found: Type.Boolean(),
    tx: nullable(Type.Integer(), 'the transaction that asserted it'),
    source: nullable(Type.String(), 'of that transaction'),
    graph: nullable(Type.String()),
    truncated: Type.Optional(Type.Boolean('the depth ends here')),
    derivation: Type.Optional(nullable(derivationSchema, 'null: a base fact, or none')),
  }),
  async handler({ store, control, configuration, expandIri = String }, { s, p, o, depth }) {
    const { signal, flag } = control;
    const memoryBytes = configuration.query.memory_budget_mb * 2 ** 20;
    const { graph, ...entry } = await store.explainFact(
      { s, p, o: expandIri(o) },
      { depth, memoryBytes, signal, flag },
    );
    const { derivation, ...rest } = entryToJson(entry);
    const body = { ...rest, graph, ...(derivation === undefined ? {} : { derivation }) };
    return { kind: 'body', body };
  },
  projections: {
    http: [{ method: 'POST', path: '/explain', request: 'body' }],
    mcp: {
      tool: 'explain',
      description: [
        'Tell why a fact stands: derivation is null for a base fact, else the rule or axioms that it follows from, with every premise in support explained alike. For what would be lost without an entity use svc_impact.',
        'absent: true: the premise is gone since closed_tx.',
      ],
      example: { s: 'http://ex.org/a', p: 'http://ex.org/reaches', o: 'http://ex.org/c' },
      parameters: {
        ...inWords({
          s: 'subject: IRI or _:label',
          p: 'predicate: IRI',
          o: 'object: IRI, _:label, or the text of a literal',
        }),
        depth: { default: 5 },
      },
      feature: 'owl',
    },
    cli: {
      command: 'fact explain',
      positional: [
        { field: 's', name: 's', summary: 'the subject: an IRI, or _:label of a stored blank node' },
        { field: 'p', name: 'p', summary: 'the predicate: an IRI' },
        { field: 'o', name: 'o', summary: 'the object: an IRI, or the text of a literal' },
      ],
      notes: ['What follows from ontologies is explained with the feature owl.'],
      examples: [
        'svc fact explain http://example.org/a http://example.org/reaches http://example.org/c',
        'svc fact explain http://example.org/a http://example.org/reaches http://example.org/c --depth 1 --json',
      ],
      options: { depth: 'n' },
      text: (body) =>
        body.found ? `${linesOf(body, '').join('')}graph ${body.graph}\n` : `no such fact: ${factText(body.fact)}\n`,
      succeeded: ({ found }) => found,
    },
  },
});
