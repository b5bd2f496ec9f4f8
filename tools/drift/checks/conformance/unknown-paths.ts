import { readJson } from '../../../openapi/compare.ts';
import { valueErrors } from '../../../openapi/validate.ts';
import { list, node, type Spec } from '../../openapi.ts';
import { requiredInputs } from '../values.ts';
import { requestFor, requestForPath, type Service } from './service.ts';

const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'];

/**
 * Errors in the responses to undeclared endpoints: an undeclared path has to get 404, and an undeclared method 405 with the
 * methods of the path. Each of the `candidates`, paths without their first slash, is requested below the base path, and below
 * each declared path.
 */
export async function* unknownPathErrors(service: Service, candidates: readonly string[]): AsyncGenerator<string> {
  const { spec, send } = service;
  const request = (method: string, path: string) => send(requestForPath(service, method, path));
  const declared = Map.groupBy(spec.operations.values(), (operation) => {
    const { target } = requestFor(service, operation, requiredInputs(spec, operation));
    return target.split('?')[0] ?? '';
  });
  const unknown = [
    '/no-such-path',
    ...candidates.flatMap((candidate) => ['', ...declared.keys()].map((path) => `${path}/${candidate}`)),
    ...[...declared.keys()].flatMap((path) => [`${path}/no-such-path`, `${path}/`, path.toUpperCase()]),
  ];
  for (const path of unknown.filter((path) => !isDeclared(spec, path))) {
    const response = await request('GET', path);
    if (response.status !== 404) yield `the response to GET ${path} is ${response.status}, not 404`;
    yield* bodyErrors(spec, `GET ${path}`, await response.text());
  }
  if (list(spec.root.security).some((schemes) => Object.keys(node(schemes)).length > 0)) {
    const { status } = await send({ method: 'GET', target: '/no-such-path', headers: {} });
    if (status !== 401) yield `the response to GET /no-such-path without an API key is ${status}, not 401`;
  }
  for (const [path, operations] of declared) {
    const methods = operations.map(({ method }) => method);
    yield* methodErrors(spec, path, methods, (method) => request(method, path));
  }
}

/**
 * Errors in the responses to methods that a path does not declare: HEAD gets the status of GET, OPTIONS a list of all methods
 * (RFC 9110 9.3), and any other method 405 with the same list.
 */
async function* methodErrors(
  spec: Spec,
  target: string,
  methods: readonly string[],
  request: (method: string) => Promise<Response>,
): AsyncGenerator<string> {
  const isRead = methods.includes('GET');
  const allow = [...new Set([...methods, ...(isRead ? ['HEAD'] : []), 'OPTIONS'])].toSorted().join(', ');
  const allowOf = ({ headers }: Response) => headers.get('allow')?.split(/, */).toSorted().join(', ');
  const options = methods.includes('OPTIONS') ? allow : allowOf(await request('OPTIONS'));
  if (options !== allow) yield `OPTIONS ${target} allows ${options}, not ${allow}`;
  if (isRead && !methods.includes('HEAD')) {
    const [get, head] = [(await request('GET')).status, (await request('HEAD')).status];
    if (get !== head) yield `the response to HEAD ${target} is ${head}, and to GET it is ${get}`;
  }
  for (const method of METHODS.filter((name) => !methods.includes(name))) {
    const response = await request(method);
    const { status } = response;
    if (status !== 405) yield `the response to ${method} ${target} is ${status}, not 405`;
    else if (allowOf(response) !== allow)
      yield `the response to ${method} ${target} has Allow ${allowOf(response)}, not ${allow}`;
    yield* bodyErrors(spec, `${method} ${target}`, await response.text());
  }
}

/** Whether the path is one of an operation, with any parameters. */
function isDeclared(spec: Spec, target: string): boolean {
  return spec.operations.values().some(({ path }) => {
    const pattern = path.split(/\{[^}]+\}/).map((text) => RegExp.escape(text));
    return new RegExp(`^${pattern.join('[^/]+')}$`).test(target);
  });
}

/** Errors in the body of a response to an undeclared endpoint. The body has to be an Error. */
function bodyErrors(spec: Spec, request: string, text: string): string[] {
  const schema = spec.root.components?.schemas?.Error;
  const errors = schema && valueErrors(spec, 'response')(schema, readJson(text));
  return errors ? [`the body of the response to ${request} is ${text.slice(0, 100)}: ${errors}`] : [];
}
