// The operation model: one row per operation, from which all code is generated.
import type { Operation, Schema, SecurityScheme } from '@petstore/types';
import { kebab } from 'petctl/names';
import { bodyOf } from './body.ts';
import { type Document, defined, list, type Node, node, text } from './node.ts';
import { commandOf, derivedId, functionName } from './operation-names.ts';
import { idempotencyKeyOf, parametersOf } from './parameters.ts';
import { paginationOf, responsesOf } from './responses.ts';
import { Schemas } from './schemas.ts';
import { keyScheme, schemesOf, securityOf } from './security.ts';
import { Stops, stop } from './stops.ts';

/** What the document says of the service as a whole. */
export interface Service {
  readonly title: string;
  readonly version: string;
  readonly summary: string;
  readonly deployments: Readonly<Record<string, string>>;
  readonly statuses: Readonly<Record<string, number>>;
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** The scheme whose credential is the API key. */
  readonly keyScheme?: string;
  /** The default security of operations: alternatives, each a set of schemes that are required together. */
  readonly security: readonly (readonly string[])[];
}

/** An operation, with the document nodes that it was built from. */
export interface Row {
  readonly operation: Operation;
  readonly path: Node;
  readonly node: Node;
  /** The schema of the body that was chosen. */
  readonly bodySchema?: Schema;
  readonly bodyDescription?: string;
}

