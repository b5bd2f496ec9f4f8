// The rules for what is wrong only together with another part of the document. Each has an example
// of what it refuses.
import {
  type DeclaredOperation,
  deploymentsOf,
  followed,
  isRecursive,
  jsonSchemaOf,
  listOf,
  type Node,
  operationsIn,
  parametersOf,
  recordOf,
  schemasOf,
} from './document.ts';
import { commandOf, kebabCase, operationType, typeName } from './names.ts';
import type { Refuse } from './object-rules.ts';

/** Refuses at a path of the document, such as `['paths', '/pets', 'get']`. */
export type RefuseAt = (path: readonly string[]) => Refuse;

export function checkDocument(document: Node, refuseAt: RefuseAt): void {
  const operations = operationsIn(document);
  const schemas = schemasOf(document);
  checkCommands(operations, refuseAt);
  for (const declared of operations) {
    const { path, method, operation } = declared;
    const refuse = refuseAt(['paths', path, method]);
    const parameters = parametersOf(declared, document);
    checkRequestBody(operation, method, refuse);
    checkSuccessor(operation, operations, refuse);
    checkParameterNames(parameters, refuse);
    checkIdempotencyKey(parameters, method, refuse);
    if ('x-pagination' in operation) {
      checkPage(operation, document, refuse);
      checkPageInputs(operation, parameters, refuse);
    }
    checkOperationTypes(operation, schemas, refuse);
  }
  checkSchemas(schemas, refuseAt);
  checkServers(document, refuseAt([]));
}

function checkCommands(operations: readonly DeclaredOperation[], refuseAt: RefuseAt): void {
  const owners = new Map<string, unknown>();
  for (const { path, method, operation } of operations) {
    const command = commandOf(operation, path).join(' ');
    const problem = commandProblem(operation, command, owners.get(command));
    if (problem !== undefined)
      refuseAt(['paths', path, method])(problem, 'choose another in x-command');
    owners.set(command, operation.operationId);
  }
}

/** What is wrong with the command of an operation. `owner` is the earlier operation that has it. */
function commandProblem(operation: Node, command: string, owner: unknown): string | undefined {
  // tags: [auth]
  if (isOwnCommand(command)) return `the command '${command}' beside that of petctl itself`;
  // two operations with x-command: pets list
  if (owner !== undefined) return `the command '${command}' beside that of ${owner}`;
  // tags: [宠物], which leaves no first word. A table has the rule for x-command.
  if (operation['x-command'] === undefined && !/^\S+ \S+$/.test(command))
    return `the command '${command}'`;
  return undefined;
}

/**
 * Whether petctl itself has this command, or its group: `auth login`, `pets import`.
 */
function isOwnCommand(command: string): boolean {
  const [group = '', verb] = command.split(' ');
  return ['auth', 'completion', 'help'].includes(group) || verb === 'import';
}

function checkRequestBody({ requestBody }: Node, method: string, refuse: Refuse): void {
  // delete: { requestBody: … }
  if (requestBody && (method === 'get' || method === 'delete'))
    refuse(`a body of ${method.toUpperCase()}`, 'use POST or PUT', 'requestBody');
}

function checkSuccessor(
  { operationId, 'x-successor': successor }: Node,
  operations: readonly DeclaredOperation[],
  refuse: Refuse,
): void {
  // x-successor: listPetz
  if (successor === undefined) return;
  const isOther = successor !== operationId;
  if (isOther && operations.some(({ operation }) => operation.operationId === successor)) return;
  const fix = 'write the operationId of another operation';
  refuse(`the successor ${successor}`, fix, 'x-successor');
}

/** The names of parameters become names of inputs and of petctl's flags. */
function checkParameterNames(parameters: readonly Node[], refuse: Refuse): void {
  // petId in the path, and pet_id in the query
  const names = parameters.map(({ name }) => kebabCase(String(name)));
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined)
    refuse(`two parameters called ${repeated}`, 'rename one of them', 'parameters');
}

function checkIdempotencyKey(parameters: readonly Node[], method: string, refuse: Refuse): void {
  // put: { parameters: [{ x-idempotency-key: true, … }] }
  const keys = parameters.filter((parameter) => parameter['x-idempotency-key'] === true);
  const most = method === 'post' || method === 'patch' ? 1 : 0;
  if (keys.length > most) {
    const problem = `this x-idempotency-key of ${method.toUpperCase()}`;
    refuse(problem, 'declare one, for POST or PATCH', 'parameters');
  }
}

function checkPage(operation: Node, document: Node, refuse: Refuse): void {
  // x-pagination beside a response 200 that is an object
  const page = followed(document, recordOf(operation.responses)['200']);
  if (followed(document, jsonSchemaOf(page)).type !== 'array')
    refuse('x-pagination without a list', 'declare the response 200 with an array', 'x-pagination');
}

function checkPageInputs(operation: Node, parameters: readonly Node[], refuse: Refuse): void {
  // x-pagination: { curser: after, limit: limit, key: id }
  const { cursor, limit, key, ...others } = recordOf(operation['x-pagination']);
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const names = inQuery.map(({ name }) => name);
  const isComplete = names.includes(cursor) && names.includes(limit) && typeof key === 'string';
  if (isComplete && Object.keys(others).length === 0) return;
  const fix = 'write cursor and limit, which are query parameters, and key';
  refuse('this x-pagination', fix, 'x-pagination');
}

function checkOperationTypes({ operationId }: Node, schemas: Node, refuse: Refuse): void {
  // operationId: listPets beside the schema ListPetsData
  for (const part of ['Data', 'Responses', 'Response', 'Errors', 'Error']) {
    const name = operationType(String(operationId), part);
    if (Object.hasOwn(schemas, name)) {
      const problem = `the operationId ${operationId} beside the schema ${name}`;
      refuse(problem, 'rename one', 'operationId');
    }
  }
}

function checkSchemas(schemas: Node, refuseAt: RefuseAt): void {
  for (const schema of Object.keys(schemas)) {
    const refuse = refuseAt(['components', 'schemas', schema]);
    const name = typeName(schema);
    // Error beside ApiError
    if (name !== schema && Object.hasOwn(schemas, name))
      refuse(`${schema} beside ${name}`, 'rename one');
    // Json: { anyOf: [{ type: string }, { $ref: '#/components/schemas/Json' }] }
    if (isRecursive(schema, schemas, ['properties', 'items', 'additionalProperties']))
      refuse(`${schema}, which is a part of itself`, 'put a property or an array between');
  }
}

function checkServers(document: Node, refuse: Refuse): void {
  const servers = listOf(document.servers).map(recordOf);
  // two servers with x-deployment: production
  const names = new Set(servers.map((server) => server['x-deployment']));
  if (names.size < servers.length)
    refuse('two servers of one name', 'give each its own x-deployment', 'servers');
  // url: https://pets example.com
  const urls = Object.values(deploymentsOf(document)).map(urlOf);
  if (urls.includes(null)) refuse('a server whose address is no URL', 'write a URL', 'servers');
  // url: https://example.com/v1 beside https://example.com/v2
  else if (new Set(urls.map((url) => url?.pathname)).size > 1)
    refuse('servers with different paths', 'end all with the same one', 'servers');
}

function urlOf(address: string): URL | null {
  return URL.parse(address, 'http://localhost');
}
