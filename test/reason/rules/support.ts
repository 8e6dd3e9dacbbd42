/** What tests of rules share: rule documents as short lines, runs, and what stands in a companion graph. */
import { SvcError } from '../../../engine/base/errors.js';
import { type RuleSet, ruleSetOf } from '../../../engine/reason/rules/rule-sets.js';
import { openStore, type ReasonOptions, type ReasonResult, type Store } from '../../../interfaces/library/index.js';

export const EX = 'http://ex/';
export const ROOT = 'urn:svc:graph:root';
export const PROLOGUE = `@prefix rule: <http://svc.local/rule#> . @prefix r: <http://ex/rules/> . @prefix ex: <${EX}> .
`;

/** `name: head :- body` lines as a document; the name is the subject and the id. */
export function rulesOf(...lines: string[]): string {
  const rules = lines.map((line) => {
    const [, name, head, body] = /^(\w+): (.*) :- (.*)$/s.exec(line) as RegExpExecArray;
    const quoted = (text: string | undefined): string => JSON.stringify(text);
    return `r:${name} a rule:Rule ; rule:id "${name}" ; rule:head ${quoted(head)} ; rule:body ${quoted(body)} .`;
  });
  return PROLOGUE + rules.join('\n');
}

/** What a document is checked to; null = it is refused, as random rules may be. Any other failure is one. */
export async function acceptedRules(document: string): Promise<RuleSet | null> {
  try {
    return await ruleSetOf([{ turtle: document, name: 'rules' }], EX);
  } catch (error) {
    if (error instanceof SvcError && error.code === 'invalid_request') return null;
    throw error;
  }
}

export function knot(store: Store, turtle: string, options: { readonly graph?: string } = {}) {
  return store.load({ text: PROLOGUE + turtle, format: 'turtle' }, options);
}

export async function retract(store: Store, turtle: string): Promise<void> {
  const scratch = await openStore(':memory:');
  await knot(scratch, turtle);
  await store.transact({ retract: scratch.match() });
  await scratch.close();
}

export function run(
  store: Store,
  rules: string | undefined,
  more: { readonly graph?: string } & ReasonOptions = {},
): Promise<ReasonResult> {
  const { graph, ...options } = more;
  return store.reason({ rules, prefix: EX, graph }, options);
}

export function counts({ asserted, retracted, strata, perRule }: ReasonResult) {
  return { asserted, retracted, strata, perRule: perRule.map(({ rule, asserted: own }) => `${rule} ${own}`) };
}

export async function ask(store: Store, text: string): Promise<boolean> {
  return store.ask(`PREFIX ex: <${EX}> PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> ${text}`);
}

/** `s p o` of a graph, sorted, in the namespace of the examples. */
export async function factsOf(store: Store, graph = `${ROOT}#inferred`): Promise<string[]> {
  const shown = (value: string): string => value.replace(EX, '').replace(/^.*#/, '');
  const found: string[] = [];
  for await (const { subject, predicate, object, graph: named } of store.match()) {
    if (named.value === (graph === ROOT ? '' : graph)) {
      found.push([subject, predicate, object].map(({ value }) => shown(value)).join(' '));
    }
  }
  return found.sort();
}
