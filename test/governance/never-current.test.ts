/**
 * No sequence of writes lets what a policy blocks become current, and nothing else is refused: random policies and random
 * writes, each judged beside a plain oracle that knows the facts, and the policies before the write. SVC_GOVERNANCE sets how
 * many sequences.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GateRefusal } from '../../engine/service/gates/gates.js';
import { openStore } from '../../engine/service/host/open-store.js';
import { randomFrom } from '../kernels/values.js';

const SEQUENCES = Number(process.env.SVC_GOVERNANCE ?? 40);
const WRITES = 25;
const BASE = 'http://svc.local/ontology/';
const TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const GRAPHS = ['', 'urn:g1', 'urn:g2'];

/** A quad as `graph|s|p|o`, each as SPARQL writes it; the graph of ROOT is empty. */
type Fact = string;
type Facts = Set<Fact>;

interface Policy {
  readonly target: string;
  readonly property: string;
  /** The property has to be there, or must not. */
  readonly wants: boolean;
  readonly effect: string;
  readonly of: string;
}

class Universe {
  constructor(private readonly random: () => number) {}

  below(count: number): number {
    return Math.floor(this.random() * count);
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  fact(): Fact {
    const s = `<urn:s${this.below(4)}>`;
    const graph = this.random() < 0.7 ? '' : this.pick(GRAPHS);
    if (this.random() < 0.45) return `${graph}|${s}|<${TYPE}>|<urn:C${this.below(3)}>`;
    return `${graph}|${s}|<urn:p${this.below(3)}>|${this.below(2)}`;
  }

  policy(): Policy {
    return {
      target: `urn:C${this.below(3)}`,
      property: `urn:p${this.below(3)}`,
      wants: this.random() < 0.6,
      effect: this.pick(['', 'deny', 'deny', 'escalate', 'warn', 'record']),
      of: this.pick(['', '', 'hard', 'soft', 'escalation']),
    };
  }
}

function factsOf(name: string, { target, property, wants, effect, of }: Policy): string {
  const claim = wants ? `ASK { $target <${property}> ?o }` : `ASK { FILTER NOT EXISTS { $target <${property}> ?o } }`;
  return [
    `<${name}> a <${BASE}Policy> ; <${BASE}boundary> "action" ; <${BASE}targets> "${target}" ; <${BASE}claim> "${claim}"`,
    ...(effect === '' ? [] : [`<${BASE}effect> "${effect}"`]),
    ...(of === '' ? [] : [`<${BASE}constraintClass> "${of}"`]),
  ].join(' ; ');
}

/** Whether a policy stands in the way of what a write leaves, for what it touches. */
function isBlocked(policies: readonly Policy[], before: Facts, after: Facts): boolean {
  const changed = [...before, ...after].filter((fact) => before.has(fact) !== after.has(fact));
  for (const fact of changed) {
    const [graph, s] = fact.split('|') as [string, string];
    const holds = (p: string, o?: string): boolean =>
      [...after].some((one) => {
        const [g, subject, property, object] = one.split('|');
        const isRead = g === graph || g === '';
        return isRead && subject === s && property === `<${p}>` && (o === undefined || object === o);
      });
    for (const { target, property, wants, effect, of } of policies) {
      if (effect === 'warn' || effect === 'record' || of === 'soft') continue;
      if (holds(TYPE, `<${target}>`) && holds(property) !== wants) return true;
    }
  }
  return false;
}

const block = (facts: readonly Fact[]): string =>
  facts
    .map((fact) => {
      const [graph, s, p, o] = fact.split('|');
      return graph === '' ? `${s} ${p} ${o} .` : `GRAPH <${graph}> { ${s} ${p} ${o} }`;
    })
    .join(' ');

test(`${SEQUENCES} random sequences of writes and policies`, async () => {
  let [refused, accepted] = [0, 0];
  for (let seed = 0; seed < SEQUENCES; seed++) {
    const universe = new Universe(randomFrom(seed));
    const store = await openStore(':memory:', { governance: { enforceOnWrite: true } });
    let facts: Facts = new Set();
    const policies = new Map<string, Policy>();
    try {
      for (let turn = 0; turn < WRITES; turn++) {
        const about = `seed ${seed}, write ${turn}`;
        if (universe.below(4) === 0) {
          const name = `urn:policy${universe.below(3)}`;
          const known = policies.get(name);
          if (known !== undefined) {
            await store.update(`DELETE WHERE { <${name}> ?p ?o }`);
            policies.delete(name);
          } else {
            const policy = universe.policy();
            await store.load({ text: `${factsOf(name, policy)} .`, format: 'turtle' });
            policies.set(name, policy);
          }
          continue;
        }
        const gone = [...facts].filter(() => universe.below(5) === 0);
        const come = Array.from({ length: 1 + universe.below(3) }, () => universe.fact());
        const after = new Set([...facts].filter((fact) => !gone.includes(fact)));
        for (const fact of come) after.add(fact);
        const text = `DELETE DATA { ${block(gone)} } ; INSERT DATA { ${block(come)} }`;
        const error = await store.update(text).then(
          () => null,
          (failure: unknown) => failure,
        );
        if (error !== null) assert.ok(error instanceof GateRefusal, `${about}: ${String(error)}`);
        assert.equal(error !== null, isBlocked([...policies.values()], facts, after), `${about}: ${text}`);
        if (error === null) {
          facts = after;
          accepted++;
        } else refused++;
        const stored: string[] = [];
        const answer = await store.query(
          'SELECT ?g ?s ?p ?o { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } FILTER(STRSTARTS(STR(?s), "urn:s")) }',
        );
        if (answer.kind !== 'select') throw new Error(answer.kind);
        for await (const [g, s, p, o] of answer.rows()) {
          const object = o?.termType === 'Literal' ? o.value : `<${o?.value}>`;
          stored.push(`${g?.value ?? ''}|<${s?.value}>|<${p?.value}>|${object}`);
        }
        assert.deepEqual(stored.sort(), [...facts].sort(), about);
      }
    } finally {
      await store.close();
    }
  }
  assert.ok(refused > SEQUENCES / 2 && accepted > SEQUENCES, `${refused} refused, ${accepted} accepted`);
});
