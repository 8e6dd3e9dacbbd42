/** The text of a style sheet of a package. */
declare module '*.css' {
  const text: string;
  export default text;
}
