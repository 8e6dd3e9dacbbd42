/** Episodes the plain way: facts with their owners, one after the other, as the specification says it. */
import { createHash } from 'node:crypto';
import { termToString } from '../../engine/rdf/canonical/lines.js';
import type { Episode, Store, TimeOptions } from '../../interfaces/library/index.js';
import { EpisodeFacts, keyOf, type OwnedFact, type Statement } from './episode-facts.js';

export const BASE = 'http://svc.local/ontology/';
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const RDFS = 'http://www.w3.org/2000/01/rdf-schema#';
const PROV = 'http://www.w3.org/ns/prov#';
const SVC = 'https://svc.dev/ontology/';
const XSD = 'http://www.w3.org/2001/XMLSchema#';
const PREFIXES: Readonly<Record<string, string>> = {
  rdf: RDF,
  rdfs: RDFS,
  prov: PROV,
  svc: SVC,
  owl: 'http://www.w3.org/2002/07/owl#',
};
const LABEL = `<${RDFS}label>`;
const TYPE = `<${RDF}type>`;
const HASH = `<${BASE}contentHash>`;

const iri = (text: string): string => `<${text}>`;
const literal = (text: string, type?: string): string =>
  JSON.stringify(text) + (type === undefined ? '' : `^^<${XSD}${type}>`);
const local = (name: string): string => [...name].map((c) => (/[A-Za-z0-9._-]/.test(c) ? c : '_')).join('');
const suffixed = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 8);

function token(text: string): string {
  if (text.startsWith('<')) return text;
  const [prefix, name] = text.split(':');
  return name === undefined ? iri(BASE + text) : iri((PREFIXES[prefix as string] as string) + name);
}

function termOf(value: unknown): string {
  if (typeof value === 'boolean') return literal(String(value), 'boolean');
  if (typeof value === 'number') return literal(String(value), Number.isInteger(value) ? 'integer' : 'double');
  return literal(String(value));
}

export type OrphanMode = 'preserve' | 'refuse' | 'allow';

export class EpisodeOracle {
  readonly facts = new EpisodeFacts();

  #labels(entity: string): string[] {
    return this.facts
      .of(entity)
      .filter(({ p }) => p === LABEL)
      .map(({ o }) => o);
  }

  /** The IRI of a name; `taken` are IRIs of other names of the payload. */
  #mint(name: string, isNode: boolean, taken: Map<string, string>): string {
    const activity = iri(`${BASE}episode_${local(name)}`);
    const found = this.facts
      .with(literal(name))
      .filter(({ p }) => p === LABEL)
      .map(({ s }) => s)
      .filter((s) => !isNode || (s !== activity && s !== `${activity.slice(0, -1)}_${suffixed(name)}>`))
      .sort();
    const plain = iri(BASE + local(name));
    if (found.includes(plain)) return plain;
    if (found[0] !== undefined) return found[0];
    const isFree = (one: string) => !taken.has(one) && this.#labels(one).every((label) => label === literal(name));
    const minted = isFree(plain) ? plain : `${plain.slice(0, -1)}_${suffixed(name)}>`;
    taken.set(minted, name);
    return minted;
  }

  #activityOf(name: string): string {
    const plain = iri(`${BASE}episode_${local(name)}`);
    const other = `${plain.slice(0, -1)}_${suffixed(name)}>`;
    if (this.#labels(plain).includes(literal(name))) return plain;
    if (this.#labels(other).includes(literal(name))) return other;
    return this.#labels(plain).length === 0 ? plain : other;
  }

  write(episode: Episode): { readonly outcome: string; readonly count: number; readonly dangling: readonly string[] } {
    const activity = this.#activityOf(episode.name);
    const owner = `episode:${episode.name}`;
    const hash = hashOf(episode);
    const said = this.facts.of(activity);
    const known = said.filter(({ p }) => p === HASH).map(({ o }) => o);
    const nodes = episode.nodes ?? [];
    const names = [
      ...new Set([
        ...nodes.map(({ name }) => name),
        ...(episode.edges ?? []).flatMap(({ source, target }) => [source, target]),
      ]),
    ];
    const dangling = names.slice(nodes.length);
    if (known.includes(hash)) return { outcome: 'unchanged', count: 0, dangling };
    const taken = new Map([[activity, episode.name]]);
    // Names that are found come before names that are made.
    const iris = new Map<string, string>();
    for (const [at, name] of names.entries()) iris.set(name, this.#mint(name, at < nodes.length, taken));
    const made = statementsOf(episode, activity, hash, iris);
    const own = [`<${RDFS}comment>`, `<${PROV}wasAssociatedWith>`, iri(`${BASE}groupId`)];
    this.facts.remove(said.filter(({ p, owner: by }) => p === HASH || (own.includes(p) && by === owner)));
    this.#put(made, owner, episode.replaceSnapshot ?? false);
    return { outcome: known.length === 0 ? 'created' : 'updated', count: made.length, dangling };
  }

  #put(made: readonly Statement[], owner: string, replace: boolean): void {
    const wanted = new Set(made.map(keyOf));
    const gone = replace ? this.facts.ownedBy(owner).filter((fact) => !wanted.has(keyOf(fact))) : [];
    this.facts.remove(gone);
    const subjects = new Set(made.map(({ s }) => s));
    const kept = gone.filter(({ s, p }) => {
      if (p !== LABEL || subjects.has(s) || this.facts.has(s, LABEL)) return false;
      return [...this.facts.of(s), ...this.facts.with(s)].some((one) => one.owner !== owner);
    });
    for (const fact of kept) this.facts.add(fact);
    for (const statement of made) this.facts.add({ ...statement, owner });
  }

  retract(name: string, mode: OrphanMode): { readonly retracted: number; readonly orphans: number } | 'refused' {
    const owner = `episode:${name}`;
    const plan = this.facts.ownedBy(owner);
    this.facts.remove(plan);
    const planned = new Set(plan.map(({ s, p }) => `${s} ${p}`));
    const lost = (entity: string, predicate: string): boolean =>
      planned.has(`${entity} ${predicate}`) && !this.facts.has(entity, predicate);
    const orphans = [...new Set(plan.map(({ s }) => s))].filter(
      (entity) =>
        this.facts.of(entity).length + this.facts.with(entity).length > 0 &&
        (lost(entity, LABEL) || lost(entity, TYPE)),
    );
    const isIdentity = ({ s, p }: OwnedFact): boolean =>
      orphans.includes(s) && (p === LABEL || p === TYPE) && lost(s, p);
    const left = plan.filter((fact) => !isIdentity(fact));
    const isOver = mode !== 'allow' && left.length === 0;
    const isRefused = !isOver && mode === 'refuse' && orphans.length > 0;
    const gone = isOver || isRefused ? [] : mode === 'preserve' ? left : plan;
    for (const fact of plan) if (!gone.includes(fact)) this.facts.add(fact);
    if (isRefused) return 'refused';
    return { retracted: gone.length, orphans: isOver ? 0 : orphans.length };
  }

  lines(): string[] {
    return [...this.facts.all()]
      .filter(({ p }) => p !== HASH)
      .map(keyOf)
      .sort();
  }
}

