/**
 * Rows of another store, read by the rules for values (wire shapes, 3.3) and written again as rows of this answer: blank
 * nodes get the member's name before their label, since they are no nodes of anybody else, and what the member says of
 * provider, trust and freshness gives way to what the operator declares. Values stay the text that they are, so that
 * numbers keep their digits.
 */

import { MalformedResults } from '../../query/service/read-results.js';
import { membersOf, textOfString } from './listed-object.js';
import { ANNOTATIONS, type Member } from './members.js';

/** Triple terms nest; no honest answer nests deeper. */
const DEPTH_MAX = 100;
const BLANK = /^_:\S*$/;
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
/** What objects of literals have, by their keys. */
const LITERAL_KEYS: readonly string[] = ['value,datatype', 'value,lang', 'value,lang,direction'];
const TRIPLE_KEYS = 'subject,predicate,object';
const KEYS_SHOWN = 100;

export class RowReader {
  /** What stands at the end of each row. */
  private readonly says: string;

  constructor(
    private readonly member: Pick<Member, 'name' | 'labels'>,
    private readonly variables: ReadonlySet<string>,
  ) {
    const { name, labels } = member;
    const { trust, freshness } = labels;
    const said = [name, trust?.value.iri, freshness?.value];
    this.says = ANNOTATIONS.flatMap((column, at) =>
      said[at] === undefined ? [] : [`${JSON.stringify(column)}:${JSON.stringify(said[at])}`],
    ).join();
  }

  /** The row of the answer. */
  read(text: string): string {
    const written: string[] = [];
    for (const [variable, value] of membersOf(text)) {
      if (ANNOTATIONS.includes(variable)) continue;
      if (!this.variables.has(variable)) {
        throw new MalformedResults(`a row binds ?${variable.slice(0, KEYS_SHOWN)}, which the query does not project`);
      }
      written.push(`${JSON.stringify(variable)}:${this.valueOf(value, 0)}`);
    }
    return `{${[...written, this.says].join()}}`;
  }

  private valueOf(text: string, depth: number): string {
    const [first = ''] = text;
    if (first === '"') return this.stringOf(text);
    if (first === '{') return this.objectOf(text, depth);
    if (text === 'true' || text === 'false' || NUMBER.test(text)) return text;
    throw new MalformedResults(`a value is ${text.slice(0, KEYS_SHOWN)}, which stands for no term`);
  }

  private stringOf(text: string): string {
    const value = textOfString(text);
    return BLANK.test(value) ? JSON.stringify(`_:${this.member.name}.${value.slice(2)}`) : text;
  }

  private objectOf(text: string, depth: number): string {
    const members = membersOf(text);
    const keys = [...members.keys()].sort().reverse();
    const isTriple = depth < DEPTH_MAX && isOf(keys, TRIPLE_KEYS);
    if (!isTriple && !LITERAL_KEYS.some((known) => isOf(keys, known))) {
      throw new MalformedResults(`a value has the keys ${keys.join().slice(0, KEYS_SHOWN)}, which stand for no term`);
    }
    const written = [...members].map(([key, value]) => {
      if (isTriple) return `${JSON.stringify(key)}:${this.valueOf(value, depth + 1)}`;
      if (value[0] !== '"') throw new MalformedResults(`the ${key} of a literal is no string`);
      textOfString(value);
      return `${JSON.stringify(key)}:${value}`;
    });
    return `{${written.join()}}`;
  }
}

function isOf(keys: readonly string[], known: string): boolean {
  const wanted = known.split(',');
  return keys.length === wanted.length && wanted.every((key) => keys.includes(key));
}
