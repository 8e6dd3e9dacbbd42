declare module 'snowball-stemmers' {
  interface Stemmer {
    stem(word: string): string;
  }
  const stemmers: {
    algorithms(): string[];
    newStemmer(algorithm: string): Stemmer;
  };
  export default stemmers;
}
