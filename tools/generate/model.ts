// The model of a document: the service and its operations, from which all code is generated.
import type { Field, Operation, Schema } from '@petstore/types';
import { bodyOf } from './body.ts';
import { type Document, defined, ErrorCollector, list, type Node, node, reject, text } from './document.ts';
import { withoutFilesInJson } from './files.ts';
import { commandOf, derivedId, functionName } from './operation-names.ts';
import { idempotencyKeyOf, parameterNodes, parametersOf } from './parameters.ts';
import { paginationOf, responsesOf } from './responses.ts';
import { Schemas, supportedSchema } from './schemas.ts';
import { type Service, schemesOf, securityOf, serverOf, serviceOf } from './service.ts';

/** An operation, with the schema and the description of its body in the document. */
export interface OperationModel {
  readonly operation: Operation;
  /** The schema of the body with the chosen media type. */
  readonly bodySchema?: Schema;
  readonly bodyDescription?: string;
  /** The names of the headers of its responses. */
  readonly responseHeaders: readonly string[];
}

export interface Model {
  readonly document: Document;
  readonly service: Service;
  readonly operations: readonly OperationModel[];
}

/** The parts of a document that all operations share. */
interface Context {
  readonly document: Document;
  readonly schemas: Schemas;
  readonly schemes: Service['securitySchemes'];
  readonly errors: ErrorCollector;
}

/** The names of operations in a path item. */
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Builds the model of a document. Throws one SpecError that lists all unsupported constructs. */
export function modelOf(loaded: Document): Model {
  const document = withoutFilesInJson(loaded);
  const errors = new ErrorCollector();
  const schemas = new Schemas(document);
  const schemes = errors.try(() => schemesOf(document, schemas)) ?? {};
  const security = errors.try(() => securityOf(document.security, 'security', schemes)) ?? [];
  const operations: OperationModel[] = [];
  for (const [path, value] of Object.entries(node(document.paths))) {
    if (path.startsWith('x-')) continue;
    const pathItem = errors.try(() => schemas.target(value, `paths.${path}`)) ?? {};
    for (const method of Object.keys(pathItem).filter((name) => methods.includes(name)))
      operations.push(operationModelOf(pathItem, path, method, { document, schemas, schemes, errors }));
  }
  // This loop only collects errors: a schema that no operation uses must also be valid.
  for (const [name, schema] of Object.entries(node(node(document.components).schemas)))
    errors.try(() => supportedSchema(schema, `components.schemas.${name}`));
  rejectDuplicates(operations, errors);
  const ids = new Set(operations.map(({ operation }) => operation.id));
  for (const { method, path, successor } of operations.map(({ operation }) => operation))
    if (successor !== undefined && !ids.has(successor))
      errors.reject(
        `paths.${path}.${method.toLowerCase()}.x-successor`,
        `'${successor}' is not an operation`,
        'write the operationId of another operation',
      );
  const responseHeaders = operations.flatMap((operation) => operation.responseHeaders);
  const service = errors.try(() => serviceOf(document, schemes, security, responseHeaders));
  errors.throwIfAny();
  return { document, service: service as Service, operations };
}

function operationModelOf(
  pathItem: Node,
  path: string,
  method: string,
  { document, schemas, schemes, errors }: Context,
): OperationModel {
  const declared = node(pathItem[method]);
  const at = `paths.${path}.${method}`;
  const declaredParameters = parameterNodes(pathItem, declared, at, schemas, errors);
  const parameters = parametersOf(declaredParameters, at, schemas, errors);
  const request = errors.try(() => bodyOf(declared, at, parameters, schemas));
  rejectUnsendable(path, method, at, parameters, request !== undefined, errors);
  const fields = { ...Object.fromEntries(parameters), ...request?.fields };
  const noOutcomes = { headers: [], responses: {}, successes: [], success: undefined };
  const { headers, ...outcomes } = errors.try(() => responsesOf(declared, method, at, schemas)) ?? noOutcomes;
  const id = errors.try(() => functionName(text(declared.operationId) ?? derivedId(method, path), at)) ?? '';
  const tags = list(declared.tags).map(String);
  const named = { id, method, path, tag: tags[0], command: declared['x-command'] };
  const operation = defined<Operation>({
    id,
    method: method.toUpperCase() as Operation['method'],
    path,
    server: errors.try(() => serverOf(document, pathItem, declared, at)),
    command: errors.try(() => commandOf(named, at)) ?? [],
    summary: text(declared.summary) ?? text(pathItem.summary) ?? `${method.toUpperCase()} ${path}`,
    description: (text(declared.description) ?? text(pathItem.description) ?? '').trim(),
    tags,
    deprecated: declared.deprecated === true,
    deprecatedSince: errors.try(() => dateOf(declared, 'x-deprecated-since', at)),
    sunset: errors.try(() => dateOf(declared, 'x-sunset', at)),
    successor: errors.try(() => successorOf(declared, at)),
    stability: errors.try(() => stabilityOf(declared, at)),
    security: errors.try(() => securityOf(declared.security ?? document.security, `${at}.security`, schemes)) ?? [],
    body: request?.body,
    idempotencyKey: errors.try(() => idempotencyKeyOf(declaredParameters, method, at, schemas)),
    pagination: errors.try(() => paginationOf(declared, at, new Set(Object.keys(fields)), outcomes.successes)),
    fields,
    ...outcomes,
  });
  return {
    operation,
    responseHeaders: headers,
    ...(request && { bodySchema: request.schema, bodyDescription: request.description }),
  };
}