export interface Model {
  readonly document: Document;
  readonly service: Service;
  readonly rows: readonly Row[];
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Builds the model of a document. Throws one SpecError that lists all unsupported constructs. */
export function modelOf(document: Document): Model {
  const stops = new Stops();
  const schemas = new Schemas(document);
  const schemes = stops.try(() => schemesOf(document, schemas)) ?? {};
  const security = stops.try(() => securityOf(document.security, 'security', schemes)) ?? [];
  const rows: Row[] = [];
  for (const [path, value] of Object.entries(node(document.paths))) {
    if (path.startsWith('x-')) continue;
    const item = stops.try(() => schemas.target(value, `paths.${path}`)) ?? {};
    for (const method of Object.keys(item).filter((key) => methods.includes(key))) {
      const row = stops.try(() => rowOf(document, item, path, method, schemas, schemes, stops));
      if (row) rows.push(row);
    }
  }
  refuseTwins(rows, stops);
  const service = stops.try(() => serviceOf(document, schemes, security));
  stops.throwIfAny();
  return { document, service: service as Service, rows };
}

function rowOf(
  document: Document,
  item: Node,
  path: string,
  method: string,
  schemas: Schemas,
  schemes: Readonly<Record<string, SecurityScheme>>,
  stops: Stops,
): Row {
  const written = node(item[method]);
  const place = `paths.${path}.${method}`;
  const parameters = parametersOf(item, written, place, schemas, stops);
  if (/[?#]/.test(path))
    stops.try(() => stop(place, 'a path with a query or a fragment', 'write parameters, and a path of its own'));
  for (const [, name = ''] of path.matchAll(/\{([^}]*)\}/g))
    if (parameters.get(name)?.in !== 'path')
      stops.try(() => stop(`${place}.parameters`, `{${name}} of the path is no path parameter`, 'describe it'));
  const taken = stops.try(() => bodyOf(written, place, parameters, schemas));
  if (taken && /^(get|head|trace)$/.test(method))
    stops.try(() =>
      stop(`${place}.requestBody`, `a body with ${method.toUpperCase()}, which fetch cannot send`, 'write POST'),
    );
  const fields = Object.fromEntries([...parameters, ...(taken?.fields ?? [])]);
  for (const name of ['__proto__', 'constructor'])
    if (parameters.has(name))
      stops.try(() => stop(`${place}.parameters.${name}`, `an input called '${name}'`, 'write another name'));
  const answers = stops.try(() => responsesOf(written, place, schemas)) ?? {
    responses: {},
    successes: [],
    success: undefined,
  };
  const id = stops.try(() => functionName(text(written.operationId) ?? derivedId(method, path), place)) ?? '';
  const tags = list(written.tags).map(String);
  const command =
    stops.try(() => commandOf({ id, method, path, tag: tags[0], command: written['x-command'] }, place)) ?? [];
  const operation = defined<Operation>({
    id,
    method: method.toUpperCase() as Operation['method'],
    path,
    server: stops.try(() => ownServer(document, item, written, place)),
    command,
    summary: text(written.summary) ?? text(item.summary) ?? `${method.toUpperCase()} ${path}`,
    description: (text(written.description) ?? text(item.description) ?? '').trim(),
    tags,
    deprecated: written.deprecated === true,
    deprecatedSince: text(written['x-deprecated-since']),
    sunset: text(written['x-sunset']),
    successor: text(written['x-successor']),
    stability: text(written['x-stability-level']) as Operation['stability'],
    security: stops.try(() => securityOf(written.security ?? document.security, `${place}.security`, schemes)) ?? [],
    body: taken?.body,
    idempotencyKey: stops.try(() => idempotencyKeyOf(item, written, method, place, schemas, stops)),
    pagination: stops.try(() => paginationOf(written, place, new Set(Object.keys(fields)))),
    fields,
    ...answers,
  });
  return {
    operation,
    path: item,
    node: written,
    ...(taken && { bodySchema: taken.schema, bodyDescription: taken.description }),
  };
}

/** The first server of the operation, else of its path; undefined if it is the same as the service's. */
function ownServer(document: Document, item: Node, written: Node, place: string): string | undefined {
  const [server] = [written.servers, item.servers].map(list).find((servers) => servers.length > 0) ?? [];
  if (server === undefined) return undefined;
  const [own, standard] = [addressOf(node(server), `${place}.servers.0`), addressOf(node(list(document.servers)[0]))];
  if (!URL.canParse(own) && URL.canParse(standard))
    stop(`${place}.servers.0`, `'${own}' is relative to the place of this document`, 'write the whole address');
  return own === standard ? undefined : own;
}

/** No two operations share a function or a command. */
function refuseTwins(rows: readonly Row[], stops: Stops): void {
  const ids = new Map<string, Operation>();
  const commands = new Map<string, Operation>();
  for (const { operation } of rows) {
    const place = `paths.${operation.path}.${operation.method.toLowerCase()}`;
    const command = operation.command.join(' ');
    const [sameId, sameCommand] = [ids.get(operation.id), commands.get(command)];
    if (sameId)
      stops.try(() =>
        stop(`${place}.operationId`, `'${operation.id}' is ${sameId.method} ${sameId.path} too`, 'write another'),
      );
    else if (sameCommand && command !== '')
      stops.try(() =>
        stop(place, `its command '${command}' is that of ${sameCommand.id} too`, 'choose one in x-command'),
      );
    ids.set(operation.id, operation);
    commands.set(command, operation);
  }
}

function serviceOf(
  document: Document,
  securitySchemes: Readonly<Record<string, SecurityScheme>>,
  security: Service['security'],
): Service {
  const { title, version, summary, description } = node(document.info);
  const [firstLine = ''] = (text(description) ?? '').trim().split('\n');
  const codes = node(node(node(document.components).schemas).ErrorCode);
  return defined<Service>({
    title: String(title ?? ''),
    version: String(version ?? ''),
    summary: text(summary) ?? firstLine,
    statuses: node(codes['x-statuses']) as Record<string, number>,
    deployments: deploymentsOf(document),
    securitySchemes,
    keyScheme: keyScheme(document, securitySchemes),
    security,
  });
}

/** The servers by name, else by description. */
export function deploymentsOf(document: Document): Record<string, string> {
  const found: Record<string, string> = {};
  const servers = list(document.servers).map(node);
  for (const [i, server] of (servers.length > 0 ? servers : [{ url: '/' }]).entries()) {
    const { description, 'x-deployment': written } = server as Node;
    const words = kebab(text(description) ?? '');
    const name = text(written) ?? (words !== '' && words.length <= 24 ? words : `server${i + 1}`);
    if (Object.hasOwn(found, name))
      stop(`servers.${i}`, `there are two deployments called '${name}'`, 'name them in x-deployment');
    found[name] = addressOf(node(server), `servers.${i}`);
  }
  return found;
}

/** The address of a server, with the default of each variable. */
function addressOf({ url = '/', variables }: Node, where = 'servers.0'): string {
  return String(url).replace(/\{([^}]+)\}/g, (_, key: string) => {
    const value = node(node(variables)[key]).default;
    return value === undefined ? stop(`${where}.variables`, `{${key}} has no default`, 'write one') : String(value);
  });
}
