/** Random rules and random writes, few terms so that they meet. */
import fc from 'fast-check';
import { type Store, terms } from '../../../interfaces/library/index.js';
import { type Fact, keyOf } from './naive.js';
import { EX } from './support.js';

const predicate = fc.constantFrom('p', 'q', 'r', 's', 't');
const variable = fc.constantFrom('?x', '?y', '?z', '?w');
const term = fc.oneof(
  { weight: 8, arbitrary: variable },
  { weight: 1, arbitrary: fc.constantFrom('a', 'b', '"v"', 'new') },
);
const atom = fc.record({ predicate, s: term, o: term }).map(({ predicate: p, s, o }) => ({ p, s, o }));
const body = fc.array(
  fc.record({ atom, negated: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.boolean()) }),
  {
    minLength: 1,
    maxLength: 4,
  },
);
type Body = typeof body extends fc.Arbitrary<infer Value> ? Value : never;

/** The head and the negated atoms use variables that positive atoms bind, where there are any. */
function safe(parts: Body, head: { readonly p: string; readonly s: string; readonly o: string }): string {
  const positive = parts.map(({ atom: one, negated }, at) => ({ ...one, negated: negated && at > 0 }));
  const bound = positive.flatMap(({ s, o, negated }) => (negated ? [] : [s, o])).filter((text) => text.startsWith('?'));
  const bind = (text: string): string =>
    !text.startsWith('?') || (bound as string[]).includes(text)
      ? text
      : (bound[text.length % Math.max(1, bound.length)] ?? 'a');
  const shown = positive.map(({ p, s, o, negated }) =>
    negated ? `not ${p}(${bind(s)}, ${bind(o)})` : `${p}(${s}, ${o})`,
  );
  return `${head.p}(${bind(head.s)}, ${bind(head.o)}) :- ${shown.join(', ')}`;
}

const closure = fc
  .tuple(predicate, predicate, fc.boolean())
  .map(([p, e, forward]) =>
    forward ? `${p}(?x, ?z) :- ${p}(?x, ?y), ${e}(?y, ?z)` : `${p}(?x, ?z) :- ${p}(?y, ?z), ${e}(?x, ?y)`,
  );
const general = fc.tuple(body, atom).map(([parts, head]) => safe(parts, head));
export const rule = fc.oneof({ weight: 3, arbitrary: general }, { weight: 1, arbitrary: closure });
const node = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const fact = fc.record({ s: node, p: predicate, o: fc.oneof(node, node, fc.constant('"v"')) });
export const write = fc.record({ assert: fc.array(fact, { maxLength: 6 }), retract: fc.array(fact, { maxLength: 4 }) });

export const quadOf = ({ s, p, o }: { readonly s: string; readonly p: string; readonly o: string }) =>
  terms.quad(
    terms.namedNode(EX + s),
    terms.namedNode(EX + p),
    o.startsWith('"') ? terms.literal(o.slice(1, -1)) : terms.namedNode(EX + o),
  );

export async function factsIn(store: Store, graph: string): Promise<Map<string, Fact>> {
  const facts = new Map<string, Fact>();
  for await (const { subject, predicate: p, object, graph: named } of store.match()) {
    if (named.value !== graph) continue;
    const o = object.termType === 'Literal' ? JSON.stringify(object.value) : `<${object.value}>`;
    const found: Fact = [`<${subject.value}>`, p.value, o];
    facts.set(keyOf(found), found);
  }
  return facts;
}
