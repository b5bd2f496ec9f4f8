/** `node:http`. An import of it reads all its members, and one of them loads fetch: that is a tenth of a start. */
export const { createServer, OutgoingMessage, ServerResponse, STATUS_CODES } = process.getBuiltinModule('node:http');
