import { valueErrors } from '../../../openapi/validate.ts';
import { list, node, type Spec } from '../../openapi.ts';
import { requiredInputs } from '../values.ts';
import { requestFor, type Service } from './service.ts';

const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'];

/**
 * Errors in the responses to paths and methods without an operation: 404, and 405 with the methods of the path. The
 * words are path segments that somebody may have added.
 */
export async function unknownPathErrors(service: Service, words: readonly string[]): Promise<string[]> {
  const { spec, send } = service;
  const errors: string[] = [];
  const requests = [...spec.operations.values()].map((operation) => {
    const { target, headers } = requestFor(service, operation, requiredInputs(spec, operation));
    return { path: target.split('?')[0] ?? '', method: operation.method, headers };
  });
  const served = Map.groupBy(requests, ({ path }) => path);
  const headers = credentialIn(requests[0]?.headers ?? {});
  const unknown = [
    '/no-such-path',
    '/store/orders',
    ...words.flatMap((word) => ['', ...served.keys()].map((path) => `${path}/${word}`)),
    ...[...served.keys()].flatMap((path) => [`${path}/no-such-path`, `${path}/`, path.toUpperCase()]),
  ];
  for (const target of unknown.filter((one) => !isServed(spec, one))) {
    const response = await send({ method: 'GET', target, headers });
    if (response.status !== 404) errors.push(`GET ${target} is answered ${response.status}, not 404`);
    errors.push(...bodyErrors(spec, `GET ${target}`, await response.text()));
  }
  if (list(spec.root.security).some((all) => Object.keys(node(all)).length > 0)) {
    const { status } = await send({ method: 'GET', target: '/no-such-path', headers: {} });
    if (status !== 401) errors.push(`GET /no-such-path without a key is answered ${status}, not 401`);
  }
  for (const [target, all] of served) {
    const methods = all.map(({ method }) => method);
    errors.push(...(await methodErrors(target, methods, (method) => send({ method, target, headers }))));
    for (const method of METHODS.filter((one) => !methods.includes(one))) {
      const response = await send({ method, target, headers });
      const allowed = named((response.headers.get('allow') ?? '').split(/, */));
      if (response.status !== 405) errors.push(`${method} ${target} is answered ${response.status}, not 405`);
      else if (allowed.join() !== named(methods).join())
        errors.push(`${method} ${target} is answered with Allow ${allowed}, and the path has ${methods}`);
      errors.push(...bodyErrors(spec, `${method} ${target}`, await response.text()));
    }
  }
  return errors;
}

/** Errors in the responses to HEAD, which is GET without a body, and to OPTIONS, which lists all methods (RFC 9110 9.3). */
async function methodErrors(
  target: string,
  methods: readonly string[],
  request: (method: string) => Promise<Response>,
) {
  const isRead = methods.includes('GET');
  const expected = [...new Set([...methods, ...(isRead ? ['HEAD'] : []), 'OPTIONS'])].toSorted().join(', ');
  const allow = (await request('OPTIONS')).headers.get('allow')?.split(/, */).toSorted().join(', ');
  const [get, head] =
    isRead && !methods.includes('HEAD') ? [(await request('GET')).status, (await request('HEAD')).status] : [];
  return [
    ...(methods.includes('OPTIONS') || allow === expected
      ? []
      : [`OPTIONS ${target} allows ${allow}, not ${expected}`]),
    ...(get === head ? [] : [`HEAD ${target} is answered ${head}, and GET ${get}`]),
  ];
}

/** The methods without HEAD and OPTIONS, which every path may have. */
const named = (methods: readonly string[]) => methods.filter((one) => !['HEAD', 'OPTIONS'].includes(one)).toSorted();

/** The headers that authenticate a request. */
function credentialIn({ authorization, ...others }: Readonly<Record<string, string>>): Record<string, string> {
  if (authorization !== undefined) return { authorization };
  const { 'content-type': _, ...rest } = others;
  return rest;
}

/** Whether the path of an operation takes it. */
function isServed(spec: Spec, target: string): boolean {
  const escaped = (text: string) => text.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  const patterns = [...spec.operations.values()].map(({ path }) =>
    path
      .split(/\{[^}]+\}/)
      .map(escaped)
      .join('[^/]+'),
  );
  return new RegExp(`^(?:${patterns.join('|')})$`).test(target);
}

/** Errors in the body of a response that no operation declares: it has to be an Error. */
function bodyErrors(spec: Spec, request: string, text: string): string[] {
  const schema = spec.root.components?.schemas?.Error;
  const errors = schema && valueErrors(spec, 'response')(schema, JSON.parse(text));
  return errors ? [`${request} is answered ${text.slice(0, 100)}: ${errors}`] : [];
}
