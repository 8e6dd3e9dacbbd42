/** The namespace of stores that were not given one: minted nodes, domain predicates, what episodes say of themselves (wire shapes, 1.1). */

export const BASE_NS_DEFAULT = 'http://svc.local/ontology/';
