/** Where the text index of a file stands. */

export const TEXT_DATABASE = 'texts';
