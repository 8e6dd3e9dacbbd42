/** What the kernels export. */

export * from './tokenise-lines';
