export { Caller } from './caller.ts';
export { Load } from './load.ts';
export { apiKey, type ServerProcess, serverNode, startServer } from './server.ts';
export { Walker } from './walker.ts';
