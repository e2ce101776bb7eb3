// The regular expressions of Go. In a file of its own, so that the library is loaded only if there are such expressions.

export { RE2JS } from 're2js';
