/**
 * A random sequence of writes, policies, and decisions about what they hold back, with a plain oracle that knows what is there
 * and what has to be refused. A sequence has names of its own, so that any number of them can follow each other in one store.
 */

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { Store } from '../../../engine/service/store/store.js';
import { randomFrom } from '../../kernels/values.js';
import { readFacts } from './read-facts.js';

export const BASE = 'http://svc.local/ontology/';
const TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const GRAPHS = ['', 'urn:g1', 'urn:g2'];
const SUBJECTS = 4;
const DECIDER = 'urn:ana';

/** A quad as `graph|s|p|o`, each as SPARQL writes it; the graph of ROOT is empty. */
export type Fact = string;
type Facts = ReadonlySet<Fact>;

interface Policy {
  readonly target: string;
  readonly property: string;
  /** The property has to be there, or must not. */
  readonly wants: boolean;
  readonly effect: string;
  readonly of: string;
}

/** What stands in the way of a write. */
export interface Blocked {
  readonly policy: string;
  readonly target: string;
  /** People are asked. */
  readonly asks: boolean;
}

export interface Step {
  readonly what: string;
  /** Null: it has to be accepted. */
  readonly blocked: Blocked | null;
  /** The sequence as it is when the step was accepted, or refused as it should be. */
  settle(): void;
  run(store: Store): Promise<unknown>;
}

const pkcs8 = (seed: number): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, seed)]),
    format: 'der',
    type: 'pkcs8',
  });
const [KEY, STRANGER] = [pkcs8(7), pkcs8(8)];
const PUBLIC = Buffer.from(createPublicKey(KEY).export({ format: 'jwk' }).x as string, 'base64url').toString('hex');

const pairOf = (policy: string, target: string): string => `${policy}|${target}`;
const hashOf = (pair: string): string => `sha256:${createHash('sha256').update(pair, 'utf8').digest('hex')}`;
export const requestOf = ({ policy, target }: Pick<Blocked, 'policy' | 'target'>): string =>
  `${BASE}decision_request_${hashOf(pairOf(policy, target)).slice('sha256:'.length, 'sha256:'.length + 32)}`;

