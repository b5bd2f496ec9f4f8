// Turns what hey-api read from the spec into the rows of the operations table.
import type { IR } from '@hey-api/openapi-ts';
import type { Operation } from '@petstore/types';
import { type Context, defined, fieldsOf, resultOf } from './values.ts';

/** The row of one operation. Stops the build with a sentence where the table cannot carry what the spec says. */
export function tableOf(operation: IR.OperationObject, context: Context): Operation {
  const statuses = Object.keys(operation.responses ?? {}).filter((status) => /^\d{3}$/.test(status));
  const [success, ...others] = statuses.map(Number).filter((status) => status < 300);
  if (success === undefined || others.length > 0) {
    throw new Error(`${operation.id}: declare exactly one 2xx status, that is what the operation answers`);
  }
  return defined<Operation>({
    id: operation.id,
    method: operation.method.toUpperCase() as Operation['method'],
    path: operation.path,
    success,
    statuses: statuses.map(Number),
    summary: operation.summary ?? '',
    description: operation.description?.trim() ?? '',
    tags: operation.tags ?? [],
    deprecated: operation.deprecated ?? false,
    deprecatedSince: extension(operation, 'x-deprecated-since'),
    sunset: extension(operation, 'x-sunset'),
    successor: extension(operation, 'x-successor'),
    stability: extension(operation, 'x-stability-level'),
    security: securityOf(operation, context),
    body: operation.body && { required: operation.body.required ?? false, mediaType: operation.body.mediaType },
    pagination: extension(operation, 'x-pagination'),
    fields: fieldsOf(operation, context),
    result: resultOf(operation, success, context),
  });
}

/** What the spec says of the service as a whole. */
export function serviceOf({ spec }: Context) {
  const deployments: Record<string, string> = {};
  for (const server of spec.servers ?? []) {
    const name = server['x-deployment'];
    if (typeof name !== 'string') throw new Error(`server ${server.url}: name the deployment in x-deployment`);
    deployments[name] = server.url.replace(/\{(\w+)\}/g, (_: string, key: string) => server.variables[key].default);
  }
  const { title, version, summary } = spec.info;
  return { title, version, summary, deployments, statuses: spec.components.schemas.ErrorCode['x-statuses'] };
}

/** The comment that editors show for an operation: summary, description, and what is said of its future. */
export function commentOf(row: Operation): string[] {
  const lines = [row.summary, '', ...row.description.split('\n')];
  if (row.stability) lines.push('', `Stability: ${row.stability}.`);
  if (row.deprecated) {
    const until = row.sunset ? ` It is going to be removed on ${row.sunset}.` : '';
    const instead = row.successor ? ` Use \`${row.successor}\` instead.` : '';
    lines.push('', `@deprecated since ${row.deprecatedSince ?? 'now'}.${until}${instead}`);
  }
  return lines.map((line) => line.replaceAll('*/', '*\\/'));
}

function securityOf(operation: IR.OperationObject, { spec }: Context): string[] {
  const requirements: Record<string, unknown>[] =
    spec.paths[operation.path][operation.method].security ?? spec.security ?? [];
  return requirements.flatMap((requirement) => Object.keys(requirement));
}

function extension<T>(operation: IR.OperationObject, name: `x-${string}`): T | undefined {
  return operation[name] as T | undefined;
}
