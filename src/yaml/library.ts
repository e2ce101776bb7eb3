// What is used of the library yaml, so that it can be loaded late: a bundler gives a CommonJS package that is imported by
// `import()` no names.

export { Composer, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, Parser } from 'yaml';
