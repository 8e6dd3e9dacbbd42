/**
 * The policy gate (`governance.enforce_on_write`; semantics of reasoning, 5.3 and 5.6): every node that a write touches and
 * that is of a class with policies is asked about, as it will be. What is not as the policy wants refuses the write, or is
 * put before people whose signed decisions rule. A write is judged by the policies, decisions and registrations that were
 * there before it.
 */

import { createHash } from 'node:crypto';
import { type Control, throwIfStopped } from '../../base/control.js';
import { Claims } from '../../governance/claims.js';
import { evidenceHash, type Ruling, requestIri, rulingOn } from '../../governance/decisions.js';
import { checkTarget, POLICY_PROPERTIES } from '../../governance/policies.js';
import { PolicyBook } from '../../governance/policy-book.js';
import { precedentsOf } from '../../governance/precedents.js';
import { GovernanceReader } from '../../governance/records.js';
import { verdictMessage } from '../../governance/signatures.js';
import type { SigningIdentity } from '../../governance/signing-identity.js';
import { COMMITTED, type Outcome } from '../../governance/verdicts.js';
import { type Literal, type NamedNode, type Quad, RDF_NS, terms } from '../../rdf/terms.js';
import { ROOT_ID, type TermId } from '../../storage/ids/layout.js';
import { idIn } from '../../storage/seam/rows.js';
import type { Consequence, Gate, StagedWrite, Verdict } from '../gates/gates.js';
import { type PolicyCase, policyCases } from './policy-cases.js';

export interface PolicyGateSettings {
  /** Namespace of the store, in which the governance vocabulary lives. */
  readonly baseNamespace: () => string;
  /** Signs verdicts; null: none are kept. */
  readonly signer: SigningIdentity | null;
  /** Seconds since 1970. */
  readonly now: () => number;
}

/** A verdict that is still to be signed. */
interface UnsignedVerdict {
  readonly message: string;
  readonly policy: string;
  readonly target: string;
  readonly outcome: Outcome;
  readonly hash: string;
  readonly writer: string;
  readonly principals: string;
}

interface WatchedTerms {
  readonly base: string;
  readonly type: NamedNode;
  readonly policy: NamedNode;
  readonly properties: readonly NamedNode[];
}

/** Verdicts of a transaction; one has some ten facts. */
const VERDICTS_AT_ONCE = 1000;
const ACCEPTED: Verdict = { kind: 'accepted', findings: [] };
const ACTOR = 'svc';
const VERDICTS = 'write-gate verdict';
const REQUESTS = 'escalation request';
const INTEGER = terms.namedNode('http://www.w3.org/2001/XMLSchema#integer');
const HINT = 'nothing was written; an operator has to mend the policy';

export class PolicyGate implements Gate {
  readonly name = 'policy';
  readonly #settings: PolicyGateSettings;
  /** As they were before the write that is judged; null: to be read. */
  #book: PolicyBook | null = null;
  #state = -1;
  #watched: WatchedTerms | null = null;
  readonly #claims = new Claims(HINT);

  constructor(settings: PolicyGateSettings) {
    this.#settings = settings;
  }