export class RandomSequence {
  readonly #random: () => number;
  readonly #ns: string;
  #facts: Facts = new Set();
  readonly #policies = new Map<string, Policy>();
  /** Pairs of a policy and a node about which people were asked, and how a registered decider has ruled. */
  readonly #asked = new Set<string>();
  readonly #ruled = new Map<string, Set<string>>();
  #decisions = 0;
  #isRegistered = false;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
    this.#ns = `urn:q${seed}-`;
  }

  get facts(): Facts {
    return this.#facts;
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#below(items.length)] as Item;
  }

  /** A process that was killed may have refused a write, and not asked yet. */
  correctAsked({ policy, target }: Blocked, isAsked: boolean): void {
    if (isAsked) this.#asked.add(pairOf(policy, target));
    else this.#asked.delete(pairOf(policy, target));
  }

  next(): Step {
    const kind = this.#below(8);
    if (kind < 2) return this.#policyStep();
    if (kind === 2 && this.#asked.size > 0) return this.#decisionStep();
    return this.#writeStep();
  }

  #policyStep(): Step {
    const name = `${this.#ns}policy${this.#below(3)}`;
    if (this.#policies.has(name)) {
      const text = `DELETE WHERE { <${name}> ?p ?o }`;
      return {
        what: text,
        blocked: null,
        settle: () => this.#policies.delete(name),
        run: (store) => store.update(text),
      };
    }
    const policy: Policy = {
      target: `${this.#ns}C${this.#below(3)}`,
      property: `urn:p${this.#below(3)}`,
      wants: this.#random() < 0.6,
      effect: this.#pick(['', 'deny', 'escalate', 'escalate', 'warn', 'record']),
      of: this.#pick(['', '', 'hard', 'soft', 'escalation']),
    };
    const text = `INSERT DATA { ${factsOf(name, policy)} . ${this.#registration()} }`;
    const settle = (): void => {
      this.#policies.set(name, policy);
      this.#isRegistered = true;
    };
    return { what: text, blocked: null, settle, run: (store) => store.update(text) };
  }

  /** Of the one who decides about all policies of the sequence. */
  #registration(): string {
    if (this.#isRegistered) return '';
    const attests = [0, 1, 2].map((at) => `"${this.#ns}policy${at}"`).join(', ');
    return `<${this.#ns}registration> a <${BASE}VerifierRegistration> ; <${BASE}verifier> "${DECIDER}" ; <${BASE}attests> ${attests} ; <${BASE}publicKey> "${PUBLIC}" .`;
  }

  #decisionStep(): Step {
    const pair = this.#pick([...this.#asked]);
    const outcome = this.#pick(['approve', 'approve', 'approve', 'reject', 'changes']);
    const signer = this.#pick([KEY, KEY, STRANGER, null]);
    const hash = hashOf(pair);
    const message = Buffer.from(`decision-v1|${hash}|${outcome}|${DECIDER}`, 'utf8');
    const signature = signer === null ? 'ab' : sign(null, message, signer).toString('hex');
    const name = `${this.#ns}decision${this.#decisions++}`;
    const text = `INSERT DATA { <${name}> a <${BASE}Decision> ; <${BASE}by> "${DECIDER}" ; <${BASE}evidenceHash> "${hash}" ; <${BASE}outcome> "${outcome}" ; <${BASE}signature> "${signature}" }`;
    const settle = (): void => {
      if (signer !== KEY) return;
      const ruled = this.#ruled.get(pair) ?? new Set();
      this.#ruled.set(pair, ruled.add(outcome));
    };
    return { what: text, blocked: null, settle, run: (store) => store.update(text) };
  }

  #writeStep(): Step {
    const before = this.#facts;
    const gone = [...before].filter(() => this.#below(5) === 0);
    const come = Array.from({ length: 1 + this.#below(3) }, () => this.#fact());
    const after = new Set([...before].filter((fact) => !gone.includes(fact)));
    for (const fact of come) after.add(fact);
    const blocked = this.#blocked(before, after);
    const text = `DELETE DATA { ${block(gone)} } ; INSERT DATA { ${block(come)} }`;
    const settle = (): void => {
      if (blocked === null) this.#facts = after;
      else if (blocked.asks) this.#asked.add(pairOf(blocked.policy, blocked.target));
    };
    return { what: text, blocked, settle, run: (store) => store.update(text) };
  }

  #fact(): Fact {
    const s = `<${this.#ns}s${this.#below(SUBJECTS)}>`;
    const graph = this.#random() < 0.7 ? '' : this.#pick(GRAPHS);
    if (this.#random() < 0.45) return `${graph}|${s}|<${TYPE}>|<${this.#ns}C${this.#below(3)}>`;
    return `${graph}|${s}|<urn:p${this.#below(3)}>|${this.#below(2)}`;
  }

  /** The first policy that stands in the way of what a write leaves, of the first node that it touches. */
  #blocked(before: Facts, after: Facts): Blocked | null {
    const touched = [...before, ...after].filter((fact) => before.has(fact) !== after.has(fact));
    const places = new Map<string, readonly string[]>();
    for (const fact of touched) {
      const [graph, s] = fact.split('|') as [string, string];
      places.set(s, [...(places.get(s) ?? []), graph]);
    }
    for (const [s, graphs] of [...places].sort(([one], [other]) => (one < other ? -1 : 1))) {
      for (const [name, policy] of [...this.#policies].sort(([one], [other]) => (one < other ? -1 : 1))) {
        const { target, property, wants, effect, of } = policy;
        if (effect === 'warn' || effect === 'record' || of === 'soft') continue;
        const isWrong = graphs.some((graph) => {
          const holds = (p: string, o?: string): boolean => isThere(after, { graph, s, p, o });
          return holds(TYPE, `<${target}>`) && holds(property) !== wants;
        });
        if (!isWrong) continue;
        const asks = effect === 'escalate';
        const node = s.slice(1, -1);
        if (!asks || !this.#isApproved(pairOf(name, node))) return { policy: name, target: node, asks };
      }
    }
    return null;
  }

  #isApproved(pair: string): boolean {
    const ruled = this.#ruled.get(pair);
    return this.#asked.has(pair) && ruled?.size === 1 && ruled.has('approve');
  }

  /** What a store has of the nodes of the sequence. */
  storedIn(store: Store): Fact[] {
    const subjects = Array.from({ length: SUBJECTS }, (_, at) => `${this.#ns}s${at}`);
    return readFacts(store, subjects, GRAPHS);
  }
}

function isThere(
  facts: Facts,
  {
    graph,
    s,
    p,
    o,
  }: { readonly graph: string; readonly s: string; readonly p: string; readonly o: string | undefined },
): boolean {
  return [...facts].some((one) => {
    const [g, subject, property, object] = one.split('|');
    const isRead = g === graph || g === '';
    return isRead && subject === s && property === `<${p}>` && (o === undefined || object === o);
  });
}

function factsOf(name: string, { target, property, wants, effect, of }: Policy): string {
  const claim = wants ? `ASK { $target <${property}> ?o }` : `ASK { FILTER NOT EXISTS { $target <${property}> ?o } }`;
  return [
    `<${name}> a <${BASE}Policy> ; <${BASE}boundary> "action" ; <${BASE}targets> "${target}" ; <${BASE}claim> "${claim}"`,
    ...(effect === '' ? [] : [`<${BASE}effect> "${effect}"`]),
    ...(of === '' ? [] : [`<${BASE}constraintClass> "${of}"`]),
  ].join(' ; ');
}

const block = (facts: readonly Fact[]): string =>
  facts
    .map((fact) => {
      const [graph, s, p, o] = fact.split('|');
      return graph === '' ? `${s} ${p} ${o} .` : `GRAPH <${graph}> { ${s} ${p} ${o} }`;
    })
    .join(' ');
