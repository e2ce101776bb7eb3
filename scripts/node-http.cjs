// node:http as the bundle asks for it. From Node 22 on, an `import` of it reads each of its exports, and one of them (WebSocket) loads
// all of undici: 8 MB, and under --jitless, which leaves out WebAssembly, the end of the process. This reads none.

module.exports = process.getBuiltinModule('node:http');
