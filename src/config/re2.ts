// The regular expressions of Go: what is used of the library, so that it can be loaded late, where there are relabelings.

export { RE2JS } from 're2js';
