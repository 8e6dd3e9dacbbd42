/**
 * Rules from a Turtle document (semantics of reasoning, 1.1). What is no rule is passed over, so that rules and shapes may
 * share a document; a rule that is incomplete or can't be read is refused by its id.
 */

import { SvcError } from '../../base/errors.js';
import { compareCodePoints } from '../../base/text.js';
import { readDocument } from '../../rdf/formats/reader.js';
import { type Quad, RDF_NS, type Term, terms } from '../../rdf/terms.js';
import { AtomError, type Names, parseBody, parseHead } from './parse-atom.js';
import { type Atom, RULE_NS, type Rule } from './rule.js';

const RDF_TYPE = `${RDF_NS}type`;
const DEFAULT_PREFIX = `${RULE_NS}defaultPrefix`;

export interface RuleDocument {
  readonly turtle: string;
  /** What messages call it. */
  readonly name: string;
}

export interface RuleQuads {
  readonly quads: readonly Quad[];
  /** Namespace by prefix, as the document declares them. */
  readonly prefixes: Readonly<Record<string, string>>;
}

/**
 * The rules of a document, ordered by their subjects. `fallbackPrefix`: for bare names where neither the rule nor the
 * document gives one. Throws `parse_error` for what is no Turtle, `invalid_request` for what is no rule.
 */
export async function readRules(
  { turtle, name }: RuleDocument,
  fallbackPrefix: string,
  signal?: AbortSignal,
): Promise<Rule[]> {
  const prefixes: Record<string, string> = {};
  let anonymous = 0;
  try {
    const quads = await readDocument(turtle, {
      format: 'turtle',
      sourceName: name,
      signal,
      blankNode: (label) => terms.blankNode(label ?? `a${anonymous++}`),
      onPrefix: (prefix, namespace) => {
        prefixes[prefix] = namespace;
      },
    });
    return rulesIn({ quads, prefixes }, fallbackPrefix);
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'parse_error') throw error;
    const { position, hint } = error;
    throw new SvcError('parse_error', `rule Turtle parse error: ${error.message}`, {
      ...(position === undefined ? {} : { position }),
      ...(hint === undefined ? {} : { hint }),
      cause: error,
    });
  }
}

/** The same of a document that somebody has read. */
export function rulesIn({ quads, prefixes }: RuleQuads, fallbackPrefix: string): Rule[] {
  const described = new Map<string, Described>();
  let sets: { readonly subject: string; readonly prefix: string }[] = [];
  for (const { subject, predicate, object } of quads) {
    if (predicate.value === DEFAULT_PREFIX) sets.push({ subject: nodeName(subject), prefix: object.value });
    const isRule = predicate.value === RDF_TYPE && object.value === `${RULE_NS}Rule`;
    if (!isRule && !predicate.value.startsWith(RULE_NS)) continue;
    const name = nodeName(subject);
    const about = described.get(name) ?? new Described(name);
    described.set(name, about);
    if (isRule) about.isRule = true;
    else about.add(predicate.value.slice(RULE_NS.length), object);
  }
  const containers = new Set(
    quads
      .filter(({ predicate, object }) => predicate.value === RDF_TYPE && object.value === `${RULE_NS}RuleSet`)
      .map(({ subject }) => nodeName(subject)),
  );
  sets = sets.filter(({ subject }) => containers.has(subject));
  sets.sort((a, b) => compareCodePoints(a.subject, b.subject) || compareCodePoints(a.prefix, b.prefix));
  const documentPrefix = sets[0]?.prefix ?? fallbackPrefix;
  return [...described.values()]
    .filter(({ isRule }) => isRule)
    .sort((a, b) => compareCodePoints(a.subject, b.subject))
    .map((about) => about.toRule(documentPrefix, prefixes));
}

/** What a document says of one node in the vocabulary of rules. */
class Described {
  isRule = false;
  readonly #values = new Map<string, Term[]>();

  constructor(readonly subject: string) {}

  add(property: string, object: Term): void {
    this.#values.set(property, [...(this.#values.get(property) ?? []), object]);
  }

  toRule(documentPrefix: string, declared: Readonly<Record<string, string>>): Rule {
    const id = this.#one('id', this.subject) ?? this.subject;
    const prefix = this.#one('prefix', id) ?? documentPrefix;
    const names: Names = { prefix, declared };
    const head = this.#required('head', id);
    const body = this.#required('body', id);
    return {
      id,
      subject: this.subject,
      head: parsed(id, 'head', () => parseHead(head, names)) as Atom,
      body: parsed(id, 'body', () => parseBody(body, names)),
    };
  }

  #required(property: 'head' | 'body', id: string): string {
    const value = this.#one(property, id);
    if (value === undefined) throw refused(id, `rule:${property} is missing`);
    return value;
  }

  #one(property: string, id: string): string | undefined {
    const [first, ...others] = this.#values.get(property) ?? [];
    if (first === undefined) return undefined;
    if (first.termType !== 'Literal') throw refused(id, `rule:${property} is no literal`);
    const other = others.find((value) => value.value !== first.value);
    if (other !== undefined) {
      throw refused(
        id,
        `<${this.subject}> has two values of rule:${property}: ${JSON.stringify(first.value)} and ${JSON.stringify(other.value)}`,
      );
    }
    return first.value;
  }
}

function parsed<Result>(id: string, property: string, parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    if (error instanceof AtomError) throw refused(id, `rule:${property}: ${error.message}`);
    throw error;
  }
}

/** A refusal that names the rule. */
export function refused(id: string, why: string): SvcError {
  return new SvcError('invalid_request', `the rule '${id}' is refused: ${why}`, {
    hint: 'nothing was written; mend the rule and send the rules again',
  });
}

/** An IRI, or the label of a blank node as N-Triples write it. */
function nodeName(node: Term): string {
  return node.termType === 'BlankNode' ? `_:${node.value}` : node.value;
}
