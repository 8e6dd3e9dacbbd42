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
/** One closure, its links and seeds; facts of the graph may be links, seeds and pairs of the closure. */
const link = fc.constantFrom('p', 'q');
export const closureRules = fc
  .tuple(
    fc.constantFrom('right', 'left', 'square'),
    link,
    fc.subarray(['copy', 'copy other', 'turned', 'joined', 'from a'], { minLength: 0 }),
    fc.boolean(),
  )
  .map(([form, e, seeds, above]) => {
    const other = e === 'p' ? 'q' : 'p';
    const of: Record<string, string> = {
      right: `t(?x, ?z) :- t(?x, ?y), ${e}(?y, ?z)`,
      left: `t(?x, ?z) :- ${e}(?x, ?y), t(?y, ?z)`,
      square: 't(?x, ?z) :- t(?x, ?y), t(?y, ?z)',
      copy: `t(?x, ?y) :- ${e}(?x, ?y)`,
      'copy other': `t(?x, ?y) :- ${other}(?x, ?y)`,
      turned: `t(?y, ?x) :- ${other}(?x, ?y)`,
      joined: 't(?x, ?z) :- r(?x, ?y), s(?y, ?z)',
      'from a': `t(a, ?y) :- ${other}(?x, ?y), not r(?x, ?y)`,
    };
    return [form, ...seeds, ...(above ? ['above'] : [])].map((name) => of[name] ?? 's(?x, ?y) :- t(?y, ?x), r(?y, ?x)');
  })
  // What stands above a closure must not be below it.
  .filter(
    (lines) =>
      !lines.some((line) => line.startsWith('t') && line.includes('s(')) || !lines.some((line) => line.startsWith('s')),
  );
const manyNodes = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const linkFact = fc.record({
  s: manyNodes,
  p: fc.oneof(
    { weight: 6, arbitrary: link },
    { weight: 2, arbitrary: fc.constantFrom('r', 's') },
    { weight: 1, arbitrary: fc.constant('t') },
  ),
  o: fc.oneof({ weight: 12, arbitrary: manyNodes }, { weight: 1, arbitrary: fc.constant('"v"') }),
});
/** A graph dense enough for cycles, then small changes, most of them of what is there. */
export const linkWrites = fc
  .tuple(
    fc.array(linkFact, { minLength: 6, maxLength: 14 }),
    fc.array(fc.tuple(fc.array(linkFact, { maxLength: 2 }), fc.array(fc.nat(), { maxLength: 3 })), {
      minLength: 2,
      maxLength: 8,
    }),
  )
  .map(([first, changes]) => {
    const known = [...first];
    const writes = changes.map(([added, removed]) => {
      const retract = removed.map((at) => known[at % known.length] as (typeof known)[number]);
      known.push(...added);
      return { assert: added, retract };
    });
    return [{ assert: first, retract: [] as typeof first }, ...writes];
  });

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
