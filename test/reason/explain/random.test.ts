/**
 * Random rules over random graphs: what explains a derived fact is an instance of its rule, and its premises are there. After
 * writes without another run, premises that are gone were there when the fact was derived. SVC_EXPLAIN sets how many.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Atom, type Rule, variablesOf } from '../../../engine/reason/rules/rule.js';
import {
  type FactTerms,
  openStore,
  type RuleDerivation,
  type Store,
  type Term,
} from '../../../interfaces/library/index.js';
import { StoreFolder } from '../../storage/support/store-folder.js';
import { factsIn, quadOf, rule, write } from '../rules/arbitrary.js';
import { type Fact, keyOf } from '../rules/naive.js';
import { acceptedRules, rulesOf, run } from '../rules/support.js';

const GRAPHS = Number(process.env.SVC_EXPLAIN ?? 60);
const COMPANION = 'urn:svc:graph:root#inferred';
const folder = new StoreFolder();

const textOf = (term: Term): string => (term.termType === 'Literal' ? JSON.stringify(term.value) : `<${term.value}>`);
const keyOfTerms = ({ s, p, o }: FactTerms): string => keyOf([textOf(s), p.value, textOf(o)]);

function instance(atom: Atom, bindings: Readonly<Record<string, Term>>): string {
  const filled = (term: Atom['s']): Term => (term.kind === 'constant' ? term.term : (bindings[term.name] as Term));
  return keyOf([textOf(filled(atom.s)), atom.predicate, textOf(filled(atom.o))]);
}

async function explained(store: Store, [s, p, o]: Fact): Promise<RuleDerivation> {
  const plain = o.startsWith('"') ? (JSON.parse(o) as string) : o.slice(1, -1);
  const entry = await store.explainFact({ s: s.slice(1, -1), p, o: plain }, { depth: 1 });
  assert.ok(entry.found && entry.derivation?.kind === 'rule', keyOf([s, p, o]));
  assert.equal(entry.source, `reasoner:${entry.derivation.rule}`);
  return entry.derivation;
}

/** The derivation is an instance of its rule; what there is to say of its premises is left. */
function checkInstance(fact: Fact, found: RuleDerivation, rules: readonly Rule[]): void {
  const bindings = found.bindings ?? {};
  const of = rules.find(({ id }) => id === found.rule) as Rule;
  assert.deepEqual(Object.keys(bindings).sort(), [...new Set(of.body.flatMap(variablesOf))].sort());
  assert.equal(instance(of.head, bindings), keyOf(fact));
  const atoms = (negated: boolean) => of.body.filter((atom) => atom.negated === negated);
  assert.deepEqual(
    found.support.map((premise) => keyOfTerms(premise.fact)),
    atoms(false).map((atom) => instance(atom, bindings)),
  );
  assert.deepEqual(
    found.absence?.map((absent) => keyOfTerms(absent.fact)),
    atoms(true).map((atom) => instance(atom, bindings)),
  );
}

test(`derived facts are explained by instances of their rules (${GRAPHS} graphs)`, async () => {
  let derivations = 0;
  let gone = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(rule, { minLength: 1, maxLength: 4 }),
      fc.array(write, { minLength: 5, maxLength: 8 }),
      fc.array(fc.nat(40), { minLength: 1, maxLength: 12 }),
      fc.boolean(),
      async (lines, writes, taken, inMemory) => {
        const document = rulesOf(...lines.map((line, at) => `R${at}: ${line}`));
        const set = await acceptedRules(document);
        fc.pre(set !== null);
        const rules = set?.rules ?? [];
        const store = await openStore(inMemory ? ':memory:' : folder.fresh());
        const given = writes.flatMap((one) => one.assert);
        const standing = async () =>
          new Set([...(await factsIn(store, '')), ...(await factsIn(store, COMPANION))].map(([key]) => key));
        try {
          await store.transact({ assert: given.map(quadOf) });
          await run(store, document);
          const before = await standing();
          const derived = [...(await factsIn(store, COMPANION)).values()];
          for (const fact of derived) {
            const found = await explained(store, fact);
            checkInstance(fact, found, rules);
            assert.ok(found.support.every((premise) => premise.found && before.has(keyOfTerms(premise.fact))));
            assert.ok(found.absence?.every((absent) => absent.held && !before.has(keyOfTerms(absent.fact))));
            derivations++;
          }
          const retract = taken.flatMap((at) => given[at] ?? []).map(quadOf);
          const added = writes.flatMap((one) => one.retract).map(quadOf);
          await store.transact({ assert: added.slice(0, 3) });
          await store.transact({ retract });
          const after = await standing();
          const base = await factsIn(store, '');
          for (const fact of derived) {
            if (base.has(keyOf(fact))) continue;
            const found = await explained(store, fact);
            checkInstance(fact, found, rules);
            for (const { fact: premise, found: there, absent } of found.support) {
              const key = keyOfTerms(premise);
              assert.equal(there, after.has(key));
              assert.equal(absent, there ? undefined : true);
              assert.ok(there || before.has(key), 'a premise that is gone was there');
              if (!there) gone++;
            }
            for (const { fact: absent, held } of found.absence ?? [])
              assert.equal(held, !after.has(keyOfTerms(absent)));
          }
        } finally {
          await store.close();
        }
      },
    ),
    { numRuns: GRAPHS },
  );
  assert.ok(derivations > GRAPHS && gone > 0, `${derivations} derivations and ${gone} premises that were gone`);
});
