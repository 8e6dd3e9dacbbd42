/** Different values of one entity and predicate that hold at the same time: questions, not errors. */

import { termToJson } from '../../requests/json.js';
import { type Static, Type } from '../../requests/schema.js';
import { timeFields, toTimes } from '../definition/facts.js';
import { clampLimit, entityField, pageFields, predicateField } from '../definition/fields.js';
import { defineOperation } from '../definition/operation.js';
import { intervalText, moreText, valueText } from '../definition/text.js';

const fact = Type.Object({ value: Type.Unknown(), ...timeFields });

export const contradictions = defineOperation({
  name: 'contradictions',
  summary: 'Find values that hold at the same time as other ones of the same entity and predicate',
  access: 'read',
  request: Type.Object({
    entity: Type.Optional(entityField),
    predicate: Type.Optional(predicateField),
    all_predicates: Type.Optional(
      Type.Boolean('of all of ROOT: also predicates of which no stored shape has sh:maxCount 1'),
    ),
    ...pageFields,
  }),
  response: Type.Object({
    contradictions: Type.Array(
      Type.Object({ entity: Type.String(), predicate: Type.String(), facts: Type.Array(fact) }),
    ),
    count: Type.Integer(),
    truncated: Type.Boolean(),
  }),
  async handler({ store, control }, { entity, predicate, all_predicates: allPredicates, limit, offset = 0 }) {
    const most = clampLimit(limit);
    const shown: { entity: string; predicate: string; facts: Static<typeof fact>[] }[] = [];
    let [passed, truncated] = [0, false];
    for await (const pair of store.contradictions({ entity, predicate, allPredicates }, control)) {
      if (passed++ < offset) continue;
      if (shown.length === most) {
        truncated = true;
        break;
      }
      const facts = pair.facts.map((one) => ({ value: termToJson(one.value), ...toTimes(one) }));
      shown.push({ entity: termToJson(pair.entity) as string, predicate: pair.predicate.value, facts });
    }
    return { kind: 'body', body: { contradictions: shown, count: shown.length, truncated } };
  },
  projections: {
    cli: {
      command: 'contradictions',
      notes: [
        'ROOT only, history included. Without an entity and a predicate: those predicates of which a stored shape',
        'has sh:maxCount 1, or with --all-predicates every one, also those with several values by nature.',
      ],
      examples: [
        'svc contradictions',
        'svc contradictions --all-predicates',
        'svc contradictions --entity http://example.org/host --predicate http://example.org/ip',
      ],
      options: { entity: 'iri', predicate: 'iri', all_predicates: '', limit: 'n', offset: 'n' },
      text: (body) => {
        const lines = body.contradictions.map(({ entity, predicate, facts }) => {
          const values = facts.map(
            ({ value, valid_from, valid_to, tx }) =>
              `  tx ${tx}  ${valueText(value)}  ${intervalText(valid_from, valid_to)}\n`,
          );
          return `${entity}  ${predicate}\n${values.join('')}`;
        });
        return `${lines.join('')}\n${body.count} pair(s)\n${moreText(body.truncated)}`;
      },
    },
  },
});
