/** The source of transactions that write what ontologies entail. */
export const OWL_SOURCE = 'owl:materialize';