/** A date of a deprecation. It must be valid, because the server converts it for a header. */
function dateOf(declared: Node, name: string, at: string): string | undefined {
  const value = declared[name];
  const date = text(value);
  if (value === undefined || (date && /^\d{4}-\d\d-\d\d/.test(date) && !Number.isNaN(Date.parse(date)))) return date;
  return reject(`${at}.${name}`, `'${value}' is not a date`, 'write a date such as "2030-12-31"');
}

/** The name of the function of the operation that replaces this one. */
function successorOf(declared: Node, at: string): string | undefined {
  const operationId = text(declared['x-successor']);
  return operationId === undefined ? undefined : functionName(operationId, at);
}

function stabilityOf(declared: Node, at: string): Operation['stability'] {
  const level = declared['x-stability-level'];
  if (level === undefined || level === 'experimental' || level === 'beta') return level;
  return reject(`${at}.x-stability-level`, `'${level}' is not a stability level`, 'write experimental or beta');
}

/** Rejects a path, a body and parameter names that no client can send. */
function rejectUnsendable(
  path: string,
  method: string,
  at: string,
  parameters: ReadonlyMap<string, Field>,
  hasBody: boolean,
  errors: ErrorCollector,
): void {
  if (/[?#]/.test(path))
    errors.reject(at, 'the path contains a query or a fragment', 'declare query parameters instead');
  if (method === 'trace') errors.reject(at, 'fetch cannot send TRACE', 'remove the operation');
  const names = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name);
  for (const [i, name] of names.entries()) {
    if (parameters.get(name)?.in !== 'path') {
      const problem = `the path contains {${name}}, but no path parameter '${name}' is declared`;
      errors.reject(`${at}.parameters`, problem, 'declare the parameter');
    }
    if (names.indexOf(name) < i) errors.reject(at, `the path contains {${name}} twice`, 'rename one of them');
  }
  for (const [name, { in: location }] of parameters)
    if (location === 'path' && !names.includes(name))
      errors.reject(
        `${at}.parameters.${name}`,
        `the path does not contain {${name}}`,
        'add it, or remove the parameter',
      );
  if (hasBody && /^(get|head)$/.test(method))
    errors.reject(`${at}.requestBody`, `${method.toUpperCase()} has a body, which fetch cannot send`, 'use POST');
  for (const name of ['__proto__', 'constructor'].filter((reserved) => parameters.has(reserved))) {
    const problem = `clients cannot have an input with the name '${name}'`;
    errors.reject(`${at}.parameters.${name}`, problem, 'rename the parameter');
  }
}

/** Rejects an operation whose function or command is taken, or whose path differs from another one only in parameter names. */
function rejectDuplicates(operations: readonly OperationModel[], errors: ErrorCollector): void {
  const ids = new Map<string, Operation>();
  const commands = new Map<string, Operation>();
  const paths = new Map<string, string>();
  for (const { operation } of operations) {
    const { id, method, path } = operation;
    const at = `paths.${path}.${method.toLowerCase()}`;
    const command = operation.command.join(' ');
    const [sameId, sameCommand] = [ids.get(id), commands.get(command)];
    if (sameId) {
      const problem = `'${id}' is also the operationId of ${sameId.method} ${sameId.path}`;
      errors.reject(`${at}.operationId`, problem, 'choose another operationId');
    } else if (sameCommand && command !== '') {
      const problem = `the command '${command}' is already used by ${sameCommand.id}`;
      errors.reject(at, problem, 'choose another command in x-command');
    }
    const shape = path.replaceAll(/\{[^}]*\}/g, '{}');
    const firstPath = paths.get(shape) ?? path;
    if (firstPath !== path) {
      const problem = `the path differs from ${firstPath} only in names of parameters`;
      errors.reject(`paths.${path}`, problem, 'declare all operations below one of them');
    }
    paths.set(shape, firstPath);
    ids.set(id, operation);
    commands.set(command, operation);
  }
}
