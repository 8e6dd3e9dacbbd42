/** A small card about one entity, for those who point at a link. */

import { localPart } from '../../../base/text.js';
import { withSnapshot } from '../../../storage/seam/rows.js';
import { CURRENT } from '../../../storage/seam/scan.js';
import { descriptionOf, labelOf, propertiesOf, readEntity, typesOf } from '../../linked-data/entity.js';
import { previewCard } from '../../linked-data/entity-html.js';
import { termToJson } from '../../requests/json.js';
import { Type, textOrNull } from '../../requests/schema.js';
import { entityField, pathPrefix } from '../definition/fields.js';
import { defineOperation } from '../definition/operation.js';
import { whole } from '../definition/text.js';

const PROPERTIES_SHOWN = 8;
/** Facts that are read for it; of an entity with more, `more` counts those. */
const FACTS_MAX = 1000;

export const preview = defineOperation({
  name: 'preview',
  summary: 'Show a small card about one entity',
  access: 'read',
  request: Type.Object({ iri: entityField }),
  response: Type.Object({
    iri: Type.String(),
    label: Type.String(),
    type: Type.String(),
    types: Type.Array(Type.String()),
    description: textOrNull,
    properties: Type.Array(Type.Object({ predicate: Type.String(), label: Type.String(), value: Type.Unknown() })),
    more: Type.Integer('properties that are not shown'),
  }),
  representations: [{ name: 'html', mediaType: 'text/html' }],
  async handler({ store, configuration, representation, control }, { iri }) {
    return withSnapshot(store.snapshot(), async (snapshot) => {
      const entity = readEntity(snapshot.storage, iri, CURRENT, FACTS_MAX, control);
      const properties = propertiesOf(entity);
      const shown = properties.slice(0, PROPERTIES_SHOWN);
      const more = properties.length - shown.length;
      if (representation === 'html') {
        const chunks = whole(previewCard({ entity, shown, more, prefix: pathPrefix(configuration) }));
        return { kind: 'document', mediaType: 'text/html; charset=utf-8', chunks };
      }
      const types = [...typesOf(entity)];
      const [type] = types;
      const body = {
        iri: termToJson(entity.term) as string,
        label: labelOf(entity),
        type: type === undefined ? 'Thing' : localPart(type),
        types,
        description: descriptionOf(entity),
        properties: shown.map(({ predicate, value }) => ({
          predicate: predicate.value,
          label: localPart(predicate.value),
          value: termToJson(value),
        })),
        more,
      };
      return { kind: 'body', body };
    });
  },
  projections: { http: [{ method: 'GET', path: '/preview/{iri}', request: 'protocol' }] },
});
