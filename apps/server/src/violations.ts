// Says in words what is wrong with a request.
import { HttpError } from './errors.ts';

/** What breaks the spec, and where: `/body/name`, `/query/limit`. */
export interface Violation {
  readonly path: string;
  readonly keyword: string;
  readonly message: string;
}

/** The error that names all violations of a request. */
export function violationError(violations: readonly Violation[], body: unknown): HttpError {
  const sentences = new Set<string>();
  for (const violation of violations)
    if (!isExplained(violation, violations)) sentences.add(sentenceOf(violation, body));
  // No pet can have an invalid identifier, so the path leads nowhere.
  const isPath = violations.some(({ path }) => placeOf(path) === 'path');
  const message = [...sentences].join('; ') || 'The request does not match the spec.';
  return new HttpError(isPath ? 'not_found' : 'invalid_request', message);
}

const wordings: Readonly<Record<string, string>> = {
  additionalProperties: 'there is no such property',
  required: 'it is missing',
  'must match format "int32"': 'must be a 32-bit integer',
  'must match format "int64"': 'must be a 64-bit integer',
};

/** Whether another violation says more: a bound in the spec is narrower than the range of the format. */
function isExplained({ path, keyword }: Violation, all: readonly Violation[]): boolean {
  if (keyword !== 'format') return false;
  return all.some((other) => other.path === path && other.keyword !== keyword);
}

function sentenceOf({ path, keyword, message }: Violation, body: unknown): string {
  const name = nameIn(path, body);
  const where = name === '' ? placeOf(path) : `${placeOf(path)} '${name}'`;
  return `${where}: ${wordings[keyword] ?? wordings[message] ?? message}`;
}

/** The part of the request: `query`, `path`, `header` or `body`. */
function placeOf(path: string): string {
  const [, place = ''] = path.split('/', 2);
  if (place === 'params') return 'path';
  return place === 'headers' ? 'header' : place;
}

/** The parameter or the property, with dots between the levels: `owner.name`. */
function nameIn(path: string, body: unknown): string {
  const [, , ...names] = path.split('/');
  const rest = names.join('/');
  // The validator does not escape a name that has a slash.
  if (typeof body === 'object' && body !== null && Object.hasOwn(body, rest)) return rest;
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')).join('.');
}
