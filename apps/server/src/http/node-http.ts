/** `node:http`. An `import` would read all its members, one of which loads fetch: that takes a tenth of the startup time. */
export const { createServer, OutgoingMessage, ServerResponse, STATUS_CODES } = process.getBuiltinModule('node:http');
