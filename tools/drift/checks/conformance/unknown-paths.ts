import { valueErrors } from '../../../openapi/validate.ts';
import { list, node, type Spec } from '../../openapi.ts';
import { requiredInputs } from '../values.ts';
import { requestFor, type Service } from './service.ts';

const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'];

/**
 * Errors in the responses to undeclared endpoints: an undeclared path has to get 404, and an undeclared method 405 with the
 * methods of the path. `words` are segments that may occur in undeclared paths.
 */
export async function* unknownPathErrors(service: Service, words: readonly string[]): AsyncGenerator<string> {
  const { spec, send } = service;
  const requests = [...spec.operations.values()].map((operation) => {
    const { target, headers } = requestFor(service, operation, requiredInputs(spec, operation));
    return { path: target.split('?')[0] ?? '', method: operation.method, headers };
  });
  const declared = Map.groupBy(requests, ({ path }) => path);
  // Without a body, the rest authenticates a request.
  const { 'content-type': _, ...headers } = requests[0]?.headers ?? {};
  const unknown = [
    '/no-such-path',
    '/store/orders',
    ...words.flatMap((word) => ['', ...declared.keys()].map((path) => `${path}/${word}`)),
    ...[...declared.keys()].flatMap((path) => [`${path}/no-such-path`, `${path}/`, path.toUpperCase()]),
  ];
  for (const target of unknown.filter((path) => !isDeclared(spec, path))) {
    const response = await send({ method: 'GET', target, headers });
    if (response.status !== 404) yield `the response to GET ${target} is ${response.status}, not 404`;
    yield* bodyErrors(spec, `GET ${target}`, await response.text());
  }
  if (list(spec.root.security).some((schemes) => Object.keys(node(schemes)).length > 0)) {
    const { status } = await send({ method: 'GET', target: '/no-such-path', headers: {} });
    if (status !== 401) yield `the response to GET /no-such-path without an API key is ${status}, not 401`;
  }
  for (const [target, operations] of declared) {
    const methods = operations.map(({ method }) => method);
    yield* methodErrors(target, methods, (method) => send({ method, target, headers }));
    for (const method of METHODS.filter((name) => !methods.includes(name))) {
      const response = await send({ method, target, headers });
      const allowed = withoutHeadAndOptions((response.headers.get('allow') ?? '').split(/, */));
      if (response.status !== 405) yield `the response to ${method} ${target} is ${response.status}, not 405`;
      else if (allowed.join() !== withoutHeadAndOptions(methods).join())
        yield `the response to ${method} ${target} has Allow ${allowed}, and the path has ${methods}`;
      yield* bodyErrors(spec, `${method} ${target}`, await response.text());
    }
  }
}

/** Errors in the responses to HEAD, whose status is that of GET, and to OPTIONS, which lists all methods (RFC 9110 9.3). */
async function* methodErrors(
  target: string,
  methods: readonly string[],
  request: (method: string) => Promise<Response>,
): AsyncGenerator<string> {
  const isRead = methods.includes('GET');
  const expected = [...new Set([...methods, ...(isRead ? ['HEAD'] : []), 'OPTIONS'])].toSorted().join(', ');
  const allow = (await request('OPTIONS')).headers.get('allow')?.split(/, */).toSorted().join(', ');
  if (!methods.includes('OPTIONS') && allow !== expected) yield `OPTIONS ${target} allows ${allow}, not ${expected}`;
  if (!isRead || methods.includes('HEAD')) return;
  const [get, head] = [(await request('GET')).status, (await request('HEAD')).status];
  if (get !== head) yield `the response to HEAD ${target} is ${head}, and to GET it is ${get}`;
}

/** The methods without HEAD and OPTIONS, because every path may have both. */
const withoutHeadAndOptions = (methods: readonly string[]) =>
  methods.filter((method) => !['HEAD', 'OPTIONS'].includes(method)).toSorted();

/** Whether the path is one of an operation, with any parameters. */
function isDeclared(spec: Spec, target: string): boolean {
  return spec.operations.values().some(({ path }) => {
    const pattern = path.split(/\{[^}]+\}/).map((text) => RegExp.escape(text));
    return new RegExp(`^${pattern.join('[^/]+')}$`).test(target);
  });
}

/** Errors in the body of a response without an operation. The body has to be an Error. */
function bodyErrors(spec: Spec, request: string, text: string): string[] {
  const schema = spec.root.components?.schemas?.Error;
  const errors = schema && valueErrors(spec, 'response')(schema, JSON.parse(text));
  return errors ? [`the body of the response to ${request} is ${text.slice(0, 100)}: ${errors}`] : [];
}