function hashOf(episode: Episode): string {
  const { name, body, source, groupId, replaceSnapshot, nodes = [], edges = [] } = episode;
  const sorted = (list: readonly unknown[]) => list.map((one) => JSON.stringify(one)).sort();
  const ordered = nodes.map(({ properties = {}, ...one }) => [
    one.name,
    one.type,
    one.description,
    sorted(Object.entries(properties)),
  ]);
  const edgeParts = edges.map(({ source: from, relation, target, confidence }) => [from, relation, target, confidence]);
  return JSON.stringify([
    name,
    body ?? '',
    source ?? '',
    groupId ?? '',
    replaceSnapshot ?? false,
    sorted(ordered),
    sorted(edgeParts),
  ]);
}

function statementsOf(
  episode: Episode,
  activity: string,
  hash: string,
  iris: ReadonlyMap<string, string>,
): Statement[] {
  const made: Statement[] = [];
  const add = (s: string, p: string, o: string) => made.push({ s, p, o });
  add(activity, TYPE, iri(`${PROV}Activity`));
  add(activity, LABEL, literal(episode.name));
  if (episode.body) add(activity, `<${RDFS}comment>`, literal(episode.body));
  if (episode.source) add(activity, `<${PROV}wasAssociatedWith>`, literal(episode.source));
  if (episode.groupId) add(activity, iri(`${BASE}groupId`), literal(episode.groupId));
  add(activity, HASH, hash);
  for (const { name, type, description, properties = {} } of episode.nodes ?? []) {
    const node = iris.get(name) as string;
    if (type !== undefined) add(node, TYPE, token(type));
    add(node, LABEL, literal(name));
    if (description) add(node, `<${RDFS}comment>`, literal(description));
    add(node, `<${PROV}wasGeneratedBy>`, activity);
    for (const [key, value] of Object.entries(properties)) {
      for (const one of Array.isArray(value) ? value : [value])
        if (one !== null) add(node, iri(BASE + local(key)), termOf(one));
    }
  }
  for (const { source, relation, target } of episode.edges ?? []) {
    add(iris.get(source) as string, token(relation), iris.get(target) as string);
  }
  return made;
}

/** The facts of ROOT as the oracle writes them. */
export function linesOf(store: Store, time: TimeOptions = {}): string[] {
  const snapshot = store.snapshot(time);
  try {
    const all = [...snapshot.dataset().match(null, null, null)].filter(
      ({ graph }) => graph.termType === 'DefaultGraph',
    );
    return all
      .filter(({ predicate }) => iri(predicate.value) !== HASH)
      .map(({ subject, predicate, object }) => [subject, predicate, object].map(termToString).join(' '))
      .sort();
  } finally {
    snapshot.close();
  }
}