  judge(write: StagedWrite, control: Control): Verdict | Promise<Verdict> {
    if (write.changes.graphs.length === 0) return ACCEPTED;
    // Writes that were accepted and are gone again change this number, too.
    if (write.registryState !== this.#state) this.#book = null;
    this.#state = write.registryState;
    this.#book ??= new PolicyBook(this.#reader(write));
    const book = this.#book;
    // What judges this write may be others after it, also where it is refused in the end.
    if (this.#changesPolicies(write)) this.#book = null;
    return book.isEmpty ? ACCEPTED : this.#judgeBy(book, write, control);
  }

  #reader(write: StagedWrite): GovernanceReader {
    return new GovernanceReader(write.law, this.#settings.baseNamespace());
  }

  #changesPolicies({ changes, after }: StagedWrite): boolean {
    if (!changes.graphs.some(({ graph }) => graph === ROOT_ID)) return false;
    const { type, policy, properties } = this.#watchedTerms();
    const idOf = (term: NamedNode): TermId | null => after.encode(term, true);
    const [typeId, policyId] = [idOf(type), idOf(policy)];
    const watched = new Set(properties.map(idOf));
    watched.delete(null);
    for (const { rows, columns } of changes.rows(ROOT_ID)) {
      for (let row = 0; row < rows; row++) {
        const p = idIn(columns.p, row);
        if (watched.has(p) || (p === typeId && idIn(columns.o, row) === policyId)) return true;
      }
    }
    return false;
  }

  /** Their ids are looked up with every write, so that they stay the same objects. */
  #watchedTerms(): WatchedTerms {
    const base = this.#settings.baseNamespace();
    if (this.#watched?.base !== base) {
      this.#watched = {
        base,
        type: terms.namedNode(`${RDF_NS}type`),
        policy: terms.namedNode(`${base}Policy`),
        properties: POLICY_PROPERTIES.map((name) => terms.namedNode(base + name)),
      };
    }
    return this.#watched;
  }

  async #judgeBy(book: PolicyBook, write: StagedWrite, control: Control): Promise<Verdict> {
    const said: UnsignedVerdict[] = [];
    const { signal, flag } = control;
    const judge = async (consequences: Consequence[]): Promise<Verdict> => {
      for (const one of policyCases(write, book, { claims: this.#claims, stop: { signal, flag } })) {
        throwIfStopped(control, 'the policy gate');
        checkTarget(one.target);
        const found = one.outcome();
        const outcome = found instanceof Promise ? await found : found;
        said.push(...this.#verdictOn(one, outcome, write));
        if (outcome !== 'unsatisfied' || one.policy.response === 'observe') continue;
        if (one.policy.response === 'refuse') return refusal(one, 'claim unsatisfied.', {}, consequences);
        const refused = await this.#askPeople(one, write, consequences, control);
        if (refused !== null) return refused;
      }
      return { kind: 'accepted', findings: [], consequences };
    };
    const requests: Consequence[] = [];
    const verdict = await judge(requests);
    return { ...verdict, consequences: [...this.#signed(said), ...requests] };
  }

  /** Null: they have approved. What is to be asked of them comes to `consequences`. */
  async #askPeople(
    { policy, target, ...rest }: PolicyCase,
    write: StagedWrite,
    consequences: Consequence[],
    { signal, flag }: Control,
  ): Promise<Verdict | null> {
    const { now } = this.#settings;
    const base = this.#settings.baseNamespace();
    const about = { policy: policy.iri, target, base };
    const seconds = Math.floor(now());
    const ruling = rulingOn(this.#reader(write), about, seconds);
    if (ruling.kind === 'approved') return null;
    const hash = evidenceHash(policy.iri, target);
    const request = requestIri(base, hash);
    const one = { policy, target, ...rest };
    if (ruling.kind === 'rejected') {
      const why = `a registered decider has turned it down (${hash}).`;
      return refusal(one, why, { decision_request: request, evidence_hash: hash }, consequences);
    }
    const expiresAt = ruling.kind === 'pending' ? ruling.expiresAt : seconds + policy.windowSeconds;
    if (ruling.kind !== 'pending') {
      const asked = { request, target, base, now: seconds };
      const precedents = await precedentsOf(write.before, asked, { signal, flag });
      consequences.push(requestOf(one, { base, request, hash, expiresAt, precedents }, ruling));
    }
    const asked = ruling.kind === 'expired' ? 'nobody decided in time; it was asked again' : 'people have to decide';
    const why =
      `${asked}. The request <${request}> is open until ${expiresAt} (${isoOf(expiresAt)}): a registered decider ` +
      `has to sign an approve decision over ${hash}.`;
    const details = { decision_request: request, evidence_hash: hash, expires_at: expiresAt };
    return refusal(one, why, details, consequences);
  }

  /** Nothing without somebody who signs. */
  #verdictOn({ policy, target }: PolicyCase, outcome: Outcome, { options, chain }: StagedWrite): UnsignedVerdict[] {
    const { signer } = this.#settings;
    if (signer === null) return [];
    const writer = options.actor ?? '';
    const principals = chain.join(',');
    const hash = `sha256:${createHash('sha256')
      .update([policy.iri, target, outcome, writer, principals].join('|'), 'utf8')
      .digest('hex')}`;
    const fields = { predicate_id: policy.iri, target_ref: target, outcome, evidence_hash: hash, tier: COMMITTED };
    const message = verdictMessage({ ...fields, verifier: signer.verifier });
    return [{ message, policy: policy.iri, target, outcome, hash, writer, principals }];
  }

  /** Many in one transaction; they are signed when they are written. */
  #signed(said: readonly UnsignedVerdict[]): Consequence[] {
    const { signer } = this.#settings;
    if (signer === null) return [];
    const base = this.#settings.baseNamespace();
    function* quadsOf(some: readonly UnsignedVerdict[]): Generator<Quad> {
      for (const one of some) yield* verdictQuads(one, signer as SigningIdentity, base);
    }
    return Array.from({ length: Math.ceil(said.length / VERDICTS_AT_ONCE) }, (_, at) => {
      const some = said.slice(at * VERDICTS_AT_ONCE, (at + 1) * VERDICTS_AT_ONCE);
      return { actor: ACTOR, source: VERDICTS, retract: [], assert: { [Symbol.iterator]: () => quadsOf(some) } };
    });
  }
}

function* verdictQuads(one: UnsignedVerdict, signer: SigningIdentity, base: string): Generator<Quad> {
  const { message, policy, target, outcome, hash, writer, principals } = one;
  const signature = signer.sign(message);
  const fact = facts(`${base}verdict_${signature.slice(0, 32)}`, base);
  yield fact.type('Verdict');
  yield fact.text('predicateId', policy);
  yield fact.text('targetRef', target);
  yield fact.text('outcome', outcome);
  yield fact.text('evidenceHash', hash);
  yield fact.text('verifier', signer.verifier);
  yield fact.text('signature', signature);
  yield fact.text('tier', COMMITTED);
  if (writer !== '') yield fact.text('attributedWriter', writer);
  if (principals !== '') yield fact.text('principalChain', principals);
}

function requestOf(
  { policy, target }: PolicyCase,
  given: {
    readonly base: string;
    readonly request: string;
    readonly hash: string;
    readonly expiresAt: number;
    /** IRIs of requests that were decided. */
    readonly precedents: readonly string[];
  },
  ruling: Ruling,
): Consequence {
  const { base, request, hash, expiresAt, precedents } = given;
  const fact = facts(request, base);
  return {
    actor: ACTOR,
    source: REQUESTS,
    retract: ruling.kind === 'expired' ? [fact.of('expiresAt', integer(ruling.expiresAt))] : [],
    assert: [
      fact.type('DecisionRequest'),
      fact.node('forPolicy', policy.iri),
      fact.node('forTarget', target),
      fact.text('evidenceHash', hash),
      fact.of('expiresAt', integer(expiresAt)),
      ...precedents.map((one) => fact.node('precedent', one)),
    ],
  };
}

const integer = (value: number): Literal => terms.literal(String(value), INTEGER);

function facts(subject: string, base: string) {
  const node = terms.namedNode(subject);
  const of = (property: string, value: Literal | NamedNode): Quad =>
    terms.quad(node, terms.namedNode(`${base}${property}`), value);
  return {
    of,
    text: (property: string, value: string): Quad => of(property, terms.literal(value)),
    node: (property: string, iri: string): Quad => of(property, terms.namedNode(iri)),
    type: (name: string): Quad => terms.quad(node, terms.namedNode(`${RDF_NS}type`), terms.namedNode(`${base}${name}`)),
  };
}

function refusal(
  { policy, target, of }: PolicyCase,
  why: string,
  details: Readonly<Record<string, string | number>>,
  consequences: readonly Consequence[],
): Verdict {
  const see = policy.exemplar === null ? '' : ` See <${policy.exemplar}>.`;
  return {
    kind: 'refused',
    code: 'policy_denied',
    message: `policy denied: '${target}' blocked by policy '${policy.iri}' (effect '${policy.effect}', target type '${of}'): ${why}${see}`,
    findings: [],
    details: { policy: policy.iri, entity: target, effect: policy.effect, ...details },
    consequences,
  };
}

/** Somebody may have written a time that no calendar has. */
function isoOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? 'beyond the calendar' : date.toISOString();
}
