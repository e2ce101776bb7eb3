// The exports of the library yaml that are used. A file of its own, so that it can be loaded on demand: a bundler gives no named exports to a
// CommonJS package that is imported with `import()`.

export { Composer, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, Parser } from 'yaml';
