/** Where the text index of a file stands, and what to do where it is damaged. */

export const TEXT_DATABASE = 'texts';

/** It is made of terms, so that no fact is lost with it. */
export const TEXT_DAMAGE_HINT =
  'facts are whole: \'svc repair\' makes the text index anew; until then search.text_backend = "substring" searches without it';
